"""ParEGO (Knowles 2006): every suggestion draws weights, and improves the one number that they make of the objectives.

    c_l     shortfall of objective l: 0 at the best level measured, 1 at the worst or at the threshold
    w       (L,) weights, evenly drawn from those that sum to 1
    s       -(max_l w_l c_l + rho sum_l w_l c_l), rho = 0.05: what is maximised, an augmented Chebyshev distance

A Gaussian process is fitted to s by the recipe of the objectives' own, and the expected improvement of s is looked for.
The weights of one suggestion tell nothing of those of another, so a batch is one draw after the other: measurements
under way count as if they had brought what the objectives' own models expect.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.expected import expecting
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.resolution import finest
from pfes.acquisition.situation import Situation, best_of
from pfes.gp import Model, Posterior, Prediction, Recipe, Slopes, Surrogate, fit
from pfes.improvement import Front, log_expected_improvement, log_expected_improvement_gradient, prepare_front
from pfes.objectives import Option
from pfes.observations import condensed, merged

__all__ = ["METHOD", "Parego", "augmented_chebyshev", "drawn_weights", "parego", "shortfalls"]

Array = NDArray[np.float64]

RHO = 0.05


def shortfalls(levels: Array, thresholds: Array) -> Array:
    """(n, L) how far levels (n, L) fall short of the best, as parts of the range of each objective.

    The range ends at the threshold (L,) where there is one that something exceeds, else at the worst level.
    """
    if not len(levels):
        return levels
    best, worst = levels.max(axis=0), levels.min(axis=0)
    worst = np.where((thresholds > -np.inf) & (thresholds < best), thresholds, worst)
    return np.asarray((best - levels) / np.where(best > worst, best - worst, 1.0))


def augmented_chebyshev(shortfall: Array, weights: Array) -> Array:
    """(n,) minus the weighted distance from the ideal point: shortfall (n, L), weights (L,)."""
    weighted = shortfall * weights
    return np.asarray(-(weighted.max(axis=1) + RHO * weighted.sum(axis=1)))


def drawn_weights(objectives: int, rng: np.random.Generator) -> Array:
    """(L,) weights that sum to 1, all such equally likely."""
    return rng.dirichlet(np.ones(objectives))


@dataclass(frozen=True)
class Parego(ByPrediction):
    """Expected improvement of what one draw of weights makes of the objectives."""

    model: Surrogate  # of the objectives
    options: tuple[Option, ...]
    points: Array  # (n, D) where everything has been measured, or is under way
    levels: Array  # (n, L) there
    thresholds: Array  # (L,) -inf where there is none
    weights: Array  # (L,)
    recipe: Recipe
    groups: NDArray[np.intp]  # (D,)
    delta: Array  # (L,)
    starts: Array  # (Q, D)
    seed: int = 0  # of the fit

    @cached_property
    def scalars(self) -> Array:
        """(n,) s at the points."""
        return augmented_chebyshev(shortfalls(self.levels, self.thresholds), self.weights)

    @cached_property
    def scale(self) -> float:
        """The deviation of s, which is standardised before a model is fitted."""
        return float(self.scalars.std()) or 1.0 if len(self.scalars) else 1.0

    @cached_property
    def scalar(self) -> Model:
        """What is believed of s, standardised. Fitted when it is first asked for: after all that is under way."""
        middle = self.scalars.mean() if len(self.scalars) else 0.0
        values = (self.scalars - middle) / self.scale
        data = condensed(merged(self.points, values, np.full(len(values), np.nan)))
        hyper = fit(data, self.groups, self.recipe, np.random.default_rng(self.seed))
        return Model((Posterior.of(data, hyper.groups(self.groups), hyper),))

    @cached_property
    def front(self) -> Front:
        """The best that is believed to be held: where measurements are noisy, the largest of them is luck."""
        known = self.scalar.predict(self.points).mean if len(self.points) else np.zeros((1, 1))
        best = float(known.max())
        return prepare_front([[best]], [best - 1.0])

    def predicted(self, x: Array) -> Prediction:
        """Mean and deviation, both (N, 1), of s at candidates x (N, D)."""
        return self.scalar.predict(x)

    def predicted_gradient(self, x: Array) -> Slopes:
        """The same with derivatives in x."""
        return self.scalar.predict_gradient(x)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log of the expected improvement of s (N, K), the same for all options."""
        log = log_expected_improvement(mean, spread, self.front) + np.log(self.scale)
        return np.tile(log[:, None], len(self.options))

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """The same with derivatives."""
        log, d_mean, d_spread = log_expected_improvement_gradient(mean, spread, self.front)
        count = len(self.options)
        return Sensitivity(
            np.tile(log[:, None] + np.log(self.scale), count),
            np.repeat(d_mean[:, None], count, axis=1),
            np.repeat(d_spread[:, None], count, axis=1),
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Parego":
        """The next draw of weights; a point that lacks nothing any more has the levels that are expected there."""
        model, levels = expecting(self.model, x, which, self.delta)
        return replace(
            self,
            model=model,
            points=np.vstack([self.points, np.repeat(x[None], len(levels), axis=0)]),
            levels=np.vstack([self.levels, levels]),
            weights=drawn_weights(len(self.weights), rng),
            seed=int(rng.integers(2**31)),
        )


def parego(situation: Situation) -> Parego:
    """Weights for this suggestion, and what was measured; where no point has everything, what is predicted."""
    points, levels = situation.held, situation.measured
    if levels is None or not len(levels):
        points = points if len(points) else situation.observed
        levels = situation.model.predict(points).mean
    return Parego(
        situation.model,
        situation.options,
        points,
        levels,
        situation.thresholds,
        drawn_weights(len(situation.thresholds), situation.rng),
        situation.recipe,
        np.asarray(situation.domain.groups),
        finest(situation),
        best_of(points, levels),
        int(situation.rng.integers(2**31)),
    )


METHOD = Method(
    "parego",
    "expected improvement of a weighted distance from the best of each objective, with new weights every time",
    parego,
    promise="bring the weighted distance from the ideal point down by {:.3g} of the ranges",
    source="Knowles 2006",
)
