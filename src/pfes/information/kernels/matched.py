"""The moment-matched bound: what a measurement of all objectives tells at least, with noise or resolution.

Among all distributions with the covariance of f given F the normal has the largest entropy, so

    gain >= 1/2 log det(Sigma + D) - 1/2 log det(Cov[f | F] + D) = -1/2 log det(I + rho C rho)          theory 4
    C = Cov[z | F] - I,   rho_l^2 = std_l^2 / (std_l^2 + delta_l^2),   D = diag(delta^2)

The moments of z = (f - mean) / std given F are sums over cells of either side (rows as in truncation.py; sign is +1
for dominated cells, -1 for the complement's). With p, x the differences of phi and alpha phi between a cell's bounds:

    Z E[z_l] = sum p_l prod z,   Z (E[z_l^2] - 1) = sum x_l prod z,   Z E[z_l z_k] = sign sum p_l p_k prod z

(products over the objectives not yet named), summed and kept as in cell_moments.py.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import WIDTH, inline, kernel
from pfes.information.kernels.cell_moments import (
    FOR_SLOPES,
    FOR_SUMS,
    base,
    cells_and_fresh,
    fill_tables,
    kept_rows,
    pair,
    slopes_of,
    sum_moments,
)
from pfes.information.kernels.lanes import FAR_ABOVE, TINY_MATCHED, separate
from pfes.information.kernels.noise import signal_and_noise

__all__ = ["matched_near", "told"]

Array = NDArray[np.float64]


@inline
def log_det_and_inverse(change: Array, diagonal: Array, inverse: Array) -> float:
    """log det A of a symmetric positive A = I + change (L, L), and its inverse.

    diagonal (L,) is that of A itself: a pivot near 0 is taken from it, one near 1 from change, so that neither a small
    logarithm nor a small variance is lost. change and diagonal are overwritten.
    """
    size = change.shape[0]
    for l in range(size):
        for k in range(size):
            inverse[l, k] = 1.0 if l == k else 0.0
    total = 0.0
    for j in range(size):  # Gauss-Jordan
        pivot = diagonal[j]
        total += math.log1p(change[j, j]) if change[j, j] > -0.5 else math.log(pivot)
        for l in range(size):
            if l != j:
                factor = change[l, j] / pivot
                diagonal[l] -= factor * change[j, l]
                for k in range(size):
                    inverse[l, k] -= factor * inverse[j, k]
                    if k != j:
                        change[l, k] -= factor * change[j, k]
                change[l, j] = 0.0
        for k in range(size):
            inverse[j, k] /= pivot
            change[j, k] /= pivot
    return total


@inline
def told(covariance: Array, change: Array, std: Array, delta: Array, weight: Array, by_std: Array) -> float:
    """-1/2 log det(I + rho C rho) from Cov[z | F] (L, L) and its diagonal minus 1 (L,).

    weight (L, L) becomes the derivative with respect to Cov[z | F], by_std (L,) that through rho, times std.
    """
    size = std.size
    shift, inverse = np.empty((size, size)), np.empty((size, size))
    diagonal, rho, noise2 = np.empty(size), np.empty(size), np.empty(size)
    for l in range(size):
        rho2, noise2[l] = signal_and_noise(std[l], delta[l])
        rho[l] = math.sqrt(rho2)
    for l in range(size):
        diagonal[l] = noise2[l] + rho[l] ** 2 * covariance[l, l]
        for k in range(size):
            shift[l, k] = rho[l] * rho[k] * (change[l] if l == k else covariance[l, k])
    gain = -0.5 * log_det_and_inverse(shift, diagonal, inverse)
    for l in range(size):
        by_std[l] = 0.0
        for k in range(size):
            weight[l, k] = -0.5 * rho[l] * inverse[l, k] * rho[k]
            by_std[l] += 2.0 * noise2[l] * weight[l, k] * (change[l] if l == k else covariance[l, k])
    return gain


@inline
def _from_sums(
    sums: Array, i: int, z: float, sign: float, std: Array, delta: Array, adjoint: Array, by_std: Array
) -> float:
    """Gain of lane i; adjoint[:, i] becomes its derivative with respect to what each cell adds to sums."""
    size = std.size
    covariance, change, weight, mean = np.empty((size, size)), np.empty(size), np.empty((size, size)), np.empty(size)
    for l in range(size):
        mean[l] = sums[1 + l, i] / z
        change[l] = sums[1 + size + l, i] / z - mean[l] * mean[l]
        covariance[l, l] = 1.0 + change[l]
        for k in range(l):
            covariance[l, k] = covariance[k, l] = sign * sums[pair(k, l, size), i] / z - mean[l] * mean[k]
    gain = told(covariance, change, std, delta, weight, by_std)
    by_z = 0.0
    for l in range(size):
        by_mean = 0.0
        for k in range(size):
            by_mean -= 2.0 * weight[l, k] * mean[k]
        adjoint[1 + l, i] = by_mean / z
        adjoint[1 + size + l, i] = weight[l, l] / z
        by_z -= by_mean * mean[l] / z + weight[l, l] * sums[1 + size + l, i] / (z * z)
        for k in range(l + 1, size):
            adjoint[pair(l, k, size), i] = 2.0 * sign * weight[l, k] / z
            by_z -= 2.0 * sign * weight[l, k] * sums[pair(l, k, size), i] / (z * z)
    adjoint[0, i] = sign * by_z
    return gain


@inline
def _values(
    sums: Array,
    chosen: NDArray[np.int64],
    sign: float,
    std: Array,
    delta: Array,
    adjoint: Array,
    by_rho: Array,
    out: Array,
) -> int:
    """Fill out[n, 0] of the chosen n, and adjoint, by_rho (WIDTH, L) for their slopes; return how many are too far."""
    far = 0
    adjoint.fill(0.0)
    for i in range(chosen.size):
        n = chosen[i]
        z = 1.0 - sums[0, i] if sign < 0.0 else sums[0, i]
        if z > TINY_MATCHED:
            out[n, 0] = _from_sums(sums, i, z, sign, std[n], delta, adjoint, by_rho[i])
        else:
            out[n, 0] = FAR_ABOVE
            far += 1
    return far


@inline
def _gradients(slopes: Array, chosen: NDArray[np.int64], sign: float, std: Array, by_rho: Array, out: Array) -> None:
    """Fill out[n, 1:] of the chosen n from the terms of `slopes_of`."""
    size = std.shape[1]
    for i in range(chosen.size):
        n = chosen[i]
        for l in range(size):
            by_mean = sign * slopes[6 * l, i] - slopes[6 * l + 1, i] + slopes[6 * l + 2, i]
            by_std = sign * slopes[6 * l + 3, i] - slopes[6 * l + 4, i] + slopes[6 * l + 5, i]
            out[n, 1 + l] = by_mean / std[n, l]
            out[n, 1 + size + l] = (by_std + by_rho[i, l]) / std[n, l]


@kernel
def matched_near(frontier: Any, mean: Array, std: Array, delta: Array, out: Array) -> int:
    """The bound for one frontier: out[:, 0], and with out (N, 1 + 2 L) its gradient d/dmean, d/dstd.

    Candidates too far above the frontier are marked and counted; they are left to matched_far.
    """
    count, size = mean.shape
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    with_gradient, top = out.shape[1] > 1, base(size)
    width, keep = FOR_SUMS, top
    if with_gradient:
        width = FOR_SLOPES
        keep = max(kept_rows(frontier.fresh, size), kept_rows(frontier.beyond_fresh, size))
    room, tables = np.empty((3, frontier.values.size, WIDTH)), np.empty((frontier.values.size * width, WIDTH))
    sums, kept = np.empty((max(base(size + 1), 3), WIDTH)), np.empty((keep, WIDTH))
    adjoint, slopes, by_rho = np.empty(sums.shape), np.empty((6 * size, WIDTH)), np.empty((WIDTH, size))
    far = begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + WIDTH, inside if is_inside else count)]
        begin += chosen.size
        cells = cells_and_fresh(frontier, is_inside)
        sign = -1.0 if is_inside else 1.0
        fill_tables(frontier, mean, std, chosen, is_inside, room, tables)
        piled = sum_moments(cells, tables, width, sums, kept)
        far += _values(sums[top:], chosen, sign, std, delta, adjoint[top:], by_rho, out)
        if with_gradient:
            slopes_of(cells, tables, kept, piled, adjoint, slopes)
            _gradients(slopes, chosen, sign, std, by_rho, out)
    return far
