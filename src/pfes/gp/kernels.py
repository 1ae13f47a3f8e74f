"""Stationary kernels: a function of one scaled squared distance, and its derivative.

| symbol | meaning | shape | in code |
|---|---|---|---|
| l_g | length scale of group g; a column's scale is that of its group | (G,) | scales |
| s | squared distance, sum over columns of (x - x')^2 / l^2 | any | square |
| k(s) | correlation, 1 at s = 0 | as s | value |
| k'(s) | its derivative with respect to s, finite at 0 | as s | slope |

In s both kernels are differentiable at 0, so that points that coincide need no special case. A kernel with main
effects is made of several of these: `effects.py`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["KERNELS", "Correlation", "scaled_squared_distances", "squared_distances"]

Array = NDArray[np.float64]

WIDE = 128  # columns from which on a matrix product is worth it
CLOSE = 1e-3  # of two rows' squared lengths: what is nearer is found by differences
SOME_BYTES = 2**22
MANY = 300  # rows whose distances from one another are remembered
_LAST: list[tuple[Array, Array]] = []


class Correlation(NamedTuple):
    """A kernel of unit amplitude as a function of s, elementwise."""

    value: Callable[[Array], Array]
    value_and_slope: Callable[[Array], tuple[Array, Array]]


def _rbf(square: Array) -> Array:
    result: Array = np.exp(-0.5 * square)
    return result


def _rbf_and_slope(square: Array) -> tuple[Array, Array]:
    value = _rbf(square)
    return value, -0.5 * value


def _matern52(square: Array) -> Array:
    return _matern52_and_slope(square)[0]


def _matern52_and_slope(square: Array) -> tuple[Array, Array]:
    # (1 + r + r^2 / 3) e^-r and -5/6 (1 + r) e^-r, r^2 = 5 s, in three arrays and no temporary ones: with many pairs
    # fresh memory costs more than arithmetic
    r = 5.0 * square
    value = r / 3.0
    np.sqrt(r, out=r)
    decay = np.negative(r)
    np.exp(decay, out=decay)
    r += 1.0
    value += r
    value *= decay
    r *= decay
    r *= -5.0 / 6.0
    return value, r


KERNELS = {"matern52": Correlation(_matern52, _matern52_and_slope), "rbf": Correlation(_rbf, _rbf_and_slope)}


def squared_distances(a: Array, b: Array) -> Array:
    """Squared Euclidean distances (N, M) between rows of a (N, D) and b (M, D).

    Two equal rows are at distance exactly 0, and small distances have all their digits, off which the posterior
    variance next to an observation lives: they are found by differences. With many columns that is slow, and all but
    the small ones are found by a matrix product, to a relative 1e-12.
    """
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - slow to import

    if a.shape[1] == 0:
        return np.zeros((len(a), len(b)))
    if a.shape[1] >= WIDE and min(len(a), len(b)) > 1:
        return _by_product(a, b)
    result: Array = cdist(a, b, "sqeuclidean")
    return result


def scaled_squared_distances(a: Array, b: Array, scales: Array) -> Array:
    """The same with each column divided by its length scale; scales (D,).

    If all are one, it is divided by in the end. So a pool of thousands of descriptors, whose rows are compared with one
    another at every suggestion, is compared once.
    """
    if len(scales) >= WIDE and len(a) > 1 and (scales == scales[0]).all():
        squares = _among(a) if b is a and len(a) >= MANY else squared_distances(a, b)
        return np.asarray(squares / scales[0] ** 2)
    near = a / scales
    return squared_distances(near, near if b is a else b / scales)


def _among(a: Array) -> Array:
    """Squared distances (N, N) among rows of a (N, D), remembered until others are asked for; not to be written to."""
    for rows, squares in _LAST:
        if np.array_equal(rows, a):
            return squares
    squares = squared_distances(a, a)
    _LAST[:] = [(a.copy(), squares)]  # one table of that size is enough
    return squares


def _by_product(a: Array, b: Array) -> Array:
    middle = b.mean(axis=0)
    left = a - middle
    right = left if a is b else b - middle  # of a matrix and itself numpy computes but half
    size = np.einsum("ij,ij->i", left, left)[:, None] + np.einsum("ij,ij->i", right, right)
    square = size - 2.0 * (left @ right.T)
    near, far = np.nonzero(square <= CLOSE * size)
    step = max(1, SOME_BYTES // (8 * a.shape[1]))
    for begin in range(0, len(near), step):
        i, j = near[begin : begin + step], far[begin : begin + step]
        apart = a[i] - b[j]
        square[i, j] = np.einsum("ij,ij->i", apart, apart)
    return np.asarray(square)
