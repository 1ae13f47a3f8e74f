"""Expected hypervolume improvement, exact for independent objectives, in its logarithm."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.gp import Model
from pfes.improvement import Front, log_expected_improvement, log_expected_improvement_gradient, prepare_front
from pfes.objectives import Option
from pfes.pareto import non_dominated

__all__ = ["Ehvi", "reference_point"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ehvi(ByPrediction):
    """How much a measurement of all objectives is expected to add to the hypervolume above the reference point."""

    model: Model
    options: tuple[Option, ...]  # everything, or what half-measured points lack: the point is complete after each
    points: Array  # (S, L) levels of what is held
    reference: Array  # (L,)
    delta: Array  # (L,)
    starts: Array  # (Q, D)
    caution: float = 1.0  # how many times larger than believed the model's deviations are taken to be

    @cached_property
    def front(self) -> Front:
        """What is held, and above what improvements count."""
        return prepare_front(self.points, self.reference)

    def score(self, mean: Array, std: Array) -> Array:
        """Log of the expected improvement (N, K), the same for all options."""
        return np.tile(log_expected_improvement(mean, self.caution * std, self.front)[:, None], len(self.options))

    def sensitivity(self, mean: Array, std: Array) -> Sensitivity:
        """Log of the expected improvement (N, K) with derivatives."""
        value, d_mean, d_std = log_expected_improvement_gradient(mean, self.caution * std, self.front)
        each = len(self.options)
        d_std = self.caution * d_std
        return Sensitivity(
            np.tile(value[:, None], each), np.repeat(d_mean[:, None], each, 1), np.repeat(d_std[:, None], each, 1)
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Ehvi":
        """Believe the predicted mean at x: its uncertainty vanishes, and it is held if nothing is lacking any more."""
        believed = self.model.predict(x[None]).mean
        seen = np.full_like(believed, np.nan)
        seen[:, list(which)] = believed[:, list(which)]
        model = self.model.given(x[None], seen, self.delta**2)
        complete = (model.predict(x[None]).std <= 1.5 * self.delta).all()
        return replace(self, model=model, points=np.vstack([self.points, believed]) if complete else self.points)


def reference_point(levels: Array, thresholds: Array) -> Array:
    """(L,) thresholds where there are any, else a tenth of the range below the worst of the non-dominated levels."""
    if not len(levels):  # nothing is held: a deviation below the prior mean
        return np.where(np.isfinite(thresholds), thresholds, -1.0)
    front = levels[non_dominated(levels)]
    worst, best = front.min(axis=0), front.max(axis=0)
    span = np.where(best > worst, best - worst, 1.0)  # one point only: a deviation of the data
    return np.where(np.isfinite(thresholds), thresholds, worst - 0.1 * span)
