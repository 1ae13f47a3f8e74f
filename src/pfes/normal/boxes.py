"""The probability of a box under any number of correlated normals: Genz's method on a fixed lattice.

Variables are taken in an order (most confined first, given what is expected of those before: Gibson, Glasbey and
Elston, 1994) and integrated one after the other (sequence.py) over the points of a lattice, moved by SHIFTS fixed
amounts, folded so that opposite faces of the cube meet. The SHIFTS averages differ by as much as they are wrong: that
is the error estimate. Nothing is drawn: the same arguments give the same result, and while the order stays as it is the
result is a smooth function of them. Weights are added up relative to the largest: a probability of 1e-100, or one that
is too small for a number, is as accurate as any other, and its logarithm is given.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import inline, kernel, spread
from pfes.errors import InvalidInput
from pfes.normal.bivariate import bivariate_box
from pfes.normal.lattice import generator, prime_below
from pfes.normal.sequence import bounds_at, follow, nearest_tilt
from pfes.normal.trivariate import trivariate_box
from pfes.normal.univariate import log_interval, truncated

__all__ = ["POINTS", "Probability", "box", "checked"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

SHIFTS = 10
POINTS = 512  # of the lattice, for each shift
DETERMINED = 1e-14  # a variance given the others that is rounding
PIECE = 16  # boxes that a thread takes at a time
TRIVARIATE_ERROR = 1e-13
EXACT = 1e-7  # of three variables: below it the lattice's relative error is the better one


class Probability(NamedTuple):
    """Of each box: (N,), or whatever the leading shape was."""

    probability: Array
    error: Array  # standard error of the probability, estimated
    log: Array  # natural logarithm of the probability, also where that is too small for a number
    log_error: Array  # standard error of the logarithm, which is the relative one of the probability


@inline
def _most_confined(lower: Array, upper: Array, mean: Array, variance: Array, chosen: NDArray[np.bool_]) -> int:
    """The variable whose bounds leave the least probability; -1: none is left that has a deviation and bounds."""
    best, least = -1, math.inf
    for i in range(lower.size):
        if not chosen[i] and variance[i] > DETERMINED:
            s = math.sqrt(variance[i])
            a, b = (lower[i] - mean[i]) / s, (upper[i] - mean[i]) / s
            log_mass = truncated(a, b).log_z if a < b else -math.inf
            if log_mass < least or best < 0:
                best, least = i, log_mass
    return best


@inline
def _take(i: int, k: int, full: Array, correlation: Array, variance: Array, chosen: NDArray[np.bool_]) -> None:
    """Column k of the root, full (L, L), for variable i; takes its share from all variances."""
    own = math.sqrt(variance[i])
    for j in range(variance.size):
        if chosen[j] and j != i:
            continue
        rest = correlation[j, i]
        for c in range(k):
            rest -= full[j, c] * full[i, c]
        full[j, k] = own if j == i else rest / own
    chosen[i] = True
    for j in range(variance.size):
        if not chosen[j]:
            variance[j] -= full[j, k] * full[j, k]
    variance[i] = 0.0


@inline
def _ordered(
    lower: Array, upper: Array, correlation: Array, root: Array, start: Counts, low: Array, high: Array
) -> tuple[int, int]:
    """Fill root, start, low, high (sequence.py) of the variables that have bounds; how many rows and columns.

    Each variable is given the mean that it has, in expectation, within its bounds: the next is chosen given these.
    """
    size = lower.size
    full, variance, mean, z = np.zeros((size, size)), np.ones(size), np.zeros(size), np.zeros(size)
    chosen, placed = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    for i in range(size):
        if lower[i] == -math.inf and upper[i] == math.inf:
            chosen[i] = placed[i] = True
    rows, columns = 0, 0
    start[0] = 0
    while True:
        i = _most_confined(lower, upper, mean, variance, chosen)
        if i < 0:
            break
        _take(i, columns, full, correlation, variance, chosen)
        for j in range(size):  # itself, and what is determined now
            if not placed[j] and (j == i or (not chosen[j] and variance[j] <= DETERMINED)):
                chosen[j] = placed[j] = True
                root[rows] = full[j]
                low[rows], high[rows] = lower[j], upper[j]
                rows += 1
        columns += 1
        start[columns] = rows
        a, b = bounds_at(columns - 1, root, start, low, high, z)
        z[columns - 1] = truncated(a, b).mean if a < b else 0.5 * (max(a, b, -1e300) + min(a, b, 1e300))
        for j in range(size):
            mean[j] += full[j, columns - 1] * z[columns - 1]
    return rows, columns


@inline
def _average(
    root: Array, start: Counts, low: Array, high: Array, steps: Array, shifts: Array, points: int, sums: Array
) -> float:
    """Fill sums (SHIFTS,) with average weights over the largest weight, and return that one's logarithm."""
    columns = start.size - 1
    tilt, z, w = np.zeros(columns), np.zeros(columns), np.empty(columns)
    nearest_tilt(root, start, low, high, np.empty(low.size), tilt)
    top = -math.inf
    sums[:] = 0.0
    w[columns - 1] = 0.5  # of the last variable only the mass is wanted
    for s in range(shifts.shape[0]):
        for i in range(points):
            for k in range(columns - 1):
                x = (i * steps[k] + shifts[s, k]) % 1.0
                w[k] = min(max(1.0 - abs(2.0 * x - 1.0), 1e-15), 1.0 - 1e-15)
            weight = follow(root, start, low, high, tilt, w, columns, z)
            if weight > top:
                sums[: s + 1] *= math.exp(top - weight)
                top = weight
            if weight > -math.inf:
                sums[s] += math.exp(weight - top)
    for s in range(shifts.shape[0]):
        sums[s] /= points
    return top


