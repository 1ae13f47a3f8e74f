"""SMS-EGO (Ponweiser, Wagner, Biermann and Vincze 2008): the hypervolume that a candidate would add if it were lucky.

    potential   mean + g std in every objective
    front       (S, L) non-dominated predicted means of what is held
    epsilon     (L,) how much worse than a potential a point of the front may be and still make it useless
    gain        hypervolume that the potential adds to the front, above a reference point; where a point of the front
                lies above potential - epsilon, minus a penalty: the largest prod_l (1 + excess_l) - 1 of those points,
                excess = max(0, front - potential)

g = Phi^-1(1/2 + 1/2^L) in the publication, infinite for one objective. GPareto, whose implementation many use, takes
g = -Phi^-1(1/2 * (1/2)^(1/L)): all objectives deviate by more than that, up or down, in half of the cases.
A potential below the reference is penalised as if the reference were a point of the front, so that a search is led
back to where there is something to gain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pfes.acquisition.expected import expecting
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.acquisition.resolution import finest
from pfes.acquisition.situation import Situation, best_of
from pfes.compiled import inline, kernel
from pfes.gp import Surrogate
from pfes.improvement import Front, prepare_front
from pfes.objectives import Option
from pfes.pareto import non_dominated

__all__ = ["GPARETO", "METHOD", "Smsego", "epsilons", "gain_in_use", "gain_of_the_paper", "reference_below", "smsego"]

Array = NDArray[np.float64]


def gain_of_the_paper(objectives: int) -> float:
    """g of Ponweiser et al.; at least two objectives."""
    return float(ndtri(0.5 + 0.5**objectives))


def gain_in_use(objectives: int) -> float:
    """g of GPareto."""
    return float(-ndtri(0.5 * 0.5 ** (1.0 / objectives)))


def epsilons(front: Array, left: float) -> Array:
    """(L,) the publication's: the front (S, L) is to be filled evenly by what is still to come; 0 for one point.

    left: measurements still to come after this one.
    """
    if len(front) < 2:
        return np.zeros(front.shape[1])
    return np.asarray(np.ptp(front, axis=0) / (len(front) + (1.0 - 0.5 ** front.shape[1]) * left))


@inline
def _penalty(potential: Array, front: Array, epsilon: Array, reference: Array, slope: Array) -> float:
    """The penalty of one potential (L,), -1 if there is none; its derivatives with the sign turned go to slope (L,)."""
    worst, count = -1.0, len(front)
    for s in range(count + 1):
        point = front[s] if s < count else reference
        useless, product = True, 1.0
        for l in range(len(potential)):
            excess = point[l] - potential[l]
            useless = useless and (s == count or excess >= -epsilon[l])
            product *= 1.0 + max(excess, 0.0)
        if useless and product - 1.0 > worst and (s < count or product > 1.0):
            worst = product - 1.0
            for l in range(len(potential)):
                excess = point[l] - potential[l]
                slope[l] = product / (1.0 + excess) if excess > 0.0 else 0.0
    return worst


@inline
def _growth(potential: Array, lower: Array, upper: Array, slope: Array) -> float:
    """The volume of the cells (M, L) below one potential (L,); its derivatives are added to slope (L,)."""
    total = 0.0
    for m in range(len(lower)):
        volume = 1.0
        for l in range(len(potential)):
            volume *= max(min(potential[l], upper[m, l]) - lower[m, l], 0.0)
        if volume > 0.0:
            total += volume
            for l in range(len(potential)):
                if potential[l] < upper[m, l]:
                    slope[l] += volume / (potential[l] - lower[m, l])
    return total


@kernel
def _gains(
    potential: Array, front: Array, epsilon: Array, reference: Array, lower: Array, upper: Array, out: Array
) -> None:
    """Gains and their derivatives in the potential, (N, 1 + L), from potentials (N, L) and cells (M, L) to be won."""
    for n in range(len(potential)):
        slope = out[n, 1:]
        penalty = _penalty(potential[n], front, epsilon, reference, slope)
        out[n, 0] = -penalty if penalty >= 0.0 else _growth(potential[n], lower, upper, slope)


@dataclass(frozen=True)
class Smsego(ByPrediction):
    """What the potential of a candidate would add to the hypervolume, or how far it falls short."""

    model: Surrogate
    options: tuple[Option, ...]
    points: Array  # (n, L) levels of what is held
    reference: Array  # (L,)
    epsilon: Array  # (L,)
    gain: float  # g
    delta: Array  # (L,)
    starts: Array  # (Q, D)

    @cached_property
    def front(self) -> Array:
        """(S, L) the non-dominated of the points."""
        return self.points[non_dominated(self.points)] if len(self.points) else self.points

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        """What is to be won: cells (M, L) above the reference that no point dominates."""
        made: Front = prepare_front(self.front, self.reference)
        return made.values[made.low], made.values[made.high]

    def _gain(self, mean: Array, spread: Array) -> Array:
        """(N, 1 + L) gains and their derivatives in the potential."""
        out = np.zeros((len(mean), 1 + mean.shape[1]))
        lower, upper = self._cells
        potential = np.ascontiguousarray(mean + self.gain * spread)
        _gains(potential, self.front, self.epsilon, self.reference, lower, upper, out)
        return out

    def score(self, mean: Array, spread: Array) -> Array:
        """Scores (N, K), the same for all options."""
        return np.tile(score_of(self._gain(mean, spread)[:, :1]), len(self.options))

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """The same with derivatives."""
        found, count = self._gain(mean, spread), len(self.options)
        gain, d_potential = found[:, :1], found[:, 1:]
        d_mean = np.repeat((slope_of(gain) * d_potential)[:, None], count, axis=1)
        return Sensitivity(np.tile(score_of(gain), count), d_mean, self.gain * d_mean)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Smsego":
        """Believe the predicted mean at x: its potential is no better, and it is held if it lacks nothing any more."""
        model, levels = expecting(self.model, x, which, self.delta)
        return replace(self, model=model, points=np.vstack([self.points, levels]))


def reference_below(front: Array, thresholds: Array) -> Array:
    """(L,) the thresholds where there are any, else a deviation of the data below the worst of the front (S, L).

    As long as no point of the front exceeds all thresholds they are left out: every potential would fall short of them,
    and the least penalty lies next to what is known.
    """
    worst = front.min(axis=0) - 1.0 if len(front) else np.full(len(thresholds), -1.0)
    reached = (front > thresholds).all(axis=1).any() or not len(front)
    return np.where(np.isfinite(thresholds) & reached, thresholds, worst)


def smsego(gain: Callable[[int], float], situation: Situation) -> Smsego:
    """Add to the front of the predicted means at the points where everything has been measured."""
    held, count = situation.held, len(situation.thresholds)
    levels = situation.model.predict(held).mean
    front = best_of(levels, levels)
    left = situation.left - 1.0 if np.isfinite(situation.left) else float(len(held))
    return Smsego(
        situation.model,
        situation.options,
        levels,
        reference_below(front, situation.thresholds),
        epsilons(front, max(left, 0.0)),
        gain(count),
        finest(situation),
        best_of(held, levels),
    )


METHOD = Method(
    "smsego",
    "hypervolume of an optimistic prediction, with the publication's optimism",
    partial(smsego, gain_of_the_paper),
    promise="add {:.3g} to the hypervolume, in deviations of the data, with luck (below 0: how far it falls short)",
    source="Ponweiser et al. 2008",
    needs="a reference point: thresholds once they are exceeded, else a deviation below what is held",
    least=2,
    signed=True,
)
GPARETO = replace(
    METHOD,
    name="smsego-gpareto",
    summary="hypervolume of an optimistic prediction, with the optimism of GPareto",
    build=partial(smsego, gain_in_use),
    source="Binois and Picheny 2019",
    least=1,
)
