"""The moment-matched bound: what a measurement of all objectives tells at least, with noise or resolution.

Among all distributions with the covariance of f given F the normal has the largest entropy, so

    gain >= 1/2 log det(Sigma + D) - 1/2 log det(Cov[f | F] + D) = -1/2 log det(I + rho C rho)          theory 4
    C = Cov[z | F] - I,   rho_l^2 = std_l^2 / (std_l^2 + delta_l^2),   D = diag(delta^2)

The moments of z = (f - mean) / std given F are sums over cells of either side (rows as in truncation.py; sign is +1
for dominated cells, -1 for the complement's). With p, x the differences of phi and alpha phi between a cell's bounds:

    Z E[z_l] = sum p_l prod z,   Z (E[z_l^2] - 1) = sum x_l prod z,   Z E[z_l z_k] = sign sum p_l p_k prod z

(products over the objectives not yet named). They are kept in one array `sums`: mass, then p_l, then x_l, then the
pairs (l, k), l < k, in the order of `pair`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.lanes import FAR_ABOVE, LANES, TINY_MATCHED, cells_of, fill_tail_and_density, separate
from pfes.information.kernels.noise import signal_and_noise

__all__ = ["matched_near", "told"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]


@inline
def pair(l: int, k: int, objectives: int) -> int:
    """Place of the pair (l, k), l < k, in `sums`."""
    return 1 + 2 * objectives + l * objectives - l * (l + 1) // 2 + k - l - 1


@inline
def _cell(tables: Array, tail: Array, first: Rows, second: Rows, m: int, lanes: int, cell: Array) -> None:
    """z, p and x of cell m: cell (3, L, LANES); tables: phi, alpha phi."""
    for l in range(first.shape[1]):
        f, s = first[m, l], second[m, l]
        for i in range(lanes):
            cell[0, l, i] = tail[s, i] - tail[f, i]
        for i in range(lanes):
            cell[1, l, i] = tables[0, f, i] - tables[0, s, i]
        for i in range(lanes):
            cell[2, l, i] = tables[1, f, i] - tables[1, s, i]


@inline
def _sum_moments(
    tables: Array,
    tail: Array,
    first: Rows,
    second: Rows,
    sign: float,
    lanes: int,
    sums: Array,
    cell: Array,
    work: Array,
) -> None:
    """Fill sums (1 + 2 L + L (L - 1) / 2, LANES)."""
    objectives = first.shape[1]
    z, p, x, before, after, middle = cell[0], cell[1], cell[2], work[0], work[1], work[2, 0]
    for row in range(sums.shape[0]):
        for i in range(lanes):
            sums[row, i] = 0.0
    for i in range(lanes):
        before[0, i] = 1.0
        after[objectives, i] = 1.0
    for m in range(first.shape[0]):
        _cell(tables, tail, first, second, m, lanes, cell)
        for l in range(objectives):
            for i in range(lanes):
                before[l + 1, i] = before[l, i] * z[l, i]
        for l in range(objectives - 1, -1, -1):
            for i in range(lanes):
                after[l, i] = after[l + 1, i] * z[l, i]
        for i in range(lanes):
            sums[0, i] += after[0, i]
        for l in range(objectives):
            for i in range(lanes):
                sums[1 + l, i] += p[l, i] * before[l, i] * after[l + 1, i]
            for i in range(lanes):
                sums[1 + objectives + l, i] += x[l, i] * before[l, i] * after[l + 1, i]
            for i in range(lanes):
                middle[i] = sign * p[l, i] * before[l, i]
            for k in range(l + 1, objectives):
                row = pair(l, k, objectives)
                for i in range(lanes):
                    sums[row, i] += middle[i] * p[k, i] * after[k + 1, i]
                for i in range(lanes):
                    middle[i] *= z[k, i]


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
            covariance[l, k] = covariance[k, l] = sums[pair(k, l, size), i] / z - mean[l] * mean[k]
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
            by_z -= 2.0 * weight[l, k] * sums[pair(l, k, size), i] / (z * z)
    adjoint[0, i] = sign * by_z
    return gain


@inline
def _slopes(
    tables: Array,
    tail: Array,
    first: Rows,
    second: Rows,
    sign: float,
    lanes: int,
    adjoint: Array,
    by: Array,
    cell: Array,
    work: Array,
) -> None:
    """by (2, L, LANES) becomes d gain / d mean_j and d std_j, both times std_j.

    What cell m adds is a0 prod z + sum_l (ap_l p_l + ax_l x_l) prod z + sum_{l < k} ac_lk p_l p_k prod z. For each j it
    is built up over the other objectives: `product`, `linear`, `square`, and `ray` = p_l times the product without l.
    """  # fmt: skip
    size = first.shape[1]
    z, p, x = cell[0], cell[1], cell[2]
    ray, product, linear, square, cross = work[0], work[1, 0], work[1, 1], work[2, 0], work[2, 1]
    for m in range(first.shape[0]):
        _cell(tables, tail, first, second, m, lanes, cell)
        for j in range(size):
            for i in range(lanes):
                product[i] = 1.0
                linear[i] = square[i] = 0.0
            for l in range(size):
                if l == j:
                    continue
                for i in range(lanes):
                    cross[i] = 0.0
                for k in range(l):
                    if k != j:
                        row = pair(k, l, size)
                        for i in range(lanes):
                            cross[i] += adjoint[row, i] * ray[k, i]
                        for i in range(lanes):
                            ray[k, i] *= z[l, i]
                for i in range(lanes):
                    square[i] = square[i] * z[l, i] + p[l, i] * cross[i]
                for i in range(lanes):
                    cross[i] = adjoint[1 + l, i] * p[l, i] + adjoint[1 + size + l, i] * x[l, i]
                for i in range(lanes):
                    linear[i] = linear[i] * z[l, i] + product[i] * cross[i]
                for i in range(lanes):
                    ray[l, i] = p[l, i] * product[i]
                for i in range(lanes):
                    product[i] *= z[l, i]
            for i in range(lanes):
                square[i] = sign * (adjoint[0, i] * product[i] + linear[i] + square[i])  # by z_j
            for i in range(lanes):
                linear[i] = adjoint[1 + j, i] * product[i]  # by p_j
            for l in range(size):
                if l != j:
                    row = pair(min(l, j), max(l, j), size)
                    for i in range(lanes):
                        linear[i] += adjoint[row, i] * ray[l, i]
            for i in range(lanes):
                product[i] *= adjoint[1 + size + j, i]  # by x_j
            _to_bounds(tables, first[m, j], second[m, j], lanes, square, linear, product, by[0, j], by[1, j])


@inline
def _to_bounds(
    tables: Array, f: int, s: int, lanes: int, by_z: Array, by_p: Array, by_x: Array, by_mean: Array, by_std: Array
) -> None:
    """Chain derivatives with respect to z, p and x of one interval to mean and std (times std)."""
    phi, first, second, third = tables[0], tables[1], tables[2], tables[3]  # alpha^n phi, n = 0..3
    for i in range(lanes):
        by_mean[i] += (by_z[i] - by_x[i]) * (phi[f, i] - phi[s, i]) + by_p[i] * (first[f, i] - first[s, i])
    for i in range(lanes):
        by_mean[i] += by_x[i] * (second[f, i] - second[s, i])
    for i in range(lanes):
        by_std[i] += (by_z[i] - by_x[i]) * (first[f, i] - first[s, i]) + by_p[i] * (second[f, i] - second[s, i])
    for i in range(lanes):
        by_std[i] += by_x[i] * (third[f, i] - third[s, i])


@kernel
def matched_near(frontier: Any, mean: Array, std: Array, delta: Array, out: Array) -> int:
    """The bound for one frontier: out[:, 0], and with out (N, 1 + 2 L) its gradient d/dmean, d/dstd.

    Candidates too far above the frontier are marked and counted; they are left to matched_far.
    """
    count, size = mean.shape
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    rows, with_gradient = frontier.values.size, out.shape[1] > 1
    alpha, tail = np.empty((rows, LANES)), np.empty((rows, LANES))
    tables, cell = np.empty((4, rows, LANES)), np.empty((3, size, LANES))
    sums = np.empty((1 + 2 * size + size * (size - 1) // 2, LANES))
    adjoint, by, by_rho = np.zeros(sums.shape), np.empty((2, size, LANES)), np.empty((LANES, size))
    work = np.empty((3, max(size + 1, 2), LANES))
    far = begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        fill_tail_and_density(frontier, mean, std, chosen, is_inside, tail, tables[0], alpha)
        for power in range(1, 4):
            for j in range(rows):
                for i in range(chosen.size):
                    tables[power, j, i] = alpha[j, i] * tables[power - 1, j, i]
        first, second = cells_of(frontier, is_inside)
        sign = -1.0 if is_inside else 1.0
        _sum_moments(tables, tail, first, second, sign, chosen.size, sums, cell, work)
        for i in range(chosen.size):
            n = chosen[i]
            z = 1.0 - sums[0, i] if is_inside else sums[0, i]
            if z > TINY_MATCHED:
                out[n, 0] = _from_sums(sums, i, z, sign, std[n], delta, adjoint, by_rho[i])
            else:
                out[n, 0] = FAR_ABOVE
                far += 1
        if with_gradient:
            by.fill(0.0)
            _slopes(tables, tail, first, second, sign, chosen.size, adjoint, by, cell, work)
            for i in range(chosen.size):
                for l in range(size):
                    out[chosen[i], 1 + l] = by[0, l, i] / std[chosen[i], l]
                    out[chosen[i], 1 + size + l] = (by[1, l, i] + by_rho[i, l]) / std[chosen[i], l]
    return far