@kernel
def _boxes(
    lower: Array, upper: Array, correlation: Array, steps: Array, shifts: Array, points: int, out: Array
) -> None:
    """Fill out (N, 2): log probability, relative standard error."""
    size = lower.shape[1]
    root, start = np.zeros((size, size)), np.zeros(size + 1, np.int64)
    low, high, sums = np.empty(size), np.empty(size), np.empty(shifts.shape[0])
    for n in range(lower.shape[0]):
        out[n, 0], out[n, 1] = 0.0, 0.0
        if (lower[n] >= upper[n]).any():
            out[n, 0] = -math.inf
            continue
        rows, columns = _ordered(lower[n], upper[n], correlation[n], root, start, low, high)
        if columns == 0:
            continue
        # of one variable there is nothing to average
        runs, each = (shifts, points) if columns > 1 else (shifts[:1], 1)
        top = _average(root[:rows], start[: columns + 1], low[:rows], high[:rows], steps, runs, each, sums[: len(runs)])
        mean, square = 0.0, 0.0
        for s in range(len(runs)):
            mean += sums[s] / len(runs)
        if mean == 0.0:
            out[n, 0] = -math.inf
            continue
        for s in range(len(runs)):
            square += (sums[s] / mean - 1.0) ** 2
        out[n, 0] = min(top + math.log(mean), 0.0)
        out[n, 1] = math.sqrt(square / (len(runs) * max(len(runs) - 1, 1)))


@cache
def _shifts(dimension: int) -> Array:
    """(SHIFTS, dimension): fixed, and themselves spread evenly."""
    return np.asarray(np.random.default_rng(20060527).random((SHIFTS, dimension)))


def _by_lattice(lower: Array, upper: Array, correlation: Array, points: int) -> Array:
    """(N, 2): log probability and relative standard error of boxes (N, L)."""
    count, size = lower.shape
    n = prime_below(points)
    steps = generator(n, max(size - 1, 1)) / n
    out = np.empty((count, 2))

    def work(begin: int) -> None:
        which = slice(begin, min(begin + PIECE, count))
        _boxes(lower[which], upper[which], correlation[which], steps, _shifts(len(steps)), n, out[which])

    spread(work, range(0, count, PIECE))
    return out


