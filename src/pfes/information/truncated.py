"""z given F as moments, and what follows from them: gains and derivatives for pairs of a frontier and a candidate.

    letter   meaning                                                              shape
    P        pairs, all with a mean inside F or all outside
    z, y     whitened coordinates, f = mean + root z; y = z - centre              (P, L)
    A        what the matched bound is taken of: all objectives, or one           (P, K, L)

Inside, what the kernels give belongs to the complement, upside down: mirrored, and taken from a standard normal.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.information.tensors import Moments, central_excess, mirrored, moved, normal_moments, tensors

__all__ = ["Region", "Slopes", "Sums", "alone_slopes", "coupled_slopes", "matched_bound", "matched_slopes", "region_of"]

Array = NDArray[np.float64]

HALF_LOG_2PIE = 0.5 * math.log(2.0 * math.pi * math.e)


class Slopes(NamedTuple):
    """Gains (P,) and derivatives in whitened coordinates, for P pairs of a frontier and a candidate."""

    gain: Array
    d_mean: Array | None  # (P, L)
    d_covariance: Array | None  # (P, L, L)


class Sums(NamedTuple):
    """What the kernels gave for P pairs, all inside or all outside; y = z - centre, z mirrored inside."""

    moments: Array  # (P, A)
    alone: Array  # (P, 4 + A2)
    root: Array  # (P, L, L)
    centre: Array  # (P, L)
    stretch: Array  # (P,) what deviations were multiplied by, so that not all is lost in rounding; 1 but for far means
    degree: int

    def part(self, chosen: NDArray[np.intp]) -> "Sums":
        """Some of the pairs."""
        moments, alone, root, centre, stretch, degree = self
        return Sums(moments[chosen], alone[chosen], root[chosen], centre[chosen], stretch[chosen], degree)


class Region(NamedTuple):
    """z given F, as differences from a standard normal; they may be tiny."""

    gain: Array  # (P,) noise-free gain of all objectives
    excess: Moments  # raw moments minus those of a standard normal
    central: Moments  # mean; central moments minus those of a standard normal


# one side at a time: what the kernels gave becomes the moments of z given F


def _outside(sums: Sums) -> Region:
    size = sums.centre.shape[1]
    mass = _mass(sums)
    own = tensors(sums.moments / mass, size, sums.degree)
    told = -np.log(mass[:, 0]) + 0.5 * (
        size - 2.0 * np.einsum("pi,pi->p", sums.centre, own[0]) - np.einsum("pii->p", own[1])
    )
    normal = normal_moments(size, sums.degree)
    # centred first: the centre may be far, and its fourth power with it
    about = central_excess([m - g for m, g in zip(own, normal, strict=True)])
    told -= np.log(sums.stretch) * np.einsum("pii->p", about[1])  # log t for every bound that holds
    return Region(told, own, [sums.centre + about[0], *about[1:]])


def region_of(sums: Sums, is_inside: bool) -> Region:
    """z given F, from the sums over it or, inside, over the complement."""
    return _inside(sums) if is_inside else _outside(sums)


def _mass(sums: Sums) -> Array:
    """Z, times what it was scaled by, (P, 1)."""
    return np.maximum(sums.moments[:, :1], 1e-300)


def _inside(sums: Sums) -> Region:
    size = sums.centre.shape[1]
    missing, ratio = _missing(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = [np.nan_to_num(t) for t in tensors(sums.moments / sums.moments[:, :1], size, sums.degree)]
    beyond = mirrored(moved(own, sums.centre))
    normal = normal_moments(size, sums.degree)
    excess = [
        _times(ratio, g - b) if rank else -_times(ratio, b)
        for rank, (g, b) in enumerate(zip(normal, beyond, strict=True))
    ]
    return Region(-np.log1p(-missing) - 0.5 * np.einsum("pii->p", excess[1]), excess, central_excess(excess))


def _missing(sums: Sums) -> tuple[Array, Array]:
    """1 - Z and (1 - Z) / Z, (P,) each."""
    missing = sums.moments[:, 0] * np.exp(-0.5 * (sums.centre**2).sum(axis=1))
    return missing, missing / (1.0 - missing)


def _times(scale: Array, tensor: Array) -> Array:
    """scale (P,) times tensor (P, ...)."""
    return scale.reshape(-1, *[1] * (tensor.ndim - 1)) * tensor


# gains of a pair of frontier and candidate


def coupled_slopes(sums: Sums, is_inside: bool) -> Slopes:
    """Theorem 1 under a joint normal: d/dmean = -Cov(|z|^2, z) / 2, d/dcovariance = I/2 - Cov(|z|^2, z z') / 4."""
    region = region_of(sums, is_inside)
    if sums.degree < 4:
        return Slopes(region.gain, None, None)
    mean, second, third, fourth = region.central
    size = mean.shape[1]
    one = np.eye(size)
    trace = np.einsum("pii->p", second)
    along = second + one  # Cov z
    skew = np.einsum("pjji->pi", third)
    pull = np.einsum("pij,pj->pi", along, mean)
    d_mean = -pull - 0.5 * skew
    lean = 2.0 * pull + skew  # Cov(|z|^2, z)
    d_covariance = (
        np.einsum("pjjil->pil", fourth)
        - size * second
        - _times(trace, one[None] + second)
        + 2.0 * np.einsum("pj,pjil->pil", mean, third)
        + np.einsum("pi,pl->pil", mean, lean)
        + np.einsum("pi,pl->pil", lean, mean)
    )
    return Slopes(region.gain, d_mean, -0.25 * d_covariance)


def matched_slopes(shares: Callable[[Sums], Array]) -> Callable[[Sums, bool], Slopes]:
    """The matched bound of what `shares`, A (P, K, L), makes of z: all objectives, or a single one."""
    return lambda sums, is_inside: matched_bound(region_of(sums, is_inside), shares(sums), sums.degree == 4)


def matched_bound(region: Region, share: Array, deep: bool) -> Slopes:
    """The matched bound of A z, A = share (P, K, L); derivatives if deep, from moments up to the fourth."""
    mean, second = region.central[:2]
    change = share @ second @ np.swapaxes(share, 1, 2)
    values, vectors = np.linalg.eigh(change) if share.shape[1] > 1 else (change[:, 0], np.ones_like(change))
    values = np.maximum(values, -1.0 + 1e-15)
    gain = -0.5 * np.log1p(values).sum(axis=1)
    if not deep:
        return Slopes(gain, None, None)
    third, fourth = region.central[2:]
    own = np.einsum("pak,pai->pki", vectors, share)  # rows of A along the eigenvectors
    weight = -0.5 * np.einsum("pk,pki,pkj->pij", 1.0 / (1.0 + values), own, own)
    skew = np.einsum("pjk,pjki->pi", weight, third)
    d_covariance = 0.5 * (
        np.einsum("pk,pki,pkj->pij", values / (1.0 + values), own, own)
        + np.einsum("pjk,pjkil->pil", weight, fourth)
        - _times(np.einsum("pjj->p", weight), second)
        - _times(np.einsum("pjk,pjk->p", weight, second), second + np.eye(mean.shape[1]))
        + np.einsum("pi,pl->pil", mean, skew)
        + np.einsum("pi,pl->pil", skew, mean)
    )
    return Slopes(gain, skew, d_covariance)


def alone_slopes(sums: Sums, is_inside: bool) -> Slopes:
    """H[f_1] - H[f_1 | F] of the first objective in the order (Theorem C.1 for two)."""
    return _alone_inside(sums) if is_inside else _alone_outside(sums)


def _alone_outside(sums: Sums) -> Slopes:
    size = sums.centre.shape[1]
    mass = _mass(sums)
    logs = sums.alone[:, :1] / mass
    own = tensors(sums.moments / mass, size, sums.degree)
    variance = own[1][:, 0, 0] - own[0][:, 0] ** 2
    gain = HALF_LOG_2PIE + logs[:, 0] - np.log(mass[:, 0]) + np.log(sums.stretch) * (1.0 - variance)
    if sums.degree < 4:
        return Slopes(gain, None, None)
    weighted = tensors(sums.alone[:, 4:] / mass, size, 2)
    first = weighted[0] - logs * own[0]  # Cov(log g, z)
    cross = np.einsum("pi,pj->pij", sums.centre, first)
    second = weighted[1] - _times(logs[:, 0], own[1]) + cross + np.swapaxes(cross, 1, 2)
    second[:, 0, 0] += 1.0
    return Slopes(gain, first, 0.5 * second)


def _alone_inside(sums: Sums) -> Slopes:
    size = sums.centre.shape[1]
    missing = _missing(sums)[0]
    region = _inside(sums)
    scale = np.exp(-0.5 * (sums.centre**2).sum(axis=1)) / (1.0 - missing)  # from sums to expectations given F
    first, second = region.excess[:2]
    psi = (1.0 - missing) * np.log1p(-missing) + missing
    small = missing < 1e-3
    x = missing[small]
    psi[small] = x * x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 12.0 + x * (0.05 + x / 30.0))))
    gain = scale * sums.alone[:, 0] - psi / (1.0 - missing) - 0.5 * second[:, 0, 0]
    if sums.degree < 4:
        return Slopes(gain, None, None)
    third, fourth = region.excess[2:]
    log0, log1, log2 = _expected_logs(sums, scale)
    one = np.eye(size)
    by_log = log1 - log0[:, None] * first
    by_log2 = log2 - _times(log0, one + second)
    square = second[:, 0, 0]
    d_mean = -0.5 * (third[:, 0, 0] - (1.0 + square)[:, None] * first) + by_log
    d_covariance = -0.25 * (fourth[:, 0, 0] - second - _times(square, one + second)) + 0.5 * by_log2
    return Slopes(gain, d_mean, d_covariance)


def _expected_logs(sums: Sums, scale: Array) -> tuple[Array, Array, Array]:
    """E[log(1 - V)], E[log(1 - V) z], E[log(1 - V) z z'] given F: over all z_1 minus over the complement."""
    size = sums.centre.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.where(sums.alone[:, 4:5] != 0.0, sums.alone[:, 4:5], 1.0)
        beyond = mirrored(moved(tensors(sums.alone[:, 4:] / total, size, 2), sums.centre))
    weight = sums.alone[:, 4] * scale
    everywhere = sums.alone[:, 1:4] * scale[:, None]
    first, second = -_times(weight, beyond[0]), -_times(weight, beyond[1])
    first[:, 0] -= everywhere[:, 1]  # mirrored
    second[:, 0, 0] += everywhere[:, 2]
    for l in range(1, size):
        second[:, l, l] += everywhere[:, 0]
    return everywhere[:, 0] - weight, first, second
