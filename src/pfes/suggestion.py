"""What to measure next, and why, in words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import gain_of, method_named
from pfes.design import Place
from pfes.gp import Hyper
from pfes.maximise import Found
from pfes.offer import Offer
from pfes.space import Pool
from pfes.task import Task

__all__ = ["Suggestion", "Suggestions", "from_model", "from_nothing", "without_model"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Suggestion:
    """What to measure next, and why."""

    x: Array  # (D,) encoded
    row: int  # of the pool, NO_ROW in a space
    which: tuple[int, ...]  # objectives
    gain: float  # in the method's unit (PFES: nats about the frontier); nan for points chosen without a model
    cost: float
    reason: str


@dataclass(frozen=True)
class Suggestions:
    """Suggestions, the hyper-parameters behind them, and why there are fewer than asked for, if there are."""

    items: tuple[Suggestion, ...]
    hypers: tuple[Hyper, ...] | None
    ended: str = ""


def from_model(task: Task, offer: Offer, found: Found, learns: bool) -> Suggestion:
    """The maximum that was found; learns: something is expected to be learned about the frontier."""
    which, cost = offer.options[found.option]
    per_cost = gain_of(found.best)
    gain = float(per_cost[found.option] * cost)
    promise = method_named(task.settings.method).promise.format(gain)
    if not learns:
        promise = f"tell {gain:.3g} nats about the objectives, none being expected about the frontier"
    what = _listed(offer.objectives.named(which))
    reason = f"Measuring {what} here is expected to {promise}, {gain / cost:.3g} per unit of cost"
    reason += _compared(offer, found, per_cost)
    return Suggestion(found.x, found.row, which, gain if learns else 0.0, cost, reason)


def _compared(offer: Offer, found: Found, per_cost: Array) -> str:
    """What the choice was compared with: how many points, and the best of every other option."""
    kind = "rows" if isinstance(offer.domain, Pool) else "points"
    others = [
        f"{_listed(offer.objectives.named(option.which))} {per_cost[k]:.3g}"
        for k, option in enumerate(offer.options)
        if k != found.option and np.isfinite(found.best[k])
    ]
    beside = f"; at best, per unit of cost: {', '.join(others)}" if others else ""
    return f": the best of {found.compared:,} {kind}{beside}."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def without_model(task: Task, offer: Offer, place: Place, lacking: tuple[int, ...]) -> Suggestion:
    """A place of a design; lacking: the objectives that have too few values for a model."""
    kind = "far from the others" if isinstance(task.domain, Pool) else "of a Sobol sequence"
    kind = "drawn at random" if task.settings.method == "random" else kind
    reason = f"A point {kind}, chosen without a model"
    if lacking and method_named(task.settings.method).build is not None:
        counts = offer.known.counts(len(offer.objectives))
        have = ", ".join(f"{offer.objectives.names[l]} has {counts[l]} values" for l in lacking)
        reason += f": {have}, {task.settings.initial} are needed before a model is used"
    return Suggestion(place.x, place.row, place.which, np.nan, task.objectives.cost(place.which), reason + ".")


def from_nothing(offer: Offer) -> str:
    """Why nothing is suggested."""
    if np.isfinite(offer.limit) and offer.limit < max(option.cost for option in offer.options):
        dearer = min(option.cost for option in offer.options if option.cost > offer.limit)
        return f"the budget is spent: {max(offer.limit, 0.0):.6g} is left, the next measurement would cost {dearer:.6g}"
    if isinstance(offer.domain, Pool):
        which = "every row of the pool" if offer.rows is None else "every row with the fixed values"
    else:
        which = "every point of the space that could be found" + (" with the fixed values" if offer.domain.held else "")
    return f"{which} has been measured, is pending, or cannot be measured"
