"""Main effects between the rows of a table whose columns take few values: looked up instead of computed.

Tables of candidates are often all combinations of a few levels, and columns that describe a level (of a substituent,
say) take its value wherever it stands. Groups of columns whose levels follow from those of another group form one
factor with it, and what all of them add to a pair of rows depends on the pair's levels of that factor alone:

| symbol | meaning | shape | in code |
|---|---|---|---|
| F | factors | | |
| c_fi | level of factor f in row i | (F, n) | codes |
| S_f | squared distances between levels of f, summed over its groups | (V_f, V_f) | squares |
| K_f | correlations likewise | (V_f, V_f) | values |

    k_ij = (1 - w) k0(sum_f S_f[c_fi, c_fj]) + w / G sum_f K_f[c_fi, c_fj]      as in `effects.py`
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel
from pfes.gp.effects import add_values, by_halves
from pfes.gp.kernels import KERNELS

__all__ = ["Factors", "among_rows", "factors_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Integers = NDArray[np.integer]

MOST_LEVELS = 128  # of a factor: its tables stay in the cache


class Factors(NamedTuple):
    """The levels of n rows, and the groups that each factor stands for."""

    codes: Codes  # (F, n)
    members: list[list[int]]  # groups of each factor


def factors_of(x: Array, groups: Integers) -> Factors | None:
    """The factors of rows x (n, D); None where a group of columns has too many levels."""
    count = int(groups.max(initial=-1)) + 1
    each: list[Codes] = []
    for g in range(count):
        each.append(_coded(x[:, groups == g]))
        if each[-1].max(initial=0) >= MOST_LEVELS:
            return None
    codes: list[Codes] = []
    members: list[list[int]] = []
    for g in sorted(range(count), key=lambda g: -int(each[g].max(initial=0))):
        place = next((f for f, code in enumerate(codes) if _follows(each[g], code)), None)
        if place is None:
            codes.append(each[g])
            members.append([g])
        else:
            members[place].append(g)
    return Factors(np.array(codes), members)


def _coded(columns: Array) -> Codes:
    """(n,) the number of each row's values among all that there are."""
    if columns.shape[1] == 1:
        return np.asarray(np.unique(columns[:, 0], return_inverse=True)[1], dtype=np.int64)
    return np.asarray(np.unique(columns, axis=0, return_inverse=True)[1], dtype=np.int64).ravel()


def _follows(code: Codes, other: Codes) -> bool:
    """Whether one level is known from the other."""
    table = np.zeros(int(other.max(initial=0)) + 1, dtype=np.int64)
    table[other] = code
    return bool((table[other] == code).all())


def among_rows(x: Array, groups: Integers, factors: Factors, share: float, matern: bool) -> Array:
    """k (n, n) of rows x (n, D) in length scales with themselves; factors: those of the rows, in whatever scale."""
    count, alone = int(groups.max(initial=-1)) + 1, KERNELS["matern52" if matern else "rbf"]
    size = int(factors.codes.max(initial=0)) + 1
    squares, values = np.zeros((len(factors.codes), size, size)), np.zeros((len(factors.codes), size, size))
    for f, (code, members) in enumerate(zip(factors.codes, factors.members, strict=True)):
        levels = np.unique(code, return_index=True)[1]  # a row of each level
        for g in members:
            column = x[np.ix_(levels, groups == g)]
            square = ((column[:, None] - column[None]) ** 2).sum(axis=2)
            part = (f, slice(len(levels)), slice(len(levels)))
            squares[part] += square
            values[part] += share / count * alone.value(square)
    return by_halves(
        len(x),
        lambda part, rows: _look_up(part, factors.codes[:, rows.start :], squares, values, 1.0 - share, matern),
    )


@kernel
def _look_up(out: Any, codes: Any, squares: Any, values: Any, rest: float, matern: bool) -> None:
    """Rows 0, 1, ... of the table with all columns; codes (F, columns) begin with the rows' own."""
    size = out.shape[1]
    value, total = np.empty(size), np.empty(size)
    for i in range(len(out)):
        for j in range(size):
            value[j] = total[j] = 0.0
        for f in range(len(codes)):
            code, own = codes[f], codes[f, i]
            square, added = squares[f, own], values[f, own]
            for j in range(size):
                total[j] += square[code[j]]
                value[j] += added[code[j]]
        add_values(value, total, rest, matern)
        for j in range(size):
            out[i, j] = value[j]
