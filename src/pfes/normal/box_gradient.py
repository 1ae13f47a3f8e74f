"""Derivatives of a box's probability: boxes with fewer variables, the others held at bounds.

    d P / d upper_i   = density of x_i at its bound times P(the others in their bounds | x_i)
    d P / d r_ij      = the sum over the four edges, signs alternating, of the density of (x_i, x_j) there times P(the
                        others | x_i, x_j)    (Plackett, 1954)

What is left is computed by `box`: exactly for up to four variables but for the bounds of four, which have three others.
"""

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.normal.bivariate import BoxGradient
from pfes.normal.boxes import POINTS, box, checked

__all__ = ["box_gradient"]

Array = NDArray[np.float64]


def _held(lower: Array, upper: Array, correlation: Array, which: list[int], at: Array, points: int) -> Array:
    """Density of the variables `which` at `at` (N, K) times the probability of the others' box given them, (N,)."""
    others = [j for j in range(lower.shape[1]) if j not in which]
    seen = np.asarray(np.isfinite(at).all(axis=1))
    value = np.where(seen[:, None], at, 0.0)
    own, cross = correlation[:, which][:, :, which], correlation[:, others][:, :, which]
    weights = np.linalg.solve(own, np.swapaxes(cross, 1, 2))  # (N, K, O)
    square = np.einsum("nk,nk->n", value, np.linalg.solve(own, value[:, :, None])[:, :, 0])
    density = np.exp(-0.5 * square) / np.sqrt((2.0 * np.pi) ** len(which) * np.linalg.det(own))
    if others:
        mean = np.einsum("nko,nk->no", weights, value)
        rest = correlation[:, others][:, :, others] - cross @ weights
        std = np.sqrt(np.maximum(np.einsum("noo->no", rest), 1e-30))
        given = np.clip(rest / std[:, :, None] / std[:, None, :], -1.0, 1.0)
        given[:, range(len(others)), range(len(others))] = 1.0
        low, high = (lower[:, others] - mean) / std, (upper[:, others] - mean) / std
        density = density * box(low, high, given, points).probability
    return np.where(seen, density, 0.0)


def box_gradient(lower: ArrayLike, upper: ArrayLike, correlation: ArrayLike, points: int = POINTS) -> BoxGradient:
    """Derivatives of `box` in lower (N, L), upper (N, L) and correlation (N, L, L).

    The last has both places of a correlation, each with half: a probability changes by the sum of correlation *
    (change of the matrix) over all entries. Boxes must not be empty and no variable another one. 2 L boxes of L - 1
    variables and 2 L (L - 1) of L - 2.
    """
    low, high, r, shape = checked(lower, upper, correlation)
    size = low.shape[1]
    pairs = list(itertools.combinations(range(size), 2))
    if not ((low < high).all() and all((np.abs(r[:, i, j]) < 1.0 - 1e-12).all() for i, j in pairs)):
        raise InvalidInput("got an empty box or a correlation of 1 or -1, where the probability has no derivative")
    by_low = np.stack([-_held(low, high, r, [i], low[:, [i]], points) for i in range(size)], axis=-1)
    by_high = np.stack([_held(low, high, r, [i], high[:, [i]], points) for i in range(size)], axis=-1)
    by_r = np.zeros_like(r)
    for i, j in pairs:
        for a, b in itertools.product((low, high), repeat=2):
            edge = _held(low, high, r, [i, j], np.column_stack([a[:, i], b[:, j]]), points)
            by_r[:, i, j] += 0.5 * edge if a is b else -0.5 * edge
        by_r[:, j, i] = by_r[:, i, j]
    return BoxGradient(by_low.reshape(*shape, size), by_high.reshape(*shape, size), by_r.reshape(*shape, size, size))
