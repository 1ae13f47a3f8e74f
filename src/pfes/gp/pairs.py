"""All pairs of n points: their covariances, and how the likelihood changes with the hyper-parameters through them.

| symbol | meaning | shape | in code |
|---|---|---|---|
| x | points, in length scales; a column per point | (D, n) | columns |
| k | correlation of `effects.py` | (n, n) | value |
| V | K^-1 - alpha alpha^T: minus twice the derivative of the log likelihood in K | (n, n) | excess |

Nothing is kept between the two passes but the matrix: a pair's exponentials are quicker computed again than fetched,
and with many points the algebra between the passes takes far longer. Only pairs i < j are visited; the matrix is in
Fortran's order and its lower triangle alone is read and written, so that a row of the memory is a column of it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.gp.effects import add_values, to_slopes
from pfes.gp.recipe import Hyper

__all__ = ["PairSlopes", "Pairs"]

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

MANY = 1000  # pairs worked on side by side: long loops of exponentials, all in the nearest cache


class PairSlopes(NamedTuple):
    """Derivatives of the log likelihood with respect to logarithms, and the logit of the share."""

    scales: Array  # (G,)
    amplitude: float
    additive: float
    diagonal: float  # sum of the diagonal of V, weighed


class Pairs:
    """The pairs of points x (n, D); groups (D,) the group of each column."""

    def __init__(self, x: Array, groups: Integers, *, matern: bool) -> None:
        self.columns = np.ascontiguousarray(x.T)
        self.groups = np.ascontiguousarray(groups, np.int64)
        self.count, self.matern = int(self.groups.max(initial=-1)) + 1, matern
        self.memory = np.zeros((len(x), len(x)))

    def covariance(self, hyper: Hyper, diagonal: Array) -> Array:
        """Amplitude times k, (n, n), with this diagonal (n,), in Fortran's order; the same memory each time."""
        _fill(self.memory, diagonal, *self._scaled(hyper), self.matern)
        return self.memory.T

    def contract(self, hyper: Hyper, inverse: Array, alpha: Array, weights: Array) -> PairSlopes:
        """The derivatives, from K^-1 (n, n), in Fortran's order, alpha (n,) and the diagonal's weights (n,)."""
        scales = np.zeros(len(hyper.scales))
        sums = _contract(scales, inverse.T, alpha, weights, *self._scaled(hyper), self.matern)
        return PairSlopes(scales, *sums)

    def _scaled(self, hyper: Hyper) -> tuple[Array, NDArray[np.int64], int, float, float]:
        columns = self.columns / hyper.scales[self.groups, None]
        return columns, self.groups, self.count, hyper.additive if self.count else 0.0, hyper.amplitude


@kernel
def _fill(
    out: Any, diagonal: Any, columns: Any, groups: Any, count: int, share: float, amplitude: float, matern: bool
) -> None:
    size = len(out)
    value, square, total = np.empty(MANY + size), np.empty(MANY + size), np.empty(MANY + size)
    first = 0
    while first < size:
        last, pairs = _block(first, size)
        k, s, t = value[:pairs], square[:pairs], total[:pairs]
        _clear(k)
        _clear(t)
        for g in range(count):
            _fill_squares(s, columns, groups, g, first, last)
            for p in range(pairs):
                t[p] += s[p]
            if share > 0.0:
                add_values(k, s, share / count, matern)
        add_values(k, t, 1.0 - share, matern)
        p = 0
        for i in range(first, last):
            out[i, i] = diagonal[i]
            row = out[i, i + 1 :]
            part = k[p : p + len(row)]
            for j in range(len(row)):
                row[j] = amplitude * part[j]
            p += len(row)
        first = last


@kernel
def _contract(
    scales: Any, inverse: Any, alpha: Any, weights: Any,
    columns: Any, groups: Any, count: int, share: float, amplitude: float, matern: bool,
) -> tuple[float, float, float]:  # fmt: skip
    size = len(inverse)
    room = MANY + size
    squares, slopes, total = np.empty((count, room)), np.empty((count, room)), np.empty(room)
    whole, effects, excess = np.empty(room), np.empty(room), np.empty(room)
    # sums over pairs, as many as lie side by side: a single one would wait for itself
    d_scales, d_amplitude, d_share = np.zeros((count, room)), np.zeros(room), np.zeros(room)
    d_diagonal, first = 0.0, 0
    while first < size:
        last, pairs = _block(first, size)
        u, v, t, b = whole[:pairs], effects[:pairs], total[:pairs], excess[:pairs]
        d_diagonal += _excess(b, d_amplitude, inverse, alpha, weights, first, last)
        _clear(u)
        _clear(v)
        _clear(t)
        for g in range(count):
            s, part = squares[g, :pairs], slopes[g, :pairs]
            _fill_squares(s, columns, groups, g, first, last)
            for p in range(pairs):
                t[p] += s[p]
                part[p] = s[p]
            if share > 0.0:
                to_slopes(v, part, share / count, matern)
            else:
                _clear(part)
        to_slopes(u, t, 1.0 - share, matern)
        for p in range(pairs):
            d_amplitude[p] += b[p] * (u[p] + v[p])
            d_share[p] += b[p] * ((1.0 - share) * v[p] - share * u[p])
        for g in range(count):
            s, part, sums = squares[g], slopes[g], d_scales[g]
            for p in range(pairs):
                sums[p] += b[p] * (part[p] + t[p]) * s[p]
        first = last
    for g in range(count):
        scales[g] = 2.0 * amplitude * d_scales[g].sum()
    return -amplitude * d_amplitude.sum(), -amplitude * d_share.sum(), d_diagonal


@inline
def _block(first: int, size: int) -> tuple[int, int]:
    """Rows from `first` on that have about MANY pairs with later ones: the first row after them, and how many pairs."""
    last, pairs = first, 0
    while last < size and pairs < MANY:
        pairs += size - last - 1
        last += 1
    return last, pairs


@inline
def _clear(a: Any) -> None:
    for p in range(len(a)):
        a[p] = 0.0


@inline
def _fill_squares(square: Any, columns: Any, groups: Any, g: int, first: int, last: int) -> None:
    """Fill in the squared distances of these pairs in group g."""
    _clear(square)
    for d in range(len(groups)):
        if groups[d] == g:
            _add_squares(square, columns[d], first, last)


@inline
def _add_squares(square: Any, column: Any, first: int, last: int) -> None:
    """Add the squared differences of the rows first..last and all later ones, pair after pair, in one column (n,)."""
    p = 0
    for i in range(first, last):
        x, later = column[i], column[i + 1 :]
        part = square[p : p + len(later)]
        for j in range(len(later)):
            part[j] += (x - later[j]) * (x - later[j])
        p += len(later)


@inline
def _excess(b: Any, own: Any, inverse: Any, alpha: Any, weights: Any, first: int, last: int) -> float:
    """Fill b with V at pairs of these rows; half of its diagonal is added to `own`; -> the diagonal's weighed sum."""
    p, weighed = 0, 0.0
    for i in range(first, last):
        row, later = inverse[i, i + 1 :], alpha[i + 1 :]
        part = b[p : p + len(row)]
        for j in range(len(row)):
            part[j] = row[j] - alpha[i] * later[j]
        diagonal = inverse[i, i] - alpha[i] * alpha[i]
        own[i] += 0.5 * diagonal
        weighed += weights[i] * diagonal
        p += len(row)
    return weighed
