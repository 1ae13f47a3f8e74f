"""Feasible Pareto-frontier entropy search (Qing, Moss, Dhaene and Couckuyt 2022), whose gain is -log of a probability.

    R         sampled frontiers, each shifted outwards
    Z         P(f is dominated by the shifted frontier)
    g         -log Z, averaged over the frontiers

It is the variational lower bound on the information in f about the frontier, if what is sampled is all there is of the
frontier. Of a finite sample that is not so: between its points lie values that nothing sampled dominates, though the
whole frontier does, and there -log Z explodes. So every frontier is shifted outwards by 4 % of its range; the virtual
points of thresholds stay where they are.

The publication is about f itself, without noise. With noise or a resolution, nats are taken to be shared equally by the
objectives, and each share is what `channel` lets through of it: an estimate, at most the capacity.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.channel import received
from pfes.acquisition.mass import Region, below, log_mass, log_mass_gradient
from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.acquisition.samples import draw, own_values
from pfes.acquisition.situation import Situation
from pfes.gp import Surrogate
from pfes.information import prepare
from pfes.objectives import Option

__all__ = ["METHOD", "Pf2es", "pf2es", "shifted"]

Array = NDArray[np.float64]

SHIFT = 0.04  # of the range of a frontier, as published


@dataclass(frozen=True)
class Pf2es(ByPrediction):
    """The criterion, by R regions below shifted frontiers."""

    model: Surrogate
    options: tuple[Option, ...]  # everything, or what half-measured points lack: the point is complete after each
    regions: tuple[Region, ...]
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled paths the frontiers belong to
    delta: Array  # (L,) deviation of a measurement; 0: noise-free
    starts: Array  # (Q, D)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log nats (N, K), the same for all options."""
        told = -log_mass(self.regions, mean, spread) / len(self.delta)  # (R, N)
        nats = received(told[..., None], spread, self.delta).gain.sum(axis=2).mean(axis=0)
        return np.tile(score_of(nats[:, None]), len(self.options))

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """Log nats (N, K) with derivatives."""
        value, d_mean, d_std = log_mass_gradient(self.regions, mean, spread)
        size, count = len(self.delta), len(self.options)
        gain, d_told, at_once = received(-value[..., None] / size, spread, self.delta)  # (R, N, L)
        share = -d_told.mean(axis=2, keepdims=True) / len(value)  # of a frontier's log Z in the average
        nats = gain.sum(axis=2).mean(axis=0)[:, None]
        log = slope_of(nats)
        by_mean, by_std = log * share * d_mean, log * ((share * d_std).sum(axis=0) + at_once.mean(axis=0))
        by_mean = by_mean if mean.ndim == 3 else by_mean.sum(axis=0)
        return Sensitivity(
            np.tile(score_of(nats), count),
            np.repeat(by_mean[..., None, :], count, axis=-2),
            np.repeat(by_std[:, None], count, axis=1),
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pf2es":
        """Each sampled frontier's mean is conditioned on its own path's values at x (theory 8)."""
        seen = own_values(self.values, self.delta, x, which, rng)
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))


def shifted(frontier: Array) -> Array:
    """A frontier (S, L) moved outwards by SHIFT of its range; points at infinity, those of thresholds, stay."""
    real = np.isfinite(frontier).all(axis=1)
    moved = frontier.copy()
    if real.any():
        moved[real] += SHIFT * np.ptp(frontier[real], axis=0)
    return moved


def pf2es(situation: Situation) -> Pf2es:
    """Sample frontiers and shift them."""
    sampled, delta, starts = draw(situation)
    frontiers = prepare([shifted(frontier) for frontier in sampled.frontiers])
    return Pf2es(situation.model, situation.options, tuple(map(below, frontiers)), sampled.at, delta, starts)


METHOD = Method(
    "pf2es",
    "how surely a point is not dominated by frontiers a little better than sampled ones",
    pf2es,
    promise="tell {:.3g} nats about the Pareto frontier",
    source="Qing et al. 2022",
)
