"""Stepwise uncertainty reduction (Picheny 2015): how much less of the space could still hold better points.

    z       places where it is asked whether they may still be good, I of them, with shares of the whole space
    p(z)    probability that f(z) is dominated by nothing held; where the thresholds are exceeded, if there are any
    gain    sum over places of share * P(f(z) is such, and f(x) dominates it): the expected fall of the average of p
            after a measurement at x

A new value f(x) takes from p(z) what it dominates, and what it tells about f(z) leaves its average as it is. So the
fall is a probability under the joint distribution of f(x) and f(z). The region that nothing dominates is cut into
cells; for independent objectives the probability of a cell is a product of bivariate normal ones,

    P(low_l < f_l(z) <= high_l, f_l(x) - f_l(z) >= 0)

in closed form for any number of objectives: no sampling is needed for three, as it is in the publication.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.by_differences import ByDifferences
from pfes.acquisition.expected import expecting
from pfes.acquisition.method import Method
from pfes.acquisition.protocol import score_of
from pfes.acquisition.resolution import finest
from pfes.acquisition.situation import Situation, best_of
from pfes.compiled import inline, kernel, spread
from pfes.gp import Model, Surrogate
from pfes.normal import bivariate_below, tails
from pfes.objectives import Option
from pfes.pareto import as_frontier, nondominated_cells
from pfes.space import Pool

__all__ = ["METHOD", "Places", "Sur", "chosen_places", "still_open", "sur"]

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

PLACES = 64  # that a gain is summed over
BASE = 2048  # evenly spread points of a space, or rows of a pool, that they are drawn from
LEAST = 1e-13  # a probability that rounding cannot make
PIECE = 16  # candidates that a thread takes at once


class Room(NamedTuple):
    """The region that nothing held dominates, above the thresholds, in cells that name their bounds by row."""

    values: Array  # (J,) bounds: of each objective ascending, the last of them inf
    start: Rows  # (L + 1,) first row of each objective, and J
    low: Rows  # (M, L)
    high: Rows  # (M, L)


class Places(NamedTuple):
    """Where it is asked whether f may still be good."""

    x: Array  # (I, D)
    share: Array  # (I,) of the space that a place stands for


def room_above(points: Array, thresholds: Array) -> Room:
    """The room that points (n, L) leave above the thresholds (L,), which may be -inf."""
    lower, upper = np.full((1, len(thresholds)), -np.inf), np.full((1, len(thresholds)), np.inf)
    if len(points):
        cells = nondominated_cells(as_frontier(points))
        lower, upper = cells.lower, cells.upper
    lower = np.maximum(lower, thresholds)
    real = (lower < upper).all(axis=1)
    columns = [np.unique(np.append(lower[real, l], [*upper[real, l], np.inf])) for l in range(len(thresholds))]
    start = np.cumsum([0, *map(len, columns)])
    sides = [[np.searchsorted(v, side[real, l]) for l, v in enumerate(columns)] for side in (lower, upper)]
    low, high = (np.stack(rows, axis=1).astype(np.intp) + start[:-1] for rows in sides)
    return Room(np.concatenate(columns), start.astype(np.intp), low, high)


@inline
def _mass(low: Rows, high: Rows, below: Array) -> float:
    """The probability of all cells, from those (J,) of being below each bound."""
    total = 0.0
    for m in range(len(low)):
        product = 1.0
        for l in range(low.shape[1]):
            product *= max(below[high[m, l]] - below[low[m, l]], 0.0)
        total += product
    return total


@kernel
def _falls(
    mean: Array, std: Array, at_mean: Array, at_std: Array, covariance: Array, share: Array, values: Array, start: Rows,
    low: Rows, high: Rows, out: Array,
) -> None:  # fmt: skip
    """Gains (N,) of candidates mean, std (N, L) for I places at_mean, at_std (I, L); covariance (N, I, L)."""
    below = np.empty(len(values))
    for n in range(len(mean)):
        total = 0.0
        for i in range(len(at_mean)):
            possible = True
            for l in range(mean.shape[1]):
                m, s, t = at_mean[i, l], at_std[i, l], std[n, l]
                c = min(max(covariance[n, i, l], -s * t), s * t)
                apart = s * s + t * t - 2.0 * c  # variance of f(x) - f(z)
                if apart <= 1e-9 * (s * s + t * t):  # the place itself: it is not dominated by what it is
                    possible = False
                    break
                k = (mean[n, l] - m) / np.sqrt(apart)
                if k < -7.5:  # less than LEAST
                    possible = False
                    break
                rho = min(max((s * s - c) / (s * np.sqrt(apart)), -1.0), 1.0)
                for j in range(start[l], start[l + 1]):
                    below[j] = bivariate_below((values[j] - m) / s, k, rho)
            if possible:
                total += share[i] * _mass(low, high, below)
        out[n] = total


def _together(model: Surrogate, x: Array, z: Array) -> Array:
    """(N, I, L) covariances of each objective at x (N, D) with itself at z (I, D)."""
    if isinstance(model, Model):
        return np.stack([posterior.covariance(x, z) for posterior in model.posteriors], axis=-1)
    return np.asarray(np.einsum("nlil->nil", model.covariance(x, z)))


@kernel
def _opens(mean: Array, std: Array, values: Array, start: Rows, low: Rows, high: Rows, out: Array) -> None:
    """Probabilities (N,) of all cells together, where mean and std (N, L) are predicted."""
    below = np.empty(len(values))
    for n in range(len(mean)):
        for l in range(mean.shape[1]):
            for j in range(start[l], start[l + 1]):
                below[j] = tails((values[j] - mean[n, l]) / std[n, l])[0]
        out[n] = _mass(low, high, below)


def still_open(mean: Array, std: Array, room: Room) -> Array:
    """(N,) probability that nothing held dominates f, where mean and std (N, L) are predicted."""
    out = np.empty(len(mean))
    _opens(mean, std, *room, out)
    return out


@dataclass(frozen=True)
class Sur(ByDifferences):
    """The expected fall of the share of the space that may still hold something better."""

    model: Surrogate
    options: tuple[Option, ...]
    points: Array  # (n, L) levels of what is held
    thresholds: Array  # (L,) -inf where there is none
    places: Places
    delta: Array  # (L,)
    starts: Array  # (Q, D)

    @cached_property
    def room(self) -> Room:
        """What is not dominated by what is held."""
        return room_above(self.points, self.thresholds)

    def gains(self, x: Array) -> Array:
        """(N,) at candidates x (N, D)."""
        mean, std = self.model.predict(x)
        at_mean, at_std = self.model.predict(self.places.x)
        covariance, out = np.ascontiguousarray(_together(self.model, x, self.places.x)), np.empty(len(x))

        def work(which: slice) -> None:
            _falls(
                mean[which], std[which], at_mean, at_std, covariance[which], self.places.share, *self.room, out[which]
            )

        spread(work, [slice(begin, begin + PIECE) for begin in range(0, len(x), PIECE)])
        return np.where(out > LEAST, out, 0.0)

    def scores(self, x: Array) -> Array:
        """(N, K) scores at candidates x (N, D), the same for all options."""
        return np.tile(score_of(self.gains(x)[:, None]), len(self.options))

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Sur":
        """Believe the predicted mean at x: what it would dominate is not open any more."""
        model, levels = expecting(self.model, x, which, self.delta)
        return replace(self, model=model, points=np.vstack([self.points, levels]))


def chosen_places(x: Array, probability: Array, rng: np.random.Generator) -> Places:
    """About PLACES of the points x (B, D), each as often as it may still be good, and shares that undo this choice."""
    if len(x) <= PLACES:
        return Places(x, np.full(len(x), 1.0 / len(x)))
    weight = probability if probability.sum() > 0.0 else np.ones(len(x))
    total = np.cumsum(weight) / weight.sum()
    where = np.searchsorted(total, (np.arange(PLACES) + rng.random()) / PLACES).clip(max=len(x) - 1)
    found, times = np.unique(where, return_counts=True)
    return Places(x[found], times / PLACES * weight.mean() / weight[found])


def sur(situation: Situation) -> Sur:
    """Ask about the places of the space, or the rows of the pool, that may still be better than what is held."""
    held, domain = situation.held, situation.domain
    levels = situation.model.predict(held).mean
    if isinstance(domain, Pool):
        rows = np.arange(len(domain)) if situation.allowed is None else np.flatnonzero(situation.allowed)
        rows = situation.rng.choice(rows, BASE, replace=False) if len(rows) > BASE else rows
        base = domain.x[rows]
    else:
        base = domain.sobol(BASE, situation.rng)
    mean, std = situation.model.predict(base)
    probability = still_open(mean, std, room_above(levels, situation.thresholds))
    return Sur(
        situation.model,
        situation.options,
        levels,
        situation.thresholds,
        chosen_places(base, probability, situation.rng),
        finest(situation),
        best_of(held, levels),
    )


METHOD = Method(
    "sur",
    "expected fall of the share of the space that may still hold better points",
    sur,
    promise="lower the share of points that may still be better by {:.3g}",
    source="Picheny 2015",
)
