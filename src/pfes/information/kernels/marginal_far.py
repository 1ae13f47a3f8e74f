"""What marginal.py computes, for means so far above the frontier that Z underflows.

Given F, f_l is a mixture of truncated normals: over the cells, with their shares w_m (tails.share_cells), or over the
intervals s between the objective's values, with shares omega_s = sum over the cells that span s of w_m P_s / z_ml.

    exact     gain = sum_s omega_s (g_s + log omega_s)
              d gain = sum_s omega_s [ d g_s + d log(P_s W_s) (g_s + log omega_s - gain) ]
    matched   variance of the mixture over cells

g_s is the deficit of the normal truncated to interval s (normal.truncated), in which nothing large is left.

Often only the others are far away. The gain does not depend on the scale of W, so with W scaled to 1 at its largest the
sums of marginal.py serve again, and keep what the mixture would lose where objective l itself lies deep inside.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.marginal import MATCHED, POWER, entropy_power, least, one_objective, shrunk
from pfes.information.kernels.noise import signal_and_noise
from pfes.information.kernels.tails import bounds, mixture_mean, share_cells, times
from pfes.normal import FAR, tails, truncated

__all__ = ["decoupled_far", "log_masses", "rescale", "to_gradient", "to_others", "to_others_by_drops"]

Array = NDArray[np.float64]


@inline
def _share_intervals(frontier: Any, alpha: Array, log_share: Array, l: int) -> tuple[Array, Array]:
    """log P_s and omega_s, indexed by the row at which the interval ends; alpha: (J,)."""
    log_p, omega = np.full(alpha.size, -math.inf), np.zeros(alpha.size)
    for m in range(log_share.size):
        if log_share[m] == -math.inf:
            continue
        low, high = frontier.low[m, l], frontier.high[m, l]
        log_z = truncated(alpha[low], alpha[high]).log_z
        for j in range(low + 1, high + 1):  # first the difference of the two large ones
            if log_p[j] == -math.inf:
                log_p[j] = truncated(alpha[j - 1], alpha[j]).log_z
            omega[j] += math.exp(log_share[m] + (log_p[j] - log_z))
    return log_p, omega


@inline
def to_others(frontier: Any, alpha: Array, m: int, l: int, weight: float, by_bound: Array) -> None:
    """Add weight times d log z_mk to the bounds of cell m in every objective k except l."""
    for k in range(frontier.low.shape[1]):
        if k != l:
            low, high = frontier.low[m, k], frontier.high[m, k]
            r = truncated(alpha[low], alpha[high])
            by_bound[low] -= weight * r.hazard_a
            by_bound[high] += weight * r.hazard_b


@inline
def _exact_far(frontier: Any, alpha: Array, log_share: Array, l: int, by_bound: Array) -> float:
    """Theorem 2 of objective l; by_bound (J,), if not empty, becomes d gain / d alpha."""
    log_p, omega = _share_intervals(frontier, alpha, log_share, l)
    told = np.zeros(alpha.size)
    gain = 0.0
    for j in range(alpha.size):
        if omega[j] > 0.0:
            told[j] = truncated(alpha[j - 1], alpha[j]).deficit + math.log(omega[j])
            gain += omega[j] * told[j]
    if by_bound.size == 0:
        return gain
    for j in range(alpha.size):
        if omega[j] > 0.0:
            r, excess = truncated(alpha[j - 1], alpha[j]), told[j] - gain
            by_bound[j - 1] += omega[j] * (r.deficit_a - r.hazard_a * excess)
            by_bound[j] += omega[j] * (r.deficit_b + r.hazard_b * excess)
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            low, high = frontier.low[m, l], frontier.high[m, l]
            log_z = truncated(alpha[low], alpha[high]).log_z
            weight = 0.0
            for j in range(low + 1, high + 1):
                weight += math.exp(log_share[m] + (log_p[j] - log_z)) * (told[j] - gain)
            to_others(frontier, alpha, m, l, weight, by_bound)
    return gain


@inline
def _matched_far(
    frontier: Any, alpha: Array, log_share: Array, l: int, rho2: float, noise2: float, by_bound: Array
) -> tuple[float, float]:
    """The moment-matched gain of objective l and its derivative with respect to rho^2; by_bound as in _exact_far."""
    mean, variance = mixture_mean(frontier, alpha, log_share, l), 0.0
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            r = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]])
            variance += math.exp(log_share[m]) * (r.variance + (r.mean - mean) ** 2)
    inner = noise2 + rho2 * variance
    for m in range(log_share.size if by_bound.size else 0):
        if log_share[m] > -math.inf:
            low, high = frontier.low[m, l], frontier.high[m, l]
            r = truncated(alpha[low], alpha[high])
            weight = -0.5 * rho2 / inner * math.exp(log_share[m])
            off = r.mean - mean
            excess = r.variance + off * off - variance
            if r.hazard_a > 0.0:
                gap = r.gap_a
                by_bound[low] += weight * r.hazard_a * (r.variance - gap * gap + 2.0 * off * gap - excess)
            gap = r.gap_b
            by_bound[high] += weight * times(gap * gap - r.variance + 2.0 * off * gap + excess, r.hazard_b)
            to_others(frontier, alpha, m, l, weight * excess, by_bound)
    return shrunk(rho2, noise2, variance, variance - 1.0), -0.5 * (variance - 1.0) / inner


@inline
def rescale(frontier: Any, alpha: Array, log_z: Array, l: int, rest: Array, column: Array) -> float:
    """Fill column (marginal.one_objective) with drops scaled so that the largest cell counts 1; return the scaled Z.

    log_z: (M, L) of all cells; rest (M,) becomes what each cell adds to the drops.
    """
    start, size = frontier.start[l] + 1, frontier.start[l + 1] - frontier.start[l] - 1
    largest = -math.inf
    for m in range(rest.size):
        rest[m] = 0.0
        for k in range(log_z.shape[1]):
            if k != l:
                rest[m] += log_z[m, k]
        largest = max(largest, rest[m])
    for t in range(size):
        a = alpha[start + t]
        column[1, t], column[2, t], column[3, t] = tails(a)
        column[0, t] = min(max(a, -FAR), FAR)  # as in lanes.standardise
        column[4, t] = 0.0
    for m in range(rest.size):
        rest[m] = math.exp(rest[m] - largest)
        column[4, frontier.high[m, l] - start] += rest[m]
        if frontier.low[m, l] >= start:
            column[4, frontier.low[m, l] - start] -= rest[m]
    z = 0.0
    for t in range(size):
        z += column[4, t] * column[1, t]
    return z


@inline
def to_others_by_drops(frontier: Any, alpha: Array, l: int, rest: Array, slopes: Array, by_bound: Array) -> None:
    """d gain / d alpha of all bounds (J,), from slopes of marginal.one_objective on rescaled drops."""
    start = frontier.start[l] + 1
    for t in range(frontier.start[l + 1] - start):
        by_bound[start + t] += slopes[0, t]
    for m in range(rest.size):
        low, high = frontier.low[m, l], frontier.high[m, l]
        weight = slopes[1, high - start] - (slopes[1, low - start] if low >= start else 0.0)
        if rest[m] > 0.0:
            to_others(frontier, alpha, m, l, rest[m] * weight, by_bound)


@inline
def log_masses(frontier: Any, alpha: Array) -> Array:
    """log z (M, L) of every dominated cell in every objective."""
    log_z = np.empty(frontier.low.shape)
    for m in range(log_z.shape[0]):
        for l in range(log_z.shape[1]):
            log_z[m, l] = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).log_z
    return log_z


@kernel
def decoupled_far(frontier: Any, mean: Array, std: Array, kind: int, delta: Array, out: Array) -> None:
    """Gains, and gradients where out has room for them, of the candidates that marginal.py left marked in out."""
    objectives = mean.shape[1]
    with_gradient = out.shape[1] > objectives
    column, slopes = np.empty((7, frontier.values.size)), np.empty((2, frontier.values.size))
    rest = np.empty(frontier.low.shape[0])
    for n in range(mean.shape[0]):
        if not math.isnan(out[n, 0]):
            continue
        alpha = bounds(frontier, mean[n], std[n])
        log_z, log_share = log_masses(frontier, alpha), share_cells(frontier, alpha)
        for l in range(objectives):
            by_bound = np.zeros(alpha.size if with_gradient else 0)
            rho2, noise2 = signal_and_noise(std[n, l], delta[l])
            by_rho2 = 0.0
            if rescale(frontier, alpha, log_z, l, rest, column) > least(kind):
                size = frontier.start[l + 1] - frontier.start[l] - 1
                out[n, l], by_rho2 = one_objective(kind, column, size, rho2, noise2, slopes, with_gradient)
                if with_gradient:
                    to_others_by_drops(frontier, alpha, l, rest, slopes, by_bound)
            elif kind == MATCHED:
                out[n, l], by_rho2 = _matched_far(frontier, alpha, log_share, l, rho2, noise2, by_bound)
            else:
                out[n, l] = _exact_far(frontier, alpha, log_share, l, by_bound)
                if kind == POWER:
                    out[n, l], by_gain, by_rho2 = entropy_power(rho2, noise2, out[n, l])
                    for j in range(by_bound.size):
                        by_bound[j] *= by_gain
            if with_gradient:
                to_gradient(frontier, alpha, std[n], l, by_bound, 2.0 * rho2 * noise2 * by_rho2, out[n])


@inline
def to_gradient(frontier: Any, alpha: Array, std: Array, l: int, by_bound: Array, by_own: float, out: Array) -> None:
    """From d gain_l / d alpha (J,) to d/dmean_k and d/dstd_k in a row laid out as by marginal.decoupled_near.

    by_own: what std_l adds besides, times std_l.
    """
    objectives = std.size
    for k in range(objectives):
        by_mean, by_std = 0.0, by_own if k == l else 0.0
        for j in range(frontier.start[k], frontier.start[k + 1]):
            by_mean -= by_bound[j]
            by_std -= times(alpha[j], by_bound[j])
        out[objectives + l * objectives + k] = by_mean / std[k]
        out[objectives + (objectives + l) * objectives + k] = by_std / std[k]
