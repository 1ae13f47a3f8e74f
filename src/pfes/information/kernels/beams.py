"""A correlated normal below a frontier along beams: all objectives but one at fixed nodes, that one in closed form.

In the whitened coordinates z of f = mean + root z, one objective stands last in the order: the one that the others
leave most uncertain. A beam fixes z_1 ... z_{L-1}; along it F is a ray of z_L, whose moments are known (rays.py). Sums
over beams are moments of z over F, or, where the mean lies in F, of -z over the complement, as in profiles.py. Where
the mean lies outside, beams are moved to a centre c in F and moments are those of y = z - c.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.nearest import root_of
from pfes.information.kernels.rays import ray_moments

__all__ = ["beam_moments"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

FURTHEST = 18.0  # deviations that beams are moved by: their weights would leave the range of numbers


@inline
def _order_with(last: int, order: Integers) -> None:
    """All objectives, `last` at the end."""
    at = 0
    for l in range(order.size):
        if l != last:
            order[at] = l
            at += 1
    order[order.size - 1] = last


@inline
def _along(covariance: Array, order: Integers, root: Array) -> None:
    """The order whose last objective has the largest deviation given the others, and the root (L, L) in that order."""
    size, best, widest = order.size, 0, -1.0
    for l in range(size):
        _order_with(l, order)
        root_of(covariance, order, root)
        left = root[size - 1, size - 1] * math.sqrt(covariance[l, l])
        if left > widest:
            best, widest = l, left
    _order_with(best, order)
    root_of(covariance, order, root)
    for i in range(size):
        for j in range(i + 1):
            root[i, j] *= math.sqrt(covariance[order[i], order[i]])


@inline
def _end(points: Array, order: Integers, others: Array) -> float:
    """Where F ends along a beam: the highest point, of those in falling order, that is above in all others; -inf."""
    last = order.size - 1
    if last == 1:  # the other objective rises as this one falls
        low, high = 0, points.shape[0]
        while low < high:
            middle = (low + high) // 2
            if points[middle, order[0]] < others[0]:
                low = middle + 1
            else:
                high = middle
        return float(points[low, order[1]]) if low < points.shape[0] else -math.inf
    for k in range(points.shape[0]):
        above = True
        for j in range(last):
            if points[k, order[j]] < others[j]:
                above = False
                break
        if above:
            return float(points[k, order[last]])
    return -math.inf


@inline
def _is_below(mean: Array, points: Array) -> bool:
    """Whether the mean lies in F."""
    for k in range(points.shape[0]):
        below = True
        for l in range(mean.size):
            if mean[l] > points[k, l]:
                below = False
                break
        if below:
            return True
    return False


@inline
def _nearest(mean: Array, covariance: Array, points: Array) -> int:
    """The point of the frontier whose orthant is nearest to the mean, as if objectives were independent."""
    best, least = 0, math.inf
    for k in range(points.shape[0]):
        square = 0.0
        for l in range(mean.size):
            gap = max(mean[l] - points[k, l], 0.0)
            square += gap * gap / covariance[l, l]
        if square < least:
            best, least = k, square
    return best


@inline
def _move_into(point: Array, mean: Array, order: Integers, root: Array, centre: Array) -> None:
    """Move the centre (L,) of z from 0 to where f <= point, always by the objective that is most above it."""
    size = order.size
    centre[:] = 0.0
    for _ in range(4 * size):
        worst, beyond = -1, 1e-9
        for i in range(size):
            gap, square = mean[order[i]] - point[order[i]], 0.0
            for j in range(i + 1):
                gap += root[i, j] * centre[j]
                square += root[i, j] * root[i, j]
            if gap > beyond * math.sqrt(square):
                worst, beyond = i, gap / math.sqrt(square)
        if worst < 0:
            break
        size_of = 0.0
        for j in range(worst + 1):
            size_of += root[worst, j] * root[worst, j]
        for j in range(worst + 1):
            centre[j] -= beyond * root[worst, j] / math.sqrt(size_of)
    for j in range(size):
        centre[j] = min(max(centre[j], -FURTHEST), FURTHEST)


@inline
def _add(weight: float, sign: float, node: Array, ray: Array, exponents: Integers, out: Array) -> None:
    """out[a] += weight prod_j (sign y_j)^e_j times the ray's moment, for every row e of the exponents (A, L)."""
    last = node.size
    for a in range(exponents.shape[0]):
        term = weight * ray[exponents[a, last]]
        for j in range(last):
            for _ in range(exponents[a, j]):
                term *= sign * node[j]
        out[a] += term


@inline
def _sum_beams(
    points: Array,
    nodes: Array,
    weights: Array,
    mean: Array,
    order: Integers,
    root: Array,
    centre: Array,
    sign: float,
    degree: int,
    exponents: Integers,
    out: Array,
) -> None:
    """Add up all beams of one candidate: moments of y = z - centre, relative to the density at the centre."""
    last = order.size - 1
    others, work, ray = np.empty(last), np.empty(5), np.empty(5)
    shift = 0.5 * centre[last] * centre[last]
    for m in range(nodes.shape[0]):
        middle, tilt = mean[order[last]], 0.0
        for j in range(last):
            middle += root[last, j] * (centre[j] + nodes[m, j])
            tilt -= centre[j] * nodes[m, j]
            others[j] = mean[order[j]]
            for k in range(j + 1):
                others[j] += root[j, k] * (centre[k] + nodes[m, k])
        bound = sign * (_end(points, order, others) - middle) / root[last, last]
        if bound > -2.0 * FURTHEST:  # below, nothing is left
            ray_moments(bound, centre[last], shift, degree, work, ray)
            _add(weights[m] * math.exp(tilt), sign, nodes[m], ray, exponents, out)


@kernel
def beam_moments(
    falling: Array,
    nodes: Array,
    weights: Array,
    mean: Array,
    covariance: Array,
    exponents: Integers,
    degree: int,
    inside: Any,
    roots: Any,
    centres: Any,
    out: Any,
) -> None:
    """Fill inside (N,): whether a mean lies in F; moments out (N, A), centres (N, L) and roots (N, L, L).

    Roots map z to f - mean, with rows in the objectives' own order. falling: (L, S, L), the frontier's points once for
    each objective, ordered by it; nodes (M, L - 1), weights (M,); degree: 2 or 4, of the exponents (A, L).
    """
    size = mean.shape[1]
    order, root = np.empty(size, np.int64), np.zeros((size, size))
    for n in range(mean.shape[0]):
        _along(covariance[n], order, root)
        roots[n] = 0.0
        for i in range(size):
            for j in range(i + 1):
                roots[n, order[i], j] = root[i, j]
        points = falling[order[size - 1]]
        inside[n] = _is_below(mean[n], points)
        sign = -1.0 if inside[n] else 1.0
        centres[n] = 0.0
        if not inside[n]:
            nearest = points[_nearest(mean[n], covariance[n], points)]
            _move_into(nearest, mean[n], order, root, centres[n])
        out[n] = 0.0
        _sum_beams(points, nodes, weights, mean[n], order, root, centres[n], sign, degree, exponents, out[n])
