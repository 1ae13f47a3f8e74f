"""Thompson sampling with hypervolume (TS-EMO; Bradford, Schweidtmann and Lapkin 2018): believe one draw at a time.

    f       one function drawn from the model, of all objectives
    held    f at the points where everything has been measured, not what was measured there

    gain = hypervolume that f(x), known to a fine difference, adds to that of f(held)

Chance alone decides what is explored: the next suggestion believes another draw. Members of a batch share a draw, and
what one of them adds the next cannot. Were f(x) known exactly, the gain would be 0 in most places, without a slope; the
noise of measurements has no part in it, because f has none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.by_differences import ByDifferences
from pfes.acquisition.ehvi import reference_point
from pfes.acquisition.method import Method
from pfes.acquisition.resolution import finest, smallest
from pfes.acquisition.samples import draw
from pfes.acquisition.situation import Situation
from pfes.gp import Surrogate
from pfes.improvement import Front, log_expected_improvement, prepare_front
from pfes.objectives import Option

__all__ = ["METHOD", "Tsemo", "tsemo"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tsemo(ByDifferences):
    """What one drawn function would add to the hypervolume above the reference point."""

    model: Surrogate
    options: tuple[Option, ...]  # everything, or what half-measured points lack: the point is complete after each
    drawn: Callable[[Array], Array]  # (N, D) -> (1, N, L)
    points: Array  # (S, L) the draw at what is held, and at what is under way
    reference: Array  # (L,)
    fine: Array  # (L,) what f(x) is known to
    delta: Array  # (L,) deviation of a measurement
    starts: Array  # (Q, D) the drawn function's Pareto set

    @cached_property
    def front(self) -> Front:
        """Above what a point has to rise."""
        return prepare_front(self.points, self.reference)

    def scores(self, x: Array) -> Array:
        """Log hypervolume (N, K), the same for all options."""
        levels = self.drawn(x)[0]
        added = log_expected_improvement(levels, np.broadcast_to(self.fine, levels.shape), self.front)
        return np.tile(added[:, None], len(self.options))

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Tsemo":
        """The draw is right about what is under way."""
        levels = self.drawn(x[None])[0]
        seen = np.full_like(levels, np.nan)
        seen[:, list(which)] = levels[:, list(which)]
        model = self.model.given(x[None], seen, self.delta**2)
        return replace(self, model=model, points=np.concatenate([self.points, levels]))


def tsemo(situation: Situation) -> Tsemo:
    """Draw one function, and look at what is held as it does."""
    one = replace(situation, frontiers=replace(situation.frontiers, count=1))
    sampled, _, starts = draw(one)
    held = sampled.at(situation.held)[0] if len(situation.held) else np.zeros((0, len(situation.thresholds)))
    reference = reference_point(np.vstack([held, *sampled.at(starts)]), situation.thresholds)
    fine, delta = smallest(situation), finest(situation)
    return Tsemo(situation.model, situation.options, sampled.at, held, reference, fine, delta, starts)


METHOD = Method(
    "tsemo",
    "the hypervolume that one drawn function would add: Thompson sampling",
    tsemo,
    promise="add {:.3g} to the hypervolume, if a function drawn from the model is right",
    source="Bradford et al. 2018",
    needs="a reference point: thresholds, else somewhat below what is drawn",
)
