"""Where experiments can be done at all: Gaussian process classification, Laplace's approximation (GPML, chapter 3).

| symbol | meaning | shape | in code |
|---|---|---|---|
| t | +1 where an experiment worked, -1 where it cannot be done | (n,) | sign |
| f | latent function, P(t | f) = Phi(t f), a Gaussian process of constant mean m | (n,) | latent |
| g, W | first and minus second derivative of log P(t | f) | (n,) | slope, curvature |

Around the most probable f the posterior is that of a regression on the values f + g / W with noise variances 1 / W: so
prediction, gradients and blocks are those of `Posterior`. P(feasible) = Phi(mu / sqrt(1 + sigma^2)), GPML 3.82.
Length scale and amplitude are the best of a small grid by their approximate evidence; m is the share of successes,
one of either kind added, so that a single class, or no data, is nothing special.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes import normal
from pfes.compiled import one_blas_thread
from pfes.gp.likelihood import Integers
from pfes.gp.posterior import Posterior
from pfes.gp.recipe import Hyper, Recipe
from pfes.observations import Data

__all__ = ["Feasibility"]

Array = NDArray[np.float64]

FRACTIONS = (0.1, 0.2, 0.4, 0.8, 1.6)  # length scales, in units of the cube's root-mean-square extent, sqrt(G)
AMPLITUDES = (1.0, 10.0)
FLATTEST = 1e-10  # curvature; a value this certain says nothing more about its neighbours
STEPS = 50
PART = 250  # points that choose the place in the grid


class _State(NamedTuple):
    """A place on the way to the most probable latent values."""

    weights: Array  # (n,) K^-1 (f - m): the search is along them, so that K is never inverted
    latent: Array  # (n,)
    slope: Array  # (n,) g
    curvature: Array  # (n,) W
    height: float  # log P(t | f) - (f - m)^T K^-1 (f - m) / 2


@dataclass(frozen=True, eq=False)
class Feasibility:
    """The probability that an experiment can be done, learned from those that could and could not."""

    latent: Posterior

    @staticmethod
    def of(x: Array, ok: NDArray[np.bool_], groups: Integers) -> "Feasibility":
        """Learn from points x (n, D) and whether each worked (n,); groups (D,) the group of each column."""
        sign = np.where(np.asarray(ok, dtype=bool), 1.0, -1.0)
        part = np.linspace(0, len(sign) - 1, min(len(sign), PART)).astype(np.intp)
        with one_blas_thread():
            trials = _grid(sign, groups)
            beliefs = [t.belief + _laplace(x[part], sign[part], groups, t.hyper)[1] for t in trials]
            return Feasibility(_laplace(x, sign, groups, trials[int(np.argmax(beliefs))].hyper)[0])

    def probability(self, x: Array) -> Array:
        """P(feasible) at x (N, D): (N,)."""
        mean, std = self.latent.predict(x)
        return normal.cdf(mean / np.sqrt(1.0 + std**2))

    def probability_gradient(self, x: Array) -> tuple[Array, Array]:
        """P(feasible) (N,) and its derivatives (N, D) with respect to x (N, D)."""
        mean, std, d_mean, d_std = self.latent.predict_gradient(x)
        width = np.sqrt(1.0 + std**2)
        z = mean / width
        d_z = (d_mean - (z * std / width)[:, None] * d_std) / width[:, None]
        return normal.cdf(z), normal.pdf(z)[:, None] * d_z


class _Trial(NamedTuple):
    """A place of the grid and the log density of its length scale."""

    hyper: Hyper
    belief: float


def _grid(sign: Array, groups: Integers) -> list[_Trial]:
    count = int(np.asarray(groups).max(initial=-1)) + 1
    prior = Recipe.botorch().prior_of_scales(count)
    level = NormalDist().inv_cdf((float(np.sum(sign > 0.0)) + 1.0) / (len(sign) + 2.0))
    scales = np.array(FRACTIONS) * math.sqrt(max(count, 1))
    return [
        _Trial(Hyper("matern52", np.full(count, scale), amplitude, 1.0, level * math.sqrt(1.0 + amplitude)), belief)
        for scale, belief in zip(scales, prior.log_density(np.log(scales)).tolist(), strict=True)
        for amplitude in AMPLITUDES
    ]


def _laplace(x: Array, sign: Array, groups: Integers, hyper: Hyper) -> tuple[Posterior, float]:
    """The approximate posterior of f at x (n, D) and the log evidence, by Newton's method; the objective is concave."""
    covariance = Posterior.of(_data(x[:0], sign[:0], sign[:0]), groups, hyper).kernel(x, x)

    def state(weights: Array) -> _State:
        shift = covariance @ weights
        below = normal.truncate(np.full(len(sign), -np.inf), sign * (hyper.mean + shift))
        curvature = np.maximum(below.hazard_b * below.gap_b, FLATTEST)
        height = float(np.sum(below.log_z)) - 0.5 * float(weights @ shift)
        return _State(weights, hyper.mean + shift, sign * below.hazard_b, curvature, height)

    now = state(np.zeros(len(sign)))
    for _ in range(STEPS):
        goal = _regression(x, groups, hyper, now).weights
        tries = (state(now.weights + 0.5**k * (goal - now.weights)) for k in range(10))
        better = next((trial for trial in tries if trial.height > now.height + 1e-9), None)
        if better is None:
            break
        now = better
    posterior = _regression(x, groups, hyper, now)
    # |I + W^1/2 K W^1/2| = |K + W^-1| |W|
    log_det = 2.0 * float(np.log(posterior.factor.diagonal()).sum()) + float(np.log(now.curvature).sum())
    return posterior, now.height - 0.5 * log_det


def _regression(x: Array, groups: Integers, hyper: Hyper, state: _State) -> Posterior:
    """The regression whose posterior is the normal that touches the true one at the state's latent values."""
    return Posterior.of(_data(x, state.latent + state.slope / state.curvature, 1.0 / state.curvature), groups, hyper)


def _data(x: Array, y: Array, noise: Array) -> Data:
    return Data(x, y, np.ones(len(y)), noise)
