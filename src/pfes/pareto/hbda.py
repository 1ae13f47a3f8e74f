"""The hypervolume box decomposition algorithm (Lacour, Klamroth, Fonseca 2017): few cells, and both sides at once.

| symbol | meaning | shape | in code |
|---|---|---|---|
| f | a point of the frontier, maximised | (L,) | point |
| w | local bound: a corner of the non-dominated region, all of {f > w} is free of domination | (L,) | bounds[k] |
| Z^j | the point that gave w its coordinate j: w_j = Z^j_j | (L,) | points[makers[k, j]] |

Over every place in the objectives 2..L the frontier has one height in objective 1: dominated up to it, free above it.
The local bounds cut those objectives into columns, (w_j, min_{i<j} Z^i_j] for j > 1, of constant height w_1 (theory 7).
Cut at w_1, the columns are the cells of the dominated region and those of its complement. Every corner of the
non-dominated region needs a cell of its own, so the complement's cells are as few as can be (barring ties).
Any objective can take the part of objective 1; the one that leaves the fewest cells does.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pfes.compiled import inline, kernel
from pfes.pareto.cells import Cells
from pfes.pareto.room import copy_row, with_room

__all__ = ["both", "dominated", "nondominated"]


class LocalBounds(NamedTuple):
    """K local bounds: points (S + L, L), bounds (K, L), makers (K, L) pointing into the rows of points."""

    points: npt.NDArray[np.float64]
    bounds: npt.NDArray[np.float64]
    makers: npt.NDArray[np.int64]


def dominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the dominated region of a frontier (S, L) into the columns below it."""
    return both(frontier)[0]


def nondominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the non-dominated region of a frontier (S, L) into the columns above it."""
    return both(frontier)[1]


def both(frontier: npt.NDArray[np.float64]) -> tuple[Cells, Cells]:
    """Cut both regions of a frontier (S, L): the cells below it and those above it, from the same local bounds."""
    local = _local_bounds(frontier)
    ways = [_ceilings(local, along) for along in range(frontier.shape[1])]
    below = min((_below(local, ceilings, along) for along, ceilings in enumerate(ways)), key=len)
    above = min((_solid(local.bounds, ceilings) for ceilings in ways), key=len)
    return below, above


def _below(local: LocalBounds, ceilings: npt.NDArray[np.float64], along: int) -> Cells:
    lower, upper = local.bounds.copy(), ceilings.copy()
    upper[:, along] = lower[:, along]
    lower[:, along] = -np.inf
    return _solid(lower, upper)


def _solid(lower: npt.NDArray[np.float64], upper: npt.NDArray[np.float64]) -> Cells:
    solid = (lower < upper).all(axis=1)
    return Cells(lower[solid], upper[solid])


def _ceilings(local: LocalBounds, along: int) -> npt.NDArray[np.float64]:
    """Where each column ends: (K, L), min_{i<j} Z^i_j when `along` is counted as the first objective; +inf there."""
    ceilings = np.full_like(local.bounds, np.inf)
    before = [along]
    for j in range(ceilings.shape[1]):
        if j != along:
            ceilings[:, j] = local.points[local.makers[:, before], j].min(axis=1)
            before.append(j)
    return ceilings


def _local_bounds(frontier: npt.NDArray[np.float64]) -> LocalBounds:
    # the makers of the first bound, (-inf, ..., -inf): one more point per objective, -inf in it and +inf elsewhere
    objectives = frontier.shape[1]
    first = np.full((objectives, objectives), np.inf)
    np.fill_diagonal(first, -np.inf)
    points = np.concatenate((frontier, first))
    return LocalBounds(points, *_insert_all(points, len(frontier)))


@kernel
def _insert_all(points: Any, size: int) -> tuple[Any, Any]:
    """Insert the first `size` rows of `points`, one by one -> bounds (K, L), makers (K, L)."""
    objectives = points.shape[1]
    bounds = np.empty((8, objectives))
    makers = np.empty((8, objectives), np.int64)
    for j in range(objectives):
        bounds[0, j] = -np.inf
        makers[0, j] = size + j
    count = 1
    for new in range(size):
        # downwards: what fills a gap comes from the end and has been looked at, or is a child, which `new` cannot split
        for k in range(count - 1, -1, -1):
            if not _exceeds(points[new], bounds[k]):
                continue
            bounds = with_room(bounds, count + objectives)
            makers = with_room(makers, count + objectives)
            for j in range(objectives):
                if _needed(points, makers[k], new, j):
                    copy_row(bounds, k, bounds, count)
                    copy_row(makers, k, makers, count)
                    bounds[count, j] = points[new, j]
                    makers[count, j] = new
                    count += 1
            count -= 1
            copy_row(bounds, count, bounds, k)
            copy_row(makers, count, makers, k)
    return bounds[:count].copy(), makers[:count].copy()


@inline
def _exceeds(point: Any, bound: Any) -> bool:
    """Tell whether the point lies above the bound in every objective: then it splits the bound."""
    for j in range(len(point)):  # noqa: SIM110 - numba compiles no generator expression
        if not point[j] > bound[j]:
            return False
    return True


@inline
def _needed(points: Any, makers: Any, new: int, j: int) -> bool:
    """Tell whether raising coordinate j to the new point leaves a bound that no other bound covers.

    Here and in `_exceeds` a tie is decided as if the new point lay a little lower than all before it: the cells are
    those of points in general position, moved by nothing, and the ones that come out flat are empty.
    """
    lowest = np.inf
    for i in range(len(makers)):
        if i != j:
            lowest = min(lowest, points[makers[i], j])
    return bool(points[new, j] <= lowest)
