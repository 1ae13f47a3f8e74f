"""Arrays that grow inside kernels: memory follows the number of cells, which is not known beforehand."""

from typing import Any

import numpy as np

from pfes.compiled import inline

__all__ = ["copy_row", "with_room"]


@inline
def with_room(array: Any, rows: int) -> Any:
    """Return `array` (capacity, L) itself if it has `rows` rows, else a copy at least twice as long."""
    if rows <= len(array):
        return array
    longer = np.empty((max(rows, 2 * len(array)), array.shape[1]), array.dtype)
    for row in range(len(array)):
        copy_row(array, row, longer, row)
    return longer


@inline
def copy_row(source: Any, row: int, target: Any, to: int) -> None:
    """Copy source[row] to target[to]; a plain loop, since numba takes seconds to compile an assignment of slices."""
    for l in range(source.shape[1]):
        target[to, l] = source[row, l]
