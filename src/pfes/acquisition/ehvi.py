"""Expected hypervolume improvement, in its logarithm.

What is held is known only as well as it was measured. Against the predicted means of what is held, a candidate beside
the best point promises much: most of what it may gain over that mean, the best point would gain, too. So where it
matters, what is held is drawn R times, and on each draw the candidate is predicted knowing it (Daulton, Balandat and
Bakshy 2021): improvement is the average over the draws.

Of objectives that are believed together it takes the covariance into account (Shah and Ghahramani 2016).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.resolution import finest, smallest
from pfes.acquisition.situation import Situation, best_of
from pfes.gp import JointModel, Surrogate
from pfes.improvement import Front, log_expected_improvement, log_expected_improvement_gradient, prepare_front
from pfes.objectives import Option
from pfes.pareto import non_dominated

__all__ = ["METHOD", "Ehvi", "contenders", "improvement", "reference_point"]

Array = NDArray[np.float64]

ROOM = 0.25  # deviations of the data that the reference point lies below the front at least
DRAWS = 8  # of what is held
KNOWN = 0.01  # deviations of a level below this are none: what is held is as predicted


@dataclass(frozen=True)
class Ehvi(ByPrediction):
    """How much a measurement of all objectives is expected to add to the hypervolume above the reference point."""

    model: Surrogate  # where there are R draws, it knows them: R means
    options: tuple[Option, ...]  # everything, or what half-measured points lack: the point is complete after each
    points: Array  # (S, L) levels of what is held, or (R, S, L): R draws of them
    reference: Array  # (L,)
    delta: Array  # (L,)
    starts: Array  # (Q, D)
    caution: float = 1.0  # how many times larger than believed the model's deviations are taken to be

    @cached_property
    def fronts(self) -> tuple[Front, ...]:
        """What is held, and above what improvements count: once, or for each draw."""
        draws = self.points if self.points.ndim == 3 else self.points[None]
        return tuple(prepare_front(points, self.reference) for points in draws)

    @property
    def together(self) -> bool:
        """Whether covariances are asked for."""
        return isinstance(self.model, JointModel)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log of the expected improvement (N, K), the same for all options."""
        return np.tile(self.expected_of(mean, self.widened(spread))[:, None], len(self.options))

    def expected_of(self, mean: Array, spread: Array) -> Array:
        """The same (N,) where it is as uncertain as that, no more."""
        pairs = zip(self._means(mean), self.fronts, strict=True)
        return _log_mean(np.stack([log_expected_improvement(own, spread, front) for own, front in pairs]))

    def widened(self, spread: Array) -> Array:
        """Deviations, or covariances, as they are taken to be."""
        return spread * self._wider(spread)

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """Log of the expected improvement (N, K) with derivatives."""
        std = self.widened(spread)
        pairs = zip(self._means(mean), self.fronts, strict=True)
        each = [log_expected_improvement_gradient(own, std, front) for own, front in pairs]
        gains = np.stack([one.gain for one in each])  # (R, N)
        score = _log_mean(gains)
        share = np.exp(gains - score) / len(each)  # (R, N) of each draw in the average
        d_mean = share[..., None] * np.stack([one.d_mean for one in each])  # (R, N, L)
        d_spread = np.einsum("rn,rn...->n...", share, np.stack([one.d_spread for one in each])) * self._wider(spread)
        count = len(self.options)
        d_mean = d_mean if mean.ndim == 3 else d_mean.sum(axis=0)
        return Sensitivity(
            np.tile(score[:, None], count),
            np.repeat(d_mean[..., None, :], count, axis=-2),
            np.repeat(d_spread[:, None], count, axis=1),
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Ehvi":
        """Believe the predicted mean at x, or what is drawn there: its uncertainty vanishes, and it is held if nothing
        is lacking any more."""
        mean = self.model.predict(x[None]).mean
        believed = mean if mean.ndim == 2 else self.model.draw(x[None], 1, rng)[0]
        seen = np.full_like(believed, np.nan)
        seen[..., list(which)] = believed[..., list(which)]
        model = self.model.given(x[None], seen, self.delta**2)
        complete = (model.predict(x[None]).std <= 1.5 * self.delta).all()
        return replace(
            self, model=model, points=np.concatenate([self.points, believed], axis=-2) if complete else self.points
        )

    def _wider(self, spread: Array) -> float:
        """What deviations, or covariances, are multiplied by."""
        return self.caution if spread.ndim == 2 else self.caution**2

    def _means(self, mean: Array) -> Array:
        """(R, N, L): each draw's own mean."""
        return np.broadcast_to(mean, (len(self.fronts), *mean.shape[-2:]))


def contenders(mean: Array, std: Array) -> NDArray[np.bool_]:
    """Which of S points (S, L) may be on the front: none is better by two deviations of both."""
    high, low = mean + 2.0 * std, mean - 2.0 * std
    sure = low[non_dominated(low)]
    least, most = (sure[None] - high[:, None]).min(axis=2), (sure[None] - high[:, None]).max(axis=2)
    beaten: NDArray[np.bool_] = np.any((least >= 0.0) & (most > 0.0), axis=1)
    return ~beaten


def _log_mean(logs: Array) -> Array:
    """(N,) the logarithm of the average of exp(logs), logs (R, N)."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)))


def reference_point(levels: Array, thresholds: Array) -> Array:
    """(L,) thresholds where there are any, else below the worst of the non-dominated levels: by a tenth of their range,
    and by ROOM at least. Right below a small front all would be won by filling it, and nothing by a better one."""
    if not len(levels):  # nothing is held: a deviation below the prior mean
        return np.where(np.isfinite(thresholds), thresholds, -1.0)
    front = levels[non_dominated(levels)]
    below = np.maximum(0.1 * np.ptp(front, axis=0), ROOM)
    return np.where(np.isfinite(thresholds), thresholds, front.min(axis=0) - below)


def improvement(situation: Situation) -> Ehvi:
    """Improve on the front of the predicted means at the points where everything has been measured."""
    levels = situation.model.predict(situation.held).mean
    reference = reference_point(levels, situation.thresholds)
    delta = finest(situation)
    starts = best_of(situation.held, levels)
    return Ehvi(situation.model, situation.options, levels, reference, delta, starts)


def ehvi(situation: Situation) -> Ehvi:
    """The same, over what is held as well as it is known: drawn, where it is uncertain and may be on the front."""
    plain, held = improvement(situation), situation.held
    if not len(held):
        return plain
    levels, std = situation.model.predict(held)
    near = contenders(levels, std)
    if std[near].max() <= KNOWN:
        return plain
    draws = situation.model.draw(held[near], DRAWS, situation.rng)
    return replace(plain, points=draws, model=situation.model.given(held[near], draws, smallest(situation) ** 2))


METHOD = Method(
    "ehvi",
    "expected hypervolume improvement, exact for independent objectives, closely for correlated ones",
    ehvi,
    promise="add {:.3g} to the hypervolume, in deviations of the data",
    source="Emmerich 2005",
    together=True,
    needs="a reference point: thresholds, else somewhat below what is held",
)
