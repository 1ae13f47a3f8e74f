"""Candidates side by side: the layout in which the kernels work.

Up to LANES candidates are treated at once. A table has one row per bound of the frontier (prepared.Frontier.values) and
one lane per candidate, so that a cell's arithmetic is the same short run of vector instructions whatever the candidate.

Which cells to use depends on the candidate. A mean inside the dominated region has Z >= 2^-L, and 1 - Z from the cells
of the complement keeps its relative accuracy however deep it lies; a mean outside has Z <= 1 - 2^-L and needs the
dominated cells, whose Z keeps relative accuracy however small (theory 2, "Precision in both tails").
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal import FAR, density, smaller_tail

__all__ = [
    "FAR_ABOVE",
    "LANES",
    "TINY",
    "TINY_MATCHED",
    "cells_of",
    "fill_tail",
    "fill_tail_and_density",
    "fill_tail_and_face",
    "separate",
    "standardise",
]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]

LANES = 64
TINY = 1e-60  # below this mass sums of products are left for logarithms (tails.py)
TINY_MATCHED = 1e-16  # the same for variances, which cancel as the fourth power of the distance
FAR_ABOVE = np.nan  # the mark of a candidate so left; no finite argument gives nan, so it cannot be mistaken


@inline
def separate(points: Array, mean: Array, order: NDArray[np.int64]) -> int:
    """Fill order (N,) with the candidates whose mean is dominated by a point first; return how many they are."""
    inside, outside = 0, mean.shape[0]
    for n in range(mean.shape[0]):
        dominated = False
        for s in range(points.shape[0]):
            below = True
            for l in range(points.shape[1]):
                if mean[n, l] > points[s, l]:
                    below = False
                    break
            if below:
                dominated = True
                break
        if dominated:
            order[inside] = n
            inside += 1
        else:
            outside -= 1
            order[outside] = n
    return inside


@inline
def cells_of(frontier: Any, is_inside: bool) -> tuple[Rows, Rows]:
    """Rows (M, L) `first` and `second` of the cells to sum over, whose z is tail[second] - tail[first]."""
    if is_inside:
        return frontier.beyond_high, frontier.beyond_low
    return frontier.low, frontier.high


@inline
def _alpha(frontier: Any, j: int, centre: Array, scale: Array, row: Array) -> None:
    """Standardised bound j of every lane."""
    value = frontier.values[j]
    for i in range(row.size):
        row[i] = (value - centre[i]) * scale[i]


@inline
def _predictions(mean: Array, std: Array, chosen: NDArray[np.int64], l: int, centre: Array, scale: Array) -> None:
    for i in range(chosen.size):
        centre[i] = mean[chosen[i], l]
        scale[i] = 1.0 / std[chosen[i], l]


@inline
def fill_tail(row: Array, phi: Array, is_inside: bool, tail: Array) -> None:
    """The upper tail at row inside, the lower one outside, given phi there."""
    if is_inside:
        for i in range(row.size):
            small = smaller_tail(row[i], phi[i])
            tail[i] = 1.0 - small if row[i] < 0.0 else small
    else:
        for i in range(row.size):
            small = smaller_tail(row[i], phi[i])
            tail[i] = small if row[i] < 0.0 else 1.0 - small


@inline
def fill_tail_and_face(
    frontier: Any, mean: Array, std: Array, chosen: NDArray[np.int64], is_inside: bool, tail: Array, face: Array
) -> None:
    """Fill tables (J, LANES): the tail that a candidate's side needs, upper inside and lower outside; alpha phi(alpha).

    Here and below there is one short loop per table: longer ones are not turned into vector instructions.
    """
    lanes = chosen.size
    centre, scale, row, phi = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for l in range(mean.shape[1]):
        _predictions(mean, std, chosen, l, centre, scale)
        for j in range(frontier.start[l], frontier.start[l + 1]):
            _alpha(frontier, j, centre, scale, row)
            for i in range(lanes):
                phi[i] = density(row[i])
            fill_tail(row, phi, is_inside, tail[j])
            for i in range(lanes):
                face[j, i] = min(max(row[i], -FAR), FAR) * phi[i]


@inline
def fill_tail_and_density(
    frontier: Any,
    mean: Array,
    std: Array,
    chosen: NDArray[np.int64],
    is_inside: bool,
    tail: Array,
    phi: Array,
    alpha: Array,
) -> None:
    """As fill_tail_and_face, with phi(alpha) and alpha (kept within +-FAR) instead of their product."""
    lanes = chosen.size
    centre, scale, row = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for l in range(mean.shape[1]):
        _predictions(mean, std, chosen, l, centre, scale)
        for j in range(frontier.start[l], frontier.start[l + 1]):
            _alpha(frontier, j, centre, scale, row)
            for i in range(lanes):
                phi[j, i] = density(row[i])
            fill_tail(row, phi[j], is_inside, tail[j])
            for i in range(lanes):
                alpha[j, i] = min(max(row[i], -FAR), FAR)


@inline
def standardise(
    frontier: Any,
    mean: Array,
    std: Array,
    chosen: NDArray[np.int64],
    alpha: Array,
    lower: Array,
    upper: Array,
    phi: Array,
) -> None:
    """Fill tables (J, LANES): alpha = (bound - mean) / std, both tails and the density there.

    alpha is kept within +-FAR: beyond it the density is 0 and alpha serves only as its factor.
    """
    lanes = chosen.size
    centre, scale, row = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for l in range(mean.shape[1]):
        _predictions(mean, std, chosen, l, centre, scale)
        for j in range(frontier.start[l], frontier.start[l + 1]):
            _alpha(frontier, j, centre, scale, row)
            for i in range(lanes):
                phi[j, i] = density(row[i])
            for i in range(lanes):
                upper[j, i] = smaller_tail(row[i], phi[j, i])
            for i in range(lanes):
                small, below = upper[j, i], row[i] < 0.0
                lower[j, i] = small if below else 1.0 - small
                upper[j, i] = 1.0 - small if below else small
            for i in range(lanes):
                alpha[j, i] = min(max(row[i], -FAR), FAR)
