"""Which model of several objectives: independent, coregional or latent; given, or chosen by leaving values out.

"auto" fits all three and lets each predict every value of the data from all others, those of other objectives at the
same point included (Rasmussen & Williams 2006, 5.4.2):

    y_i | the rest ~ N(y_i - alpha_i / V_ii, 1 / V_ii),    V = K^-1

The model that predicts best is taken. Hyper-parameters are those of all data, which favours models that have more of
them; but priors doubt correlations (loadings.py), and what the data of docs/architecture.md say is that the choice is
seldom wrong, and costs little then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.gp import linalg
from pfes.gp.fit import fit
from pfes.gp.likelihood import LOG_2PI, Integers
from pfes.gp.multitask.fit import Start, fit_joint
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.loadings import JOINT
from pfes.gp.multitask.model import JointModel
from pfes.gp.recipe import Hyper, Recipe
from pfes.observations import Data

__all__ = ["Choice", "checked_model", "choose", "left_out"]

Array = NDArray[np.float64]
Kind = Literal["independent", "coregional", "latent"]

KINDS: tuple[Kind, ...] = ("independent", "coregional", "latent")
SMALLEST = 1e-3  # deviation that a prediction may claim: less is decided by rounding


@dataclass(frozen=True, eq=False)
class Choice:
    """A model of several objectives and why it was taken."""

    kind: Kind
    hyper: JointHyper
    singles: tuple[Hyper, ...]  # the objectives' own fits
    reason: str  # one sentence
    densities: dict[str, float]  # kind -> mean log density of values left out, nats; empty if it was given
    fits: dict[Kind, JointHyper]  # all that were fitted


def checked_model(model: str) -> str:
    """The name, if it is that of a model or "auto"."""
    if model not in (*KINDS, "auto"):
        names = ", ".join(map(repr, (*KINDS, "auto")))
        raise InvalidInput(f"model: got {model!r}, wanted one of {names}; try 'auto'")
    return model


def choose(
    data: Sequence[Data],
    groups: Integers,
    recipe: Recipe,
    model: str,
    rng: np.random.Generator,
    start: Choice | None = None,
) -> Choice:
    """Fit L objectives' standardised data by the model of that name, or by the one that "auto" chooses; groups (D,).

    start: what was chosen for similar data, so that fits begin near it too.

    Raises:
        InvalidInput: a name that is none of "independent", "coregional", "latent", "auto".
    """
    checked_model(model)
    # one kind for all, so that they can be mixed
    recipe = replace(recipe, kernel=recipe.kernels[0], levels="one")
    streams = rng.spawn(len(data) + len(JOINT))
    before = (None,) * len(data) if start is None else start.singles
    singles = tuple(fit(d, groups, recipe, s, b) for d, s, b in zip(data, streams, before, strict=False))
    hypers: dict[Kind, JointHyper] = {"independent": JointHyper.independent(singles)}
    for joint, stream in zip(JOINT, streams[len(data) :], strict=True):
        if model in ("auto", joint) and len(data) > 1:
            earlier = start.hyper if start is not None and start.kind == joint else None
            hypers[joint] = fit_joint(data, groups, recipe, joint, stream, Start(singles, earlier))
    if len(data) == 1:
        return Choice("independent", hypers["independent"], singles, "there is one objective", {}, hypers)
    if model != "auto":
        (kind,) = (kind for kind in KINDS if kind == model)
        return Choice(kind, hypers[kind], singles, f"{kind}, as was asked for", {}, hypers)
    kind, reason, densities = _chosen({k: left_out(JointModel.of(data, groups, h)) for k, h in hypers.items()})
    return Choice(kind, hypers[kind], singles, reason, densities, hypers)


def left_out(model: JointModel) -> Array:
    """Log density (n,) of each value of the data given all others, in the order of the model's rows.

    model: with one value vector.
    """
    precision = linalg.inverse_lower(model.factor.copy(order="F")).diagonal()
    variance = 1.0 / precision + SMALLEST**2
    return np.asarray(-0.5 * ((model.weights / precision) ** 2 / variance + np.log(variance) + LOG_2PI))


def _chosen(densities: dict[Kind, Array]) -> tuple[Kind, str, dict[str, float]]:
    """The kind, why, and mean log densities, from those of every value (n,)."""
    if not len(densities["independent"]):
        return "independent", "there are no data", {}
    means = {str(kind): float(values.mean()) for kind, values in densities.items()}
    best = max(JOINT, key=lambda kind: means[kind])
    gain = densities[best] - densities["independent"]
    better = bool(gain.sum() > 0.0)
    told = f"values left out are predicted {abs(gain.mean()):.2g} nats {'better' if better else 'worse'} by the {best} "
    told += "model than by independent ones"
    return best if better and len(gain) > 1 else "independent", told, means
