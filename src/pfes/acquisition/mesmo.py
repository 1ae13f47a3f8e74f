"""Max-value entropy search: nats about the best value of every objective (Belakaria, Deshwal and Doppa 2019).

    R        sampled frontiers
    maxima   (R, L) the largest value of each objective on each of them
    gamma    (maxima - mean) / std

A sampled frontier is taken to say of f(x) only that no objective exceeds its largest value there. Objectives being
independent, the entropy that this takes from f is a sum of terms, one per objective:

    g_l = gamma phi(gamma) / (2 Phi(gamma)) - log Phi(gamma)

So measuring some of the objectives is worth the sum of their terms, and single ones compare with everything as they
are. With noise or a resolution each term is what `channel` lets through of it; without, it is the publication's.

A threshold says nothing about the largest value of an objective: thresholds are not looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.channel import received
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.acquisition.samples import draw, own_values
from pfes.acquisition.situation import Situation
from pfes.gp import Surrogate
from pfes.normal import truncate
from pfes.objectives import Option

__all__ = ["METHOD", "Mesmo", "mesmo"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Mesmo(ByPrediction):
    """The criterion, for any sets of objectives, by R sampled frontiers."""

    model: Surrogate
    options: tuple[Option, ...]
    maxima: Array  # (R, L)
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled paths the maxima belong to
    delta: Array  # (L,) deviation of a measurement; 0: noise-free
    starts: Array  # (Q, D)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log nats (N, K)."""
        told = truncate(-np.inf, self._gamma(mean, spread)).deficit  # (R, N, L)
        return score_of(received(told, spread, self.delta).gain.mean(axis=0) @ self._members.T)

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """Log nats (N, K) with derivatives."""
        gamma = self._gamma(mean, spread)
        cut = truncate(-np.inf, gamma)
        gain, d_told, at_once = received(cut.deficit, spread, self.delta)
        d_gamma = d_told * cut.deficit_b / len(gamma)
        d_mean = -d_gamma / spread  # (R, N, L)
        d_mean = d_mean if mean.ndim == 3 else d_mean.sum(axis=0)
        d_std = at_once.mean(axis=0) - (d_gamma * gamma / spread).sum(axis=0)
        nats = gain.mean(axis=0) @ self._members.T
        share = slope_of(nats)[:, :, None] * self._members  # (N, K, L)
        return Sensitivity(score_of(nats), share * d_mean[..., None, :], share * d_std[:, None, :])

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Mesmo":
        """Each sampled frontier's mean is conditioned on its own path's values at x (theory 8)."""
        seen = own_values(self.values, self.delta, x, which, rng)
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))

    def _gamma(self, mean: Array, std: Array) -> Array:
        """(R, N, L) where the largest values lie, in deviations."""
        return (self.maxima[:, None, :] - mean) / std

    @property
    def _members(self) -> Array:
        """(K, L) 1 where an option measures an objective."""
        return np.array([[float(l in option.which) for l in range(len(self.delta))] for option in self.options])


def mesmo(situation: Situation) -> Mesmo:
    """Sample frontiers and keep the largest value of each objective."""
    sampled, delta, starts = draw(situation, bounded=False)
    maxima = np.stack([points.max(axis=0) for points in sampled.frontiers])
    return Mesmo(situation.model, situation.options, maxima, sampled.at, delta, starts)


METHOD = Method(
    "mesmo",
    "information about the best value of each objective; thresholds are not looked at",
    mesmo,
    promise="tell {:.3g} nats about the best values of the objectives",
    source="Belakaria et al. 2019",
    decoupled=True,
)
