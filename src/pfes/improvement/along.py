"""The improvement along one objective, the others given: cells that lie there, and their excess in closed form."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.improvement.excess import HUGE, excess_at, shortfall
from pfes.normal import FAR, density

__all__ = ["log_along"]

Array = NDArray[np.float64]

DEEP = -30.0  # deviations below a bound from where on an excess is taken by its logarithm


@inline
def _width(front: Any, m: int, others: Array) -> float:
    """How much of cell m lies below a point, in the objectives other than the last: a volume."""
    product = 1.0
    for l in range(others.size):
        low, high = front.values[front.low[m, l]], front.values[front.high[m, l]]
        product *= max(min(others[l], high) - low, 0.0)
    return product


@inline
def _log_sum(front: Any, others: Array, mean: float, std: float, excess: Array) -> float:
    """log sum over cells of width * (EI(lower) - EI(upper)); excess: (J,) room."""
    last = front.low.shape[1] - 1
    first = front.start[last]
    nearest = math.inf  # the lowest bound of a cell that counts: its excess is the largest
    total = 0.0
    for j in range(first, front.values.size):
        a = (mean - front.values[j]) / std
        excess[j] = density(a) * shortfall(min(abs(a), FAR)) + max(a, 0.0) if a > -math.inf else 0.0
    for m in range(front.low.shape[0]):
        width = _width(front, m, others)
        if width > 0.0:
            total += width * (excess[front.low[m, last]] - excess[front.high[m, last]])
            nearest = min(nearest, front.values[front.low[m, last]])
    a = (mean - nearest) / std
    if a > DEEP and total > 0.0:
        return math.log(std) + math.log(total)
    width = 0.0
    for m in range(front.low.shape[0]):  # so deep, what begins higher does not count
        if front.values[front.low[m, last]] == nearest:
            width += _width(front, m, others)
    return math.log(std) + math.log(max(width, 1e-300)) + excess_at(max(a, -HUGE)).log_h


@kernel
def log_along(front: Any, others: Array, mean: Array, std: Array, logs: Array) -> None:
    """Add to logs (N, Q) the logarithm of the improvement at others (N, Q, L - 1), which are above the reference.

    The last objective is a normal of mean (N, Q) and std (N,).
    """
    excess = np.empty(front.values.size)
    for n in range(mean.shape[0]):
        for q in range(mean.shape[1]):
            logs[n, q] += _log_sum(front, others[n, q], mean[n, q], std[n], excess)
