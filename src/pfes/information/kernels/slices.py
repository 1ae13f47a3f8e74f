"""A correlated normal below a frontier, slice by slice: quadrature that loses nothing in the tails.

In the whitened coordinates z of f = mean + root z, with the objectives in a given order, z_1 is integrated numerically,
between the frontier's values; given z_1, two objectives leave a ray z_2 <= a, known in closed form (rays.py), and
three leave the region below a staircase, which is treated in the same way once more. What is made of it is a profile:
nodes z_1, their weights, and the moments of the other coordinates given z_1 and F. Everything is positive, and is kept
relative to the density at a centre c, the point of F nearest to the mean: nothing cancels, however far that is.

An integrand is at most exp(-depth / 2), depth the squared distance of the nearest point left in F. Only where this is
within e^-NEGLIGIBLE of its largest value is anything computed; there it is smooth on the scale of the deviation of z_1
given the others, or on the scale 1 where their bounds are too far to matter (normal/panels.py).

    name       meaning                                                             shape
    plan       sections of a frontier: see `Plan`
    z, y       whitened coordinates; z - c
    moments    integrals of y_2^i y_3^j over F given z_1, in the order of `place`  (1 + ... + (degree + 1),) or fewer
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.information.kernels.nearest import depth_at, nearest_point, root_of
from pfes.information.kernels.rays import ray_moments
from pfes.normal import INV_ROOT_2PI
from pfes.normal.panels import FEW, FEW_NODES, FEW_WEIGHTS, NEGLIGIBLE, NODES, POINTS, WEIGHTS, is_short, panels

__all__ = ["Plan", "plan_of", "profile_of"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

CLEAR = 9.0  # a bound so many deviations away cuts off 1e-19
FURTHEST = 1e6  # deviations: further off, the e^-NEGLIGIBLE of a density can no longer be told from rounding
FINEST = 0.01  # of a deviation: of three objectives, z_1 given the others is taken to vary no faster


class Plan(NamedTuple):
    """One frontier seen along one order of its objectives; strip k of a staircase ends at edges[k]."""

    order: Counts  # (L,)
    points: Array  # (S, L) in this order
    outer: Array  # (K,) distinct values of the first objective, ascending; with two objectives (inf,)
    start: Counts  # (K + 1,) where the staircase of each of them begins
    edges: Array  # values of the last but one objective
    tops: Array  # bounds of the last objective


def plan_of(points: Array, order: tuple[int, ...]) -> Plan:
    """Sections of the region below a frontier (S, L), L = 2 or 3."""
    seen = np.ascontiguousarray(points[:, order])
    outer = np.array([np.inf]) if len(order) == 2 else np.unique(seen[:, 0])
    stairs = [_staircase(seen if len(order) == 2 else seen[seen[:, 0] >= value, 1:]) for value in outer]
    start = np.concatenate(([0], np.cumsum([len(edges) for edges, _ in stairs]))).astype(np.int64)
    edges, tops = (np.concatenate(column) for column in zip(*stairs, strict=True))
    return Plan(np.array(order, dtype=np.int64), seen, outer, start, edges, tops)


def _staircase(points: Array) -> tuple[Array, Array]:
    """Edges ascending and the highest point at or beyond each, merged where it does not change."""
    ranked = points[np.lexsort((points[:, 1], points[:, 0]))]
    tops = np.maximum.accumulate(ranked[::-1, 1])[::-1]
    last = np.append(tops[1:] < tops[:-1], True)  # of equal tops the last edge counts
    return ranked[last, 0], tops[last]


@inline
def _falls(low: float, high: float, d: float, rho: float, s: float) -> float:
    """How much the logarithm of the bound on an integrand changes between two nodes."""
    a_low, a_high = min((d - rho * low) / s, 0.0), min((d - rho * high) / s, 0.0)
    return 0.5 * abs((low - high) * (low + high) + (a_low - a_high) * (a_low + a_high))


@inline
def _add_part(low: float, high: float, scale: float, d: float, rho: float, s: float, part: Array) -> int:
    """Write down a piece of a strip: ends, number of panels (0: FEW points), bound; return 1, or 0 if it is empty."""
    if not low < high:
        return 0
    fall = _falls(low, high, d, rho, s)
    part[0], part[1] = low, high
    part[2] = 0.0 if is_short(high - low, scale, fall) else panels(high - low, scale, fall)
    part[3], part[4], part[5] = d, rho, s
    return 1


@inline
def _cut(low: float, high: float, d: float, rho: float, s: float, reach: float, parts: Array) -> int:
    """Cut a strip low < z <= high below the bound rho z + s a <= d into pieces (3, 6); return how many."""
    slope = math.copysign(max(abs(rho), 1e-290), rho)
    radius, zero, clear = math.sqrt(reach), d / slope, (d - CLEAR * s) / slope
    falls, count = slope > 0.0, 0  # whether the ray's end falls as z rises
    if d * d < reach:  # where the ray ends below 0
        half = s * math.sqrt(reach - d * d)
        a, b = max(low, rho * d - half), min(high, rho * d + half)
        count += _add_part(max(a, zero) if falls else a, b if falls else min(b, zero), s, d, rho, s, parts[0])
    a, b = max(low, -radius), min(high, radius)
    if falls:
        count += _add_part(max(a, clear), min(b, zero), s, d, rho, s, parts[count])
        return count + _add_part(a, min(b, clear), 1.0, d, rho, s, parts[count])
    count += _add_part(max(a, zero), min(b, clear), s, d, rho, s, parts[count])
    return count + _add_part(max(a, clear), b, 1.0, d, rho, s, parts[count])


@inline
def _cut_stairs(plan: Any, k: int, given: Array, reach: float, parts: Array) -> int:
    """Pieces of all strips of staircase k; given: mean and root of the last two objectives, see `_given`."""
    count = 0
    across = math.hypot(given[3], given[4])
    low = -math.inf
    for j in range(plan.start[k], plan.start[k + 1]):
        high = (plan.edges[j] - given[0]) / given[2]
        d = (plan.tops[j] - given[1]) / across
        count += _cut(low, high, d, given[3] / across, given[4] / across, reach, parts[count:])
        low = high
    return count


@inline
def _points_of(parts: Array, count: int) -> int:
    total = 0
    for i in range(count):
        total += FEW if parts[i, 2] == 0.0 else POINTS * int(parts[i, 2])
    return total


@inline
def _nodes_of(low: float, high: float, panel_count: float, nodes: Array, weights: Array, at: int) -> int:
    """Write nodes and weights of one piece from `at`; return where the next begin."""
    if panel_count == 0.0:
        for i in range(FEW):
            nodes[at + i] = low + (high - low) * FEW_NODES[i]
            weights[at + i] = (high - low) * FEW_WEIGHTS[i]
        return at + FEW
    width = (high - low) / panel_count
    for p in range(int(panel_count)):
        for i in range(POINTS):
            nodes[at] = low + width * (p + NODES[i])
            weights[at] = width * WEIGHTS[i]
            at += 1
    return at


@inline
def place(i: int, j: int) -> int:
    """Place of y_2^i y_3^j among moments: 1; y_2, y_3; y_2^2, y_2 y_3, y_3^2; ..."""
    return (i + j) * (i + j + 1) // 2 + j


@inline
def _rays(
    plan: Any, parts: Array, count: int, centre: Array, degree: int, nodes: Array, weights: Array, rows: Array
) -> int:
    """Two objectives: a node for every z_1, with the moments of z_2 in rows (n, 5); return their number."""
    work = np.empty(5)
    at = 0
    for p in range(count):
        begin = at
        at = _nodes_of(parts[p, 0], parts[p, 1], parts[p, 2], nodes, weights, at)
        for i in range(begin, at):
            z = nodes[i]
            shift = 0.5 * ((centre[0] - z) * (centre[0] + z) + centre[1] * centre[1])
            weights[i] *= INV_ROOT_2PI
            ray_moments((parts[p, 3] - parts[p, 4] * z) / parts[p, 5], centre[1], shift, degree, work, rows[i])
    return at


@inline
def _plane(parts: Array, count: int, centre: Array, shift: float, degree: int, row: Array) -> None:
    """Moments of (y_2, y_3) over the pieces of a staircase, times exp(shift), into row."""
    work, ray = np.empty(5), np.empty(5)
    row[:] = 0.0
    for p in range(count):
        low, high, d, rho, s = parts[p, 0], parts[p, 1], parts[p, 3], parts[p, 4], parts[p, 5]
        short = parts[p, 2] == 0.0
        pieces, points = (1, FEW) if short else (int(parts[p, 2]), POINTS)
        width = (high - low) / pieces
        for k in range(pieces):
            for i in range(points):
                node, weight = (FEW_NODES[i], FEW_WEIGHTS[i]) if short else (NODES[i], WEIGHTS[i])
                z = low + width * (k + node)
                own = 0.5 * ((centre[1] - z) * (centre[1] + z) + centre[2] * centre[2])
                ray_moments((d - rho * z) / s, centre[2], shift + own, degree, work, ray)
                power = weight * width * INV_ROOT_2PI
                for m in range(degree + 1):
                    for j in range(degree + 1 - m):
                        row[place(m, j)] += power * ray[j]
                    power *= z - centre[1]


@inline
def _given(mean: Array, deviation: Array, root: Array, t: float, given: Array) -> None:
    """Mean and root of the last two objectives given z_1 = t: m_2, m_3, r_22, r_32, r_33."""
    given[0] = mean[1] + deviation[1] * root[1, 0] * t
    given[1] = mean[2] + deviation[2] * root[2, 0] * t
    given[2], given[3], given[4] = deviation[1] * root[1, 1], deviation[2] * root[2, 1], deviation[2] * root[2, 2]


@inline
def _extent(gap: Array, root: Array, start: float, reach: float, end: float) -> float:
    """How far from start towards end the depth stays within reach (bisection)."""
    if depth_at(gap, root, end) <= reach:
        return end
    inside, outside = start, end
    for _ in range(45):
        middle = 0.5 * (inside + outside)
        if depth_at(gap, root, middle) <= reach:
            inside = middle
        else:
            outside = middle
    return outside


@inline
def _least_depth(gaps: Array, first: float, root: Array, t: float) -> float:
    """The least depth at z_1 = t among the points at or beyond `first`."""
    least = math.inf
    for p in range(gaps.shape[0]):
        if gaps[p, 0] >= first:
            least = min(least, depth_at(gaps[p], root, t))
    return least


@inline
def _cut_outer(
    plan: Any, mean: Array, deviation: Array, gaps: Array, firsts: Array, root: Array, reach: float, parts: Array
) -> int:
    """Three objectives: pieces of z_1 (K, 3), with the number of panels and the staircase they belong to."""
    radius, count = math.sqrt(reach), 0
    lows, highs = np.full(gaps.shape[0], math.inf), np.full(gaps.shape[0], -math.inf)
    for p in range(gaps.shape[0]):
        if depth_at(gaps[p], root, firsts[p]) <= reach:
            lows[p] = _extent(gaps[p], root, firsts[p], reach, -radius)
            highs[p] = _extent(gaps[p], root, firsts[p], reach, min(gaps[p, 0], radius))
    # deviation of z_1 given the others: the inverse of the first diagonal entry of the precision's root
    r10, r20, r21 = root[1, 0] / root[1, 1], root[2, 0], root[2, 1]
    r20 = (r20 - r21 * r10) / root[2, 2]
    scale = max(1.0 / math.sqrt(1.0 + r10 * r10 + r20 * r20), FINEST)
    low = -math.inf
    for k in range(plan.outer.size):
        edge = (plan.outer[k] - mean[0]) / deviation[0]
        begin, end = math.inf, -math.inf
        for p in range(gaps.shape[0]):
            if plan.points[p, 0] >= plan.outer[k]:
                begin, end = min(begin, lows[p]), max(end, highs[p])
        begin, end = max(begin, low), min(end, edge)
        low = edge
        if begin < end:
            at_begin, at_end = _least_depth(gaps, edge, root, begin), _least_depth(gaps, edge, root, end)
            fall = min(0.5 * abs(at_begin - at_end), NEGLIGIBLE)
            parts[count, 0], parts[count, 1] = begin, end
            parts[count, 2] = 0.0 if is_short(end - begin, scale, fall) else panels(end - begin, scale, fall)
            parts[count, 3] = k
            count += 1
    return count


@inline
def _planes(
    plan: Any,
    mean: Array,
    deviation: Array,
    root: Array,
    centre: Array,
    reach: float,
    degree: int,
    nodes: Array,
    weights: Array,
    outer: Array,
    count: int,
    rows: Array,
) -> int:
    """Three objectives: a node for every z_1, with the moments of (z_2, z_3) in rows (n, 15); return their number."""
    parts, given = np.empty((3 * plan.edges.size + 3, 6)), np.empty(5)
    at = 0
    for p in range(count):
        begin = at
        at = _nodes_of(outer[p, 0], outer[p, 1], outer[p, 2], nodes, weights, at)
        for i in range(begin, at):
            t = nodes[i]
            weights[i] *= INV_ROOT_2PI
            rows[i, :] = 0.0
            if reach > t * t:
                _given(mean, deviation, root, t, given)
                pieces = _cut_stairs(plan, int(outer[p, 3]), given, reach - t * t, parts)
                shift = 0.5 * (centre[0] - t) * (centre[0] + t)
                _plane(parts, pieces, centre, shift, degree, rows[i])
    return at


@inline
def _locate(plan: Any, mean: Array, deviation: Array, root: Array, gaps: Array, firsts: Array, centre: Array) -> float:
    """Fill gaps (S, L), the z_1 nearest in each orthant (S,) and the centre (L,); return the centre's depth."""
    least, trial = math.inf, np.empty(mean.size)
    for p in range(gaps.shape[0]):
        for l in range(mean.size):
            gaps[p, l] = (plan.points[p, l] - mean[l]) / deviation[l]
        depth = nearest_point(gaps[p], root, trial)
        firsts[p] = trial[0]
        if depth < least:
            least = depth
            centre[:] = trial
    return least


