"""Sums over a region strewn with nodes (scatter.py): moments, and what one objective alone tells, for many candidates.

`scattered_profile` is for one objective: its coordinate z_1 is integrated by Gauss-Legendre panels that end at the
cells' bounds, because a logarithm is taken of the density of z_1 and F; at each z_1 the others are strewn over the
section of every cell. Columns of the results are those of profiles.py.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.profiles import add_alone, add_node
from pfes.information.kernels.scatter import FAR, NEGLIGIBLE, Scene, add_cells, arrange, look_over, standardise
from pfes.normal import INV_ROOT_2PI
from pfes.normal.panels import FEW, FEW_NODES, FEW_WEIGHTS
from pfes.normal.sequence import bounds_at

__all__ = ["scattered_moments", "scattered_profile"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

WINDOW = 8.0  # deviations around the nearest z_1 of a cell: the density falls at least as a normal one does
PANEL = 1.5  # of the deviation of z_1 given the others
NARROW, FEWER = 0.4, 3  # panels of less than this part of a deviation need as many points only
FINEST = 0.02  # the least such deviation that panels are made for
_ROOTS, _MASSES = np.polynomial.legendre.leggauss(FEWER)
FEWER_NODES, FEWER_WEIGHTS = 0.5 * (_ROOTS + 1.0), 0.5 * _MASSES


@inline
def _scene_of(cells: int, size: int) -> Any:
    integers, square, wide = np.empty(size, np.int64), np.zeros((size, size)), (cells, size)
    return Scene(
        integers,
        np.empty(size, np.int64),
        np.zeros(size + 1, np.int64),
        square,
        np.empty(size),
        np.empty(wide),
        np.empty(wide),
        np.empty(wide),
        np.empty(wide),
        np.empty(cells),
    )


@inline
def _survey(scene: Any, lattices: Any) -> tuple[int, float]:
    """`look_over` all of a scene's cells."""
    return look_over(
        scene.root, scene.start, scene.lower, scene.upper, lattices, 0, scene.tilts, scene.nearest, scene.logs
    )


@inline
def _begin(
    lower: Array,
    upper: Array,
    mean: Array,
    covariance: Array,
    first: int,
    lattices: Any,
    scene: Any,
    centre: Array,
    root: Array,
) -> tuple[float, float]:
    """Set the scene of a candidate; fill its centre (L,) and root (L, L), rows in the objectives' own order.

    The largest log of a cell's mass, and by how much deviations were stretched.
    """
    arrange(covariance, first, scene)
    standardise(lower, upper, mean, 1.0, scene)
    best, top = _survey(scene, lattices)
    stretch, far = 1.0, math.sqrt(np.sum(scene.nearest[best] ** 2)) if best >= 0 else 0.0
    if far > FAR:
        stretch = far / FAR
        standardise(lower, upper, mean, stretch, scene)
        best, top = _survey(scene, lattices)
    centre[:] = 0.0
    if best >= 0:
        centre[:] = scene.nearest[best]
    for i in range(mean.size):
        for j in range(mean.size):
            root[scene.rows[i], j] = scene.root[i, j] * scene.deviation[scene.rows[i]]
    # what is determined by others keeps a trace of its own coordinate, so that roots can be inverted
    for k in range(mean.size):
        if scene.start[k] == scene.start[k + 1]:
            root[scene.order[k], k] = 1e-8 * scene.deviation[scene.order[k]]
    return top, stretch


@kernel
def scattered_moments(
    lower: Array,
    upper: Array,
    mean: Array,
    covariance: Array,
    lattices: Any,
    total: int,
    exponents: Counts,
    degree: int,
    roots: Any,
    centres: Any,
    stretches: Any,
    out: Any,
) -> None:
    """Fill moments out (N, A), centres (N, L), roots (N, L, L), stretches (N,) of the region of cells (M, L)."""
    scene = _scene_of(lower.shape[0], lower.shape[1])
    for n in range(mean.shape[0]):
        out[n] = 0.0
        top, stretches[n] = _begin(lower, upper, mean[n], covariance[n], -1, lattices, scene, centres[n], roots[n])
        add_cells(
            scene.root,
            scene.start,
            scene.lower,
            scene.upper,
            scene.tilts,
            scene.logs,
            top,
            lattices,
            0,
            total,
            centres[n],
            0.5 * np.sum(centres[n] ** 2),
            degree,
            exponents,
            out[n],
        )


@inline
def _windows(scene: Any, top: float, windows: Array) -> float:
    """Fill windows (M, 2) of z_1 that matter, empty ones as (inf, -inf); how fast a density falls there at most."""
    z, fastest = np.zeros(1), 0.0
    for m in range(windows.shape[0]):
        windows[m, 0], windows[m, 1] = math.inf, -math.inf
        if scene.logs[m] > top - NEGLIGIBLE:
            low, high = bounds_at(0, scene.root, scene.start, scene.lower[m], scene.upper[m], z)
            near = scene.nearest[m, 0]
            windows[m, 0], windows[m, 1] = max(low, near - WINDOW), min(high, near + WINDOW)
            fastest = max(fastest, abs(near - scene.tilts[m, 0]))
    return fastest


@inline
def _edges(windows: Array) -> Array:
    """All ends of windows, ascending, each once."""
    count = 0
    edges = np.empty(2 * windows.shape[0])
    for m in range(windows.shape[0]):
        if windows[m, 0] < windows[m, 1]:
            edges[count], edges[count + 1] = windows[m, 0], windows[m, 1]
            count += 2
    edges = np.sort(edges[:count])
    kept = 0
    for i in range(count):
        if kept == 0 or edges[i] > edges[kept - 1] + 1e-9:
            edges[kept] = edges[i]
            kept += 1
    return edges[:kept]


