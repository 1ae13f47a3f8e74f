"""What matched.py computes, for means so far above the frontier that its moments cancel.

Given F, z is a mixture over cells, with shares w_m (tails.share_cells), of independent truncated normals with means m_m
and variances v_m (normal.truncated), so nothing large is subtracted:

    Cov[z | F] = sum_m w_m [ diag(v_m) + (m_m - mean)(m_m - mean)^T ]

Between cells far apart this is almost of rank one, and its determinant, taken from its entries, would be lost. So
A = I + rho C rho = diag(noise^2 + rho^2 sum_m w_m v_m) + sum_m w_m (rho off_m)(rho off_m)^T is held by its factor:
A = R^T R, R triangular, each cell turned into it by rotations. Only where A is nearly I (a resolution much coarser than
the deviation) is it taken from its entries, because there the small log det is what counts.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.matched import told
from pfes.information.kernels.noise import signal_and_noise
from pfes.information.kernels.tails import bounds, mixture_mean, share_cells, times
from pfes.normal import truncated

__all__ = ["matched_far"]

Array = NDArray[np.float64]


@inline
def _mixture(frontier: Any, alpha: Array, log_share: Array, mean: Array, covariance: Array) -> None:
    """Mean (L,) and covariance (L, L) of z given F."""
    size = mean.size
    covariance.fill(0.0)
    for l in range(size):
        mean[l] = mixture_mean(frontier, alpha, log_share, l)
    off = np.empty(size)
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            share = math.exp(log_share[m])
            for l in range(size):
                r = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]])
                off[l] = r.mean - mean[l]
                covariance[l, l] += share * r.variance
            for l in range(size):
                for k in range(size):
                    covariance[l, k] += share * off[l] * off[k]


@inline
def _turn_in(factor: Array, row: Array) -> None:
    """Make R^T R + row row^T the new R^T R; row (L,) is used up."""
    size = row.size
    for j in range(size):
        length = math.hypot(factor[j, j], row[j])
        c, s = factor[j, j] / length, row[j] / length
        for k in range(j, size):
            top, low = factor[j, k], row[k]
            factor[j, k] = c * top + s * low
            row[k] = c * low - s * top


@inline
def _divide(factor: Array, row: Array, by_transposed: bool) -> None:
    """row (L,) becomes the solution y of R^T y = row, or of R y = row."""
    size = row.size
    for step in range(size):
        j = step if by_transposed else size - 1 - step
        row[j] /= factor[j, j]
        for k in range(j + 1, size) if by_transposed else range(j):
            row[k] -= (factor[j, k] if by_transposed else factor[k, j]) * row[j]


@inline
def _factor(frontier: Any, alpha: Array, log_share: Array, mean: Array, std: Array, delta: Array) -> Array:
    """R (L, L) of A = R^T R."""
    size = mean.size
    factor, row = np.zeros((size, size)), np.empty(size)
    for l in range(size):
        rho2, noise2 = signal_and_noise(std[l], delta[l])
        within = 0.0
        for m in range(log_share.size):
            if log_share[m] > -math.inf:
                within += (
                    math.exp(log_share[m]) * truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).variance
                )
        factor[l, l] = math.sqrt(noise2 + rho2 * within)
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            for l in range(size):
                rho = math.sqrt(signal_and_noise(std[l], delta[l])[0])
                r = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]])
                row[l] = math.exp(0.5 * log_share[m]) * rho * (r.mean - mean[l])
            _turn_in(factor, row)
    return factor


@inline
def _told_by_factor(factor: Array, std: Array, delta: Array, precision: Array, by_rho: Array) -> float:
    """-1/2 log det A; the diagonal of A^-1 into precision (L,), the derivative through rho, times std, into by_rho."""
    gain, unit = 0.0, np.empty(std.size)
    for l in range(std.size):
        gain -= math.log(factor[l, l])
        for k in range(std.size):
            unit[k] = 1.0 if k == l else 0.0
        _divide(factor, unit, True)
        precision[l] = 0.0
        for k in range(std.size):
            precision[l] += unit[k] * unit[k]
        by_rho[l] = signal_and_noise(std[l], delta[l])[1] * (precision[l] - 1.0)
    return gain


@inline
def _pull(frontier: Any, alpha: Array, m: int, mean: Array, rho: Array, factor: Array, pull: Array) -> float:
    """pull (L,) becomes A^-1 (rho off_m); returns off_m rho A^-1 rho off_m."""
    for l in range(mean.size):
        pull[l] = rho[l] * (truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).mean - mean[l])
    _divide(factor, pull, True)
    length = 0.0
    for l in range(mean.size):
        length += pull[l] * pull[l]
    _divide(factor, pull, False)
    return length


@inline
def _slopes_by_bound(
    frontier: Any,
    alpha: Array,
    log_share: Array,
    mean: Array,
    rho: Array,
    factor: Array,
    precision: Array,
    by_bound: Array,
) -> None:
    """by_bound (J,) becomes d gain / d alpha.

    d gain = -1/2 sum_m w_m [ sum_l K_ll rho_l^2 dv_ml + 2 sum_l pull_ml rho_l dm_ml + (s_m - average) d log Z_m ],
    K = A^-1, s_m = sum_l K_ll rho_l^2 v_ml + off_m rho K rho off_m.
    """
    size, pull, told = mean.size, np.empty(mean.size), np.zeros(log_share.size)
    average = 0.0
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            told[m] = _pull(frontier, alpha, m, mean, rho, factor, pull)
            for l in range(size):
                r = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]])
                told[m] += precision[l] * rho[l] * rho[l] * r.variance
            average += math.exp(log_share[m]) * told[m]
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            _pull(frontier, alpha, m, mean, rho, factor, pull)
            share, excess = -0.5 * math.exp(log_share[m]), told[m] - average
            for l in range(size):
                low, high = frontier.low[m, l], frontier.high[m, l]
                r = truncated(alpha[low], alpha[high])
                by_variance, by_mean = precision[l] * rho[l] * rho[l], 2.0 * pull[l] * rho[l]
                if r.hazard_a > 0.0:
                    by_a = by_mean * r.gap_a - by_variance * (r.gap_a * r.gap_a - r.variance) - excess
                    by_bound[low] += share * r.hazard_a * by_a
                by_b = by_mean * r.gap_b + by_variance * (r.gap_b * r.gap_b - r.variance) + excess
                by_bound[high] += share * times(by_b, r.hazard_b)


@kernel
def matched_far(frontier: Any, mean: Array, std: Array, delta: Array, out: Array) -> None:
    """The bound, and its gradient where out has room, of the candidates that matched_near left marked in out."""
    size = mean.shape[1]
    centre, covariance, change = np.empty(size), np.empty((size, size)), np.empty(size)
    weight, by_rho, precision, rho = np.empty((size, size)), np.empty(size), np.empty(size), np.empty(size)
    for n in range(mean.shape[0]):
        if not math.isnan(out[n, 0]):
            continue
        alpha = bounds(frontier, mean[n], std[n])
        log_share = share_cells(frontier, alpha)
        _mixture(frontier, alpha, log_share, centre, covariance)
        factor = _factor(frontier, alpha, log_share, centre, std[n], delta)
        out[n, 0] = _told_by_factor(factor, std[n], delta, precision, by_rho)
        shift = 0.0
        for l in range(size):
            rho2 = signal_and_noise(std[n, l], delta[l])[0]
            rho[l], change[l] = math.sqrt(rho2), covariance[l, l] - 1.0
            shift += rho2 * abs(change[l])
        if shift < 0.1:
            out[n, 0] = told(covariance, change, std[n], delta, weight, by_rho)
        if out.shape[1] > 1:
            by_bound = np.zeros(alpha.size)
            _slopes_by_bound(frontier, alpha, log_share, centre, rho, factor, precision, by_bound)
            for l in range(size):
                by_mean, by_std = 0.0, by_rho[l]
                for j in range(frontier.start[l], frontier.start[l + 1]):
                    by_mean -= by_bound[j]
                    by_std -= times(alpha[j], by_bound[j])
                out[n, 1 + l] = by_mean / std[n, l]
                out[n, 1 + size + l] = by_std / std[n, l]
