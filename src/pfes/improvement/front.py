"""A front made ready: the region that improves on it, cut into disjoint cells above the reference point.

    letter   meaning                                                                       shape
    S, L     points that count, objectives
    J        rows: the distinct bounds of all objectives, the reference and +inf included
    M        cells of the non-dominated region above the reference

A cell names its bounds by row, so that the normal distribution is evaluated once per row, not once per cell. Its lower
corner is never dominated, nor is anything above the corner: the region is open upwards. See kernels.py for what that is
worth.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.pareto import Cells, as_frontier, nondominated_cells

__all__ = ["Front", "prepare_front"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]


class Front(NamedTuple):
    """A front and its reference point as the kernels read them (maximisation); every array is read-only."""

    points: Array  # (S, L) non-dominated and above the reference; S may be 0
    reference: Array  # (L,)
    values: Array  # (J,) bounds: for each objective its reference, the points' distinct values ascending, +inf
    start: Rows  # (L + 1,) first row of each objective, and J
    low: Rows  # (M, L) rows of the cells' lower bounds
    high: Rows  # (M, L)


def prepare_front(points: ArrayLike, reference: ArrayLike) -> Front:
    """Cut the region above `reference` that no point dominates into cells, ready for `expected_improvement`.

    Args:
        points: (S, L), maximised, in any order. Dominated points, duplicates and points that are not above the
            reference in every objective are dropped; no points at all, [], leave the whole box above the reference.
        reference: (L,), finite: improvements are counted above it.

    Raises:
        InvalidInput: nan, +inf, or shapes that do not match.
    """
    corner = _reference(reference)
    kept = _above(points, corner)
    columns = [np.concatenate(([low], np.unique(values), [np.inf])) for low, values in zip(corner, kept.T, strict=True)]
    start = np.concatenate(([0], np.cumsum([len(c) for c in columns]))).astype(np.int32)
    low, high = _rows(_cells(kept, corner), columns, start)
    front = Front(kept, corner, np.concatenate(columns), start, low, high)
    for array in front:
        array.setflags(write=False)  # prepared once, used often: nobody may change it on the way
    return front


def _reference(given: ArrayLike) -> Array:
    try:
        corner = np.array(given, dtype=np.float64) + 0.0  # -0.0 becomes 0.0, as in the frontier
    except (TypeError, ValueError):
        raise InvalidInput(f"reference: got {given!r}, wanted L finite numbers, one per objective") from None
    if corner.ndim != 1 or len(corner) == 0 or not np.isfinite(corner).all():
        raise InvalidInput(
            f"reference: got {corner.tolist()}, wanted L finite numbers, one per objective; "
            "try a little below the worst value that is still of use"
        )
    return corner


def _above(points: ArrayLike, corner: Array) -> Array:
    """The frontier (S, L) of the points above the corner."""
    with contextlib.suppress(ValueError):  # ragged: refused below
        if np.size(points) == 0:
            return np.empty((0, len(corner)))
    try:
        table = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"points: got {type(points).__name__} that is no table of numbers, wanted (S, L)") from None
    if table.ndim != 2 or table.shape[1] != len(corner):
        raise InvalidInput(
            f"points: got shape {table.shape}, wanted (S, {len(corner)}), one column for each number of the reference; "
            "try points[None, :] for a single point"
        )
    if np.isnan(table).any() or np.isposinf(table).any():
        row = int((np.isnan(table) | np.isposinf(table)).any(axis=1).argmax())
        raise InvalidInput(f"points: got nan or +inf in row {row}, wanted numbers; try leaving that row out")
    above = table[(table > corner).all(axis=1)]
    return as_frontier(above) if len(above) else above


def _cells(frontier: Array, corner: Array) -> Cells:
    if len(frontier) == 0:
        return Cells(corner[None], np.full((1, len(corner)), np.inf))
    cells = nondominated_cells(frontier)
    return Cells(np.maximum(cells.lower, corner), cells.upper)


def _rows(cells: Cells, columns: list[Array], start: Rows) -> tuple[Rows, Rows]:
    bounds = [[np.searchsorted(v, side[:, l]) for l, v in enumerate(columns)] for side in (cells.lower, cells.upper)]
    low, high = (np.stack(rows, axis=1).astype(np.int32) + start[:-1] for rows in bounds)
    # neighbours then share the intervals of their first objectives, and what the kernels computed of them
    order = np.lexsort([column for l in reversed(range(len(columns))) for column in (high[:, l], low[:, l])])
    return np.ascontiguousarray(low[order]), np.ascontiguousarray(high[order])
