"""The value all partitions return."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Cells"]


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """M disjoint half-open boxes (lower, upper], none of them empty; `len(cells)` is M, which may be 0.

    Attributes:
        lower: (M, L), may hold -inf.
        upper: (M, L), may hold +inf.
    """

    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

    def __len__(self) -> int:
        """Count the cells."""
        return len(self.lower)
