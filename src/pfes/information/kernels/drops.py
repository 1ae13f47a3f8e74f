"""The marginal of one objective given F, by its drops.

Given F, the density of f_l is the normal's times W_s / Z on the interval s that ends at the objective's value v_s:
W_s is the probability that the other objectives lie in the cells that span the interval, and only falls as f_l rises.
Its drop at v_t is D_t >= 0, so that W_s = sum_{t >= s} D_t and Z = sum_t D_t Phi(alpha_t)               theory 5

A cell adds prod_{l' != l} z_l' to the drop at one end of its run of intervals and takes it from the drop at the other
end; no cell is split. `first` and `second` are its rows as in truncation.py: it adds at `second`, takes at `first`,
for cells of either side. All functions here work on tables (J, LANES), one row per bound.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.information.kernels.lanes import cells_of, standardise

__all__ = ["close_slope", "fill_drops", "keep_slopes", "read_column", "slopes_of_drops"]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]


@inline
def _cell(tail: Array, first: Rows, second: Rows, m: int, lanes: int, z: Array) -> None:
    """Probability of cell m in each objective: z (L, LANES)."""
    for l in range(first.shape[1]):
        f, s = first[m, l], second[m, l]
        for i in range(lanes):
            z[l, i] = tail[s, i] - tail[f, i]


@inline
def _sum_drops(tail: Array, first: Rows, second: Rows, lanes: int, drop: Array, work: Array) -> None:
    """Fill drop (J, LANES); rows at -inf and, where the top is closed, +inf hold no drop (see _close_tops)."""
    objectives = first.shape[1]
    z, before, after = work[0], work[1], work[2, 0]
    for j in range(drop.shape[0]):
        for i in range(lanes):
            drop[j, i] = 0.0
    for i in range(lanes):
        before[0, i] = 1.0
    for m in range(first.shape[0]):
        _cell(tail, first, second, m, lanes, z)
        for l in range(objectives):
            for i in range(lanes):
                before[l + 1, i] = before[l, i] * z[l, i]
        for i in range(lanes):
            after[i] = 1.0
        for l in range(objectives - 1, -1, -1):
            f, s = first[m, l], second[m, l]
            for i in range(lanes):
                drop[s, i] += before[l, i] * after[i]
            for i in range(lanes):
                drop[f, i] -= before[l, i] * after[i]
            for i in range(lanes):
                after[i] *= z[l, i]


@inline
def _close_tops(frontier: Any, inside: bool, lanes: int, drop: Array) -> None:
    """Set the drop at +inf: what W is above the highest value. It is 0 unless a point is +inf in this objective."""
    for l in range(frontier.open_top.size):
        top = frontier.start[l + 1] - 1
        for i in range(lanes):
            if not frontier.open_top[l]:
                drop[top, i] = 0.0
            elif inside:  # the complement's cells have taken 1 - W there
                drop[top, i] += 1.0


@inline
def fill_drops(
    frontier: Any, mean: Array, std: Array, chosen: NDArray[np.int64], is_inside: bool, tables: Array, work: Array
) -> None:
    """Fill tables (5, J, LANES): alpha, lower tail, upper tail, phi, drop."""
    standardise(frontier, mean, std, chosen, tables[0], tables[1], tables[2], tables[3])
    first, second = cells_of(frontier, is_inside)
    _sum_drops(tables[2 if is_inside else 1], first, second, chosen.size, tables[4], work)
    _close_tops(frontier, is_inside, chosen.size, tables[4])


@inline
def read_column(frontier: Any, tables: Array, l: int, i: int, column: Array) -> int:
    """Copy the tables of objective l and lane i into column (5.., T), values ascending and +inf last; return T."""
    start = frontier.start[l] + 1  # the row of -inf holds no drop
    size = frontier.start[l + 1] - start
    for t in range(size):
        for q in range(5):
            column[q, t] = tables[q, start + t, i]
    return int(size)


@inline
def close_slope(column: Array, size: int, slopes: Array) -> None:
    """Nothing lies above a closed top, whatever the others do: no slope there (slopes as in keep_slopes)."""
    if column[4, size - 1] == 0.0 and size > 1:
        slopes[1, size - 1] = slopes[1, size - 2]


@inline
def keep_slopes(
    frontier: Any, column: Array, slopes: Array, by_noise: float, l: int, i: int, slope: Array, out: Array
) -> None:
    """From slopes (2, T), d gain_l / d alpha_t and d gain_l / d D_t, of lane i: its own derivatives into out
    (2, L, L, LANES), times std_l, and what slopes_of_drops needs into slope (J, LANES). by_noise: what rho adds."""
    start = frontier.start[l] + 1
    by_mean, by_std = 0.0, by_noise
    for t in range(frontier.start[l + 1] - start):
        by_mean -= slopes[0, t]
        by_std -= slopes[0, t] * column[0, t]
        slope[start + t, i] = slopes[1, t]
    out[0, l, l, i] = by_mean
    out[1, l, l, i] = by_std


@inline
def slopes_of_drops(
    frontier: Any, is_inside: bool, lanes: int, tables: Array, slope: Array, out: Array, work: Array
) -> None:
    """From d gain_l / d D_t to d gain_l / d mean_k and d std_k, k != l, both times std_k.

    tables: of fill_drops. slope: (J, LANES), 0 at -inf, in the rows of objective l the derivative of gain_l.
    out: (2, L, L, LANES) is added to.
    """
    first, second = cells_of(frontier, is_inside)
    alpha, tail, density = tables[0], tables[2 if is_inside else 1], tables[3]
    objectives, sign = first.shape[1], -1.0 if is_inside else 1.0
    z, before, after, rest = work[0], work[1], work[2, 0], work[3, 0]
    for m in range(first.shape[0]):
        _cell(tail, first, second, m, lanes, z)
        for l in range(objectives):
            f, s = first[m, l], second[m, l]
            # products over the objectives other than l and k, from both ends
            for i in range(lanes):
                before[0, i] = slope[s, i] - slope[f, i]
            for k in range(objectives - 1):
                for i in range(lanes):
                    before[k + 1, i] = before[k, i] * z[k, i] if k != l else before[k, i]
            for i in range(lanes):
                after[i] = sign
            for k in range(objectives - 1, -1, -1):
                if k == l:
                    continue
                f, s = first[m, k], second[m, k]
                for i in range(lanes):
                    rest[i] = before[k, i] * after[i]
                for i in range(lanes):
                    out[0, l, k, i] += rest[i] * (density[f, i] - density[s, i])
                for i in range(lanes):
                    out[1, l, k, i] += rest[i] * (alpha[f, i] * density[f, i] - alpha[s, i] * density[s, i])
                for i in range(lanes):
                    after[i] *= z[k, i]
