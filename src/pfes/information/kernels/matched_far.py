"""What matched.py computes, for means so far above the frontier that its moments cancel.

Given F, z is a mixture over cells, with shares w_m (tails.share_cells), of independent truncated normals with means m_m
and variances v_m (normal.truncated), so nothing large is subtracted:

    Cov[z | F] = sum_m w_m [ diag(v_m) + (m_m - mean)(m_m - mean)^T ]
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.matched import told
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
def _slopes_of_cell(
    frontier: Any, alpha: Array, m: int, share: float, mean: Array, covariance: Array, weight: Array, by_bound: Array
) -> None:
    """Add what cell m contributes to d gain / d alpha (J,); weight (L, L): d gain / d Cov."""
    size = mean.size
    off = np.empty(size)
    excess = 0.0  # element by element: what one cell alone makes up must leave exactly nothing
    for l in range(size):
        r = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]])
        off[l] = r.mean - mean[l]
        excess += weight[l, l] * (r.variance + off[l] * off[l] - covariance[l, l])
        for k in range(l):
            excess += 2.0 * weight[l, k] * (off[l] * off[k] - covariance[l, k])
    for l in range(size):
        low, high = frontier.low[m, l], frontier.high[m, l]
        r = truncated(alpha[low], alpha[high])
        by_mean, by_variance = 0.0, weight[l, l]
        for k in range(size):
            by_mean += 2.0 * weight[l, k] * off[k]
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
    weight, by_rho = np.empty((size, size)), np.empty(size)
    for n in range(mean.shape[0]):
        if not math.isnan(out[n, 0]):
            continue
        alpha = bounds(frontier, mean[n], std[n])
        log_share = share_cells(frontier, alpha)
        _mixture(frontier, alpha, log_share, centre, covariance)
        for l in range(size):
            change[l] = covariance[l, l] - 1.0
        out[n, 0] = told(covariance, change, std[n], delta, weight, by_rho)
        if out.shape[1] == 1:
            continue
        by_bound = np.zeros(alpha.size)
        for m in range(log_share.size):
            if log_share[m] > -math.inf:
                _slopes_of_cell(frontier, alpha, m, math.exp(log_share[m]), centre, covariance, weight, by_bound)
        for l in range(size):
            by_mean, by_std = 0.0, by_rho[l]
            for j in range(frontier.start[l], frontier.start[l + 1]):
                by_mean -= by_bound[j]
                by_std -= times(alpha[j], by_bound[j])
            out[n, 1 + l] = by_mean / std[n, l]
            out[n, 1 + size + l] = by_std / std[n, l]
