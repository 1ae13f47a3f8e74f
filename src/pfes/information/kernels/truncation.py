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
from pfes.information.kernels.lanes import (
    FAR_ABOVE,
    LANES,
    TINY,
    cells_of,
    fill_tail_and_density,
    fill_tail_and_face,
    separate,
)

__all__ = ["coupled_gradients", "coupled_values"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]


@inline
def _first_new(first: Rows, second: Rows, m: int) -> int:
    """The first objective in which cell m differs from the one before it; what lies before needs no computing."""
    if m == 0:
        return 0
    for l in range(first.shape[1]):
        if first[m, l] != first[m - 1, l] or second[m, l] != second[m - 1, l]:
            return l
    return int(first.shape[1])


@inline
def _sum_cells(
    tail: Array, face: Array, first: Rows, second: Rows, ends: Rows, lanes: int, mass: Array, flux: Array, work: Array
) -> None:
    """Sum over cells prod z into mass (LANES,), and sum_l e_l prod_{l' != l} z_l' into flux (LANES,).

    ends (L,): the row of each objective at which tail and face are 0, -inf or +inf; many cells begin there.
    work (2, L, LANES): the product over the objectives before each, and its derivative along e.
    """
    product, slope, last = work[0], work[1], first.shape[1] - 1
    for i in range(lanes):
        mass[i] = flux[i] = slope[0, i] = 0.0
        product[0, i] = 1.0
    for m in range(first.shape[0]):
        for l in range(_first_new(first, second, m), last):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                z = tail[s, i] - tail[f, i]
                slope[l + 1, i] = slope[l, i] * z + product[l, i] * (face[s, i] - face[f, i])
            for i in range(lanes):
                product[l + 1, i] = product[l, i] * (tail[s, i] - tail[f, i])
        f, s = first[m, last], second[m, last]
        if f == ends[last]:
            for i in range(lanes):
                flux[i] += slope[last, i] * tail[s, i] + product[last, i] * face[s, i]
            for i in range(lanes):
                mass[i] += product[last, i] * tail[s, i]
        else:
            for i in range(lanes):
                z = tail[s, i] - tail[f, i]
                flux[i] += slope[last, i] * z + product[last, i] * (face[s, i] - face[f, i])
            for i in range(lanes):
                mass[i] += product[last, i] * (tail[s, i] - tail[f, i])


@inline
def ends_of(frontier: Any, is_inside: bool) -> Rows:
    """The rows (L,) at which the tail in use is 0: those of +inf for the complement's cells, of -inf for the others."""
    ends = np.empty(frontier.start.size - 1, np.int32)
    for l in range(ends.size):
        ends[l] = frontier.start[l + 1] - 1 if is_inside else frontier.start[l]
    return ends


@kernel
def coupled_values(frontier: Any, mean: Array, std: Array, out: Array) -> int:
    """Theorem 1 for one frontier: out[:, 0] becomes the gain of each candidate; mean, std: (N, L).

    Candidates too far above the frontier for sums are marked and counted; they are left to tails.coupled_far.
    """
    count = mean.shape[0]
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    tail, face = np.empty((frontier.values.size, LANES)), np.empty((frontier.values.size, LANES))
    mass, flux, work = np.empty(LANES), np.empty(LANES), np.empty((2, mean.shape[1], LANES))
    far = begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        fill_tail_and_face(frontier, mean, std, chosen, is_inside, tail, face)
        first, second = cells_of(frontier, is_inside)
        _sum_cells(tail, face, first, second, ends_of(frontier, is_inside), chosen.size, mass, flux, work)
        for i in range(chosen.size):
            n = chosen[i]
            if is_inside:
                out[n, 0] = -math.log1p(-mass[i]) + 0.5 * flux[i] / (1.0 - mass[i])
            elif mass[i] > TINY:
                out[n, 0] = -math.log(mass[i]) + 0.5 * flux[i] / mass[i]
            else:
                out[n, 0] = FAR_ABOVE
                far += 1
    return far


