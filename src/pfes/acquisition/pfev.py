"""Pareto-frontier entropy search by a variational lower bound (Ishikura and Karasuyama 2025).

A sampled frontier is only part of the one it is sampled from. Truncated to what it dominates, f is cut off too much;
truncated to what dominates none of its points, too little. The truth lies between, and the best mixture of both bounds
the information from below:

    gain = max over lambda of the average over r of log q_r,    0 <= lambda <= 1
    q_r  = DOUBT + (1 - DOUBT) (lambda P(h in U_r | y_r) / P(h in U_r) + (1 - lambda) P(h in F_r | y_r) / P(h in F_r))

    R     sampled functions, each with its frontier
    F_r   what frontier r dominates: a truncation by too much
    U_r   what dominates no point of frontier r: a truncation by too little
    y_r   what a measurement shows on function r: f_r(x) + e_r, e_r ~ N(0, delta^2) drawn once for all x
    h     f - MARGIN left, left the deviation of f given y

Each q_r is the density of y_r under the mixture, relative to what is predicted: whatever h is, the information is
bounded from below. Without noise h is f, as published. With noise a margin is needed: at the best points of function r,
which lie on its frontier, y_r cannot tell f inside from f outside, and with h = f the bound loses a nat there, however
small the noise: of two points of one objective it left 0.01 nats where 0.50 are published, with the margin 0.45
(tests/acquisition/test_pfev.py).

The third part of the mixture, with a weight of DOUBT, is the prediction itself: where the search missed the best of
function r, f_r(x) can lie outside both regions, and a logarithm of 0 would forbid the very point that is better than
all that was found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.mass import LogMass, Region, below, log_mass, log_mass_gradient, undominating
from pfes.acquisition.method import Method
from pfes.acquisition.protocol import Slopes, score_of, slope_of
from pfes.acquisition.samples import draw, own_values
from pfes.acquisition.situation import Situation
from pfes.gp import Surrogate
from pfes.information import prepare
from pfes.objectives import Option

__all__ = ["DOUBT", "METHOD", "Pfev", "best_mixture", "pfev"]

Array = NDArray[np.float64]

MARGIN = 2.0  # deviations of f given y by which regions are taken to be wider
DOUBT = 0.01  # weight of the prediction itself in the mixture
FINEST = 1e-6  # deviation of a measurement, in levels: below it f is known as well as it can be told
HALVINGS = 40  # of the range of lambda
STEP = 1e-5  # of the unit cube, for differences of sampled functions


class Seen(NamedTuple):
    """A measurement of every sampled function, and what is predicted of h before and after it."""

    off: Array  # (R, N, L) y - mean of f
    before: Array  # (N, L) or (R, N, L) mean of h
    after: Array  # (R, N, L) the same given y
    left: Array  # (N, L) deviation given y


@dataclass(frozen=True)
class Pfev:
    """The criterion, by R sampled functions and both truncations by their frontiers."""

    model: Surrogate
    options: tuple[Option, ...]  # everything, or what half-measured points lack: the point is complete after each
    over: tuple[Region, ...]  # F_r
    under: tuple[Region | None, ...]  # U_r; None: nothing is cut off
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled functions
    errors: Array  # (R, L) of the measurements
    delta: Array  # (L,) deviation of a measurement, above 0
    starts: Array  # (Q, D)

    def scores(self, x: Array) -> Array:
        """Log nats (N, K), the same for all options."""
        mean, std = self.model.predict(x)
        seen = self._seen(x, mean, std)
        ratios = [log_mass(side, seen.after, seen.left) - log_mass(side, seen.before, std) for side in self._sides]
        gain = np.minimum(best_mixture(*ratios).gain, self._capacity(std))
        return np.tile(score_of(gain[:, None]), len(self.options))

    def slopes(self, x: Array) -> Slopes:
        """`scores` with gradients: the best mixture being best, only the ratios move it."""
        mean, std, d_mean_x, d_std_x = self.model.predict_gradient(x)
        seen = self._seen(x, mean, std)
        after = [log_mass_gradient(side, seen.after, seen.left) for side in self._sides]
        before = [log_mass_gradient(side, seen.before, std) for side in self._sides]
        mixed = best_mixture(*(a.value - b.value for a, b in zip(after, before, strict=True)))
        told, was = _weighed(mixed.weights, after), _weighed(mixed.weights, before)
        total = np.hypot(std, self.delta)
        share, noise = (std / total) ** 2, (self.delta / total) ** 2
        d_share = 2.0 * share * noise / std
        d_mean = told.d_mean * noise - was.d_mean  # (R, N, L)
        d_left = noise**1.5
        by_margin = MARGIN * d_left * (was.d_mean - told.d_mean)
        d_std = (told.d_mean * seen.off * d_share + told.d_std * d_left + by_margin - was.d_std).sum(axis=0)
        d_x = np.einsum("nl,nld->nd", d_std, d_std_x)
        d_x += np.einsum("rnl,rnld->nd", d_mean, np.broadcast_to(d_mean_x, (*d_mean.shape, x.shape[1])))
        d_x += np.einsum("rnl,rnld->nd", told.d_mean * share, self._differences(x))
        capacity = self._capacity(std)
        whole = (mixed.gain >= capacity)[:, None]
        d_gain = np.where(whole, np.einsum("nl,nld->nd", std / total**2, d_std_x), d_x / len(self.errors))
        gain, count = np.minimum(mixed.gain, capacity)[:, None], len(self.options)
        d_score = (slope_of(gain) * d_gain)[:, None]
        return Slopes(np.tile(score_of(gain), count), np.repeat(d_score, count, axis=1))

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pfev":
        """Each sampled frontier's mean is conditioned on its own function's values at x (theory 8)."""
        seen = own_values(self.values, self.delta, x, which, rng)
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))

    @property
    def _sides(self) -> tuple[Sequence[Region | None], Sequence[Region | None]]:
        return self.under, self.over

    def _seen(self, x: Array, mean: Array, std: Array) -> Seen:
        total = np.hypot(std, self.delta)
        left = std * (self.delta / total)
        off = self.values(x) + self.errors[:, None] - mean
        before = mean - MARGIN * left
        return Seen(off, before, before + (std / total) ** 2 * off, left)

    def _capacity(self, std: Array) -> Array:
        """(N,) the most that a measurement tells about anything: a few samples can promise more, where f is known."""
        return np.asarray(np.log1p((std / self.delta) ** 2).sum(axis=1) / 2.0)

    def _differences(self, x: Array) -> Array:
        """(R, N, L, D) derivatives of the sampled functions, by differences: they are smooth, and cheap."""
        steps = STEP * np.eye(x.shape[1])
        pairs = [(self.values(x + step) - self.values(x - step)) / (2.0 * STEP) for step in steps]
        return np.stack(pairs, axis=-1)


class Mixed(NamedTuple):
    """The best mixture of two truncations."""

    gain: Array  # (N,)
    weights: Array  # (2, R, N) share of each truncation in q_r
    rate: Array  # (N,) lambda


def best_mixture(under: Array, over: Array) -> Mixed:
    """The rate at which log ratios (R, N) of two truncations are mixed best, by halving: the gain is concave in it."""
    none = np.log(DOUBT / (1.0 - DOUBT))
    small = np.maximum(np.abs(under), np.abs(over)) < 0.5  # there differences from 1 are what counts
    top = np.where(small, 0.0, np.maximum(np.maximum(under, over), none))  # so that nothing overflows
    a, b, c = np.exp(under - top), np.exp(over - top), np.exp(none - top)
    lead = np.where(small, np.expm1(np.where(small, under, 0.0)) - np.expm1(np.where(small, over, 0.0)), a - b)
    low, high = np.zeros(a.shape[1]), np.ones(a.shape[1])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        rises = np.sum(lead / (c + b + middle * lead), axis=0) > 0.0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    rate = 0.5 * (low + high)
    total = c + b + rate * lead
    beyond = (1.0 - DOUBT) * (np.expm1(np.where(small, over, 0.0)) + rate * np.where(small, lead, 0.0))
    gain = np.where(small, np.log1p(beyond), np.log((1.0 - DOUBT) * total) + top)
    return Mixed(gain.mean(axis=0), np.stack([rate * a / total, (1.0 - rate) * b / total]), rate)


def _weighed(weights: Array, masses: Sequence[LogMass]) -> LogMass:
    """Both sides' masses and slopes, added up with their weights (2, R, N)."""
    parts = [[weight.reshape(*weight.shape, *[1] * (one.ndim - 2)) * one for one in mass]
             for weight, mass in zip(weights, masses, strict=True)]  # fmt: skip
    return LogMass(*(first + second for first, second in zip(*parts, strict=True)))


def pfev(situation: Situation) -> Pfev:
    """Sample functions and their frontiers, and what measurements of them would err by."""
    sampled, delta, starts = draw(situation)
    frontiers = prepare(sampled.frontiers)
    delta = np.maximum(delta, FINEST)
    errors = delta * situation.rng.standard_normal((len(frontiers), len(delta)))
    return Pfev(
        situation.model,
        situation.options,
        tuple(map(below, frontiers)),
        tuple(map(undominating, frontiers)),
        sampled.at,
        errors,
        delta,
        starts,
    )


METHOD = Method(
    "pfev",
    "a lower bound on the information about the frontier, between a truncation by too much and one by too little",
    pfev,
    promise="tell at least {:.3g} nats about the Pareto frontier",
    source="Ishikura and Karasuyama 2025",
)
