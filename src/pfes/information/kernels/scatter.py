"""A correlated normal over a region that is cut into cells: nodes strewn over each cell, as many as its share asks for.

Any number of objectives. In the whitened coordinates z of f = mean + root z a cell is filled by Genz's method, tilted
towards it where it is far (normal/sequence.py): all coordinates but the last at the points of a lattice, the last one
in closed form (rays.py). Within a cell the integrand is smooth, so that few nodes are enough; every cell has its own
shift of the lattice, so that their errors do not add up. What is kept are moments of y = z - c relative to the density
at c, the point of the region nearest to the mean: nothing is lost however far that is.

    name       meaning                                                              shape
    lower      bounds of the cells, standardised, columns in the order of the rows  (M, L); upper likewise
    root       rows and start as in normal/sequence.py                              (L, L)
    tilts      of every cell; logs: of its mass, roughly; depths: |nearest z|^2     (M, L), (M,), (M,)
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.information.kernels.nearest import root_of
from pfes.information.kernels.rays import interval_moments
from pfes.normal.sequence import bounds_at, follow, nearest_tilt

__all__ = ["Lattices", "Scene", "add_cells", "arrange", "look_over", "standardise"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

DETERMINED = 1e-6  # deviations given the objectives before: one that has less is taken as a function of them
NEGLIGIBLE = 30.0  # cells with e^-30 of the largest one's mass are left out
GLANCE = 1  # the kind of lattice that a cell's mass is first estimated with
FAR = 1e6  # deviations: means further off are looked at through wider ones (see `Sums.stretch`)


class Lattices(NamedTuple):
    """Lattices of T sizes, ascending, and a step of the shift from cell to cell."""

    sizes: Counts  # (T,)
    steps: Array  # (T, D)
    turns: Array  # (D,)


class Scene(NamedTuple):
    """Room for one candidate: what is filled anew for each."""

    order: Counts  # (L,) objectives in the order of the columns of the root
    rows: Counts  # (L,) objectives in the order of the rows
    start: Counts  # (L + 1,)
    root: Array  # (L, L)
    deviation: Array  # (L,) in the objectives' own order
    lower: Array  # (M, L)
    upper: Array  # (M, L)
    tilts: Array  # (M, L)
    nearest: Array  # (M, L)
    logs: Array  # (M,)


@inline
def _arrange_last(covariance: Array, first: int, order: Counts) -> None:
    """From the end: always the objective that those left leave most uncertain; `first`, unless -1, at the beginning."""
    size = order.size
    left, trial, root = np.arange(size), np.empty(size, np.int64), np.zeros((size, size))
    for count in range(size, 0, -1):
        best, widest = 0, -1.0
        for i in range(count):
            if count > 1 and left[i] == first:
                continue
            at = 0
            for j in range(count):
                if j != i:
                    trial[at] = left[j]
                    at += 1
            trial[at] = left[i]
            root_of(covariance, trial[:count], root)
            if root[at, at] > widest:
                best, widest = i, root[at, at]
        order[count - 1] = left[best]
        for j in range(best, count - 1):
            left[j] = left[j + 1]


@inline
def arrange(covariance: Array, first: int, scene: Any) -> None:
    """Fill order, deviation, and rows, start and root: each row with the last column that it depends on."""
    size = scene.order.size
    _arrange_last(covariance, first, scene.order)
    full, last = np.zeros((size, size)), np.empty(size, np.int64)
    root_of(covariance, scene.order, full)
    for i in range(size):
        scene.deviation[i] = math.sqrt(covariance[i, i])
        last[i] = i
        while last[i] > 0 and abs(full[i, last[i]]) < DETERMINED:
            last[i] -= 1
    at = 0
    for k in range(size):
        scene.start[k] = at
        for i in range(size):
            if last[i] == k:
                scene.rows[at] = scene.order[i]
                scene.root[at] = full[i]
                scene.root[at, k + 1 :] = 0.0
                at += 1
    scene.start[size] = at


@inline
def standardise(lower: Array, upper: Array, mean: Array, stretch: float, scene: Any) -> None:
    """Fill the scene's bounds from those of the cells (M, L), for deviations that are so many times wider."""
    for i in range(scene.rows.size):
        l = scene.rows[i]
        s = scene.deviation[l] * stretch
        for m in range(lower.shape[0]):
            scene.lower[m, i], scene.upper[m, i] = (lower[m, l] - mean[l]) / s, (upper[m, l] - mean[l]) / s


