"""Sums of products over cells, and their gradient: the moments of z = (f - mean) / std given a frontier.

With z, p, x the probability of a cell's interval in one objective and the differences of phi and alpha phi between its
bounds, what is summed is

    prod z,    p_l prod z,    x_l prod z,    p_l p_k prod z,  l < k

(products over the objectives not yet named). They are kept in this order, the pairs in the order of `pair`.

Cells that share the intervals of their first objectives are neighbours (prepared.py, `fresh`). So the sums form a tree:
over the last objectives first, then, taken times a shared interval of the objective before, over that one too. A
gradient goes the same way back, from the sums over all objectives to every interval, and costs about three times as
much as the sums. WIDTH candidates are treated at once: in a table a row is WIDTH numbers, one for each.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import (
    WIDTH,
    copied,
    inline,
    row_add_product,
    row_at,
    row_minus,
    row_of,
    row_plus,
    row_put,
    row_times,
)
from pfes.information.kernels.lanes import fill_tail
from pfes.normal import FAR, density

__all__ = [
    "FOR_SLOPES",
    "FOR_SUMS",
    "base",
    "cells_and_fresh",
    "fill_tables",
    "kept_rows",
    "pair",
    "slopes_of",
    "sum_moments",
]

Array = NDArray[np.float64]
Rows = NDArray[np.int32]

FOR_SUMS, FOR_SLOPES = 3, 5  # rows of the tables that a bound has: its tail, phi, alpha phi; two more powers of alpha


@inline
def pair(l: int, k: int, objectives: int) -> int:
    """Place of the pair (l, k), l < k, in `sums`."""
    return 1 + 2 * objectives + l * objectives - l * (l + 1) // 2 + k - l - 1


@copied
def base(k: int) -> int:
    """Where the sums over k objectives begin, in rows: those over 2, 3, ... objectives lie one behind the other."""
    return max(k - 4 + k * (k - 1) + (k - 2) * (k - 1) * k // 6, 0)


@inline
def cells_and_fresh(frontier: Any, is_inside: bool) -> tuple[Rows, Rows, Rows]:
    """Rows (M, L) of the bounds of the cells to sum over, as `cells_of` gives them, and `fresh` (M,)."""
    if is_inside:
        return frontier.beyond_high, frontier.beyond_low, frontier.beyond_fresh
    return frontier.low, frontier.high, frontier.fresh


@inline
def _standardise(frontier: Any, mean: Array, std: Array, chosen: NDArray[np.int64], alpha: Array) -> None:
    """Fill alpha (J, WIDTH), standardised bounds; lanes beyond the chosen candidates repeat the last."""
    centre, scale = np.empty((1, WIDTH)), np.empty((1, WIDTH))
    for l in range(mean.shape[1]):
        for i in range(WIDTH):
            n = chosen[min(i, chosen.size - 1)]
            centre[0, i], scale[0, i] = mean[n, l], 1.0 / std[n, l]
        middle, inverse = row_at(centre, 0), row_at(scale, 0)
        for j in range(frontier.start[l], frontier.start[l + 1]):
            row_put(alpha, j, row_times(row_minus(row_of(frontier.values[j]), middle), inverse))


@inline
def fill_tables(
    frontier: Any, mean: Array, std: Array, chosen: NDArray[np.int64], is_inside: bool, room: Array, tables: Array
) -> None:
    """Fill tables (J width, WIDTH): for each bound the tail of the candidates' side, then alpha^n phi, n < width - 1.

    room: (3, J, WIDTH). The normal distribution is evaluated for all bounds and lanes in one long loop.
    """
    bounds = room.shape[1]
    width = tables.shape[0] // bounds  # FOR_SUMS or FOR_SLOPES
    alpha, phi, tail = room[0].reshape(-1), room[1].reshape(-1), room[2].reshape(-1)
    _standardise(frontier, mean, std, chosen, room[0])
    for j in range(alpha.size):
        phi[j] = density(alpha[j])
    fill_tail(alpha, phi, is_inside, tail)
    for j in range(alpha.size):
        alpha[j] = min(max(alpha[j], -FAR), FAR)
    for j in range(bounds):
        row_put(tables, width * j, row_at(room[2], j))
        value, factor = row_at(room[1], j), row_at(room[0], j)
        for n in range(1, width):
            row_put(tables, width * j + n, value)
            value = row_times(value, factor)


@copied
def _between(tables: Array, width: int, f: int, s: int) -> tuple[Any, Any, Any]:
    """z, p and x of the interval between bounds f and s, a row each."""
    f, s = width * f, width * s
    z = row_minus(row_at(tables, s), row_at(tables, f))
    p = row_minus(row_at(tables, f + 1), row_at(tables, s + 1))
    return z, p, row_minus(row_at(tables, f + 2), row_at(tables, s + 2))


@copied
def _add_pair(tables: Array, width: int, first: Rows, second: Rows, m: int, sums: Array) -> None:
    """Add what cell m is in the last two objectives to the sums over these; of one objective there is no more."""
    last = first.shape[1] - 1
    z, p, x = _between(tables, width, first[m, last], second[m, last])
    if last == 0:
        row_put(sums, 0, row_plus(row_at(sums, 0), z))
        row_put(sums, 1, row_plus(row_at(sums, 1), p))
        row_put(sums, 2, row_plus(row_at(sums, 2), x))
        return
    z1, p1, x1 = _between(tables, width, first[m, last - 1], second[m, last - 1])
    row_add_product(sums, 0, z1, z)
    row_add_product(sums, 1, p1, z)
    row_add_product(sums, 2, z1, p)
    row_add_product(sums, 3, x1, z)
    row_add_product(sums, 4, z1, x)
    row_add_product(sums, 5, p1, p)


@copied
def _take(sums: Array, row: int, kept: Array, at: int) -> Any:
    """Row `row` of the sums, which becomes 0 and is kept in row `at`."""
    value = row_at(sums, row)
    row_put(sums, row, row_of(0.0))
    row_put(kept, at, value)
    return value


@copied
def _join(z: Any, p: Any, x: Any, k: int, sums: Array, kept: Array, at: int) -> None:
    """Add to the sums over k objectives those over the last k - 1 of them, inside an interval of the first."""
    part, whole, others = base(k - 1), base(k), k - 1
    mass = _take(sums, part, kept, at)
    row_add_product(sums, whole, z, mass)
    row_add_product(sums, whole + 1, p, mass)
    row_add_product(sums, whole + 1 + k, x, mass)
    for l in range(others):
        linear = _take(sums, part + 1 + l, kept, at + 1 + l)
        row_add_product(sums, whole + 2 + l, z, linear)
        row_add_product(sums, whole + 1 + 2 * k + l, p, linear)
        row_add_product(sums, whole + 2 + k + l, z, _take(sums, part + k + l, kept, at + k + l))
    for row in range(2 * k - 1, 2 * k - 1 + others * (others - 1) // 2):
        row_add_product(sums, whole + k + 1 + row, z, _take(sums, part + row, kept, at + row))


@inline
def kept_rows(fresh: Rows, objectives: int) -> int:
    """How many rows `sum_moments` is to have room for, so that it piles them up."""
    rows = base(objectives) + 1  # one more than is kept at a time, even where there is but one cell
    for m in range(1, fresh.size):
        rows += base(objectives - fresh[m])
    return rows


@inline
def sum_moments(cells: Any, tables: Array, width: int, sums: Array, kept: Array) -> int:
    """Fill the sums over all objectives, the last rows of sums (base(L + 1), WIDTH).

    Going backwards, what cells of the same first intervals add is summed over the other objectives, and taken times the
    shared interval once, when the first of these cells has been met. What was so taken is piled up in kept, unless it
    has room for one cell only (base(L) rows). Returns the number of rows piled up.
    """
    first, second, fresh = cells
    objectives = first.shape[1]
    piles = 1 if kept.shape[0] > base(objectives) else 0
    sums.fill(0.0)
    at = 0
    for m in range(first.shape[0] - 1, -1, -1):
        _add_pair(tables, width, first, second, m, sums)
        for l in range(objectives - 3, fresh[m] - 1, -1):
            k = objectives - l
            z, p, x = _between(tables, width, first[m, l], second[m, l])
            if k == 3:  # with constants nothing is left of the loops
                _join(z, p, x, 3, sums, kept, at)
            elif k == 4:
                _join(z, p, x, 4, sums, kept, at)
            else:
                _join(z, p, x, k, sums, kept, at)
            at += piles * (base(k) - base(k - 1))
    return at


@copied
def _part(z: Any, p: Any, x: Any, k: int, adjoint: Array) -> None:
    """Derivatives with respect to sums over the last k - 1 objectives from those over k, the reverse of `_join`."""
    part, whole, others = base(k - 1), base(k), k - 1
    row_put(adjoint, part, row_times(z, row_at(adjoint, whole)))
    row_add_product(adjoint, part, p, row_at(adjoint, whole + 1))
    row_add_product(adjoint, part, x, row_at(adjoint, whole + 1 + k))
    for l in range(others):
        row_put(adjoint, part + 1 + l, row_times(z, row_at(adjoint, whole + 2 + l)))
        row_add_product(adjoint, part + 1 + l, p, row_at(adjoint, whole + 1 + 2 * k + l))
        row_put(adjoint, part + k + l, row_times(z, row_at(adjoint, whole + 2 + k + l)))
    for row in range(others * (others - 1) // 2):
        row_put(adjoint, part + 2 * k - 1 + row, row_times(z, row_at(adjoint, whole + 3 * k + row)))


@copied
def _dot(u: Any, v: Any, w: Any) -> Any:
    """u v + w, a row."""
    return row_plus(row_times(u, v), w)


@copied
def _by_interval(kept: Array, at: int, k: int, adjoint: Array) -> tuple[Any, Any, Any]:
    """Derivatives with respect to z, p, x of an interval that kept sums, from row `at`, were joined in."""
    whole, others = base(k), k - 1
    mass = row_at(kept, at)
    z, p = row_times(row_at(adjoint, whole), mass), row_times(row_at(adjoint, whole + 1), mass)
    for l in range(others):
        linear = row_at(kept, at + 1 + l)
        z = _dot(row_at(adjoint, whole + 2 + l), linear, z)
        z = _dot(row_at(adjoint, whole + 2 + k + l), row_at(kept, at + k + l), z)
        p = _dot(row_at(adjoint, whole + 1 + 2 * k + l), linear, p)
    for row in range(others * (others - 1) // 2):
        z = _dot(row_at(adjoint, whole + 3 * k + row), row_at(kept, at + 2 * k - 1 + row), z)
    return z, p, row_times(row_at(adjoint, whole + 1 + k), mass)


@copied
def _to_bounds(tables: Array, f: int, s: int, z: Any, p: Any, x: Any, slopes: Array, at: int) -> None:
    """Chain derivatives with respect to z, p, x to mean and std, times std: six rows of slopes from `at`.

    With d_n the difference of alpha^n phi between the bounds, they are in the mean sign z d_0 - x d_0 + (p d_1 + x d_2)
    and in std sign z d_1 - x d_1 + (p d_2 + x d_3); each term is a row.
    """
    f, s = FOR_SLOPES * f, FOR_SLOPES * s
    d0 = row_minus(row_at(tables, f + 1), row_at(tables, s + 1))
    d1 = row_minus(row_at(tables, f + 2), row_at(tables, s + 2))
    d2 = row_minus(row_at(tables, f + 3), row_at(tables, s + 3))
    d3 = row_minus(row_at(tables, f + 4), row_at(tables, s + 4))
    row_add_product(slopes, at, z, d0)
    row_add_product(slopes, at + 1, x, d0)
    row_put(slopes, at + 2, _dot(x, d2, _dot(p, d1, row_at(slopes, at + 2))))
    row_add_product(slopes, at + 3, z, d1)
    row_add_product(slopes, at + 4, x, d1)
    row_put(slopes, at + 5, _dot(x, d3, _dot(p, d2, row_at(slopes, at + 5))))


@copied
def _pair_slopes(tables: Array, first: Rows, second: Rows, m: int, adjoint: Array, slopes: Array) -> None:
    """The part of the last two objectives, the reverse of `_add_pair`."""
    last = first.shape[1] - 1
    f, s = first[m, last], second[m, last]
    a0, a1, a2 = row_at(adjoint, 0), row_at(adjoint, 1), row_at(adjoint, 2)
    if last == 0:
        _to_bounds(tables, f, s, a0, a1, a2, slopes, 0)
        return
    g, t = first[m, last - 1], second[m, last - 1]
    a3, a4, a5 = row_at(adjoint, 3), row_at(adjoint, 4), row_at(adjoint, 5)
    z, p, x = _between(tables, FOR_SLOPES, f, s)
    by_z, by_p = _dot(a4, x, _dot(a2, p, row_times(a0, z))), _dot(a5, p, row_times(a1, z))
    _to_bounds(tables, g, t, by_z, by_p, row_times(a3, z), slopes, 6 * (last - 1))
    z, p, x = _between(tables, FOR_SLOPES, g, t)
    by_z, by_p = _dot(a3, x, _dot(a1, p, row_times(a0, z))), _dot(a5, p, row_times(a2, z))
    _to_bounds(tables, f, s, by_z, by_p, row_times(a4, z), slopes, 6 * last)


@copied
def _step(tables: Array, f: int, s: int, k: int, kept: Array, at: int, adjoint: Array, slopes: Array, row: int) -> None:
    """One step of `slopes_of`, for the first of k objectives."""
    z, p, x = _between(tables, FOR_SLOPES, f, s)
    by_z, by_p, by_x = _by_interval(kept, at, k, adjoint)
    _to_bounds(tables, f, s, by_z, by_p, by_x, slopes, row)
    _part(z, p, x, k, adjoint)


@inline
def slopes_of(cells: Any, tables: Array, kept: Array, at: int, adjoint: Array, slopes: Array) -> None:
    """Fill slopes (6 L, WIDTH), terms of d gain / d mean and d std, from derivatives with respect to the sums.

    The reverse of `sum_moments`, step by step: what that piled up last, below row `at`, is needed first.
    """
    first, second, fresh = cells
    objectives = first.shape[1]
    slopes.fill(0.0)
    for m in range(first.shape[0]):
        for l in range(fresh[m], objectives - 2):
            k = objectives - l
            f, s = first[m, l], second[m, l]
            at -= base(k) - base(k - 1)
            if k == 3:
                _step(tables, f, s, 3, kept, at, adjoint, slopes, 6 * l)
            elif k == 4:
                _step(tables, f, s, 4, kept, at, adjoint, slopes, 6 * l)
            else:
                _step(tables, f, s, k, kept, at, adjoint, slopes, 6 * l)
        _pair_slopes(tables, first, second, m, adjoint, slopes)
