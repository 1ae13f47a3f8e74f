"""Theorem 1: the information of measuring all objectives, from sums over cells.

    gain = -log Z + B / (2 Z)                                     theory 2
    Z    = P(f in F)
    B    = sum over outer faces of (bound - mean) * density       = sum over cells and l of e_l * prod_{l' != l} z_l'

For one cell and objective: z the probability between its bounds, e the difference of alpha phi(alpha) between them.
`first` and `second` are the rows of the two bounds: (low, high) for cells of the dominated region, whose z sum to Z;
(high, low) for cells of the complement, whose z (upper tails) sum to 1 - Z. B has the same form in both.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.lanes import FAR_ABOVE, LANES, TINY, separate, standardise

__all__ = ["coupled_gradients", "coupled_values"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]


@inline
def _sum_cells(
    tail: Array, face: Array, first: Rows, second: Rows, lanes: int, mass: Array, flux: Array, work: Array
) -> None:
    """Sum over cells prod z into mass (LANES,), and sum_l e_l prod_{l' != l} z_l' into flux (LANES,)."""
    product, slope = work[0], work[1]
    for i in range(lanes):
        mass[i] = flux[i] = 0.0
    for m in range(first.shape[0]):
        f, s = first[m, 0], second[m, 0]
        for i in range(lanes):
            product[i] = tail[s, i] - tail[f, i]
            slope[i] = face[s, i] - face[f, i]
        for l in range(1, first.shape[1]):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                z = tail[s, i] - tail[f, i]
                slope[i] = slope[i] * z + product[i] * (face[s, i] - face[f, i])
                product[i] = product[i] * z
        for i in range(lanes):
            mass[i] += product[i]
            flux[i] += slope[i]


@kernel
def coupled_values(frontier: Any, mean: Array, std: Array, out: Array) -> int:
    """Theorem 1 for one frontier: out[:, 0] becomes the gain of each candidate; mean, std: (N, L).

    Candidates too far above the frontier for sums are marked and counted; they are left to tails.coupled_far.
    """
    far = 0
    count = mean.shape[0]
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    table = np.empty((4, frontier.values.size, LANES))
    alpha, lower, upper, density = table[0], table[1], table[2], table[3]
    mass, flux, work = np.empty(LANES), np.empty(LANES), np.empty((2, LANES))
    begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        standardise(frontier, mean, std, chosen, alpha, lower, upper, density)
        for j in range(alpha.shape[0]):
            for i in range(chosen.size):
                alpha[j, i] *= density[j, i]
        if is_inside:
            _sum_cells(upper, alpha, frontier.beyond_high, frontier.beyond_low, chosen.size, mass, flux, work)
            for i in range(chosen.size):
                out[chosen[i], 0] = -math.log1p(-mass[i]) + 0.5 * flux[i] / (1.0 - mass[i])
        else:
            _sum_cells(lower, alpha, frontier.low, frontier.high, chosen.size, mass, flux, work)
            for i in range(chosen.size):
                n = chosen[i]
                if mass[i] > TINY:
                    out[n, 0] = -math.log(mass[i]) + 0.5 * flux[i] / mass[i]
                else:
                    out[n, 0] = FAR_ABOVE
                    far += 1
    return far


@inline
def _sum_cells_and_slopes(
    tail: Array, tables: Array, first: Rows, second: Rows, sign: float, lanes: int, sums: Array, work: Array
) -> None:
    """As _sum_cells, with derivatives: sums (2 + 4 L, LANES) becomes mass, flux, and for each l
    std_l times dZ/dmean_l, dZ/dstd_l, dB/dmean_l, dB/dstd_l. tables: phi, a phi, (a^2 - 1) phi, (a^3 - a) phi."""
    density, face, bend, twist = tables[0], tables[1], tables[2], tables[3]
    objectives = first.shape[1]
    # z and e of the cell; products over the objectives before l, and their derivative along e
    z, e, before, before_e = work[0], work[1], work[2], work[3]
    after, after_e, rest, rest_e = work[4, 0], work[4, 1], work[5, 0], work[5, 1]
    for row in range(sums.shape[0]):
        for i in range(lanes):
            sums[row, i] = 0.0
    for i in range(lanes):
        before[0, i] = 1.0
        before_e[0, i] = 0.0
    for m in range(first.shape[0]):
        for l in range(objectives):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                z[l, i] = tail[s, i] - tail[f, i]
            for i in range(lanes):
                e[l, i] = face[s, i] - face[f, i]
            for i in range(lanes):
                before_e[l + 1, i] = before_e[l, i] * z[l, i] + before[l, i] * e[l, i]
            for i in range(lanes):
                before[l + 1, i] = before[l, i] * z[l, i]
        for i in range(lanes):
            sums[0, i] += before[objectives, i]
        for i in range(lanes):
            sums[1, i] += before_e[objectives, i]
        for i in range(lanes):
            after[i] = 1.0
        for i in range(lanes):
            after_e[i] = 0.0
        for l in range(objectives - 1, -1, -1):
            f, s, row = first[m, l], second[m, l], 2 + 4 * l
            for i in range(lanes):
                rest[i] = before[l, i] * after[i]
            for i in range(lanes):
                rest_e[i] = before_e[l, i] * after[i] + before[l, i] * after_e[i]
            for i in range(lanes):
                sums[row, i] += (density[f, i] - density[s, i]) * rest[i]
            for i in range(lanes):
                sums[row + 1, i] -= e[l, i] * rest[i]
            for i in range(lanes):
                sums[row + 2, i] += (bend[s, i] - bend[f, i]) * rest[i]
            for i in range(lanes):
                sums[row + 2, i] += sign * (density[f, i] - density[s, i]) * rest_e[i]
            for i in range(lanes):
                sums[row + 3, i] += (twist[s, i] - twist[f, i]) * rest[i] - sign * e[l, i] * rest_e[i]
            for i in range(lanes):
                after_e[i] = after_e[i] * z[l, i] + after[i] * e[l, i]
            for i in range(lanes):
                after[i] = after[i] * z[l, i]


@inline
def _fill_slopes(alpha: Array, tables: Array, lanes: int) -> None:
    """Fill the face, bend and twist tables of _sum_cells_and_slopes, given alpha and the density."""
    density, face, bend, twist = tables[0], tables[1], tables[2], tables[3]
    for j in range(alpha.shape[0]):
        for i in range(lanes):
            face[j, i] = alpha[j, i] * density[j, i]
        for i in range(lanes):
            bend[j, i] = alpha[j, i] * face[j, i] - density[j, i]
        for i in range(lanes):
            twist[j, i] = alpha[j, i] * bend[j, i]


@kernel
def coupled_gradients(frontier: Any, mean: Array, std: Array, out: Array) -> int:
    """As coupled_values, with the gradient: out (N, 1 + 2 L) becomes gain, d/dmean, d/dstd."""
    far = 0
    count, objectives = mean.shape
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    rows = frontier.values.size
    alpha, lower, upper = np.empty((rows, LANES)), np.empty((rows, LANES)), np.empty((rows, LANES))
    tables = np.empty((4, rows, LANES))
    sums, work = np.empty((2 + 4 * objectives, LANES)), np.empty((6, max(objectives + 1, 2), LANES))
    begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        standardise(frontier, mean, std, chosen, alpha, lower, upper, tables[0])
        _fill_slopes(alpha, tables, chosen.size)
        if is_inside:
            _sum_cells_and_slopes(
                upper, tables, frontier.beyond_high, frontier.beyond_low, -1.0, chosen.size, sums, work
            )
        else:
            _sum_cells_and_slopes(lower, tables, frontier.low, frontier.high, 1.0, chosen.size, sums, work)
        for i in range(chosen.size):
            n = chosen[i]
            if not is_inside and sums[0, i] <= TINY:
                out[n, 0] = FAR_ABOVE
                far += 1
                continue
            z = 1.0 - sums[0, i] if is_inside else sums[0, i]
            half = 0.5 * sums[1, i] / z
            out[n, 0] = (-math.log1p(-sums[0, i]) if is_inside else -math.log(z)) + half
            for l in range(objectives):
                row, scale = 2 + 4 * l, 1.0 / (z * std[n, l])
                out[n, 1 + l] = (0.5 * sums[row + 2, i] - sums[row, i] * (1.0 + half)) * scale
                out[n, 1 + objectives + l] = (0.5 * sums[row + 3, i] - sums[row + 1, i] * (1.0 + half)) * scale
    return far