@inline
def _panels(edges: Array, windows: Array, scale: float, fastest: float) -> Array:
    """Panels (P, 2) between the edges where some cell is: the shorter the nearer to an edge, if densities fall fast."""
    found, count = np.empty((64, 2)), 0
    finest = 1.0 / max(fastest, 1.0 / scale)
    for i in range(edges.size - 1):
        half, middle, seen = 0.5 * (edges[i + 1] - edges[i]), 0.5 * (edges[i] + edges[i + 1]), False
        for m in range(windows.shape[0]):
            if windows[m, 0] < middle < windows[m, 1]:
                seen = True
                break
        begin, step = 0.0, PANEL * finest
        while seen and begin < half:
            whole = begin == 0.0 and 2.0 * half <= step  # one panel is enough
            end = half if half - begin < 1.3 * step else begin + step
            if count + 2 > found.shape[0]:
                more = np.empty((2 * count, 2))
                more[:count] = found[:count]
                found = more
            found[count, 0], found[count, 1] = edges[i] + begin, edges[i + 1] if whole else edges[i] + end
            count += 1
            if not whole:
                found[count, 0], found[count, 1] = edges[i + 1] - end, edges[i + 1] - begin
                count += 1
            begin, step = end, min(1.6 * step, PANEL * scale)
    return found[:count]


@inline
def _deviation_of_first(root: Array, start: Counts) -> float:
    """Of z_1 given the objectives other than the first: 1 / sqrt(1 + |B^-1 b|^2), b the others' column, B the rest."""
    size = start.size - 1
    x, square = np.zeros(size), 0.0
    for k in range(1, size):
        if start[k] < start[k + 1]:  # the first of its rows is its own
            i = start[k]
            rest = root[i, 0]
            for j in range(1, k):
                rest -= root[i, j] * x[j]
            x[k] = rest / root[i, k]
            square += x[k] * x[k]
    return 1.0 / math.sqrt(1.0 + square)


@inline
def _section(t: float, scene: Any, windows: Array, held: int, lower: Array, upper: Array) -> int:
    """Fill bounds (M', L - held) of the sections of cells at z_1 = t, which has `held` rows; how many there are."""
    count, rows = 0, scene.rows.size
    for m in range(windows.shape[0]):
        if windows[m, 0] < t < windows[m, 1]:
            for i in range(held, rows):
                shift = scene.root[i, 0] * t
                lower[count, i - held], upper[count, i - held] = scene.lower[m, i] - shift, scene.upper[m, i] - shift
            count += 1
    return count


@kernel
def scattered_profile(
    lower: Array,
    upper: Array,
    mean: Array,
    covariance: Array,
    first: int,
    whole: Any,
    lattices: Any,
    total: int,
    others: Counts,
    exponents: Counts,
    alone: int,
    is_inside: bool,
    roots: Any,
    centres: Any,
    stretches: Any,
    out: Any,
) -> None:
    """As `profile_sums`, for objective `first`: out (N, A + 4 + alone), the moments of the others up to degree 2.

    whole, lattices: of L - 1 dimensions, for a first look, and of L - 2. others (B, L - 1) are exponents of the other
    coordinates, exponents (A, 2) pairs of a power of y_1 and a row of others.
    """
    cells, size = lower.shape
    scene, count = _scene_of(cells, size), exponents.shape[0]
    windows, tilts, nearest = np.empty((cells, 2)), np.empty((cells, size - 1)), np.empty((cells, size - 1))
    low, high, logs = np.empty((cells, size)), np.empty((cells, size)), np.empty(cells)
    row = np.empty(others.shape[0])
    for n in range(mean.shape[0]):
        out[n] = 0.0
        top, stretches[n] = _begin(lower, upper, mean[n], covariance[n], first, whole, scene, centres[n], roots[n])
        fastest = _windows(scene, top, windows)
        shift = 0.5 * np.sum(centres[n] ** 2)
        held = scene.start[1]
        root, start, rows = scene.root[held:, 1:], scene.start[1:] - held, size - held
        scale = max(_deviation_of_first(scene.root, scene.start), FINEST)
        numbered = 0
        panels = _panels(_edges(windows), windows, scale, fastest)
        for p in range(panels.shape[0]):
            width = panels[p, 1] - panels[p, 0]
            narrow = width < NARROW * min(scale, 1.0 / max(fastest, 1e-9))
            for i in range(FEWER if narrow else FEW):
                node, mass = (FEWER_NODES[i], FEWER_WEIGHTS[i]) if narrow else (FEW_NODES[i], FEW_WEIGHTS[i])
                t = panels[p, 0] + width * node
                found = _section(t, scene, windows, held, low, high)
                if found == 0:
                    continue
                a, b = low[:found, :rows], high[:found, :rows]
                _, most = look_over(root, start, a, b, lattices, numbered, tilts, nearest, logs[:found])
                if not most > -math.inf:
                    continue
                row[:] = 0.0
                scaled = shift - 0.5 * t * t
                add_cells(
                    root,
                    start,
                    a,
                    b,
                    tilts,
                    logs[:found],
                    most,
                    lattices,
                    numbered,
                    total,
                    centres[n, 1:],
                    scaled,
                    2,
                    others,
                    row,
                )
                numbered += found  # other shifts at every z_1: errors do not add up
                weight = width * mass
                g = row[0] * INV_ROOT_2PI
                add_node(t - centres[n, 0], weight * INV_ROOT_2PI, row, exponents, out[n, :count])
                if g > 0.0:
                    told = add_alone(t, weight, g, shift, is_inside, out[n, count:])
                    add_node(
                        t - centres[n, 0],
                        weight * INV_ROOT_2PI * told,
                        row,
                        exponents[:alone],
                        out[n, count + 4 :],
                    )
