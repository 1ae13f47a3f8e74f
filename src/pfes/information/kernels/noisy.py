"""The exact information of a noisy measurement of one objective, from the drops of W (drops.py) and mixture.py.

Given F, z_l = (f_l - mean_l) / std_l is z_l <= alpha_t with probability pi_t = D_t Phi(alpha_t) / Z, truncated normal
within each: that is all mixture.noisy_marginal needs. The derivatives it gives with respect to pi and alpha are chained
to D and alpha here: d log pi_t = d log D_t + h_t d alpha_t - the mean of that, h = phi / Phi.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.drops import close_slope, fill_drops, keep_slopes, read_column, slopes_of_drops
from pfes.information.kernels.lanes import FAR_ABOVE, LANES, TINY, separate
from pfes.information.kernels.marginal import mass_of_lane, write_gradients
from pfes.information.kernels.marginal_far import log_masses, rescale, to_gradient, to_others, to_others_by_drops
from pfes.information.kernels.mixture import noisy_marginal
from pfes.information.kernels.noise import signal_and_noise
from pfes.information.kernels.tails import bounds, share_cells
from pfes.normal import log_cdf, truncated

__all__ = ["noisy_far", "noisy_near"]

Array = NDArray[np.float64]


@inline
def _one(column: Array, size: int, rho2: float, noise2: float, slopes: Array, with_slopes: bool) -> tuple[float, float]:
    """Gain of one objective and its derivative in rho^2; column and slopes as in marginal.one_objective."""
    alpha, lower, phi, drop = column[0], column[1], column[3], column[4]
    weight, d_weight = np.empty(size), np.empty(size if with_slopes else 0)
    d_alpha = np.empty(size if with_slopes else 0)
    z = 0.0
    for t in range(size):
        weight[t] = max(drop[t], 0.0) * lower[t]  # a drop is not negative; rounding may make it so
        z += weight[t]
    bound = alpha[:size].copy()
    bound[size - 1] = math.inf  # the table keeps alpha finite
    for t in range(size):
        weight[t] /= z
    gain, by_rho2 = noisy_marginal(weight, bound, rho2, noise2, d_weight, d_alpha)
    if with_slopes:
        average = 0.0
        for t in range(size):
            average += weight[t] * d_weight[t]
        for t in range(size):
            centred = d_weight[t] - average
            hazard = phi[t] / lower[t] if lower[t] > 0.0 else 0.0
            slopes[0, t] = d_alpha[t] + weight[t] * hazard * centred
            slopes[1, t] = lower[t] * centred / z
        close_slope(column, size, slopes)
    return gain, by_rho2


@inline
def _measure(
    frontier: Any, std: Array, delta: Array, i: int, tables: Array, work: Array, row: Array, slope: Array, by: Array
) -> None:
    """Gains of all objectives for lane i into row[:L]; with slope (J, LANES) also what slopes_of_drops needs."""
    column, slopes = work[:7], work[7:9]
    with_slopes = slope.size > 0
    for l in range(std.size):
        size = read_column(frontier, tables, l, i, column)
        rho2, noise2 = signal_and_noise(std[l], delta[l])
        row[l], by_rho2 = _one(column, size, rho2, noise2, slopes, with_slopes)
        if with_slopes:
            keep_slopes(frontier, column, slopes, 2.0 * rho2 * noise2 * by_rho2, l, i, slope, by)


@kernel
def noisy_near(frontier: Any, mean: Array, std: Array, delta: Array, out: Array) -> int:
    """Exact noisy gains of one frontier, out laid out as by marginal.decoupled_near."""
    count, objectives = mean.shape
    rows, with_slopes = frontier.values.size, out.shape[1] > objectives
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    tables, column = np.empty((5, rows, LANES)), np.empty((9, rows))
    slope = np.zeros((rows if with_slopes else 0, LANES))
    by, work = np.empty((2, objectives, objectives, LANES)), np.empty((4, objectives + 1, LANES))
    far = begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        fill_drops(frontier, mean, std, chosen, is_inside, tables, work)
        slope.fill(0.0)
        by.fill(0.0)
        for i in range(chosen.size):
            n = chosen[i]
            if mass_of_lane(frontier, tables, i) > TINY:
                _measure(frontier, std[n], delta, i, tables, column, out[n], slope, by)
            else:
                out[n, 0] = FAR_ABOVE
                far += 1
        if with_slopes:
            slopes_of_drops(frontier, is_inside, chosen.size, tables, slope, by, work)
            write_gradients(chosen, std, by, out)
    return far


@inline
def _by_shares(
    frontier: Any,
    alpha: Array,
    log_share: Array,
    l: int,
    rho2: float,
    noise2: float,
    by_bound: Array,
) -> tuple[float, float]:
    """Gain of objective l and its derivative in rho^2, from the cells' shares; by_bound as in marginal_far."""
    start = frontier.start[l] + 1
    size = frontier.start[l + 1] - start
    weight, with_slopes = np.zeros(size), by_bound.size > 0
    d_weight, d_alpha = np.empty(size if with_slopes else 0), np.empty(size if with_slopes else 0)
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            low, high = frontier.low[m, l], frontier.high[m, l]
            log_z = truncated(alpha[low], alpha[high]).log_z
            weight[high - start] += math.exp(log_share[m] + (log_cdf(alpha[high]) - log_z))
            if low >= start:
                weight[low - start] -= math.exp(log_share[m] + (log_cdf(alpha[low]) - log_z))
    total = 0.0
    for t in range(size):
        weight[t] = max(weight[t], 0.0)
        total += weight[t]
    for t in range(size):
        weight[t] /= total
    gain, by_rho2 = noisy_marginal(weight, alpha[start : start + size].copy(), rho2, noise2, d_weight, d_alpha)
    if with_slopes:
        average = 0.0
        for t in range(size):
            average += weight[t] * d_weight[t]
        for t in range(size):
            if weight[t] > 0.0:
                hazard = truncated(-math.inf, alpha[start + t]).hazard_b
                by_bound[start + t] += d_alpha[t] + weight[t] * hazard * (d_weight[t] - average)
        for m in range(log_share.size):
            if log_share[m] > -math.inf:
                low, high = frontier.low[m, l], frontier.high[m, l]
                log_z = truncated(alpha[low], alpha[high]).log_z
                share = math.exp(log_share[m] + (log_cdf(alpha[high]) - log_z)) * (d_weight[high - start] - average)
                if low >= start:
                    by_low = d_weight[low - start] - average
                    share -= math.exp(log_share[m] + (log_cdf(alpha[low]) - log_z)) * by_low
                to_others(frontier, alpha, m, l, share, by_bound)
    return gain, by_rho2


