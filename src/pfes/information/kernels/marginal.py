"""Theorem 2 and its noise-aware relatives: the information of measuring one objective, from the drops of W.

With P_s the prior probability of interval s, in the form without cancellation of theory 5:

    exact     gain = sum_t D_t alpha_t phi(alpha_t) / (2 Z) + sum_s P_s [(1 + eps_s) log(1 + eps_s) - eps_s]
              1 + eps_s = W_s / Z
    matched   gain = -1/2 log(1 + rho^2 (Var[z | F] - 1)),  the normal of the same variance in place of z given F
    power     gain = -1/2 log(1 - rho^2 (1 - exp(-2 exact))),  the entropy power inequality

rho^2 = std^2 / (std^2 + delta^2) is the share of a measurement's variance that is not noise. `matched` is below the
truth, `power` above it; with delta = 0 `power` is exact and `matched` is what a normal would tell.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.drops import close_slope, fill_drops, keep_slopes, read_column, slopes_of_drops
from pfes.information.kernels.lanes import FAR_ABOVE, LANES, TINY, TINY_MATCHED, separate
from pfes.information.kernels.noise import signal_and_noise

__all__ = [
    "EXACT",
    "MATCHED",
    "POWER",
    "decoupled_near",
    "entropy_power",
    "least",
    "mass_of_lane",
    "one_objective",
    "shrunk",
    "write_gradients",
]

Array = NDArray[np.float64]

EXACT, MATCHED, POWER = 0, 1, 2


@inline
def shrunk(rho2: float, noise2: float, variance: float, change: float) -> float:
    """-1/2 log(1 + rho^2 (variance - 1)), given also change = variance - 1 and noise2 = 1 - rho^2, each accurate."""
    x = rho2 * change
    return -0.5 * (math.log1p(x) if x > -0.5 else math.log(noise2 + rho2 * variance))


@inline
def entropy_power(rho2: float, noise2: float, gain: float) -> tuple[float, float, float]:
    """-1/2 log(1 - rho^2 (1 - exp(-2 gain))) and its derivatives with respect to gain and rho^2; noise2 = 1 - rho^2."""
    left = math.exp(-2.0 * gain)
    inner = noise2 + rho2 * left  # the same without cancellation when both parts are small
    change = rho2 * math.expm1(-2.0 * gain)
    value = math.log1p(change) if change > -0.5 else math.log(inner)
    return -0.5 * value, rho2 * left / inner, -0.5 * math.expm1(-2.0 * gain) / inner


@inline
def least(kind: int) -> float:
    """The smallest Z for which sums are accurate enough."""
    return TINY_MATCHED if kind == MATCHED else TINY


@inline
def _interval(t: int, column: Array) -> float:
    """Prior probability between values t - 1 and t, from the tail in which both are small."""
    alpha, lower, upper = column[0], column[1], column[2]
    if t == 0:
        return float(lower[0])
    return float(upper[t - 1] - upper[t] if alpha[t - 1] >= 0.0 else lower[t] - lower[t - 1])


@inline
def _exact(column: Array, size: int, slopes: Array, with_slopes: bool) -> float:
    """Theorem 2 of one objective. column: alpha, lower, upper, phi, drop, and two of scratch, each (size,) values
    ascending and +inf last; slopes[0], slopes[1] become d gain / d alpha_t and d gain / d D_t."""
    alpha, lower, upper, phi, drop, level, change = (
        column[0], column[1], column[2], column[3], column[4], column[5], column[6],
    )  # fmt: skip
    z = flux = above = w = below = gain = 0.0
    for t in range(size - 1, -1, -1):  # from the top: W only grows downwards
        z += drop[t] * lower[t]
        flux += drop[t] * alpha[t] * phi[t]
        above += drop[t] * upper[t]
        w += drop[t]
        level[t] = w
        change[t] = above
    for t in range(size):
        change[t] = (change[t] - below) / z  # eps
        below += drop[t] * lower[t]
        ratio = level[t] / z
        if change[t] > -0.5:
            log_ratio = math.log1p(change[t])
            told = (1.0 + change[t]) * log_ratio - change[t]
        else:
            log_ratio = math.log(ratio) if ratio > 0.0 else 0.0  # W = 0: 0 log 0
            told = ratio * log_ratio - ratio + 1.0
        gain += _interval(t, column) * told
        change[t] = log_ratio
    gain += 0.5 * flux / z
    if with_slopes:
        total = 0.0
        for t in range(size):
            if level[t] > 0.0:
                total += _interval(t, column) * (change[t] - gain)
            higher = level[t + 1] * change[t + 1] if t + 1 < size else 0.0
            face = 0.5 * (1.0 + alpha[t] * alpha[t]) + gain
            slopes[0, t] = phi[t] * (level[t] * change[t] - higher - drop[t] * face) / z
            slopes[1, t] = (total + 0.5 * alpha[t] * phi[t]) / z
    return gain


@inline
def _matched(column: Array, size: int, rho2: float, noise2: float, slopes: Array) -> tuple[float, float]:
    """The moment-matched gain of one objective and its derivative with respect to rho^2; arguments as in _exact."""
    alpha, lower, phi, drop = column[0], column[1], column[3], column[4]
    z = mean = square = 0.0
    for t in range(size):
        z += drop[t] * lower[t]
        mean -= drop[t] * phi[t]
        square -= drop[t] * alpha[t] * phi[t]
    mean, square = mean / z, square / z  # E[z | F], E[z^2 | F] - 1
    change = square - mean * mean
    inner = noise2 + rho2 * (1.0 + change)
    factor = -0.5 * rho2 / inner
    for t in range(size):
        a, d = alpha[t], drop[t]
        slopes[0, t] = factor * d * phi[t] * ((a * a - 1.0 - square) - 2.0 * mean * (a - mean)) / z
        slopes[1, t] = factor * (-a * phi[t] - square * lower[t] + 2.0 * mean * (phi[t] + mean * lower[t])) / z
    return shrunk(rho2, noise2, 1.0 + change, change), -0.5 * change / inner


@inline
def one_objective(
    kind: int, column: Array, size: int, rho2: float, noise2: float, slopes: Array, with_slopes: bool
) -> tuple[float, float]:
    """Gain of one objective and its derivative with respect to rho^2, slopes as in _exact."""
    by_gain, by_rho2 = 1.0, 0.0
    if kind == MATCHED:
        gain, by_rho2 = _matched(column, size, rho2, noise2, slopes)
    else:
        gain = _exact(column, size, slopes, with_slopes)
        if kind == POWER:
            gain, by_gain, by_rho2 = entropy_power(rho2, noise2, gain)
    if with_slopes:
        for t in range(size):
            slopes[0, t] *= by_gain
            slopes[1, t] *= by_gain
        close_slope(column, size, slopes)
    return gain, by_rho2


@inline
def _measure(
    frontier: Any,
    kind: int,
    std: Array,
    delta: Array,
    i: int,
    tables: Array,
    column: Array,
    slopes: Array,
    row: Array,
    slope: Array,
    out: Array,
) -> None:
    """Gains of all objectives for lane i: row[:L]; with slope (J, LANES) also what slopes_of_drops needs."""
    with_slopes = slope.size > 0
    for l in range(std.size):
        size = read_column(frontier, tables, l, i, column)
        rho2, noise2 = signal_and_noise(std[l], delta[l])
        row[l], by_rho2 = one_objective(kind, column, size, rho2, noise2, slopes, with_slopes)
        if with_slopes:
            keep_slopes(frontier, column, slopes, 2.0 * rho2 * noise2 * by_rho2, l, i, slope, out)


@inline
def mass_of_lane(frontier: Any, tables: Array, i: int) -> float:
    """Z of lane i, from the drops of the first objective."""
    total = 0.0
    for j in range(frontier.start[0] + 1, frontier.start[1]):
        total += tables[4, j, i] * tables[1, j, i]
    return total


@kernel
def decoupled_near(frontier: Any, mean: Array, std: Array, kind: int, delta: Array, out: Array) -> int:
    """Gains of one frontier, kind EXACT, MATCHED or POWER: out[:, :L], and where it has L + 2 L^2 columns their
    derivatives d gain_l / d mean_k, d gain_l / d std_k. Marks and counts what is left to decoupled_far."""
    count, objectives = mean.shape
    rows, with_slopes = frontier.values.size, out.shape[1] > objectives
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    tables, column, slopes = np.empty((5, rows, LANES)), np.empty((7, rows)), np.empty((2, rows))
    slope, by = np.empty((rows if with_slopes else 0, LANES)), np.empty((2, objectives, objectives, LANES))
    work = np.empty((4, objectives + 1, LANES))
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
            if mass_of_lane(frontier, tables, i) > least(kind):
                _measure(frontier, kind, std[n], delta, i, tables, column, slopes, out[n], slope, by)
            else:
                out[n, 0] = FAR_ABOVE
                far += 1
        if with_slopes:
            slopes_of_drops(frontier, is_inside, chosen.size, tables, slope, by, work)
            write_gradients(chosen, std, by, out)
    return far


@inline
def write_gradients(chosen: NDArray[np.int64], std: Array, by: Array, out: Array) -> None:
    """Copy the gradients (2, L, L, LANES), still times std_k, behind the gains."""
    objectives = std.shape[1]
    for i in range(chosen.size):
        place = objectives
        for part in range(2):
            for l in range(objectives):
                for k in range(objectives):
                    out[chosen[i], place] = by[part, l, k, i] / std[chosen[i], k]
                    place += 1
