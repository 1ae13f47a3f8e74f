"""Means far below the front, or deviations so small that everything overflows: the same sums in logarithms.

Everything above the lower corner of a cell improves on the front, so that the sum over cells lies between the largest
of the orthants prod_l h(a_lower) and M times it. Relative to that one each cell is

    exp(sum_l log(h_lower / h_best)) * prod_l (1 - h_upper / h_lower)

in which the large a^2 / 2 cancels before it is squared (excess.log_ratio) and stands in one place only, the logarithm
of the best orthant. Cells whose orthant lies e^-45 below the best cannot be seen.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.improvement.excess import HUGE, excess_at, log_ratio

__all__ = ["from_logarithms"]

Array = NDArray[np.float64]

NEGLIGIBLE = 45.0
ROUNDING = 1e-14  # of logarithms, relative


@inline
def _fill_rows(front: Any, mean: Array, std: Array, rows: Array) -> None:
    """Fill rows (4, J): a, log h(a), Phi(a) / h(a), phi(a) / h(a) of every bound."""
    for l in range(mean.size):
        for j in range(front.start[l], front.start[l + 1]):
            a = (mean[l] - front.values[j]) / std[l]
            if j != front.start[l + 1] - 1:  # the last is -inf
                a = min(max(a, -HUGE), HUGE)
            at = excess_at(a)
            rows[0, j], rows[1, j], rows[2, j], rows[3, j] = a, at.log_h, at.cdf, at.pdf


@inline
def _step(front: Any, std: float, rows: Array, j: int, k: int) -> float:
    """log h at row k minus log h at row j, of the same objective."""
    if j == k:
        return 0.0
    width = (front.values[k] - front.values[j]) / std
    return log_ratio(rows[0, j], rows[0, k], width, rows[1, j], rows[1, k])


@inline
def _orthants(front: Any, std: Array, rows: Array, height: Array) -> int:
    """Fill height (M,) with log prod_l (h_lower / h_best), -inf where negligible; the place of the best.

    Far away rounding may hide which is best; then some heights are above 0.
    """
    best = 0
    for m in range(height.size):
        height[m] = 0.0
        for l in range(std.size):
            height[m] += rows[1, front.low[m, l]]
        if height[m] > height[best]:
            best = m
    least = height[best] - NEGLIGIBLE - ROUNDING * abs(height[best])
    for m in range(height.size):
        if height[m] < least:
            height[m] = -math.inf
            continue
        height[m] = 0.0
        for l in range(std.size):
            height[m] += _step(front, std[l], rows, front.low[best, l], front.low[m, l])
    return best


@inline
def _add_cell(front: Any, std: Array, rows: Array, m: int, weight: float, sums: Array) -> None:
    """Add cell m, whose orthant has this weight, to sums (1 + 2 L,): its share, and std times the derivatives."""
    objectives = std.size
    part = np.empty(
        (3, objectives)
    )  # of each objective: 1 - h_upper / h_lower, and the same of Phi and phi over h_lower
    for l in range(objectives):
        a, b = front.low[m, l], front.high[m, l]
        fall = _step(front, std[l], rows, a, b)
        ratio = math.exp(fall)
        part[0, l] = -math.expm1(fall)
        part[1, l] = rows[2, a] - (rows[2, b] * ratio if ratio > 0.0 else 0.0)
        part[2, l] = rows[3, a] - (rows[3, b] * ratio if ratio > 0.0 else 0.0)
    share = weight
    for l in range(objectives):
        share *= part[0, l]
        rest = weight
        for k in range(objectives):
            rest *= part[0, k] if k != l else 1.0
        sums[1 + l] += rest * part[1, l]
        sums[1 + objectives + l] += rest * part[2, l]
    sums[0] += share


@kernel
def from_logarithms(front: Any, mean: Array, std: Array, out: Array) -> None:
    """Fill the rows of out that the kernels left marked: log EHVI and, if there are 1 + 2 L columns, its gradient."""
    objectives = mean.shape[1]
    rows, height, sums = np.empty((4, front.values.size)), np.empty(len(front.low)), np.empty(1 + 2 * objectives)
    for n in range(mean.shape[0]):
        if not math.isnan(out[n, 0]):
            continue
        _fill_rows(front, mean[n], std[n], rows)
        best = _orthants(front, std[n], rows, height)
        top = height.max()
        sums.fill(0.0)
        for m in range(height.size):
            if height[m] > top - NEGLIGIBLE:
                _add_cell(front, std[n], rows, m, math.exp(height[m] - top), sums)
        total = top + math.log(sums[0])
        for l in range(objectives):
            total += math.log(std[n, l]) + rows[1, front.low[best, l]]
        out[n, 0] = total
        for k in range(1, out.shape[1]):
            out[n, k] = sums[k] / sums[0] / std[n, (k - 1) % objectives]
