"""How far a point of objective space lies beyond a front, or short of it.

    margin = min over the points p of the front of max over l of (y_l - p_l)

is the distance of y to the boundary of what the front dominates, by its largest coordinate (Chebyshev's): positive
outside, where y improves on the front; negative inside, where all objectives must grow by as much to get out. Of one
objective it is the difference to the best. A virtual point (t, inf, ..., inf) is a threshold: nothing with a first
objective below t is outside.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel

__all__ = ["Margin", "margin", "with_thresholds"]

Array = NDArray[np.float64]


class Margin(NamedTuple):
    """Margins and their derivatives."""

    value: Array  # (N,)
    d_y: Array  # (N, L): 1 for the objective that decides


def margin(y: Array, front: Array) -> Margin:
    """Of points y (N, L) to a front (S, L), S 1 or more, without -inf."""
    found = Margin(np.empty(len(y)), np.zeros(y.shape))
    _margin(np.ascontiguousarray(y), np.ascontiguousarray(front), *found)
    return found


def with_thresholds(front: Array, thresholds: Array) -> Array:
    """The front (S, L) and a virtual point for each threshold (L,) that is not -inf."""
    virtual = np.full((len(thresholds), len(thresholds)), np.inf)
    np.fill_diagonal(virtual, thresholds)
    return np.concatenate((front, virtual[np.isfinite(thresholds)]))


@kernel
def _margin(y: Any, front: Any, value: Any, d_y: Any) -> None:
    for n in range(len(y)):
        least, deciding = math.inf, 0
        for s in range(len(front)):
            most, which = -math.inf, 0
            for l in range(y.shape[1]):
                beyond = y[n, l] - front[s, l]
                if beyond > most:
                    most, which = beyond, l
            if most < least:
                least, deciding = most, which
        value[n] = least
        d_y[n, deciding] = 1.0
