"""Numbers as people give them, checked and made float64; and float64 made numbers that people would have written.

A value that went through an encoding comes back with an error in its sixteenth digit: 0.30000000000000004. `tidy` takes
the nearest decimal of fewer digits, so that what a person typed comes back as typed, and what came back once comes back
the same ever after.
"""

import math
import numbers
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput

__all__ = [
    "DOUBTFUL",
    "as_bound",
    "as_number",
    "as_numbers",
    "is_finite",
    "is_number",
    "parse_number",
    "plain",
    "tidy",
    "without_thousands",
]

Array = NDArray[np.float64]

# Spaces at which no line breaks, as some countries and programs part thousands: 1 234,5.
THIN = re.compile("[\u00a0\u2009\u202f]")
PARTED = re.compile(rf"[+-]?\d{{1,3}}(?:{THIN.pattern}\d{{3}})+(?:[.,]\d*)?(?:[eE][+-]?\d+)?")

# Powers of ten up to this one are float64 numbers, so scaling by them is rounded once only.
EXACT_POWER = 22


def plain(value: object) -> object:
    """Python's own scalar in place of numpy's: np.float64(1.5) -> 1.5; anything else as it is."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    return value


def is_number(value: object) -> bool:
    """Tell whether a value counts as a number: not a truth value, not text, but possibly nan."""
    if type(value) in (int, float):  # asking about abstract classes is slow
        return True
    return isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool)


def as_number(value: object, what: str) -> float | int:
    """Give the value as a finite float or int; `what` names it in the error."""
    value = plain(value)
    if not is_number(value):
        hint = "give it without quotes" if isinstance(value, str) else "give an int or a float"
        raise InvalidInput(f"{what} is {value!r} ({type(value).__name__}), wanted a number: {hint}")
    try:
        exact = int(value) if isinstance(value, numbers.Integral) else float(value)  # type: ignore[arg-type]
        finite = math.isfinite(exact)
    except OverflowError:
        finite = False
    if not finite:
        raise InvalidInput(f"{what} is {value!r}, wanted a finite number: leave out what is not known")
    return exact


def is_finite(value: object) -> bool:
    """Tell whether a value is a number that float64 can hold."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def as_bound(value: object, what: str) -> float:
    """Give the value as a finite float."""
    return float(as_number(value, what))


def as_numbers(values: Sequence[object] | NDArray[Any], what: str) -> Array:
    """Give the values as finite float64 (N,); the error names `what` and the row."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and np.isfinite(values).all():
        return values.astype(float)
    if set(map(type, values)) <= {int, float}:  # the quick way for what is nearly always given
        try:
            array = np.array(values, dtype=float)
        except OverflowError:
            array = np.array([np.nan])
        if np.isfinite(array).all():
            return array
    return np.array([as_number(value, f"{what!r} of row {row}") for row, value in enumerate(values)], dtype=float)


def parse_number(text: str, comma: bool = False) -> float | int | None:
    """Read a number from text, None if it is none; comma: 1,5 is understood as 1.5."""
    text = text.strip().replace("\u2212", "-")  # the minus sign of typesetters
    if PARTED.fullmatch(text):
        text = THIN.sub("", text)
    if comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if "_" in text:  # Python's own spelling of thousands; in a table it is part of a name
        return None
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return None


# Thousands parted by points or by commas: told from decimals by the other sign before those, or by being several.
GROUPED = [
    re.compile(
        rf"([+-]?\d{{1,3}}(?:{part}\d{{3}})+)(?:{point}(\d*)|(?<={part}\d{{3}}{part}\d{{3}}))((?:[eE][+-]?\d+)?)"
    )
    for part, point in ((r"\.", ","), (",", r"\."))
]


# Numbers whose one mark may part decimals or thousands: 1,234.
DOUBTFUL = {mark: re.compile(rf"[+\u2212-]?[1-9]\d{{0,2}}{re.escape(mark)}\d{{3}}") for mark in ",."}


def without_thousands(text: str) -> str | None:
    """How to write a number of parted thousands so that it is understood: 1.234,5 -> 1234.5; None if it is not one."""
    text = text.strip().replace("\u2212", "-")
    found = next((match for pattern in GROUPED if (match := pattern.fullmatch(text))), None)
    if found is None:
        return None
    whole, decimals, power = found.groups()
    return f"{re.sub('[.,]', '', whole)}{f'.{decimals}' if decimals else ''}{power}"


def tidy(values: Array, digits: int, like: float | None = None) -> Array:
    """Round (N,) to decimals: `digits` significant ones of the number `like`, or of each value itself without it."""
    size = np.abs(values) if like is None else np.full(values.shape, abs(like))
    places = digits - 1 - np.floor(np.log10(size, where=size > 0, out=np.zeros(values.shape)))
    exact = np.abs(places) <= EXACT_POWER
    up, down = 10.0 ** np.where(exact, places, 0).clip(0), 10.0 ** np.where(exact, -places, 0).clip(0)
    rounded = np.rint(values * up / down) * down / up
    for i in np.flatnonzero(~exact):  # far from 1: Python's own rounding is right there, and slow
        rounded[i] = round(float(values[i]), int(places[i]))
    return rounded