@inline
def _point(i: int, number: int, kind: int, lattices: Any, last: int, w: Array) -> None:
    """Fill w[:last] with point i of a lattice as a cell has it: shifted, and folded so that its ends meet."""
    for k in range(last):
        x = (i * lattices.steps[kind, k] + (number + 0.5) * lattices.turns[k]) % 1.0
        w[k] = min(max(1.0 - abs(2.0 * x - 1.0), 1e-12), 1.0 - 1e-12)


@inline
def _log_mass(
    number: int, root: Array, start: Counts, lower: Array, upper: Array, tilt: Array, lattices: Any, w: Array, z: Array
) -> float:
    """The logarithm of a cell's mass, roughly, from a few nodes."""
    columns = start.size - 1
    top, total = -math.inf, 0.0
    count = lattices.sizes[GLANCE] if columns > 1 else 1
    for i in range(count):
        _point(i, number, GLANCE, lattices, columns - 1, w)
        weight = follow(root, start, lower, upper, tilt, w, columns, z)
        if weight > top:
            total = total * math.exp(top - weight) + 1.0
            top = weight
        elif weight > -math.inf:
            total += math.exp(weight - top)
    return top + math.log(total / count) if total > 0.0 else -math.inf


@inline
def look_over(
    root: Array,
    start: Counts,
    lower: Array,
    upper: Array,
    lattices: Any,
    before: int,
    tilts: Array,
    nearest: Array,
    logs: Array,
) -> tuple[int, float]:
    """Fill tilts, nearest points and logs of M cells; the nearest cell and the largest log.

    before: cells that were numbered before these; a cell's number is its shift of the lattice.
    """
    rows, columns = lower.shape[1], start.size - 1
    pull, z, w = np.empty(rows), np.empty(columns), np.full(columns, 0.5)
    best, least, top = -1, math.inf, -math.inf
    for m in range(lower.shape[0]):
        depth = nearest_tilt(root, start, lower[m], upper[m], pull, tilts[m])
        for k in range(columns):
            nearest[m, k] = 0.0
            for i in range(rows):
                nearest[m, k] += root[i, k] * pull[i]
        logs[m] = _log_mass(before + m, root, start, lower[m], upper[m], tilts[m], lattices, w, z)
        top = max(top, logs[m])
        if depth < least and logs[m] > -math.inf:
            best, least = m, depth
    return best, top


@inline
def _add(weight: float, y: Array, ray: Array, exponents: Counts, powers: Array, out: Array) -> None:
    """out[a] += weight prod_j y_j^e_j times the last one's moment, for every row e of the exponents (A, Q)."""
    last = exponents.shape[1] - 1
    for j in range(last):
        powers[j, 0] = 1.0
        for n in range(1, powers.shape[1]):
            powers[j, n] = powers[j, n - 1] * y[j]
    for a in range(exponents.shape[0]):
        term = weight * ray[exponents[a, last]]
        for j in range(last):
            term *= powers[j, exponents[a, j]]
        out[a] += term


@inline
def add_cells(
    root: Array,
    start: Counts,
    lower: Array,
    upper: Array,
    tilts: Array,
    logs: Array,
    top: float,
    lattices: Any,
    before: int,
    total: int,
    centre: Array,
    log_scale: float,
    degree: int,
    exponents: Counts,
    out: Array,
) -> None:
    """out[a] += exp(log_scale) times the moments of y = z - centre over all cells, with about `total` nodes.

    logs may be -inf for cells that are not to be counted; top is the largest of them.
    """
    last = start.size - 2
    z, y, w = np.zeros(last + 1), np.empty(last + 1), np.full(last + 1, 0.5)
    work, ray, powers = np.empty(10), np.empty(5), np.empty((last + 1, degree + 1))
    whole = 0.0
    for m in range(logs.size):
        whole += math.exp(logs[m] - top)
    for m in range(logs.size):
        if not logs[m] > top - NEGLIGIBLE:
            continue
        wanted = total * math.exp(logs[m] - top) / whole
        kind = 0
        while kind < lattices.sizes.size - 1 and lattices.sizes[kind] < wanted:
            kind += 1
        count = lattices.sizes[kind] if last > 0 else 1
        for i in range(count):
            _point(i, before + m, kind, lattices, last, w)
            log_weight = follow(root, start, lower[m], upper[m], tilts[m], w, last, z)
            low, high = bounds_at(last, root, start, lower[m], upper[m], z)
            if log_weight > -math.inf and low < high:
                log_weight += interval_moments(low, high, centre[last], degree, work, ray)
                for k in range(last):
                    y[k] = z[k] - centre[k]
                _add(math.exp(log_weight + log_scale) / count, y, ray, exponents, powers, out)
