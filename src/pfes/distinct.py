"""The distinct rows of a table, however wide.

numpy sorts whole rows. Rows of thousands of descriptors differ in the first few already: once so many columns tell as
many rows apart as there are, the others cannot change the order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Distinct", "distinct"]

NARROW = 16  # columns that are sorted at once


class Distinct(NamedTuple):
    """As from numpy.unique(x, axis=0): M rows of N."""

    rows: NDArray[np.float64]  # (M, D) in lexicographic order
    first: NDArray[np.intp]  # (M,) where each comes first
    which: NDArray[np.intp]  # (N,) which of them each row is


def distinct(x: NDArray[np.float64]) -> Distinct:
    """The distinct rows of x (N, D), which holds no nan; -0.0 and 0.0 are one."""
    if not x.shape[1]:
        return Distinct(x[:1], np.zeros(min(1, len(x)), dtype=np.intp), np.zeros(len(x), dtype=np.intp))
    clean = np.ascontiguousarray(x + 0.0)
    width = NARROW
    count = len({row.tobytes() for row in clean}) if x.shape[1] > NARROW else 0
    while True:
        _, first, which = np.unique(clean[:, :width], axis=0, return_index=True, return_inverse=True)
        if width >= x.shape[1] or len(first) == count:
            return Distinct(clean[first], first, which.ravel())
        width *= 4
