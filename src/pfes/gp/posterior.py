"""What is believed about one function after its data: mean, deviation, their gradients, draws, further conditioning.

| symbol | meaning | shape | in code |
|---|---|---|---|
| K | prior covariance of the data, noise included; C its Cholesky factor | (n, n) | factor |
| alpha | K^-1 (y - m), a row per mean | (n,) or (R, n) | weights |
| k | prior covariance of candidates and data | (N, n) | cross |
| mu | m + k alpha | (N,) or (R, N) | mean |
| sigma^2 | a - k K^-1 k^T, of the function, not of a measurement | (N,) | std |

R values at the same points give R means over one variance: a variance does not depend on values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.gp import effects, linalg
from pfes.gp.kernels import KERNELS, scaled_squared_distances, squared_distances
from pfes.gp.levels import among_rows, factors_of
from pfes.gp.likelihood import Integers, noise_variances
from pfes.gp.recipe import Hyper
from pfes.observations import Data

__all__ = ["Posterior", "Prediction", "Slopes"]

Array = NDArray[np.float64]

SMALLEST_STD = 1e-9  # of the prior deviation: what remains of a known value is rounding
MANY_ROWS = 500  # of a table with itself: worth a look whether its columns take few values
BLOCK_BYTES = 2**20  # of one array over candidates and data: a handful of them stays in the cache


class Prediction(NamedTuple):
    """Mean and standard deviation of the function at N candidates."""

    mean: Array  # of one objective (N,) or (R, N); of a model (N, L) or (R, N, L)
    std: Array  # (N,); of a model (N, L)


class Slopes(NamedTuple):
    """A prediction and its derivatives with respect to the candidates' columns."""

    mean: Array
    std: Array
    d_mean: Array  # of one objective (..., N, D), of a model (..., N, L, D)
    d_std: Array  # (N, D), of a model (N, L, D)


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process given data; `Posterior.of` makes one, `given` makes the next."""

    hyper: Hyper
    groups: Integers  # (D,) group of each column
    x: Array  # (n, D)
    y: Array  # (n,) or (R, n)
    noise: Array  # (n,) variance of each value, jitter included
    factor: Array  # (n, n) lower Cholesky factor of k(x, x) + diag(noise)
    whitened: Array  # (n,) or (R, n), C^-1 (y - m)
    weights: Array  # (n,) or (R, n), (k(x, x) + diag(noise))^-1 (y - m)

    @staticmethod
    def of(data: Data, groups: Integers, hyper: Hyper) -> "Posterior":
        """The posterior of standardised data; groups (D,) the group of each column."""
        empty = np.zeros(0)
        prior = Posterior(
            hyper, np.asarray(groups), np.zeros((0, len(groups))), empty, empty, np.zeros((0, 0)), empty, empty
        )
        return prior.given(data.x, data.y, noise_variances(data, hyper.noise))

    @property
    def column_scales(self) -> Array:
        """(D,) length scale of each column."""
        return self.hyper.scales[self.groups]

    def kernel(self, a: Array, b: Array) -> Array:
        """Prior covariance (N, M) of the function at a (N, D) and b (M, D)."""
        hyper, scales = self.hyper, self.column_scales
        if hyper.additive > 0.0:
            near = a / scales
            far = near if b is a else b / scales
            if b is a and len(a) >= MANY_ROWS and (factors := factors_of(near, self.groups)):
                return hyper.amplitude * among_rows(near, self.groups, factors, hyper.additive, self._matern)
            return hyper.amplitude * effects.correlations(near, far, self.groups, hyper.additive, self._matern)
        return hyper.amplitude * KERNELS[hyper.kernel].value(scaled_squared_distances(a, b, scales))

    def kernel_and_slopes(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Prior covariance (N, M) of the function at a (N, D) and b (M, D), and its derivatives (N, M, D) in a."""
        hyper, scales = self.hyper, self.column_scales
        near, far = a / scales, b / scales
        if hyper.additive > 0.0:
            cross, d_cross = effects.correlations_and_slopes(near, far, self.groups, hyper.additive, self._matern)
            d_cross *= (hyper.amplitude / scales)[:, None]
            return hyper.amplitude * cross, d_cross.transpose(0, 2, 1)
        cross, slope = KERNELS[hyper.kernel].value_and_slope(squared_distances(near, far))
        d_cross = (2.0 * hyper.amplitude * slope)[:, :, None] * (near[:, None, :] - far) / scales
        return hyper.amplitude * cross, d_cross

    @property
    def _matern(self) -> bool:
        return self.hyper.kernel == "matern52"

    def solve(self, right: Array) -> Array:
        """(k(x, x) + diag(noise))^-1 applied to the last axis of right (..., n)."""
        flat = right.reshape(-1, len(self.x))
        return linalg.solve(self.factor, flat.T).T.reshape(right.shape)

    def predict(self, x: Array) -> Prediction:
        """Mean and standard deviation of the function at x (N, D); works in blocks, memory stays bounded."""
        parts = [self._predict(x[rows]) for rows in _blocks(len(x), len(self.x))]
        return (
            parts[0] if len(parts) == 1 else Prediction(*(np.concatenate(p, axis=-1) for p in zip(*parts, strict=True)))
        )

    def mean(self, x: Array) -> Array:
        """The mean of `predict` alone, (N,) or (R, N) at x (N, D): nothing has to be solved for it."""
        parts = [self._mean(self.kernel(x[rows], self.x)) for rows in _blocks(len(x), len(self.x))]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)

    def _predict(self, x: Array) -> Prediction:
        cross = self.kernel(x, self.x)
        spread = linalg.solve_lower(self.factor, cross.T)
        return Prediction(self._mean(cross), self._std(np.einsum("ij,ij->j", spread, spread)))

    def _mean(self, cross: Array) -> Array:
        # (N, n) -> (N,) or (R, N)
        return self.hyper.mean + self.weights @ cross.T

    def _std(self, explained: Array) -> Array:
        amplitude = self.hyper.amplitude
        return np.sqrt(np.maximum(amplitude - explained, SMALLEST_STD**2 * amplitude))

    def predict_gradient(self, x: Array) -> Slopes:
        """`predict` with derivatives with respect to x (N, D)."""
        blocks = _blocks(len(x), len(self.x) * (1 + x.shape[1]))
        parts = [self._predict_gradient(x[rows]) for rows in blocks]
        if len(parts) == 1:
            return parts[0]
        axes = (-1, -1, -2, -2)
        return Slopes(*(np.concatenate(p, axis=axis) for p, axis in zip(zip(*parts, strict=True), axes, strict=True)))

    def _predict_gradient(self, x: Array) -> Slopes:
        cross, d_cross = self.kernel_and_slopes(x, self.x)
        spread = linalg.solve_lower(self.factor, cross.T)
        std = self._std(np.einsum("ij,ij->j", spread, spread))
        solved = linalg.solve_upper(self.factor, spread).T
        d_variance = -2.0 * (solved[:, None, :] @ d_cross)[:, 0, :]
        moving = std > SMALLEST_STD * np.sqrt(self.hyper.amplitude)
        # (R, n) @ (N, n, D) -> (N, R, D)
        d_mean = np.moveaxis(np.atleast_2d(self.weights) @ d_cross, 0, 1)
        d_mean = d_mean[0] if self.weights.ndim == 1 else d_mean
        return Slopes(self._mean(cross), std, d_mean, d_variance * (0.5 * moving / std)[:, None])

    def history(self, x: Array) -> Prediction:
        """What was believed at x (N, D) after none, one, two, ... of the n data: mean and std (n + 1, N).

        There must be one mean only. Hyper-parameters are those of today. A Cholesky factor grows row by row, so its
        first rows are those of then.
        """
        spread = linalg.solve_lower(self.factor, self.kernel(self.x, x))  # (n, N)
        grown = np.cumsum(self.whitened[:, None] * spread, axis=0)
        explained = np.cumsum(spread**2, axis=0)
        nothing = np.zeros((1, len(x)))
        return Prediction(
            self.hyper.mean + np.concatenate([nothing, grown]), self._std(np.concatenate([nothing, explained]))
        )

    def covariance(self, a: Array, b: Array) -> Array:
        """Posterior covariance (N, M) of the function at a (N, D) and b (M, D)."""
        left = linalg.solve_lower(self.factor, self.kernel(self.x, a))
        right = left if b is a else linalg.solve_lower(self.factor, self.kernel(self.x, b))
        return self.kernel(a, b) - left.T @ right

    def draw(self, x: Array, count: int, rng: np.random.Generator) -> Array:
        """Joint draws of the function at x (N, D): (count, N); with R means, (count, R, N)."""
        mean = self._mean(self.kernel(x, self.x))
        lower = linalg.factorise(self.covariance(x, x), self.hyper.amplitude).lower
        return np.asarray(mean + rng.standard_normal((count, *mean.shape)) @ lower.T)

    def given(self, x: Array, y: Array, noise: ArrayLike = 0.0) -> "Posterior":
        """The posterior after further values y (k,), or R of them (R, k), at x (k, D); noise: their variance, or (k,).

        Values without noise are interpolated, as far as points close to one another allow: jitter is added if needed.
        """
        known = linalg.solve_lower(self.factor, self.kernel(self.x, x))  # (n, k)
        extra = np.broadcast_to(np.asarray(noise, dtype=np.float64), (len(x),))
        schur = self.kernel(x, x) - known.T @ known + np.diag(extra)
        corner = linalg.factorise(schur, self.hyper.amplitude)
        factor = _bordered(self.factor, known, corner.lower)
        innovation = np.asarray(y) - self.hyper.mean - self.whitened @ known
        whitened = _joined(self.whitened, linalg.solve_lower(corner.lower, innovation.T).T)
        return Posterior(
            self.hyper,
            self.groups,
            np.concatenate((self.x, x)),
            _joined(self.y, np.asarray(y, dtype=np.float64)),
            np.concatenate((self.noise, extra + corner.jitter)),
            factor,
            whitened,
            linalg.solve_upper(factor, whitened.T).T,
        )


def _bordered(lower: Array, known: Array, corner: Array) -> Array:
    """The Cholesky factor [[lower, 0], [known^T, corner]]."""
    n, size = len(lower), len(lower) + len(corner)
    factor = np.zeros((size, size), order="F")
    factor[:n, :n], factor[n:, :n], factor[n:, n:] = lower, known.T, corner
    return factor


def _joined(before: Array, after: Array) -> Array:
    """(n,) or (R, n) and (k,) or (R, k) -> (n + k,) or (R, n + k)."""
    many = np.broadcast_shapes(before.shape[:-1], after.shape[:-1])
    pieces = [np.broadcast_to(piece, (*many, piece.shape[-1])) for piece in (before, after)]
    return np.concatenate(pieces, axis=-1)


def _blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of `count` rows such that an array with `width` numbers per row fits BLOCK_BYTES."""
    size = max(1, BLOCK_BYTES // (8 * max(width, 1)))
    for begin in range(0, max(count, 1), size):
        yield slice(begin, min(begin + size, count))
