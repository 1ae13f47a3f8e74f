"""Expected hypervolume improvement near the front: sums of products over cells, candidates side by side.

    EHVI = sum over cells of prod_l [EI_l(lower) - EI_l(upper)],    EI_l(t) = std h((mean - t) / std)          theory 9

With q = EI(bound) / EI(reference), at most 1, for every bound and objective:

    EHVI = prod_l EI_l(reference) * share,    share = sum over cells of prod_l (q_lower - q_upper)

Narrow cells need no care. A difference errs by a rounding of q_lower, hence a cell by a rounding of prod_l q_lower: the
share of everything above its lower corner, all of which is non-dominated, so never more than the whole sum. What counts
is that q is accurate in the tail. The same holds for the derivative in the mean, whose terms Phi also grow with a; that
in std is as accurate as the larger of the two.

Derivatives are gathered by bound: W, the sum of the other objectives' products over the cells that begin at the bound
minus those that end there, is the (expected) extent of the front's face at it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.improvement.excess import shortfall
from pfes.normal import FAR, density, smaller_tail

__all__ = ["LANES", "gradients", "values"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]

LANES = 64  # candidates treated at once: a table has a row per bound and a lane per candidate
TINY = 1e-100  # a smaller share, or excess over the reference, is left to logarithms (far.py), long before they vanish
FAR_BELOW = np.nan  # the mark of a candidate so left


@inline
def _fill_excess(front: Any, mean: Array, std: Array, l: int, q: Array, phi: Array, alpha: Array) -> None:
    """Fill the rows of objective l: alpha = (bound - mean) / std, phi(alpha) and h(-alpha)."""
    lanes = mean.shape[0]
    scale = np.empty(lanes)
    for i in range(lanes):
        scale[i] = 1.0 / std[i, l]
    for j in range(front.start[l], front.start[l + 1]):
        bound = front.values[j]
        for i in range(lanes):
            alpha[j, i] = (bound - mean[i, l]) * scale[i]
        for i in range(lanes):
            phi[j, i] = density(alpha[j, i])
        for i in range(lanes):
            q[j, i] = phi[j, i] * shortfall(min(abs(alpha[j, i]), FAR)) + max(-alpha[j, i], 0.0)


@inline
def _fill_shares(front: Any, mean: Array, std: Array, q: Array, phi: Array, alpha: Array, unit: Array) -> None:
    """Fill tables (J, LANES): q, phi and alpha of every bound; unit (L, LANES): h at the reference."""
    lanes = mean.shape[0]
    inverse = np.empty(lanes)
    for l in range(mean.shape[1]):
        _fill_excess(front, mean, std, l, q, phi, alpha)
        for i in range(lanes):
            unit[l, i] = q[front.start[l], i]
            inverse[i] = 1.0 / unit[l, i] if unit[l, i] > TINY else math.nan
        for j in range(front.start[l], front.start[l + 1]):
            for i in range(lanes):
                q[j, i] *= inverse[i]


@inline
def _first_new(low: Rows, high: Rows, m: int) -> int:
    """The first objective in which cell m differs from the one before it; what lies before needs no computing."""
    if m == 0:
        return 0
    for l in range(low.shape[1]):
        if low[m, l] != low[m - 1, l] or high[m, l] != high[m - 1, l]:
            return l
    return int(low.shape[1])


@inline
def _sum_cells(front: Any, q: Array, lanes: int, product: Array, share: Array) -> None:
    """Sum prod_l (q_lower - q_upper) over the cells into share (LANES,); product (L, LANES): over objectives before."""
    low, high, last = front.low, front.high, front.low.shape[1] - 1
    for i in range(lanes):
        share[i], product[0, i] = 0.0, 1.0
    for m in range(low.shape[0]):
        for l in range(_first_new(low, high, m), last):
            a, b = low[m, l], high[m, l]
            for i in range(lanes):
                product[l + 1, i] = product[l, i] * (q[a, i] - q[b, i])
        a, b = low[m, last], high[m, last]
        if b == front.values.size - 1:  # +inf, where q is 0
            for i in range(lanes):
                share[i] += product[last, i] * q[a, i]
        else:
            for i in range(lanes):
                share[i] += product[last, i] * (q[a, i] - q[b, i])


@inline
def _log_improvement(share: float, std: Array, unit: Array, i: int) -> float:
    """log EHVI of lane i."""
    total = math.log(share)
    for l in range(std.shape[1]):
        total += math.log(std[i, l] * unit[l, i])
    return total


@kernel
def values(front: Any, mean: Array, std: Array, out: Array) -> int:
    """log EHVI of each candidate into out[:, 0]; mean, std: (N, L).

    Candidates too far below the front for sums are marked and counted; they are left to far.from_logarithms.
    """
    count, objectives = mean.shape
    table = (front.values.size, LANES)
    q, phi, alpha = np.empty(table), np.empty(table), np.empty(table)
    unit, product, share = np.empty((objectives, LANES)), np.empty((objectives, LANES)), np.empty(LANES)
    far = 0
    for begin in range(0, count, LANES):
        mean_, std_ = mean[begin : begin + LANES], std[begin : begin + LANES]
        lanes = mean_.shape[0]
        _fill_shares(front, mean_, std_, q, phi, alpha, unit)
        _sum_cells(front, q, lanes, product, share)
        for i in range(lanes):
            if share[i] > TINY:
                out[begin + i, 0] = _log_improvement(share[i], std_, unit, i)
            else:  # or not a number
                out[begin + i, 0] = FAR_BELOW
                far += 1
    return far


@inline
def _sum_weights(front: Any, q: Array, lanes: int, work: Array, weight: Array) -> None:
    """Gather W by bound into weight (J, LANES).

    work (2 L + 3, LANES): each objective's q_lower - q_upper, the products over the objectives before it, and two rows.
    """
    low, high, objectives = front.low, front.high, front.low.shape[1]
    width, before, after, rest = work[:objectives], work[objectives:-2], work[-2], work[-1]
    for i in range(lanes):
        before[0, i] = 1.0
    for m in range(low.shape[0]):
        for l in range(_first_new(low, high, m), objectives):
            a, b = low[m, l], high[m, l]
            for i in range(lanes):
                width[l, i] = q[a, i] - q[b, i]
            for i in range(lanes):
                before[l + 1, i] = before[l, i] * width[l, i]
        for i in range(lanes):
            after[i] = 1.0
        for l in range(objectives - 1, -1, -1):
            a, b = low[m, l], high[m, l]
            for i in range(lanes):
                rest[i] = before[l, i] * after[i]
            for i in range(lanes):
                weight[a, i] += rest[i]
            if b != front.start[l + 1] - 1:  # at +inf nothing depends on W
                for i in range(lanes):
                    weight[b, i] -= rest[i]
            for i in range(lanes):
                after[i] *= width[l, i]


@inline
def _sum_slopes(front: Any, phi: Array, alpha: Array, weight: Array, lanes: int, slopes: Array) -> None:
    """slopes (2 L, LANES): for each objective the sums of W Phi(-alpha) and of W phi over its bounds."""
    for l in range(front.low.shape[1]):
        by_mean, by_std = slopes[2 * l], slopes[2 * l + 1]
        for i in range(lanes):
            by_mean[i] = by_std[i] = 0.0
        for j in range(front.start[l], front.start[l + 1] - 1):
            for i in range(lanes):
                by_std[i] += phi[j, i] * weight[j, i]
            for i in range(lanes):
                small = smaller_tail(alpha[j, i], phi[j, i])
                by_mean[i] += (small if alpha[j, i] > 0.0 else 1.0 - small) * weight[j, i]


@kernel
def gradients(front: Any, mean: Array, std: Array, out: Array) -> int:
    """As values, with the gradient of log EHVI: out (N, 1 + 2 L) becomes log EHVI, d/dmean, d/dstd."""
    count, objectives = mean.shape
    table = (front.values.size, LANES)
    q, phi, alpha, weight = np.empty(table), np.empty(table), np.empty(table), np.empty(table)
    unit, share = np.empty((objectives, LANES)), np.empty(LANES)
    work, slopes = np.empty((2 * objectives + 3, LANES)), np.empty((2 * objectives, LANES))
    far = 0
    for begin in range(0, count, LANES):
        mean_, std_ = mean[begin : begin + LANES], std[begin : begin + LANES]
        lanes = mean_.shape[0]
        _fill_shares(front, mean_, std_, q, phi, alpha, unit)
        weight.fill(0.0)
        _sum_weights(front, q, lanes, work, weight)
        share.fill(0.0)
        for j in range(front.start[1] - 1):  # by the weights of the first objective
            for i in range(lanes):
                share[i] += q[j, i] * weight[j, i]
        _sum_slopes(front, phi, alpha, weight, lanes, slopes)
        for i in range(lanes):
            if share[i] > TINY:
                out[begin + i, 0] = _log_improvement(share[i], std_, unit, i)
                for l in range(objectives):
                    scale = 1.0 / share[i] / (std_[i, l] * unit[l, i])
                    out[begin + i, 1 + l] = slopes[2 * l, i] * scale
                    out[begin + i, 1 + objectives + l] = slopes[2 * l + 1, i] * scale
            else:  # or not a number
                out[begin + i, 0] = FAR_BELOW
                far += 1
    return far
