"""Fewer points that look the same: what lies in one small cell of a grid is drawn once."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["even", "scattered"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

FINEST = 128  # cells along an axis


def scattered(points: Array, most: int) -> Integers:
    """Which of the points (N, L) to draw, at most `most` of them: the first in every cell of a grid, in their order."""
    if len(points) <= most:
        return np.arange(len(points))
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (points - low) / np.where(high > low, high - low, 1.0)
    cells = FINEST
    while True:
        at = np.minimum((unit * cells).astype(np.int64), cells - 1)
        first = np.unique(at, axis=0, return_index=True)[1]
        if len(first) <= most or cells == 1:
            return np.sort(first)[:most].astype(np.intp)
        cells = max(1, cells * 3 // 4)


def even(count: int, most: int) -> Integers:
    """Which of `count` things in a row to draw: at most `most`, evenly spaced, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.intp))
