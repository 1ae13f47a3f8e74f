"""How far a correlated normal's mean lies from the orthants below a frontier's points, in deviations.

The squared distance of an orthant {f <= p} is the least |z|^2 over root z <= gap, gap the standardised p - mean and
root that of the correlations. Given z_1 two objectives are left, whose nearest point lies on one of two edges; along
z_1 the distance is convex.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline

__all__ = ["nearest_in_quadrant", "nearest_point", "root_of"]

Array = NDArray[np.float64]

SINGULAR = 2e-16  # the least share of a variance that others leave unexplained


@inline
def root_of(covariance: Array, order: NDArray[np.int64], root: Array) -> None:
    """Lower triangular root (L, L) of the correlations in the given order; made regular where rounding was not."""
    size = order.size
    for i in range(size):
        for j in range(i + 1):
            a, b = order[i], order[j]
            rest = covariance[a, b] / math.sqrt(covariance[a, a]) / math.sqrt(covariance[b, b])
            if i == 1 and j == 1:  # 1 - r^2 without its rounding
                rest = (1.0 - root[1, 0]) * (1.0 + root[1, 0])
            else:
                for k in range(j):
                    rest -= root[i, k] * root[j, k]
            if i == j:
                root[i, i] = math.sqrt(max(rest, SINGULAR))
            else:
                root[i, j] = rest / root[j, j]
                root[j, i] = 0.0


@inline
def nearest_in_quadrant(b: float, d: float, rho: float, s: float) -> float:
    """Least z^2 + a^2 over z <= b, rho z + s a <= d, s^2 = 1 - rho^2."""
    if b >= 0.0 and d >= 0.0:
        return 0.0
    least = math.inf
    if b < math.inf:
        e = max(rho * b - d, 0.0) / s
        least = b * b + e * e
    if d < math.inf:
        e = max(rho * d - b, 0.0) / s
        least = min(least, d * d + e * e)
    return least


@inline
def _first_of_three(gap: Array, root: Array, low: float, high: float) -> float:
    """The z_1 <= high of the point nearest in an orthant: the least of a convex function, by golden section."""
    share = 0.6180339887498949
    x1, x2 = high - share * (high - low), low + share * (high - low)
    q1, q2 = depth_at(gap, root, x1), depth_at(gap, root, x2)
    for _ in range(60):
        if q1 <= q2:
            high, x2, q2 = x2, x1, q1
            x1 = high - share * (high - low)
            q1 = depth_at(gap, root, x1)
        else:
            low, x1, q1 = x1, x2, q2
            x2 = low + share * (high - low)
            q2 = depth_at(gap, root, x2)
    return 0.5 * (low + high)


@inline
def depth_at(gap: Array, root: Array, t: float) -> float:
    """Least |z|^2 in the orthant {root z <= gap} given z_1 = t, for three objectives."""
    across = math.hypot(root[2, 1], root[2, 2])
    b = (gap[1] - root[1, 0] * t) / root[1, 1]
    d = (gap[2] - root[2, 0] * t) / across
    return t * t + nearest_in_quadrant(b, d, root[2, 1] / across, root[2, 2] / across)


@inline
def nearest_point(gap: Array, root: Array, z: Array) -> float:
    """Fill z (L,), L = 2 or 3, with the point of {root z <= gap} nearest to 0, and return |z|^2."""
    size = gap.size
    within = True
    for i in range(size):
        z[i] = 0.0
        within = within and gap[i] >= 0.0
    if within:
        return 0.0
    if size == 3:
        high = min(gap[0], 0.0)  # a start that is feasible bounds how far down one has to look
        radius = math.sqrt(depth_at(gap, root, high))
        z[0] = high
        if radius > -high:
            best = _first_of_three(gap, root, -radius, min(gap[0], radius))
            z[0] = best if depth_at(gap, root, best) < depth_at(gap, root, high) else high
    last = size - 1
    held = root[last, 0] * z[0] if size == 3 else 0.0
    held_before = root[last - 1, 0] * z[0] if size == 3 else 0.0
    b, r, v = (gap[last - 1] - held_before) / root[last - 1, last - 1], root[last, last - 1], root[last, last]
    across = math.hypot(r, v)
    d, rho, s = (gap[last] - held) / across, r / across, v / across
    # two objectives, or what is left of three: on one edge or the other
    x = y = 0.0
    if b < 0.0 or d < 0.0:
        on_b, on_d = math.inf, math.inf
        if b < math.inf:
            e = max(rho * b - d, 0.0) / s
            on_b = b * b + e * e
        if d < math.inf:
            e = max(rho * d - b, 0.0) / s
            on_d = d * d + e * e
        if on_b <= on_d:
            x = b
            y = -max(rho * b - d, 0.0) / s
        else:
            x = min(rho * d, b)
            y = (d - rho * x) / s
    z[last - 1], z[last] = x, y
    total = 0.0
    for i in range(size):
        total += z[i] * z[i]
    return total