@kernel
def noisy_far(frontier: Any, mean: Array, std: Array, delta: Array, out: Array) -> None:
    """What noisy_near left marked in out."""
    objectives = mean.shape[1]
    with_slopes = out.shape[1] > objectives
    column, slopes = np.empty((7, frontier.values.size)), np.empty((2, frontier.values.size))
    rest = np.empty(frontier.low.shape[0])
    for n in range(mean.shape[0]):
        if not math.isnan(out[n, 0]):
            continue
        alpha = bounds(frontier, mean[n], std[n])
        log_z, log_share = log_masses(frontier, alpha), share_cells(frontier, alpha)
        for l in range(objectives):
            by_bound = np.zeros(alpha.size if with_slopes else 0)
            rho2, noise2 = signal_and_noise(std[n, l], delta[l])
            if rescale(frontier, alpha, log_z, l, rest, column) > TINY:
                size = frontier.start[l + 1] - frontier.start[l] - 1
                out[n, l], by_rho2 = _one(column, size, rho2, noise2, slopes, with_slopes)
                if with_slopes:
                    to_others_by_drops(frontier, alpha, l, rest, slopes, by_bound)
            else:
                out[n, l], by_rho2 = _by_shares(frontier, alpha, log_share, l, rho2, noise2, by_bound)
            if with_slopes:
                to_gradient(frontier, alpha, std[n], l, by_bound, 2.0 * rho2 * noise2 * by_rho2, out[n])
