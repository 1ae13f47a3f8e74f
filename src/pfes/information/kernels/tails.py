"""Means far above a frontier, where Z underflows: the same gains from logarithms.

With w_m = Z_m / Z the share of cell m and g_m = sum_l deficit of the normal truncated to the cell (normal.truncated),

    gain = sum_m w_m (g_m + log w_m),    d gain = sum_m w_m [ d g_m + d log Z_m (g_m + log w_m - gain) ]    theory 2

in which the large t^2/2 of a mean t deviations away stands in log Z_m alone. Almost all cells have no share: those
whose upper bounds alone put them e^-45 below the best are never looked at closely.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.normal import log_cdf, truncated

__all__ = ["bounds", "coupled_far", "mixture_mean", "share_cells", "times"]

Array = NDArray[np.float64]

NEGLIGIBLE = 45.0  # shares below e^-45 = 3e-20 cannot be seen in double precision
HUGE = 1e150


@inline
def times(a: float, b: float) -> float:
    """a * b where a is a bound that may be infinite and b, its density, is then 0."""
    return a * b if b != 0.0 else 0.0


@inline
def bounds(frontier: Any, mean: Array, std: Array) -> Array:
    """Standardised bounds (J,) of one candidate, infinities kept; finite ones stay finite when squared."""
    alpha = np.empty(frontier.values.size)
    for j in range(alpha.size):
        l, value = frontier.owner[j], frontier.values[j]
        alpha[j] = (value - mean[l]) / std[l]
        if abs(value) < math.inf:
            alpha[j] = min(max(alpha[j], -HUGE), HUGE)
    return alpha


@inline
def share_cells(frontier: Any, alpha: Array) -> Array:
    """log w_m (M,) of the dominated cells, -inf where negligible; alpha: (J,) standardised bounds."""
    cells, objectives = frontier.low.shape
    ceiling = np.empty(alpha.size)
    for j in range(alpha.size):
        ceiling[j] = log_cdf(alpha[j])
    most = np.zeros(cells)  # log Z_m is at most this
    likely = 0
    for m in range(cells):
        for l in range(objectives):
            most[m] += ceiling[frontier.high[m, l]]
        if most[m] > most[likely]:
            likely = m
    best = _log_mass(frontier, alpha, likely)
    log_share = np.full(cells, -math.inf)
    for m in range(cells):
        if most[m] >= best - NEGLIGIBLE:
            log_share[m] = _log_mass(frontier, alpha, m)
            best = max(best, log_share[m])
    total = 0.0
    for m in range(cells):
        total += math.exp(log_share[m] - best)
    for m in range(cells):
        log_share[m] = (log_share[m] - best) - math.log(total)  # in this order: best may dwarf the logarithm
        if log_share[m] < -NEGLIGIBLE:
            log_share[m] = -math.inf
    return log_share


@inline
def mixture_mean(frontier: Any, alpha: Array, log_share: Array, l: int) -> float:
    """E[z_l | F] as a mixture over cells, relative to the largest of them: shares add up to 1 only after rounding."""
    largest = np.argmax(log_share)
    centre = truncated(alpha[frontier.low[largest, l]], alpha[frontier.high[largest, l]]).mean
    shift = 0.0
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            mean = truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).mean
            shift += math.exp(log_share[m]) * (mean - centre)
    return float(centre + shift)


@inline
def _log_mass(frontier: Any, alpha: Array, m: int) -> float:
    total = 0.0
    for l in range(frontier.low.shape[1]):
        total += truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).log_z
    return total


@inline
def _coupled_one(frontier: Any, mean: Array, std: Array, out: Array) -> None:
    """Theorem 1 for one candidate; out becomes the gain and, if it has 1 + 2 L places, d/dmean and d/dstd."""
    objectives = mean.size
    alpha = bounds(frontier, mean, std)
    log_share = share_cells(frontier, alpha)
    told = np.zeros(log_share.size)  # g_m + log w_m
    gain = 0.0
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            told[m] = log_share[m]
            for l in range(objectives):
                told[m] += truncated(alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]).deficit
            gain += math.exp(log_share[m]) * told[m]
    out[0] = gain
    if out.size == 1:
        return
    out[1:] = 0.0
    for m in range(log_share.size):
        if log_share[m] > -math.inf:
            share, excess = math.exp(log_share[m]), told[m] - gain
            for l in range(objectives):
                a, b = alpha[frontier.low[m, l]], alpha[frontier.high[m, l]]
                r = truncated(a, b)
                to_a = share * (r.deficit_a - r.hazard_a * excess)
                to_b = share * (r.deficit_b + r.hazard_b * excess)
                out[1 + l] -= (to_a + to_b) / std[l]
                out[1 + objectives + l] -= (times(a, to_a) + times(b, to_b)) / std[l]


@kernel
def coupled_far(frontier: Any, mean: Array, std: Array, out: Array) -> None:
    """Theorem 1 for the candidates that truncation.coupled_values or coupled_gradients left marked in out."""
    for n in range(mean.shape[0]):
        if math.isnan(out[n, 0]):
            _coupled_one(frontier, mean[n], std[n], out[n])
