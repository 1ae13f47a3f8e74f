"""The kernel with main effects beside interactions: its inner loops, in one pass over all groups.

| symbol | meaning | shape | in code |
|---|---|---|---|
| s_g | squared distance in the columns of group g, in length scales | (G, ...) | square |
| k0 | correlation of `kernels.py`, Matern-5/2 or RBF, and its slope | | value, slopes |
| w | share of the main effects | | share |

    k = (1 - w) k0(sum_g s_g) + w / G sum_g k0(s_g)

In the first part all groups interact: far in one parameter is far altogether. The second is a sum of functions of one
parameter each: what is known of a solvent stays known when the ligand is new. w = 0 is the first part alone, which
`kernels.py` does with numpy.

G + 1 exponentials for every pair would be most of a fit; compiled, on pairs side by side, one takes 2 ns, in numpy 10.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.normal import exp_negative

__all__ = ["add_values", "by_halves", "correlations", "correlations_and_slopes", "to_slopes"]

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

BLOCK = 128  # rows of a symmetric matrix found at once


def correlations(near: Array, far: Array, groups: Integers, share: float, matern: bool) -> Array:
    """k (N, n) between near (N, D) and far (n, D), both in length scales; groups (D,) the group of each column."""
    if near is far:
        return by_halves(
            len(near),
            lambda part, rows: _correlations(part, *_prepared(near[rows], near[rows.start :], groups, share), matern),
        )
    out = np.empty((len(near), len(far)))
    _correlations(out, *_prepared(near, far, groups, share), matern)
    return out


def by_halves(n: int, fill: Callable[[Array, slice], None]) -> Array:
    """A symmetric matrix (n, n); fill(part, rows) writes its block rows with the columns from the first of them on."""
    out = np.empty((n, n))
    for begin in range(0, n, BLOCK):  # the other half is the same
        rows = slice(begin, min(begin + BLOCK, n))
        part = np.empty((rows.stop - begin, n - begin))
        fill(part, rows)
        out[rows, begin:], out[begin:, rows] = part, part.T
    return out


def correlations_and_slopes(
    near: Array, far: Array, groups: Integers, share: float, matern: bool
) -> tuple[Array, Array]:
    """`correlations` and their derivatives (N, D, n) with respect to the columns of near."""
    out, slopes = np.empty((len(near), len(far))), np.empty((len(near), near.shape[1], len(far)))
    _correlations_and_slopes(out, slopes, *_prepared(near, far, groups, share), matern)
    return out, slopes


def _prepared(
    near: Array, far: Array, groups: Integers, share: float
) -> tuple[Array, Array, NDArray[np.int64], int, float]:
    count = int(groups.max(initial=-1)) + 1
    columns, of = np.ascontiguousarray(far.T), np.ascontiguousarray(groups, np.int64)
    return np.ascontiguousarray(near), columns, of, count, share if count else 0.0


@inline
def _squares(square: Any, near: Any, far: Any, groups: Any, i: int, g: int) -> None:
    """Squared distances (n,) of row i of near and the columns of far, in group g."""
    for j in range(len(square)):
        square[j] = 0.0
    for d in range(len(groups)):
        if groups[d] == g:
            u = near[i, d]
            for j in range(len(square)):
                square[j] += (u - far[d, j]) * (u - far[d, j])


@inline
def add_values(value: Any, square: Any, factor: float, matern: bool) -> None:
    """Add factor times the correlations at the squares."""
    if matern:
        for j in range(len(square)):
            r = min(np.sqrt(5.0 * square[j]), 700.0)
            value[j] += factor * ((1.0 + r + r * r * (1.0 / 3.0)) * exp_negative(-r))
    else:
        for j in range(len(square)):
            value[j] += factor * exp_negative(-min(0.5 * square[j], 700.0))


@inline
def to_slopes(value: Any, square: Any, factor: float, matern: bool) -> None:
    """The same, and the squares are replaced by factor times the slopes there."""
    if matern:
        for j in range(len(square)):
            r = min(np.sqrt(5.0 * square[j]), 700.0)
            decay = factor * exp_negative(-r)
            value[j] += (1.0 + r + r * r * (1.0 / 3.0)) * decay
            square[j] = (-5.0 / 6.0) * ((1.0 + r) * decay)
    else:
        for j in range(len(square)):
            decay = factor * exp_negative(-min(0.5 * square[j], 700.0))
            value[j] += decay
            square[j] = -0.5 * decay


@kernel
def _correlations(out: Any, near: Any, far: Any, groups: Any, count: int, share: float, matern: bool) -> None:
    size = far.shape[1]
    value, square, total = np.empty(size), np.empty(size), np.empty(size)
    for i in range(len(near)):
        for j in range(size):
            value[j] = total[j] = 0.0
        for g in range(count):
            _squares(square, near, far, groups, i, g)
            for j in range(size):
                total[j] += square[j]
            add_values(value, square, share / count, matern)
        add_values(value, total, 1.0 - share, matern)
        for j in range(size):
            out[i, j] = value[j]


@kernel
def _correlations_and_slopes(
    out: Any, slopes: Any, near: Any, far: Any, groups: Any, count: int, share: float, matern: bool
) -> None:
    size = far.shape[1]
    value, total, square = np.empty(size), np.empty(size), np.empty((count, size))
    for i in range(len(near)):
        for j in range(size):
            value[j] = total[j] = 0.0
        for g in range(count):
            part = square[g]
            _squares(part, near, far, groups, i, g)
            for j in range(size):
                total[j] += part[j]
            to_slopes(value, part, share / count, matern)
        to_slopes(value, total, 1.0 - share, matern)
        for j in range(size):
            out[i, j] = value[j]
        for d in range(len(groups)):
            u, part = near[i, d], square[groups[d]]
            for j in range(size):
                slopes[i, d, j] = 2.0 * (part[j] + total[j]) * (u - far[d, j])
