"""The probability of lying below a frontier, or on the other side of it, in logarithms, with its gradient.

    letter   meaning                                                             shape
    N, L     candidates, objectives, independent of one another
    Z        P(f lies in the region)                                             (N,)
    J        rows: the distinct bounds of all objectives (`pfes.information.prepared`)
    M, C     cells of the region, cells of the rest

log Z keeps its accuracy wherever Z lies: next to 1 it comes from the cells of the rest, log1p(-sum), and where Z is
lost to underflow from logarithms of the cells, added by log-sum-exp.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel, spread, threads
from pfes.information import prepare
from pfes.information.prepared import Frontier
from pfes.normal import density, smaller_tail, truncated

__all__ = ["LogMass", "Region", "below", "log_mass", "log_mass_gradient", "undominating"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]

LOST = 1e-250  # a mass below this is added up again, in logarithms
PIECE = 256  # candidates a thread takes at a time


class Region(NamedTuple):
    """A part of space in cells, and the rest of it; a cell names its bounds by row."""

    values: Array  # (J,)
    owner: Rows  # (J,) the objective of each row
    low: Rows  # (M, L) of the region
    high: Rows
    rest_low: Rows  # (C, L)
    rest_high: Rows
    sign: float  # -1: the region is described upside down, in terms of -f


class LogMass(NamedTuple):
    """log Z of R regions and N candidates, and its derivatives."""

    value: Array  # (R, N)
    d_mean: Array  # (R, N, L)
    d_std: Array  # (R, N, L)


def below(frontier: Frontier) -> Region:
    """What a frontier dominates."""
    f = frontier
    return Region(f.values, f.owner, f.low, f.high, f.beyond_low, f.beyond_high, 1.0)


def undominating(frontier: Frontier) -> Region | None:
    """What dominates no point of a frontier, virtual points of thresholds left aside; None: there is no other."""
    real = frontier.points[np.isfinite(frontier.points).all(axis=1)]
    if not len(real):
        return None
    f = prepare([-real])[0]  # whoever dominates a point is dominated by it upside down
    return Region(f.values, f.owner, f.beyond_low, f.beyond_high, f.low, f.high, -1.0)


def log_mass(regions: Sequence[Region | None], mean: Array, std: Array) -> Array:
    """log P(f in region r), (R, N), of mean and std (N, L) or, one for each region, (R, N, L); None: all of space."""
    return _columns(regions, mean, std, 1)[..., 0]


def log_mass_gradient(regions: Sequence[Region | None], mean: Array, std: Array) -> LogMass:
    """`log_mass` with derivatives in mean and std."""
    objectives = std.shape[-1]
    value, d_mean, d_std = np.split(_columns(regions, mean, std, 1 + 2 * objectives), (1, 1 + objectives), axis=2)
    return LogMass(value[..., 0], d_mean, d_std)


def _columns(regions: Sequence[Region | None], mean: Array, std: Array, columns: int) -> Array:
    """(R, N, columns) by pieces that threads share; each writes its own part."""
    count, (candidates, objectives) = len(regions), std.shape[-2:]
    means = np.broadcast_to(mean, (count, candidates, objectives))
    stds = np.broadcast_to(std, (count, candidates, objectives))
    out = np.zeros((count, candidates, columns))

    def work(piece: tuple[int, slice]) -> None:
        r, rows = piece
        region = regions[r]
        if region is not None:
            # writable copies: a kernel is compiled once more for read-only arrays
            at, deviation = np.array(region.sign * means[r, rows]), np.array(stds[r, rows])
            _log_masses(region[:-1], at, deviation, out[r, rows])
            out[r, rows, 1 : 1 + objectives] *= region.sign

    size = max(16, min(PIECE, -(-candidates * count // (2 * threads()))))
    spread(work, [(r, slice(i, min(i + size, candidates))) for r in range(count) for i in range(0, candidates, size)])
    return out


@kernel
def _log_masses(region: Any, mean: Any, std: Any, out: Any) -> None:
    """Rows of out: log Z and, if there is room, its derivatives in mean and std."""
    values, owner, low, high, rest_low, rest_high = region
    objectives, size = mean.shape[1], len(values)
    x = np.empty(size)
    rows = (x, np.empty(size), np.empty(size), np.empty(size))
    z, slope = np.empty(objectives), np.empty(2 * objectives)
    for n in range(len(mean)):
        _fill(values, owner, mean[n], std[n], rows)
        deep = out.shape[1] > 1
        missing = _sum(rest_low, rest_high, rows, z, slope, deep)
        sign = -1.0
        mass = 1.0 - missing
        if missing > 0.5:
            sign = 1.0
            mass = _sum(low, high, rows, z, slope, deep)
        if mass < LOST:
            out[n, 0] = _log_sum(low, high, x, z, slope, deep)
            mass = 1.0
        else:
            out[n, 0] = math.log(mass) if sign > 0.0 else math.log1p(-missing)
        if deep:
            for l in range(objectives):
                out[n, 1 + l] = sign * slope[l] / mass / std[n, l]
                out[n, 1 + objectives + l] = sign * slope[objectives + l] / mass / std[n, l]


@inline
def _fill(values: Any, owner: Any, mean: Any, std: Any, rows: Any) -> None:
    """Standardised bounds, both tails and the density there: a short loop for each, for vector instructions."""
    x, lower, upper, phi = rows
    for j in range(len(x)):
        x[j] = (values[j] - mean[owner[j]]) / std[owner[j]]
    for j in range(len(x)):
        phi[j] = density(x[j])
    for j in range(len(x)):
        upper[j] = smaller_tail(x[j], phi[j])
    for j in range(len(x)):
        lower[j] = upper[j] if x[j] < 0.0 else 1.0 - upper[j]
    for j in range(len(x)):
        upper[j] = 1.0 - upper[j] if x[j] < 0.0 else upper[j]


@inline
def _sum(low: Any, high: Any, rows: Any, z: Any, slope: Any, deep: bool) -> float:
    """Mass of all cells; slope: its derivatives in mean and std, times std."""
    x, lower, upper, phi = rows
    objectives = len(z)
    slope[:] = 0.0
    total = 0.0
    for m in range(len(low)):
        product = 1.0
        for l in range(objectives):
            i, k = low[m, l], high[m, l]
            z[l] = upper[i] - upper[k] if x[i] > 0.0 else lower[k] - lower[i]
            product *= z[l]
        total += product
        if deep:
            for l in range(objectives):
                others = 1.0
                for other in range(objectives):
                    others *= z[other] if other != l else 1.0
                i, k = low[m, l], high[m, l]
                slope[l] += others * (phi[i] - phi[k])
                slope[objectives + l] += others * (_times(x[i], phi[i]) - _times(x[k], phi[k]))
    return total


@inline
def _times(x: float, weight: float) -> float:
    """x times a density or hazard, 0 at the infinities."""
    return x * weight if weight > 0.0 else 0.0


@inline
def _log_sum(low: Any, high: Any, x: Any, z: Any, slope: Any, deep: bool) -> float:
    """Logarithm of the mass of all cells, however small; slope: derivatives of the logarithm, times std."""
    objectives = len(z)
    slope[:] = 0.0
    largest, total = -math.inf, 0.0
    for m in range(len(low)):
        log = 0.0
        for l in range(objectives):
            log += truncated(x[low[m, l]], x[high[m, l]]).log_z
        if log > largest:  # what was added up so far is small beside it
            shrink = math.exp(largest - log) if largest > -math.inf else 0.0
            total *= shrink
            slope *= shrink
            largest = log
        weight = math.exp(log - largest)
        total += weight
        if deep:
            for l in range(objectives):
                a, b = x[low[m, l]], x[high[m, l]]
                cut = truncated(a, b)
                slope[l] += weight * (cut.hazard_a - cut.hazard_b)
                slope[objectives + l] += weight * (_times(a, cut.hazard_a) - _times(b, cut.hazard_b))
    slope /= total
    return largest + math.log(total)
