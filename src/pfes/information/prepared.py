"""Frontiers made ready for the kernels: cells of both sides, and each distinct bound once.

    letter   meaning                                                              shape
    R        frontiers
    S_r, L   points of frontier r, objectives
    J        rows: the distinct bounds of all objectives, -inf and +inf included
    M, C     cells of the dominated region, cells of its complement

A cell names its bounds by row, so that the normal distribution is evaluated once per row, not once per cell.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import spread_map
from pfes.errors import InvalidFrontier
from pfes.pareto import Cells, as_frontier, both_sides

__all__ = ["Frontier", "Frontiers", "prepare"]

Rows = NDArray[np.int32]


class Frontier(NamedTuple):
    """One frontier as the kernels read it (maximisation)."""

    points: NDArray[np.float64]  # (S, L) non-dominated
    values: NDArray[np.float64]  # (J,) bounds: for each objective -inf, its distinct values ascending, +inf
    owner: Rows  # (J,) the objective a row belongs to
    start: Rows  # (L + 1,) first row of each objective, and J
    open_top: NDArray[np.bool_]  # (L,) some point is +inf in this objective: no value is too high to be dominated
    low: Rows  # (M, L) rows of the lower bounds of the dominated cells
    high: Rows  # (M, L)
    fresh: Rows  # (M,) the first objective whose interval differs from that of the cell before
    beyond_low: Rows  # (C, L) rows of the lower bounds of the complement's cells
    beyond_high: Rows  # (C, L)
    beyond_fresh: Rows  # (C,)


class Frontiers:
    """R frontiers of the same L objectives, prepared once and used for any number of candidates."""

    def __init__(self, frontiers: Sequence[Frontier]) -> None:
        self._frontiers = tuple(frontiers)

    @property
    def objectives(self) -> int:
        """L."""
        return int(self._frontiers[0].points.shape[1])

    @property
    def cells(self) -> int:
        """Dominated cells of all frontiers together."""
        return sum(len(f.low) for f in self._frontiers)

    def __len__(self) -> int:
        return len(self._frontiers)

    def __getitem__(self, index: int) -> Frontier:
        return self._frontiers[index]

    def __iter__(self) -> Iterator[Frontier]:
        return iter(self._frontiers)

    def __repr__(self) -> str:
        points = [len(f.points) for f in self._frontiers]
        return (
            f"Frontiers(R={len(self)}, L={self.objectives}, points {min(points)} to {max(points)}, {self.cells} cells)"
        )


def prepare(frontiers: Sequence[ArrayLike] | Frontiers, partition: str = "hbda") -> Frontiers:
    """Cut the dominated region of each frontier into cells, ready for `coupled` and `decoupled`.

    frontiers: R arrays (S_r, L), maximisation; dominated points and duplicates are dropped, +inf coordinates
    (thresholds) are kept. What is prepared already is returned as it is. partition: see `pfes.pareto.dominated_cells`.
    """
    if isinstance(frontiers, Frontiers):
        return frontiers
    if isinstance(frontiers, np.ndarray) and frontiers.ndim == 2:
        raise InvalidFrontier(
            f"got one array of shape {frontiers.shape} where a list of frontiers was wanted; try [frontier]"
        )
    try:
        given = list(frontiers)
    except TypeError:
        raise InvalidFrontier(
            f"got {type(frontiers).__name__} where a list of frontiers was wanted; try [frontier], each an array (S, L)"
        ) from None
    if given and all(isinstance(row, list | tuple | np.ndarray) and all(map(np.isscalar, row)) for row in given):
        raise InvalidFrontier("got one frontier where a list of frontiers was wanted; try [frontier]")
    points = [as_frontier(f) for f in given]
    if not points:
        raise InvalidFrontier("got no frontier; wanted a list of at least one array (S, L)")
    widths = sorted({p.shape[1] for p in points})
    if len(widths) > 1:
        raise InvalidFrontier(f"got frontiers of {widths} objectives; wanted the same number in all of them")
    if widths[0] <= 2:  # a matter of microseconds: threads would only wait for one another
        return Frontiers([_prepare_one(p, partition) for p in points])
    return Frontiers(spread_map(lambda p: _prepare_one(p, partition), points))


def _prepare_one(points: NDArray[np.float64], partition: str) -> Frontier:
    objectives = points.shape[1]
    finite = [np.unique(column[np.isfinite(column)]) for column in points.T]
    columns = [np.concatenate(([-np.inf], values, [np.inf])) for values in finite]
    start = np.concatenate(([0], np.cumsum([len(c) for c in columns]))).astype(np.int32)
    below, above = both_sides(points, partition)
    low, high = _rows(below, columns, start)
    beyond_low, beyond_high = _rows(above, columns, start)
    frontier = Frontier(
        points=np.ascontiguousarray(points),
        values=np.concatenate(columns),
        owner=np.repeat(np.arange(objectives, dtype=np.int32), np.diff(start)),
        start=start,
        open_top=np.asarray(np.isinf(points).any(axis=0)),
        low=low,
        high=high,
        fresh=_fresh(low, high),
        beyond_low=beyond_low,
        beyond_high=beyond_high,
        beyond_fresh=_fresh(beyond_low, beyond_high),
    )
    for array in frontier:
        array.setflags(write=False)  # prepared once, used often: nobody may change it on the way
    return frontier


def _rows(cells: Cells, columns: list[NDArray[np.float64]], start: Rows) -> tuple[Rows, Rows]:
    low = np.empty(cells.lower.shape, dtype=np.int32)
    high = np.empty(cells.upper.shape, dtype=np.int32)
    for l, values in enumerate(columns):
        low[:, l] = start[l] + np.searchsorted(values, cells.lower[:, l])
        high[:, l] = start[l] + np.searchsorted(values, cells.upper[:, l])
    # neighbours then share the intervals of their first objectives, and what the kernels computed of them
    order = np.lexsort([column for l in reversed(range(len(columns))) for column in (high[:, l], low[:, l])])
    return np.ascontiguousarray(low[order]), np.ascontiguousarray(high[order])


def _fresh(low: Rows, high: Rows) -> Rows:
    """(M,) for cells (M, L): the first objective in which each differs from the one before; 0 for the first cell."""
    fresh = np.zeros(len(low), dtype=np.int32)
    fresh[1:] = np.argmax((low[1:] != low[:-1]) | (high[1:] != high[:-1]), axis=1)
    return fresh
