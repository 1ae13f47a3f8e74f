"""A confidence bound by distance: how far beyond the front a candidate would lie with luck (Shilton et al. 2018).

lucky   mu + sqrt(beta) sigma
gain    the margin (`margin.py`) of that to the front of what is held: below 0, how far it falls short
beta    2/5 log(t^(D/2 + 2) pi^2 / (3 * 0.1)), t measured points, D encoded inputs: the bound of Srinivas et al.
        (2010), divided by five as in their experiments
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.expected import expecting
from pfes.acquisition.margin import margin, with_thresholds
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.acquisition.resolution import finest
from pfes.acquisition.situation import Situation, best_of
from pfes.gp import Surrogate
from pfes.objectives import Option
from pfes.pareto import non_dominated

__all__ = ["METHOD", "Distance", "distance", "optimism"]

Array = NDArray[np.float64]

DOUBT = 0.1  # the probability with which the bound may fail
MILDER = 5.0


def optimism(points: int, width: int) -> float:
    """sqrt(beta) after so many measured points of so many encoded inputs."""
    steps = max(points, 1)
    beta = 2.0 * ((width / 2.0 + 2.0) * math.log(steps) + math.log(math.pi**2 / (3.0 * DOUBT))) / MILDER
    return math.sqrt(beta)


@dataclass(frozen=True)
class Distance(ByPrediction):
    """How far beyond the front a candidate would lie if it were lucky."""

    model: Surrogate
    options: tuple[Option, ...]
    points: Array  # (n, L) levels of what is held
    thresholds: Array  # (L,)
    luck: float  # sqrt(beta)
    delta: Array  # (L,)
    starts: Array  # (Q, D)

    @cached_property
    def front(self) -> Array:
        """(S, L) the non-dominated of the points, and the thresholds; of nothing, a deviation below the prior mean."""
        best = self.points[non_dominated(self.points)] if len(self.points) else self.points
        front = with_thresholds(best, self.thresholds)
        return front if len(front) else np.full((1, len(self.thresholds)), -1.0)

    def score(self, mean: Array, spread: Array) -> Array:
        """Scores (N, K), the same for all options."""
        gain = margin(mean + self.luck * spread, self.front).value
        return np.tile(score_of(gain[:, None]), len(self.options))

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """The same with derivatives."""
        value, d_y = margin(mean + self.luck * spread, self.front)
        gain, count = value[:, None], len(self.options)
        d_mean = np.repeat((slope_of(gain) * d_y)[:, None], count, axis=1)
        return Sensitivity(np.tile(score_of(gain), count), d_mean, self.luck * d_mean)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Distance":
        """Believe the predicted mean at x: it is no luckier than that, and held if it lacks nothing any more."""
        model, levels = expecting(self.model, x, which, self.delta)
        return replace(self, model=model, points=np.vstack([self.points, levels]))


def distance(situation: Situation) -> Distance:
    """Go beyond the front of the predicted means at the points where everything has been measured."""
    held = situation.held
    levels = situation.model.predict(held).mean
    return Distance(
        situation.model,
        situation.options,
        levels,
        situation.thresholds,
        optimism(len(situation.observed), situation.domain.width),
        finest(situation),
        best_of(held, levels),
    )


METHOD = Method(
    "distance-ucb",
    "distance of an optimistic prediction to the front",
    distance,
    promise="lie {:.3g} beyond the front, in deviations of the data, with luck (below 0: how far it falls short)",
    source="Shilton et al. 2018",
    signed=True,
)