@inline
def _sum_weights(
    tail: Array, face: Array, first: Rows, second: Rows, ends: Rows, lanes: int, weight: Array, work: Array
) -> None:
    """What mass, flux and their derivatives are made of, gathered by bound.

    weight[0] (J, LANES): sum of prod_{l' != l} z_l' over the cells whose `second` the bound is, minus that over those
    whose `first` it is; weight[1]: the same of the derivative of that product along e. Bounds in `ends` are left out of
    `first`: tail and phi are 0 there.
    """
    objectives = first.shape[1]
    # z and e of the cell; products over the objectives before l, and their derivative along e
    z, e, before, before_e = work[0], work[1], work[2], work[3]
    after, after_e, rest, rest_e = work[4, 0], work[4, 1], work[5, 0], work[5, 1]
    for i in range(lanes):
        before[0, i] = 1.0
        before_e[0, i] = 0.0
    for m in range(first.shape[0]):
        new = _first_new(first, second, m)
        for l in range(new, objectives):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                z[l, i] = tail[s, i] - tail[f, i]
            for i in range(lanes):
                e[l, i] = face[s, i] - face[f, i]
        for l in range(new, objectives - 1):
            for i in range(lanes):
                before_e[l + 1, i] = before_e[l, i] * z[l, i] + before[l, i] * e[l, i]
            for i in range(lanes):
                before[l + 1, i] = before[l, i] * z[l, i]
        for i in range(lanes):
            after[i] = 1.0
            after_e[i] = 0.0
        for l in range(objectives - 1, -1, -1):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                rest[i] = before[l, i] * after[i]
            for i in range(lanes):
                rest_e[i] = before_e[l, i] * after[i] + before[l, i] * after_e[i]
            for i in range(lanes):
                weight[0, s, i] += rest[i]
            for i in range(lanes):
                weight[1, s, i] += rest_e[i]
            if f != ends[l]:
                for i in range(lanes):
                    weight[0, f, i] -= rest[i]
                for i in range(lanes):
                    weight[1, f, i] -= rest_e[i]
            if l > 0:
                for i in range(lanes):
                    after_e[i] = after_e[i] * z[l, i] + after[i] * e[l, i]
                for i in range(lanes):
                    after[i] = after[i] * z[l, i]


@inline
def _mass_and_flux(frontier: Any, tail: Array, face: Array, weight: Array, lanes: int, sums: Array) -> None:
    """sums[0] = sum of prod z, sums[1] = sum_l e_l prod_{l' != l} z_l', from the weights of the first objective."""
    for i in range(lanes):
        sums[0, i] = sums[1, i] = 0.0
    for j in range(frontier.start[0], frontier.start[1]):
        for i in range(lanes):
            sums[0, i] += tail[j, i] * weight[0, j, i]
        for i in range(lanes):
            sums[1, i] += face[j, i] * weight[0, j, i] + tail[j, i] * weight[1, j, i]


@inline
def _sum_slopes(frontier: Any, alpha: Array, phi: Array, weight: Array, sign: float, lanes: int, slopes: Array) -> None:
    """slopes (4 L, LANES): for each l, std_l times dZ/dmean_l, dZ/dstd_l, dB/dmean_l, dB/dstd_l.

    A bound's z changes by -phi and -alpha phi (times sign in the complement), its e by (alpha^2 - 1) phi and
    alpha (alpha^2 - 1) phi, when mean and std grow.
    """
    for row in range(slopes.shape[0]):
        for i in range(lanes):
            slopes[row, i] = 0.0
    for j in range(alpha.shape[0]):
        row = 4 * frontier.owner[j]
        for i in range(lanes):
            slopes[row, i] -= phi[j, i] * weight[0, j, i]
        for i in range(lanes):
            slopes[row + 1, i] -= alpha[j, i] * phi[j, i] * weight[0, j, i]
        for i in range(lanes):
            bend = (alpha[j, i] * alpha[j, i] - 1.0) * weight[0, j, i] - sign * weight[1, j, i]
            slopes[row + 2, i] += bend * phi[j, i]
        for i in range(lanes):
            bend = (alpha[j, i] * alpha[j, i] - 1.0) * weight[0, j, i] - sign * weight[1, j, i]
            slopes[row + 3, i] += alpha[j, i] * bend * phi[j, i]


@kernel
def coupled_gradients(frontier: Any, mean: Array, std: Array, out: Array) -> int:
    """As coupled_values, with the gradient: out (N, 1 + 2 L) becomes gain, d/dmean, d/dstd."""
    count, objectives = mean.shape
    order = np.empty(count, np.int64)
    inside = separate(frontier.points, mean, order)
    table = (frontier.values.size, LANES)
    tail, phi, alpha, face = np.empty(table), np.empty(table), np.empty(table), np.empty(table)
    weight, sums, slopes = np.empty((2, *table)), np.empty((2, LANES)), np.empty((4 * objectives, LANES))
    work = np.empty((6, max(objectives, 2), LANES))
    far = begin = 0
    while begin < count:
        is_inside = begin < inside
        chosen = order[begin : min(begin + LANES, inside if is_inside else count)]
        begin += chosen.size
        fill_tail_and_density(frontier, mean, std, chosen, is_inside, tail, phi, alpha)
        for j in range(face.shape[0]):
            for i in range(chosen.size):
                face[j, i] = alpha[j, i] * phi[j, i]
        weight.fill(0.0)
        first, second = cells_of(frontier, is_inside)
        _sum_weights(tail, face, first, second, ends_of(frontier, is_inside), chosen.size, weight, work)
        _mass_and_flux(frontier, tail, face, weight, chosen.size, sums)
        _sum_slopes(frontier, alpha, phi, weight, -1.0 if is_inside else 1.0, chosen.size, slopes)
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
                row, scale = 4 * l, 1.0 / (z * std[n, l])
                out[n, 1 + l] = (0.5 * slopes[row + 2, i] - slopes[row, i] * (1.0 + half)) * scale
                out[n, 1 + objectives + l] = (0.5 * slopes[row + 3, i] - slopes[row + 1, i] * (1.0 + half)) * scale
    return far
