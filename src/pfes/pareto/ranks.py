"""Values replaced by their places: what depends on order only can be computed on integers, infinities included."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["ranked", "values_at"]


def ranked(points: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.float64]]]:
    """Replace each value by its place among the distinct values of its objective.

    Args:
        points: (S, L), no nan.

    Returns:
        places (S, L), from 1 upwards, and per objective its levels: -inf at place 0, then the distinct values, rising.
    """
    places = np.empty(points.shape, dtype=np.int64)
    levels = []
    for l, column in enumerate(points.T):
        distinct, inverse = np.unique(column, return_inverse=True)
        places[:, l] = inverse + 1
        levels.append(np.concatenate(([-np.inf], distinct)))
    return places, levels


def values_at(levels: Sequence[npt.NDArray[np.float64]], places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Undo `ranked`: places (M, L) -> values (M, L)."""
    return np.column_stack([values[column] for values, column in zip(levels, places.T, strict=True)])
