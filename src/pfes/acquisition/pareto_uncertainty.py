"""Uncertainty sampling on the predicted front: measure where the front is known least (Campigotto et al. 2014).

    front   of the model's mean, over the space or pool
    width   sqrt(sum of sigma_l^2) at a candidate
    short   how far its mean falls short of the front (`margin.py`), in resolutions; 0 on the front and beyond

    gain = width * exp(1 - sqrt(1 + short^2))

On the predicted front it is the width; a resolution below, two thirds of it, and less and less farther down. A front
found by a search is a sample of points, and the best candidates lie between them: hence not "on it or not".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.expected import expecting
from pfes.acquisition.margin import margin, with_thresholds
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.resolution import resolution
from pfes.acquisition.situation import Situation
from pfes.gp import Surrogate
from pfes.objectives import Option
from pfes.pareto import non_dominated
from pfes.search import SearchSettings, pareto_search
from pfes.space import Pool

__all__ = ["METHOD", "ParetoUncertainty", "pareto_uncertainty", "predicted_set"]

Array = NDArray[np.float64]

POINTS = 200  # of a predicted front in a space
FARTHEST = 5000.0  # resolutions below the front: all that is farther counts as this, so that scores stay those of gains


@dataclass(frozen=True)
class ParetoUncertainty(ByPrediction):
    """How uncertain a candidate is, if it is predicted to be on the front."""

    model: Surrogate
    options: tuple[Option, ...]
    front: Array  # (S, L) of the mean, thresholds as virtual points; inf in objectives that do not vary
    resolution: Array  # (L,) above 0
    delta: Array  # (L,)
    starts: Array  # (Q, D) the predicted Pareto set

    def score(self, mean: Array, spread: Array) -> Array:
        """Scores (N, K), the same for all options."""
        return self.sensitivity(mean, spread).score

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """The same with derivatives."""
        value, d_y = margin(mean / self.resolution, self.front / self.resolution)
        short = np.clip(-value, 0.0, FARTHEST)
        width, root = np.sqrt(np.sum(spread**2, axis=1)), np.sqrt(1.0 + short**2)
        score = np.log(width) + 1.0 - root
        moving = (short > 0.0) & (short < FARTHEST)
        d_mean = (moving * short / root)[:, None] * d_y / self.resolution
        count = len(self.options)
        return Sensitivity(
            np.tile(score[:, None], count),
            np.repeat(d_mean[:, None], count, axis=1),
            np.repeat((spread / width[:, None] ** 2)[:, None], count, axis=1),
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "ParetoUncertainty":
        """Believe the predicted mean at x: the predicted front stays as it is, its uncertainty there vanishes."""
        return replace(self, model=expecting(self.model, x, which, self.delta)[0])


def predicted_set(situation: Situation) -> Array:
    """(S, D) points whose predicted means no other's dominate; those beyond the thresholds if there are any."""
    model, domain = situation.model, situation.domain
    if isinstance(domain, Pool):
        x = domain.x if situation.allowed is None else domain.x[situation.allowed]
    else:
        known = domain.snap(situation.observed)
        seeds = known[domain.admissible(known)]
        settings = SearchSettings(archive=POINTS)
        x = pareto_search(
            lambda points: model.predict(points[0]).mean[None],
            domain,
            [seeds],
            settings,
            situation.rng,
            slopes=lambda points: model.predict_gradient(points[0]).d_mean[None],
        )[0].x
    levels = model.predict(x).mean
    best = non_dominated(levels)
    wanted = best & np.all(levels > situation.thresholds, axis=1)
    return x[wanted if wanted.any() else best]


def _flat(situation: Situation, fine: Array) -> NDArray[np.bool_]:
    """(L,) objectives that are predicted alike wherever something was measured: in them nothing falls short, so that
    dominated points would seem to be on the front. None if that is all of them."""
    means = situation.model.predict(situation.observed).mean
    flat = np.ptp(means, axis=0) <= fine if len(means) > 1 else np.zeros(len(fine), dtype=bool)
    return np.asarray(flat & ~flat.all())


def pareto_uncertainty(situation: Situation) -> ParetoUncertainty:
    """Find the front of the mean, and look for the widest prediction on it."""
    best = predicted_set(situation)
    front = situation.model.predict(best).mean
    told = resolution(situation, [front])
    fine = np.maximum(told, 1e-6)  # a resolution of 0 leaves no room beside the front
    beyond = np.all(front > situation.thresholds, axis=1).any()
    front[:, _flat(situation, fine)] = np.inf
    return ParetoUncertainty(
        situation.model,
        situation.options,
        with_thresholds(front, situation.thresholds) if beyond else front,
        fine,
        np.hypot(situation.noise, fine),
        best,
    )


METHOD = Method(
    "pareto-uncertainty",
    "the widest prediction on the predicted front",
    pareto_uncertainty,
    promise="take away an uncertainty of {:.3g} on the predicted front, in deviations of the data",
    source="Campigotto et al. 2014",
    least=2,
)
