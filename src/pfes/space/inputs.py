"""What the columns of a pool are: numbers become a Real over their range, anything else a Choice of what occurs."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from pfes.errors import InvalidInput
from pfes.space.numbers import as_bound, is_number, parse_number
from pfes.space.parameters import Choice, Parameter, Real
from pfes.space.tables import Column, is_missing

__all__ = ["input_parameter"]

# A text with more different values than this names the rows, it does not describe them.
MOST_TEXTS = 1000

# 1.234,5 and 1,234.5 and 1 234,5: in the same column 1.234 may be a thousand times what it seems, so none is guessed at
GROUPED = re.compile(r"[+-]?\d{1,3}(?:([.,'’\s])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")

Place = Callable[[int], str]


def input_parameter(name: str, column: Column, place: Place) -> Parameter | None:
    """Give the parameter that a column is a sample of; None if it has one value only. `place` names a row."""
    _check_filled(name, column, place)
    if isinstance(column, np.ndarray) or all(is_number(value) for value in column):
        low, high = _range(name, column, place)
        return Real(low, high) if low < high else None
    _check_alike(name, column, place)
    values = _different(name, column, place)
    if len(values) > MOST_TEXTS:
        raise InvalidInput(
            f"column {name!r} has {len(values)} different texts, wanted at most {MOST_TEXTS}: describe candidates by "
            "numbers, and leave this column out of inputs (it may serve as ids)"
        )
    return Choice(values) if len(values) > 1 else None


def _check_filled(name: str, column: Column, place: Place) -> None:
    if isinstance(column, np.ndarray):
        empty = np.flatnonzero(np.isnan(column))
    else:
        empty = np.flatnonzero([is_missing(value) for value in column])
    if len(empty):
        raise InvalidInput(
            f"column {name!r} is empty in {place(int(empty[0]))} ({len(empty)} empty cells in all): fill it, leave the "
            "row out, or say inputs=[...] without this column"
        )


def _range(name: str, column: Column, place: Place) -> tuple[float, float]:
    if isinstance(column, np.ndarray):
        ends = column.min(), column.max()
        rows = int(column.argmin()), int(column.argmax())
    else:
        ends = min(column), max(column)
        rows = column.index(ends[0]), column.index(ends[1])
    low, high = (as_bound(end, f"column {name!r} in {place(row)}") for end, row in zip(ends, rows, strict=True))
    return low, high


def _check_alike(name: str, column: tuple[Any, ...], place: Place) -> None:
    """Refuse what was meant as numbers and has a slip in it: it would silently become one category per number."""
    read = [is_number(value) or (isinstance(value, str) and parse_number(value, True) is not None) for value in column]
    grouped = [
        not known and isinstance(v, str) and bool(GROUPED.fullmatch(v)) for known, v in zip(read, column, strict=True)
    ]
    if any(grouped) and sum(read) + sum(grouped) > len(column) / 2:
        row = grouped.index(True)
        raise InvalidInput(
            f"column {name!r} is {column[row]!r} in {place(row)}, wanted a number without signs between thousands: "
            "take them out of the whole column (in a spreadsheet: another number format)"
        )
    mixed = any(is_number(value) for value in column)
    if mixed or len(column) / 2 < sum(read) < len(column):
        row = read.index(False) if False in read else next(i for i, v in enumerate(column) if not is_number(v))
        raise InvalidInput(
            f"column {name!r} is {column[row]!r} in {place(row)}, but a number elsewhere: correct it; or, if these "
            "are names and not amounts, write all of them as texts that are no numbers"
        )


def _different(name: str, column: tuple[Any, ...], place: Place) -> list[Any]:
    for row, value in enumerate(column):
        try:
            hash(value)
        except TypeError:
            raise InvalidInput(
                f"column {name!r} is {value!r} in {place(row)}, wanted a number or a text: split it into columns"
            ) from None
    return list(dict.fromkeys(column))