def _few(lower: Array, upper: Array, correlation: Array, points: int) -> Array:
    """The same of at most three variables, without a lattice but for tiny boxes of three."""
    size = lower.shape[1]
    out = np.zeros((len(lower), 2))
    if size == 1:
        empty = (lower >= upper)[:, 0]
        out[:, 0] = np.where(empty, -np.inf, log_interval(lower[:, 0], np.where(empty, lower[:, 0] + 1.0, upper[:, 0])))
        return out
    if size == 2:
        value = bivariate_box(lower, upper, np.clip(correlation[:, 0, 1], -1.0, 1.0))
    else:
        value = trivariate_box(lower, upper, correlation)
        out[:, 1] = TRIVARIATE_ERROR / np.maximum(value, EXACT)
    out[:, 0] = np.log(np.maximum(value, 1e-300))
    tiny = value < (EXACT if size == 3 else 1e-290)
    out[tiny] = _by_lattice(lower[tiny], upper[tiny], correlation[tiny], points)
    return out


def checked(lower: ArrayLike, upper: ArrayLike, correlation: ArrayLike) -> tuple[Array, Array, Array, tuple[int, ...]]:
    """Bounds (N, L), correlations (N, L, L) and the leading shape that N stands for."""
    low, high, r = (np.asarray(v, dtype=np.float64) for v in (lower, upper, correlation))
    size = low.shape[-1] if low.ndim else 0
    if size == 0 or high.shape[-1:] != (size,) or r.shape[-2:] != (size, size):
        raise InvalidInput(
            f"got bounds {low.shape}, {high.shape} and correlations {r.shape}; wanted (..., L) and (..., L, L)"
        )
    if np.isnan(low).any() or np.isnan(high).any():
        raise InvalidInput("got nan among the bounds; wanted numbers or infinities")
    unit = np.abs(np.diagonal(r, axis1=-2, axis2=-1) - 1.0) < 1e-9
    if not (unit.all() and (np.abs(r) <= 1.0 + 1e-12).all() and (np.abs(r - np.swapaxes(r, -1, -2)) < 1e-9).all()):
        raise InvalidInput("correlation: wanted symmetric matrices with 1 on the diagonal and entries within [-1, 1]")
    if r.size and np.linalg.eigvalsh(r).min() < -1e-9:
        raise InvalidInput("correlation: got a negative eigenvalue; wanted positive semidefinite matrices")
    shape = np.broadcast_shapes(low.shape[:-1], high.shape[:-1], r.shape[:-2])
    count = math.prod(shape)
    low, high = (np.array(np.broadcast_to(v, (*shape, size))).reshape(count, size) for v in (low, high))
    return low, high, np.array(np.broadcast_to(r, (*shape, size, size))).reshape(count, size, size), shape


def box(lower: ArrayLike, upper: ArrayLike, correlation: ArrayLike, points: int = POINTS) -> Probability:
    """P(lower < z <= upper) of L standard normals: lower, upper (N, L), correlation (N, L, L) or (L, L).

    Any leading shape in the place of N; they are broadcast. Bounds may be infinite, correlations singular; an empty box
    has probability 0. points: of the lattice, for each of SHIFTS shifts (the largest prime not above it is taken).

    One and two variables to full accuracy, three to 1e-13 (relative to 1; tiny boxes by the lattice), more as the
    errors say: with these points usually 1e-6 to 1e-5 of the probability, in about 5 ms a box (docs/numerics.md).
    """
    low, high, r, shape = checked(lower, upper, correlation)
    found = _few(low, high, r, points) if low.shape[1] <= 3 else _by_lattice(low, high, r, points)
    value = np.exp(found[:, 0])
    log, relative = found[:, 0].copy(), found[:, 1].copy()
    return Probability(*(v.reshape(shape) for v in (value, value * relative, log, relative)))