@inline
def profile_of(
    plan: Any, mean: Array, covariance: Array, degree: int, root: Array, centre: Array
) -> tuple[Array, Array, Array, float]:
    """Nodes z_1 (n,), weights (n,) and moments (n, 5 or 15) of the other coordinates; fills root (L, L), centre (L,).

    mean (L,), covariance (L, L): in the frontier's order of objectives, not the plan's. root is that of the
    covariance, in the plan's order. Moments are those of phi(z) exp(centre^2 / 2). Last comes by how much deviations
    were stretched for a mean FURTHEST away, 1 for others.
    """
    size, points = mean.size, plan.points.shape[0]
    own, deviation = np.empty(size), np.empty(size)
    for l in range(size):
        own[l], deviation[l] = mean[plan.order[l]], math.sqrt(covariance[plan.order[l], plan.order[l]])
    root_of(covariance, plan.order, root)
    gaps, firsts = np.empty((points, size)), np.empty(points)
    depth, stretch = _locate(plan, own, deviation, root, gaps, firsts, centre), 1.0
    if depth > FURTHEST**2:
        stretch = math.sqrt(depth) / FURTHEST
        for l in range(size):
            deviation[l] *= stretch
        depth = _locate(plan, own, deviation, root, gaps, firsts, centre)
    reach = depth + 2.0 * NEGLIGIBLE
    if size == 2:
        parts, given = np.empty((3 * plan.edges.size + 3, 6)), np.empty(5)
        given[0], given[1], given[2] = own[0], own[1], deviation[0]
        given[3], given[4] = deviation[1] * root[1, 0], deviation[1] * root[1, 1]
        count = _cut_stairs(plan, 0, given, reach, parts)
        total = _points_of(parts, count)
        nodes, weights, rows = np.empty(total), np.empty(total), np.zeros((total, 5))
        _rays(plan, parts, count, centre, degree, nodes, weights, rows)
    else:
        outer = np.empty((plan.outer.size, 6))
        count = _cut_outer(plan, own, deviation, gaps, firsts, root, reach, outer)
        total = _points_of(outer, count)
        nodes, weights, rows = np.empty(total), np.empty(total), np.empty((total, 15))
        _planes(plan, own, deviation, root, centre, reach, degree, nodes, weights, outer, count, rows)
    for i in range(size):
        for j in range(i + 1):
            root[i, j] *= deviation[i] / stretch
    return nodes, weights, rows, stretch
