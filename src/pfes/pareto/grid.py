"""The naive partition: all dominated cells of the grid that the frontier's values draw (Shah & Ghahramani 2016)."""

import math

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.pareto.cells import Cells
from pfes.pareto.ranks import ranked, values_at

__all__ = ["MOST_CELLS", "dominated"]

MOST_CELLS = 4_000_000  # about half a gigabyte at L = 4 while they are made


def dominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the dominated region of a frontier (S, L) into cells of one interval per objective, O(S^L) of them."""
    places, levels = ranked(frontier)
    shape = tuple(len(values) - 1 for values in levels)
    if math.prod(shape) > MOST_CELLS:
        raise InvalidInput(
            f"got {len(frontier)} points in {len(shape)} objectives, a grid of {math.prod(shape):,} cells; "
            f"wanted at most {MOST_CELLS:,}; try partition='hbda', which needs far fewer, or fewer points"
        )
    inside = np.zeros(shape, dtype=bool)
    inside[tuple(places.T - 1)] = True
    for l in range(len(shape)):
        # what lies below a dominated grid cell is dominated
        inside = np.flip(np.logical_or.accumulate(np.flip(inside, axis=l), axis=l), axis=l)
    below = np.argwhere(inside)  # (M, L): the place of a cell's lower bound; its upper bound is one place up
    return Cells(values_at(levels, below), values_at(levels, below + 1))
