"""Two objectives: along the frontier the second falls as the first rises, and every step is a cell."""

import numpy as np
import numpy.typing as npt

from pfes.pareto.cells import Cells

__all__ = ["dominated", "nondominated"]


def dominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the dominated region of a sorted frontier (S, 2) into S strips below its points."""
    lower = np.full_like(frontier, -np.inf)
    lower[1:, 0] = frontier[:-1, 0]
    return Cells(lower, frontier.copy())


def nondominated(frontier: npt.NDArray[np.float64]) -> Cells:
    """Cut the rest into strips above the points and one to the right of them all: S + 1, fewer if a value is +inf."""
    strips = len(frontier) + 1
    lower = np.full((strips, 2), -np.inf)
    upper = np.full((strips, 2), np.inf)
    lower[1:, 0] = frontier[:, 0]
    upper[:-1, 0] = frontier[:, 0]
    lower[:-1, 1] = frontier[:, 1]
    solid = (lower < upper).all(axis=1)
    return Cells(lower[solid], upper[solid])
