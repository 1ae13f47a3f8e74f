"""Measurements of several objectives as one list of rows, each of one objective at one point.

Objectives are often measured at the same points: kernels are evaluated on the distinct ones, and gathered.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp.likelihood import noise_variances
from pfes.observations import Data

__all__ = ["Rows", "stacked"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]


class Rows(NamedTuple):
    """n values of L objectives, objective after objective."""

    x: Array  # (n, D)
    task: Integers  # (n,) the objective
    y: Array  # (n,)
    known: Array  # (n,) noise variance where it is known, else 0
    inferred: Array  # (n,) what the objective's inferred noise counts: 1 / replicates, or 0 where it is known


def stacked(data: Sequence[Data]) -> Rows:
    """The rows of L objectives' data."""
    return Rows(
        np.concatenate([d.x for d in data]),
        np.repeat(np.arange(len(data)), [len(d.y) for d in data]),
        np.concatenate([d.y for d in data]),
        np.concatenate([noise_variances(d, 0.0) for d in data]),
        np.concatenate([np.where(np.isnan(d.noise), 1.0 / d.count, 0.0) for d in data]),
    )
