"""The marginal likelihood of merged data and its gradient.

| symbol | meaning | shape | in code |
|---|---|---|---|
| K | a k + diag(noise), covariance of the merged values | (n, n) | covariance |
| k | (1 - w) k0(s) + w / G sum_g k0(s_g), see `effects.py`; w = 0: k0(s) alone | (P,) | shape |
| D_g | squared differences of the pairs i < j in the columns of group g | (G, P) | squares |
| alpha | K^-1 (y - m) | (n,) | alpha |
| V | K^-1 - alpha alpha^T: minus twice the derivative of the log likelihood in K | (n, n) | excess |
| c_i | replicates behind y_i | (n,) | data.count |
| W | sum of squares inside the groups of replicates | | data.within |

Replicates of inferred noise v are merged without loss: the likelihood of all single values is that of the means, whose
noise is v / c_i, times that of the deviations inside the groups,

    -1/2 sum_i [(c_i - 1) log(2 pi v) + log c_i] - W / (2 v).

What depends on the inputs alone is computed once, in `Evidence`; P = n (n - 1) / 2 pairs, because a symmetric matrix
holds every exponential twice.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp import linalg
from pfes.gp.effects import add_effects
from pfes.gp.kernels import KERNELS
from pfes.gp.recipe import Hyper, Recipe
from pfes.observations import Data

__all__ = ["Evidence", "Likelihood", "log_likelihood", "log_posterior", "noise_variances"]

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

LOG_2PI = math.log(2.0 * math.pi)
SMALLEST_NOISE = 1e-8  # of a row that claims to be exact: a deviation of 1e-4 of the data's
STORED = 8_000_000  # squared differences kept; beyond, they are computed again at every evaluation


class Likelihood(NamedTuple):
    """A log likelihood (or log posterior density) in nats and its derivatives with respect to the parameters' logs."""

    value: float
    scales: Array  # (G,) d value / d log scale
    amplitude: float  # d value / d log amplitude
    noise: float  # d value / d log noise
    mean: float  # d value / d mean, the mean itself
    additive: float = 0.0  # d value / d logit of the main effects' share


def log_likelihood(data: Data, groups: Integers, hyper: Hyper) -> Likelihood:
    """Log likelihood of the single values behind `data`, with gradient; groups (D,) the group of each column."""
    return Evidence(data, groups, hyper.kernel).at(hyper)


def log_posterior(data: Data, groups: Integers, hyper: Hyper, recipe: Recipe) -> Likelihood:
    """`log_likelihood` plus the log densities of the recipe's priors on what it fits; groups (D,)."""
    return with_priors(log_likelihood(data, groups, hyper), hyper, recipe)


def with_priors(likelihood: Likelihood, hyper: Hyper, recipe: Recipe) -> Likelihood:
    """Add the log priors of all that the recipe fits; one term for all scales if they are one parameter."""
    log_scales, prior = np.log(hyper.scales), recipe.prior_of_scales(len(hyper.scales))
    share = 1.0 / max(len(log_scales), 1) if recipe.is_isotropic(len(log_scales)) else 1.0
    value, _, amplitude, noise, mean, additive = likelihood
    value += share * float(prior.log_density(log_scales).sum())
    scales = likelihood.scales + share * prior.slope(log_scales)
    if recipe.amplitude == "fit":
        log_amplitude = np.log(hyper.amplitude)
        value += float(recipe.amplitude_prior.log_density(log_amplitude))
        amplitude += float(recipe.amplitude_prior.slope(log_amplitude))
    if recipe.noise == "fit":
        log_noise = np.log(hyper.noise)
        value += float(recipe.noise_prior.log_density(log_noise))
        noise += float(recipe.noise_prior.slope(log_noise))
    if recipe.mean == "constant":
        precision = recipe.mean_deviation**-2
        value -= 0.5 * precision * hyper.mean**2
        mean -= precision * hyper.mean
    if recipe.fits_additive(len(log_scales)):
        logit, precision = log_odds(hyper.additive), recipe.additive_deviation**-2
        value -= 0.5 * precision * logit**2
        additive -= precision * logit
    return Likelihood(value, scales, amplitude, noise, mean, additive)


def log_odds(share: float) -> float:
    """Logit of a share; 0 and 1 count as 1e-12 away from themselves, so that all stays finite."""
    inside = min(max(share, 1e-12), 1.0 - 1e-12)
    return math.log(inside) - math.log1p(-inside)


def noise_variances(data: Data, noise: float) -> Array:
    """Noise variance (n,) of each merged value: known, or that of one measurement over the number of replicates."""
    inferred = np.isnan(data.noise)
    return np.where(inferred, noise / data.count, np.maximum(np.where(inferred, 0.0, data.noise), SMALLEST_NOISE))


