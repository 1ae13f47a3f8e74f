"""Quick hypervolume (Russo & Francisco 2014), the paper's partition: quicksort in L dimensions (theory 7).

A pivot's box is cut off; the points that reach beyond it fall into the hyperoctants around the pivot, clipped to each,
and every octant is treated alike, down to single points. An octant is a set of bits: bit k for "above the pivot in
objective k". All but the choice of the pivot depends on order only, so points are given as places among the distinct
values (pfes.pareto.ranks), and ties and infinities need no care.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pfes.compiled import inline, kernel
from pfes.pareto.cells import Cells
from pfes.pareto.ranks import ranked, values_at
from pfes.pareto.room import copy_row, with_room

__all__ = ["dominated"]


def dominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the dominated region of a frontier (S, L) as quick hypervolume does."""
    places, levels = ranked(frontier)
    lower, upper = _divide(places, _heights(levels))
    return Cells(values_at(levels, lower), values_at(levels, upper))


def _heights(levels: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Finite stand-ins for the levels, (most levels of an objective, L), from which volumes are taken.

    In units of the objective's range: -inf is one range below the smallest value, +inf one above the largest.
    """
    heights = np.zeros((max(len(values) for values in levels), len(levels)))
    for l, values in enumerate(levels):
        heights[1 : len(values), l] = 3.0
        finite = np.flatnonzero(np.isfinite(values))
        if len(finite) > 0:
            halves = values[finite] / 2  # the range of the values themselves can overflow
            heights[finite, l] = 1 + (halves - halves[0]) / ((halves[-1] - halves[0]) or 1.0)
    return heights


@kernel
def _divide(places: Any, heights: Any) -> tuple[Any, Any]:
    """Cut points given as places (S, L) -> lower, upper: (M, L) places of the cells' bounds."""
    size, objectives = places.shape
    waiting = places.copy()  # a stack of points: those of the octants still to be divided
    starts = np.zeros((8, 1), np.int64)  # where each octant's points begin
    corners = np.zeros((8, objectives), np.int64)  # and its lower corner
    lower = np.empty((size, objectives), np.int64)
    upper = np.empty((size, objectives), np.int64)
    octants, height, cells = 1, size, 0
    while octants > 0:
        octants -= 1
        points = waiting[starts[octants, 0] : height].copy()
        height = starts[octants, 0]
        lower = with_room(lower, cells + 1)
        upper = with_room(upper, cells + 1)
        copy_row(corners, octants, lower, cells)
        copy_row(points, _largest(points, lower[cells], heights), upper, cells)
        corner, pivot = lower[cells], upper[cells]
        cells += 1
        beyond = _bits_above(points, pivot)
        for octant in range(1, 2**objectives - 1):
            waiting = with_room(waiting, height + len(points))
            found = _clip(points, beyond, pivot, octant, waiting[height:])
            if found > 0:
                starts = with_room(starts, octants + 1)
                corners = with_room(corners, octants + 1)
                starts[octants, 0] = height
                for k in range(objectives):
                    corners[octants, k] = pivot[k] if octant >> k & 1 else corner[k]
                octants += 1
                height += found
    return lower[:cells].copy(), upper[:cells].copy()


@inline
def _largest(points: Any, corner: Any, heights: Any) -> int:
    """Return the row of the point with the largest box above the corner; the first of equals."""
    best, largest = 0, -1.0
    for s in range(len(points)):
        volume = 1.0
        for l in range(len(corner)):
            volume *= heights[points[s, l], l] - heights[corner[l], l]
        if volume > largest:
            best, largest = s, volume
    return best


@inline
def _bits_above(points: Any, pivot: Any) -> Any:
    """Return for each point the set of objectives, as bits, in which it exceeds the pivot: (S,)."""
    bits = np.zeros(len(points), np.int64)
    for s in range(len(points)):
        for k in range(len(pivot)):
            if points[s, k] > pivot[k]:
                bits[s] |= 1 << k
    return bits


@inline
def _clip(points: Any, beyond: Any, pivot: Any, octant: int, out: Any) -> int:
    """Write the points that reach into the octant, clipped to it, to `out`; count them.

    The dominated among them need not be dropped: their boxes are smaller than their dominator's, so they are never the
    pivot before it, and once it is the pivot they reach nowhere beyond.
    """
    count = 0
    for s in range(len(points)):
        if beyond[s] & octant == octant:
            for k in range(len(pivot)):
                out[count, k] = points[s, k] if octant >> k & 1 else min(points[s, k], pivot[k])
            count += 1
    return count
