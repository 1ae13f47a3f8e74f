"""What an experimenter can set: Real, Integer, Choice. Frozen values that check themselves.

Each knows its place in the unit cube (`axis`) and translates between it and the user's units: `encode` and `decode`;
`numbers` for linear constraints; `holds` tells whether a value is one of its own.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.space.axes import DIGITS, Corners, Grid, Line, Steps
from pfes.space.names import shown
from pfes.space.numbers import as_bound, as_number, as_numbers, is_finite, plain, tidy

__all__ = ["Choice", "Integer", "Parameter", "Real"]

Array = NDArray[np.float64]

# With more levels than this, neighbours on a log scale could no longer be told apart after encoding.
MOST_LEVELS = 10**12
# Integers beyond this are not all float64 numbers.
EXACT_INTEGER = 2**53
# How far from a level, in steps, a number still is that level; and how far outside, in lengths, it still is inside.
NEAR_LEVEL = 1e-9
NEAR_BOUND = 1e-12


class Shown:
    """Parameters show themselves as they are written: what is as by default stays unsaid."""

    def __repr__(self) -> str:
        given = [(f, getattr(self, f.name)) for f in fields(self)]  # type: ignore[arg-type]
        given = [(f, list(value) if isinstance(value, tuple) else value) for f, value in given]
        said = [f"{f.name}={value!r}" if f.kw_only else repr(value) for f, value in given if value != f.default]
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, repr=False)
class Real(Shown):
    """A number from low to high; log: spaced by its logarithm; step: only low, low + step, ...; unit: for display."""

    low: float
    high: float
    log: bool = field(default=False, kw_only=True)
    step: float | None = field(default=None, kw_only=True)
    unit: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        _check_texts(self.unit, self.log)
        low, high = as_bound(self.low, "low of Real"), as_bound(self.high, "high of Real")
        step = None if self.step is None else as_bound(self.step, "step of Real")
        _check_bounds("Real", low, high, self.log)
        if low == high:
            raise InvalidInput(f"Real({low}, {high}) has a single value: leave it out, or use Choice([{low}])")
        if not np.isfinite(high / low - 1 if self.log else high - low):
            raise InvalidInput(f"Real({low}, {high}) is too wide for float64: narrow its bounds")
        _check_step("Real", low, high, step)
        _settle(self, low=low, high=high, step=step, log=bool(self.log))

    @cached_property
    def axis(self) -> Line | Grid:
        """Where it lies in the unit cube."""
        if self.step is None:
            return Line(self.low, self.high, self.log)
        # (0.7 - 0.1) / 0.2 is 2.9999999999999996: a step that nearly fits, fits
        count = int(np.floor((self.high - self.low) / self.step * (1 + NEAR_LEVEL))) + 1
        return Grid(count, self.step / self.low if self.log else 0.0)

    def encode(self, values: Sequence[object], name: str) -> Array:
        """Encode the user's values: N of them -> (N, 1)."""
        numbers = as_numbers(values, name)
        _check_positive(numbers, self.log, name)
        axis = self.axis
        if isinstance(axis, Line):
            return axis.position(numbers)[:, None]
        return axis.position(_near_levels((numbers - self.low) / self._step))[:, None]

    def numbers(self, x: Array) -> Array:
        """Values (N,) in the user's units at positions (N, 1)."""
        if isinstance(self.axis, Line):
            return self.axis.value(x[:, 0])
        values: Array = np.minimum(self.low + self.axis.level(x) * np.float64(self._step), self.high)
        largest = max(abs(self.low), abs(self.high))
        # 0.1 + 2 * 0.1 means 0.3; but 2 * (1 / 3) means 2 / 3, which no decimal is
        mine = np.array([self.low, self._step])
        return tidy(values, DIGITS, like=largest) if (tidy(mine, DIGITS, like=largest) == mine).all() else values

    @property
    def _step(self) -> float:
        return self.step or 1.0

    def decode(self, x: Array) -> list[Any]:
        """Values in the user's units, floats, at positions (N, 1)."""
        found: list[Any] = self.numbers(x).tolist()
        return found

    def holds(self, value: object) -> bool:
        """Tell whether a number lies between the bounds and on the grid, but for float noise."""
        number, slack = float(as_number(value, "a Real")), NEAR_BOUND * (self.high - self.low)
        if not self.low - slack <= number <= self.high + slack:
            return False
        return isinstance(self.axis, Line) or _is_level((number - self.low) / self._step, self.axis.count)


