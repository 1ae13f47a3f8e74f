"""The marginal likelihood of merged data and its gradient.

| symbol | meaning | shape | in code |
|---|---|---|---|
| K | a k + diag(noise), covariance of the merged values | (n, n) | covariance |
| k | (1 - w) k0(s) + w / G sum_g k0(s_g), see `effects.py`; w = 0: k0(s) alone | (n, n) | |
| alpha | K^-1 (y - m) | (n,) | alpha |
| V | K^-1 - alpha alpha^T: minus twice the derivative of the log likelihood in K | (n, n) | |
| c_i | replicates behind y_i | (n,) | data.count |
| W | sum of squares inside the groups of replicates | | data.within |

Replicates of inferred noise v are merged without loss: the likelihood of all single values is that of the means, whose
noise is v / c_i, times that of the deviations inside the groups,

    -1/2 sum_i [(c_i - 1) log(2 pi v) + log c_i] - W / (2 v).

What depends on the data alone is computed once, in `Evidence`; what belongs to a pair of points, in `pairs.py`.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp import linalg
from pfes.gp.pairs import Pairs
from pfes.gp.recipe import Hyper, Recipe
from pfes.observations import Data

__all__ = ["Evidence", "Likelihood", "log_likelihood", "log_posterior", "noise_variances"]

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

LOG_2PI = math.log(2.0 * math.pi)
SMALLEST_NOISE = 1e-8  # of a row that claims to be exact: a deviation of 1e-4 of the data's


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
    log_scales, groups = np.log(hyper.scales), len(hyper.scales)
    value, _, amplitude, noise, mean, additive = likelihood
    if recipe.is_isotropic(groups):
        prior, count = recipe.prior_of_scales(groups), max(groups, 1)
        believed, slope = float(prior.log_density(log_scales).sum()) / count, prior.slope(log_scales) / count
    else:
        believed, slope = recipe.log_prior_of_scales(log_scales, groups)
    value += believed
    scales = likelihood.scales + slope
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

    def __init__(self, data: Data, groups: Integers, kernel: str, *, one_scale: bool = False) -> None:
        # one_scale: all scales are one parameter and there are no main effects; its slope is given to the first scale
        self.data, self.size = data, len(data.y)
        inferred = np.isnan(data.noise)
        self.known = noise_variances(data, 0.0)  # (n,) noise variance, and what one of measurements adds to it
        self.inferred = np.where(inferred, 1.0 / data.count, 0.0)
        spare = np.where(inferred, data.count, 1.0)
        self.replicates = float(np.sum(spare - 1.0))
        self.constant = -0.5 * (self.size + self.replicates) * LOG_2PI - 0.5 * float(np.sum(np.log(spare)))
        self.pairs = Pairs(data.x, np.zeros_like(groups) if one_scale else groups, matern=kernel == "matern52")
        self.right = np.asfortranarray(np.column_stack([data.y, np.ones(self.size)]))
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
        diagonal = self.known + hyper.noise * self.inferred
        diagonal += hyper.amplitude
        covariance = self.pairs.covariance(hyper, diagonal)
        lower = linalg.factorise(covariance, hyper.amplitude, self.room).lower
        weighed = linalg.solve(lower, self.right)  # K^-1 y and K^-1 1
        if precision is not None:
            mean = float(weighed[:, 0].sum()) / (float(weighed[:, 1].sum()) + precision)
            hyper = replace(hyper, mean=mean)
        alpha = weighed[:, 0] - hyper.mean * weighed[:, 1]
        value = self.constant - 0.5 * float((self.data.y - hyper.mean) @ alpha)
        value -= float(np.log(lower.diagonal()).sum())
        value -= 0.5 * (self.replicates * math.log(hyper.noise) + self.data.within / hyper.noise)
        slopes = self.pairs.contract(hyper, linalg.inverse_lower(lower), alpha, self.inferred)
        d_noise = hyper.noise * slopes.diagonal + self.replicates - self.data.within / hyper.noise
        return Likelihood(
            value, slopes.scales, slopes.amplitude, -0.5 * d_noise, float(alpha.sum()), slopes.additive
        ), hyper
