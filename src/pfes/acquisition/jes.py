"""Joint entropy search: nats about the Pareto set and its frontier together (Tu, Gandy, Kantas and Shafei 2022).

    gain = H[y] - average over r of H[y | X_r, F_r]

    R          sampled functions
    X_r, F_r   some of the optimal points of function r, and their values: a model that knows them predicts anew
    y          a measurement of some objectives at x

Knowing the pairs does two things to y: what is predicted at x moves and narrows, and f(x) is dominated by the sampled
frontier. The first is a ratio of determinants; the second is asked of `Pfes` with the model that knows the pairs:

    gain = 1/2 log det(S + D) - average of [1/2 log det(S_r + D) - what frontier r tells under the model that knows X_r]

    S, S_r     covariance of f at x before, and given the pairs;   D = diag(delta^2)

By the moment-matched bound ("matched") it is the publication's lower bound, JES-LB; without noise ("exact") it is
JES-0. An option that leaves objectives out has the determinants and the bound of the others, so that single objectives
compare with everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.method import Method
from pfes.acquisition.pfes import Pfes, information_of
from pfes.acquisition.protocol import Slopes, gain_of, score_of, slope_of
from pfes.acquisition.resolution import smallest
from pfes.acquisition.samples import Draw, draw, own_values
from pfes.acquisition.situation import Situation
from pfes.frontiers.thinning import thin
from pfes.gp import Surrogate
from pfes.information import Frontiers
from pfes.objectives import Option

__all__ = ["METHOD", "Jes", "jes", "jes_of"]

Array = NDArray[np.float64]

ROUNDING = 1e-12  # of the prior variance: what is known, or goes together entirely, still has a determinant
PAIRS = 20  # optimal points of each sampled function that are taken to be known


class Determinants(NamedTuple):
    """1/2 log det of a measurement's covariance for every option, and its derivative in the spread."""

    value: Array  # (N, K)
    d_spread: Array  # (N, K, L), or (N, K, L, L) of covariances


@dataclass(frozen=True)
class Jes:
    """The criterion, coupled and decoupled, by R models that each know one sampled Pareto set."""

    before: Pfes  # what is believed now, and all frontiers
    after: tuple[Pfes, ...]  # for each sampled function: the model that knows its optimal pairs, and its frontier

    @property
    def options(self) -> tuple[Option, ...]:
        """The K measurements on offer."""
        return self.before.options

    @property
    def model(self) -> Surrogate:
        """What is believed, each sampled path's own values at pending points included."""
        return self.before.model

    @property
    def starts(self) -> Array:
        """(Q, D) the sampled Pareto sets."""
        return self.before.starts

    @property
    def delta(self) -> Array:
        """(L,) noise and resolution of a measurement."""
        return self.before.delta

    def scores(self, x: Array) -> Array:
        """Log nats (N, K)."""
        gain = self._determinants(self.before.predicted(x)[1]).value
        for one in self.after:
            mean, spread = one.predicted(x)
            told = gain_of(one.score(mean, spread)) - self._determinants(spread).value
            gain = gain + told / len(self.after)
        return score_of(gain)

    def slopes(self, x: Array) -> Slopes:
        """`scores` with gradients (N, K, D)."""
        at = self.before.predicted_gradient(x)
        gain, d_spread = self._determinants(at[1])
        d_x = _along(d_spread, at[3])
        for one in self.after:
            at = one.predicted_gradient(x)
            score, d_score = one.slopes_at(at)
            told = gain_of(score)
            value, d_spread = self._determinants(at[1])
            gain = gain + (told - value) / len(self.after)
            d_x = d_x + (d_score / slope_of(told)[:, :, None] - _along(d_spread, at[3])) / len(self.after)
        return Slopes(score_of(gain), slope_of(gain)[:, :, None] * d_x)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Jes":
        """Each sampled function shows its own values at x, also to the model that knows its pairs (theory 8)."""
        seen, noise = own_values(self.before.values, self.delta, x, which, rng), self.delta**2
        pairs = zip(self.after, seen, strict=True)
        return Jes(
            replace(self.before, model=self.model.given(x[None], seen, noise)),
            tuple(replace(one, model=one.model.given(x[None], y, noise)) for one, y in pairs),
        )

    def _determinants(self, spread: Array) -> Determinants:
        """1/2 log det (N, K) of every option's part of the covariance, noise added."""
        whole = np.zeros((*spread.shape[:2], spread.shape[1]))
        own = np.arange(spread.shape[1])
        if spread.ndim == 3:
            whole += spread
        else:
            whole[:, own, own] = spread**2
        whole[:, own, own] += self.delta**2 + ROUNDING * self.model.amplitude
        values, slopes = [], []
        for option in self.options:
            part = np.ix_(range(len(spread)), option.which, option.which)
            values.append(0.5 * np.linalg.slogdet(whole[part])[1])
            slope = np.zeros_like(whole)
            slope[part] = 0.5 * np.linalg.inv(whole[part])
            slopes.append(slope if spread.ndim == 3 else 2.0 * spread * slope[:, own, own])
        return Determinants(np.column_stack(values), np.stack(slopes, axis=1))


def _along(d_spread: Array, d_spread_x: Array) -> Array:
    """The chain rule: (N, K, L) or (N, K, L, L) and (N, L, D) or (N, L, L, D) -> (N, K, D)."""
    count = len(d_spread)
    return d_spread.reshape(count, d_spread.shape[1], -1) @ d_spread_x.reshape(count, -1, d_spread_x.shape[-1])


def jes(situation: Situation) -> Jes:
    """Sample functions and their optimal pairs, and let a model know those of each."""
    return jes_of(situation, draw(situation))


def jes_of(situation: Situation, drawn: Draw) -> Jes:
    """The same of functions that were sampled."""
    before = information_of(situation, drawn)
    noise = smallest(situation) ** 2
    after = [
        replace(
            before, model=before.model.given(x, y, noise) if len(x) else before.model, frontiers=Frontiers([frontier])
        )
        for (x, y), frontier in zip(_pairs(drawn), before.frontiers, strict=True)
    ]
    return Jes(before, tuple(after))


def _pairs(drawn: Draw) -> list[tuple[Array, Array]]:
    """Optimal points (S, D) of each sampled function and their values (S, L): at most PAIRS, spread over the front."""
    pairs = []
    for x, frontier in zip(drawn.sampled.sets, drawn.sampled.frontiers, strict=True):
        y = frontier[: len(x)]  # virtual points of thresholds come last
        kept = thin(y, np.zeros(len(y), dtype=bool), PAIRS)
        pairs.append((x[kept], y[kept]))
    return pairs


METHOD = Method(
    "jes",
    "information about the Pareto set and the frontier together",
    jes,
    promise="tell {:.3g} nats about the Pareto set and its frontier",
    source="Tu et al. 2022",
    decoupled=True,
    together=True,
    informed=True,
)
