"""A box under correlated normals, one variable after the other: Genz's separation of variables, tilted as Botev's.

With x = root z, z independent, the bounds of x_1 are bounds of z_1; given z_1 those of x_2 are bounds of z_2, and so
on. A point w of a cube becomes a point z of the box, each z_k the w_k-quantile of what its bounds leave, and a weight:
the box's probability is the average weight. Where a later bound is far away, early variables are drawn towards it: z_k
from a normal moved by tilt_k, the part of the box's nearest point that bounds of later variables ask for. (Botev, 2017,
finds the tilt of least variance; far away both are the same, and near by hardly any tilt is needed.)

    name     meaning                                                                       shape
    root     rows x, columns z, rows ordered by their last column                          (L, K), K <= L
    start    rows start[k] ... start[k + 1] - 1 end with column k: their bounds hold z_k   (K + 1,)
    lower    bounds of x, standardised, infinite ones too; upper likewise                  (L,)

A variable that others determine has no column of its own: its bounds are more bounds of the last z it is made of (Genz
and Kwong, 2000), so that nothing is lost where correlations are singular.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal.quantile import place_in

__all__ = ["bounds_at", "follow", "nearest_tilt"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

SWEEPS = 60
CLOSE = 1e-6  # deviations: a tilt that exact changes no weight noticeably


@inline
def bounds_at(k: int, root: Array, start: Counts, lower: Array, upper: Array, z: Array) -> tuple[float, float]:
    """Bounds of z_k given z_1 ... z_{k-1}."""
    low, high = -math.inf, math.inf
    for i in range(start[k], start[k + 1]):
        held = 0.0
        for j in range(k):
            held += root[i, j] * z[j]
        own = root[i, k]
        a, b = (lower[i] - held) / own, (upper[i] - held) / own
        low, high = max(low, min(a, b)), min(high, max(a, b))
    return low, high


@inline
def nearest_tilt(root: Array, start: Counts, lower: Array, upper: Array, pull: Array, tilt: Array) -> float:
    """Fill tilt (K,) for a box, and return the squared distance of its nearest point; pull (L,) is overwritten.

    The nearest point is root' pull, pull_i other than 0 only where a bound holds x_i: bound by bound until none is
    violated (Hildreth's method).
    """
    size, columns = lower.size, start.size - 1
    pull[:] = 0.0
    tilt[:] = 0.0  # root' pull, to begin with
    for _ in range(SWEEPS):
        moved = 0.0
        for i in range(size):
            x, square = 0.0, 0.0
            for k in range(columns):
                x += root[i, k] * tilt[k]
                square += root[i, k] * root[i, k]
            free = x - square * pull[i]
            wanted = 0.0
            if free < lower[i]:
                wanted = (lower[i] - free) / square
            elif free > upper[i]:
                wanted = (upper[i] - free) / square
            change = wanted - pull[i]
            if change != 0.0:
                moved = max(moved, abs(change))
                pull[i] = wanted
                for k in range(columns):
                    tilt[k] += root[i, k] * change
        if moved < CLOSE:
            break
    depth = 0.0
    for k in range(columns):
        depth += tilt[k] * tilt[k]
        tilt[k] = 0.0
        for i in range(start[k + 1], size):
            tilt[k] += root[i, k] * pull[i]
    return depth


@inline
def follow(
    root: Array, start: Counts, lower: Array, upper: Array, tilt: Array, w: Array, count: int, z: Array
) -> float:
    """Fill the first `count` of z with the point that w stands for, and return the logarithm of its weight."""
    total = 0.0
    for k in range(count):
        low, high = bounds_at(k, root, start, lower, upper, z)
        if not low < high:
            return -math.inf
        log_mass, place = place_in(low - tilt[k], high - tilt[k], w[k])
        z[k] = place + tilt[k]
        total += log_mass - tilt[k] * (place + 0.5 * tilt[k])
    return total