@dataclass(frozen=True, repr=False)
class Integer(Shown):
    """A whole number from low to high; log: spaced by its logarithm; step: only low, low + step, ...; unit: display."""

    low: int
    high: int
    log: bool = field(default=False, kw_only=True)
    step: int = field(default=1, kw_only=True)
    unit: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        _check_texts(self.unit, self.log)
        low, high, step = (_whole(getattr(self, name), f"{name} of Integer") for name in ("low", "high", "step"))
        _check_bounds("Integer", low, high, self.log)
        _check_step("Integer", low, high, step)
        _settle(self, low=low, high=high, step=step, log=bool(self.log))

    @cached_property
    def axis(self) -> Grid:
        """Where it lies in the unit cube."""
        return Grid((self.high - self.low) // self.step + 1, self.step / self.low if self.log else 0.0)

    def encode(self, values: Sequence[object], name: str) -> Array:
        """Encode the user's values: N of them -> (N, 1). Fractions are kept: they are data off the grid."""
        numbers = as_numbers(values, name)
        _check_positive(numbers, self.log, name)
        if max(abs(self.low), abs(self.high)) < EXACT_INTEGER:
            index = (numbers - self.low) / self.step
        else:  # differences of integers first, floats then
            exact = [as_number(value, name) for value in values]
            index = np.array([(value - self.low) / self.step for value in exact], dtype=float)
        return self.axis.position(_near_levels(index))[:, None]

    def numbers(self, x: Array) -> Array:
        """Values (N,) as floats at positions (N, 1)."""
        values: Array = float(self.low) + self.axis.level(x) * np.float64(self.step)
        return values

    def decode(self, x: Array) -> list[Any]:
        """Values in the user's units, ints of any size, at positions (N, 1)."""
        return [self.low + self.step * level for level in self.axis.level(x).tolist()]

    def holds(self, value: object) -> bool:
        """Tell whether a number is whole (3.0 is), lies between the bounds and on the grid."""
        number = as_number(value, "an Integer")
        return self.low <= number <= self.high and (number - self.low) % self.step == 0


@dataclass(frozen=True, repr=False, init=False)
class Choice(Shown):
    """One of several values; ordered: they have an order, as given (numbers: by their value); unit: for display."""

    values: tuple[Any, ...]
    ordered: bool = field(default=False, kw_only=True)
    unit: str = field(default="", kw_only=True)

    def __init__(self, values: Iterable[Any], *, ordered: bool = False, unit: str = "") -> None:
        if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
            raise InvalidInput(f"Choice of {values!r}, wanted a list of values: Choice(['Er', 'Nb', 'W'])")
        _check_texts(unit, ordered)
        _settle(self, values=tuple(plain(value) for value in values), ordered=bool(ordered), unit=unit)
        if not self.values:
            raise InvalidInput("Choice of nothing, wanted at least one value")
        self._check_values()

    def _check_values(self) -> None:
        seen: set[Any] = set()
        for value in self.values:
            if not isinstance(value, Hashable) or not _can_hash(value):
                raise InvalidInput(f"Choice holds {value!r}, which cannot be looked up: use text, numbers or tuples")
            if value != value:  # noqa: PLR0124 - nan, of whatever type, is what differs from itself
                raise InvalidInput(f"Choice holds {value!r}, which is not equal to itself: give it a name")
            if value in seen:
                raise InvalidInput(f"Choice holds {value!r} twice (1, 1.0 and True are the same): name each value once")
            seen.add(value)
        if self.ordered and len(set(self.axis.at(np.arange(len(seen))).ravel())) < len(seen):
            raise InvalidInput(
                f"{self} holds numbers too close to be told apart by value: write them as texts, in order"
            )

    @cached_property
    def numeric(self) -> bool:
        """Whether all values are finite numbers; then it can take part in linear constraints."""
        return all(is_finite(value) for value in self.values)

    @cached_property
    def axis(self) -> Steps | Corners:
        """Where it lies in the unit cube."""
        if not self.ordered:
            return Corners(len(self.values))
        places = as_numbers(self.values, "Choice") if self.numeric else np.arange(float(len(self.values)))
        places = places / (np.abs(places).max() or 1.0)  # the range of -1e308 .. 1e308 is no float64
        return Steps(tuple(((places - places.min()) / (float(np.ptp(places)) or 1.0)).tolist()))

    @cached_property
    def _level_of(self) -> dict[Any, int]:
        return {value: level for level, value in enumerate(self.values)}

    def encode(self, values: Sequence[object], name: str) -> Array:
        """Encode the user's values: N of them -> (N, W)."""
        levels = [self._level(value) for value in values]
        if None in levels:
            row = levels.index(None)
            raise InvalidInput(
                f"{name!r} of row {row} is {plain(values[row])!r}, wanted one of {shown(self.values)}: check the "
                "spelling, or make a space that has it"
            )
        return self.axis.at(np.array(levels, dtype=np.int64))

    def _level(self, value: object) -> int | None:
        try:
            return self._level_of.get(plain(value))
        except TypeError:  # not hashable, so none of ours
            return None

    def numbers(self, x: Array) -> Array:
        """Values (N,) as floats at positions (N, W); for choices of numbers only."""
        return as_numbers(self.values, "Choice")[self.axis.level(x)]

    def decode(self, x: Array) -> list[Any]:
        """The user's own objects at positions (N, W)."""
        return [self.values[level] for level in self.axis.level(x).tolist()]

    def holds(self, value: object) -> bool:
        """Tell whether the value is one of the choices."""
        return self._level(value) is not None


Parameter = Real | Integer | Choice


def _settle(parameter: Parameter, **values: object) -> None:
    """Set the fields of a frozen value while it is made."""
    for name, value in values.items():
        object.__setattr__(parameter, name, value)


def _whole(value: object, what: str) -> int:
    number = as_number(value, what)
    if number != int(number):
        raise InvalidInput(f"{what} is {number}, wanted a whole number: use Real for fractions")
    return int(number)


def _check_bounds(kind: str, low: float, high: float, log: bool) -> None:
    if low > high:
        raise InvalidInput(f"{kind}({low}, {high}): low lies above high: exchange them")
    if log and low <= 0:
        raise InvalidInput(f"{kind}({low}, {high}, log=True): a logarithm wants low > 0: raise low, or drop log")


def _check_step(kind: str, low: float, high: float, step: float | None) -> None:
    if step is None:
        return
    if step <= 0:
        raise InvalidInput(f"{kind}({low}, {high}, step={step}): a step is positive")
    if low < high and step > (high - low) * (1 + NEAR_LEVEL):
        raise InvalidInput(f"{kind}({low}, {high}, step={step}): the step is longer than the range: take a smaller one")
    if (high - low) / step >= MOST_LEVELS:
        raise InvalidInput(f"{kind}({low}, {high}, step={step}) has over {MOST_LEVELS:.0e} levels: use Real, no step")


def _check_texts(unit: object, flag: object) -> None:
    if not isinstance(unit, str):
        raise InvalidInput(f"unit is {unit!r}, wanted text, such as 'mol/l'")
    if not isinstance(flag, bool | np.bool_):
        raise InvalidInput(f"log or ordered is {flag!r}, wanted True or False")


def _check_positive(numbers: Array, log: bool, name: str) -> None:
    if log and (numbers <= 0).any():
        row = int(np.argmax(numbers <= 0))
        raise InvalidInput(
            f"{name!r} of row {row} is {numbers[row]}, wanted a positive number on a log scale: leave the row out"
        )


def _near_levels(index: Array) -> Array:
    """Levels (N,) that are whole but for float noise made whole; others stay between the levels."""
    whole = np.rint(index)
    return np.where(np.abs(index - whole) <= NEAR_LEVEL * np.maximum(np.abs(whole), 1), whole, index)


def _is_level(index: float, count: int) -> bool:
    whole = round(index)
    return 0 <= whole < count and abs(index - whole) <= NEAR_LEVEL * max(whole, 1)


def _can_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:  # a tuple with a list in it
        return False
    return True