class Evidence:
    """The likelihood of given data as a function of the hyper-parameters."""

    def __init__(self, data: Data, groups: Integers, kernel: str) -> None:
        self.data, self.kernel, self.matern = data, KERNELS[kernel], kernel == "matern52"
        self.size = len(data.y)
        self.inferred = np.isnan(data.noise)
        spare = np.where(self.inferred, data.count, 1.0)
        self.replicates = float(np.sum(spare - 1.0))
        self.constant = -0.5 * (self.size + self.replicates) * LOG_2PI - 0.5 * float(np.sum(np.log(spare)))
        self.pairs = _Pairs(data.x, groups)
        # an evaluation must not ask the system for fresh memory: that takes as long as the algebra
        self.room = np.zeros((self.size, self.size), order="F")

    def at(self, hyper: Hyper) -> Likelihood:
        """Log likelihood and gradient at hyper."""
        return self._evaluate(hyper, None)[0]

    def at_best_mean(self, hyper: Hyper, precision: float) -> tuple[Likelihood, Hyper]:
        """The same at the mean that maximises likelihood times N(mean; 0, 1/precision), and hyper with that mean."""
        return self._evaluate(hyper, precision)

    def _evaluate(self, hyper: Hyper, precision: float | None) -> tuple[Likelihood, Hyper]:
        if self.size == 0:
            return Likelihood(0.0, np.zeros_like(hyper.scales), 0.0, 0.0, 0.0), hyper
        weights, share = hyper.scales**-2.0, hyper.additive
        distances, effects = self.pairs.distances(weights, self.matern, share > 0.0)
        whole, slope = self.kernel.value_and_slope(distances)
        shape = whole if effects is None else (1.0 - share) * whole + share * effects
        noise = noise_variances(self.data, hyper.noise)
        covariance = self.pairs.matrix(hyper.amplitude * shape, hyper.amplitude + noise)
        lower = linalg.factorise(covariance, hyper.amplitude, self.room).lower
        hyper = hyper if precision is None else replace(hyper, mean=self._best_mean(lower, precision))
        residual = self.data.y - hyper.mean
        alpha = linalg.solve(lower, residual)
        value = self.constant - 0.5 * float(residual @ alpha) - float(np.log(lower.diagonal()).sum())
        value -= 0.5 * (self.replicates * math.log(hyper.noise) + self.data.within / hyper.noise)
        excess = linalg.inverse_lower(lower, alpha)
        diagonal, below = excess.diagonal(), self.pairs.read(excess)
        d_scales = self.pairs.contract(below * slope)
        if effects is not None:
            d_scales = (1.0 - share) * d_scales + share * self.pairs.contract_effects(below, weights, self.matern)
        d_noise = float(diagonal[self.inferred] @ noise[self.inferred]) + self.replicates
        return Likelihood(
            value,
            2.0 * hyper.amplitude * weights * d_scales,
            -hyper.amplitude * (float(below @ shape) + 0.5 * float(diagonal.sum())),
            -0.5 * (d_noise - self.data.within / hyper.noise),
            float(alpha.sum()),
            0.0 if effects is None else -hyper.amplitude * share * (1.0 - share) * float(below @ (effects - whole)),
        ), hyper

    def _best_mean(self, lower: linalg.Array, precision: float) -> float:
        ones = np.ones(self.size)
        weight = linalg.solve(lower, ones)
        return float(weight @ self.data.y) / (float(weight @ ones) + precision)


class _Pairs:
    """The pairs i < j of n points: squared differences per group, and where a pair lies in a matrix."""

    def __init__(self, x: Array, groups: Integers) -> None:
        self.size = len(x)
        self.columns = [x[:, groups == g] for g in range(int(groups.max(initial=-1)) + 1)]
        first, second = np.triu_indices(self.size, 1)
        self.places = first * self.size + second  # in memory: below the diagonal in Fortran's order
        self.memory = np.zeros(self.size * self.size)
        few = len(self.columns) * len(first) <= STORED
        self.squares = np.array([self._square(g) for g in range(len(self.columns))]) if few else None
        self.moments = np.zeros((0, 0))  # (G, P) D_g k0'(s_g), with room made when first wanted

    def _square(self, group: int) -> Array:
        from scipy.spatial.distance import pdist  # noqa: PLC0415 - slow to import

        result: Array = pdist(self.columns[group], "sqeuclidean")
        return result

    def distances(self, weights: Array, matern: bool, effects: bool) -> tuple[Array, Array | None]:
        """sum_g weights_g D_g, (P,), and, if wanted, the mean over g of k0(weights_g D_g), (P,)."""
        main = np.zeros(len(self.places)) if effects and len(weights) else None
        if self.squares is not None:
            total = np.asarray(weights @ self.squares) if len(weights) else np.zeros(len(self.places))
            if main is not None:
                self.moments = self.moments if self.moments.size else np.empty_like(self.squares)
                add_effects(main, self.moments, self.squares, weights, matern)
        else:
            total, spare = np.zeros(len(self.places)), np.empty((1, len(self.places)))
            for group, weight in enumerate(weights):
                square = self._square(group)
                total += weight * square
                if main is not None:
                    add_effects(main, spare, square[None], weights[group : group + 1], matern)
        return total, None if main is None else main / len(weights)

    def contract(self, pairs: Array) -> Array:
        """sum_pairs D_g pairs, (G,)."""
        if self.squares is not None:
            return np.asarray(self.squares @ pairs) if len(self.columns) else np.zeros(0)
        return np.array([self._square(group) @ pairs for group in range(len(self.columns))])

    def contract_effects(self, pairs: Array, weights: Array, matern: bool) -> Array:
        """sum_pairs D_g k0'(weights_g D_g) pairs / G, (G,); `distances` was asked for effects at these weights."""
        if self.squares is not None:
            return np.asarray(self.moments @ pairs) / len(weights)
        return np.array([self._moment(g, weights, matern) @ pairs for g in range(len(weights))]) / len(weights)

    def _moment(self, group: int, weights: Array, matern: bool) -> Array:
        square = self._square(group)[None]
        moment = np.empty_like(square)
        add_effects(np.zeros(square.shape[1]), moment, square, weights[group : group + 1], matern)
        first: Array = moment[0]
        return first

    def matrix(self, below: Array, diagonal: Array) -> Array:
        """A matrix (n, n) in Fortran's order, its lower triangle and diagonal filled; the same memory each time."""
        self.memory[self.places] = below
        self.memory[:: self.size + 1] = diagonal
        return self.memory.reshape(self.size, self.size).T

    def read(self, matrix: Array) -> Array:
        """What lies below the diagonal of a matrix in Fortran's order, (P,)."""
        result: Array = matrix.T.reshape(-1)[self.places]
        return result
