"""How one parameter lies in the unit cube: as a line, a grid, a row of unequal steps, or one corner per value.

| symbol | meaning | shape | in code |
|---|---|---|---|
| u | encoded position of a parameter | (N, W), W columns | x |
| k | level: number of a value, from 0 | (N,) | levels |
| K | number of levels | | count |

A level is drawn by the width of its cell, not by rounding: rounding would give the two end levels half a share.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pfes.space.numbers import tidy

__all__ = ["Axis", "Corners", "Grid", "Levels", "Line", "Steps"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Two values of a line nearer than this part of its length are one and the same.
RESOLUTION = 1e-6
# Decimal digits that survive encoding and decoding.
DIGITS = 14
LOG_DIGITS = 12
# One-hot entries: two different corners lie at distance 1.
CORNER = math.sqrt(0.5)


class Axis(Protocol):
    """What a space needs to know of a parameter's W columns; u: (N,) numbers in [0, 1), all equally likely."""

    @property
    def width(self) -> int:
        """Number of columns."""

    @property
    def count(self) -> float:
        """Number of values; inf for a line."""

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper bounds (W,)."""

    def snap(self, x: Array) -> Array:
        """Nearest decodable position: (N, W) -> (N, W)."""

    def draw(self, u: Array) -> Array:
        """Position of a value drawn by u: (N,) -> (N, W)."""

    def marks(self, x: Array) -> Array:
        """One number per value, the same for the same value: (N, W) -> (N,)."""


@dataclass(frozen=True)
class Line:
    """All numbers from low to high, evenly or by their logarithm."""

    low: float
    high: float
    log: bool

    width = 1
    count = math.inf

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper bounds (1,)."""
        return np.zeros(1), np.ones(1)

    def position(self, values: Array) -> Array:
        """Encode (N,) values; on a log scale they must be positive."""
        offset = values - self.low
        # log1p of the offset, so that 1e18 .. 1e18 + 10 does not shrink to a point
        u = np.log1p(offset / self.low) / self._length if self.log else offset / self._length
        inside = (self.low <= values) & (values <= self.high)
        return np.where(inside, u.clip(0, 1), u)

    def value(self, x: Array) -> Array:
        """Decode (N,) positions: inside the bounds, tidy, the bounds themselves exactly."""
        u = x.clip(0, 1)
        if self.log:
            values = tidy(self.low + self.low * np.expm1(u * self._length), LOG_DIGITS)
        else:
            values = tidy(self.low + u * self._length, DIGITS, like=max(abs(self.low), abs(self.high)))
        values = np.where(u == 0, self.low, np.where(u == 1, self.high, values))
        return values.clip(self.low, self.high)

    @cached_property
    def _length(self) -> float:
        return float(np.log1p((self.high - self.low) / self.low)) if self.log else self.high - self.low

    def snap(self, x: Array) -> Array:
        """Clip and tidy (N, 1)."""
        return self.position(self.value(x[:, 0]))[:, None]

    def draw(self, u: Array) -> Array:
        """Position (N, 1) of a number drawn by u (N,)."""
        return self.snap(u[:, None])

    def marks(self, x: Array) -> Array:
        """Position in units of the resolution: (N, 1) -> (N,)."""
        return np.rint(x[:, 0] / RESOLUTION)


class Levels(ABC):
    """An axis of K values: everything follows from `level`, the nearest one, and `at`, where a level lies."""

    count: int
    width: int

    @abstractmethod
    def level(self, x: Array) -> Integers:
        """Nearest level: (N, W) -> (N,)."""

    @abstractmethod
    def at(self, levels: Integers) -> Array:
        """Where the levels lie: (N,) -> (N, W)."""

    def drawn(self, u: Array) -> Integers:
        """Levels drawn by u (N,), equally likely."""
        return np.minimum((u * self.count).astype(np.int64), self.count - 1)

    def moves(self, level: int) -> Integers:
        """All other levels."""
        return np.delete(np.arange(self.count), level)

    def snap(self, x: Array) -> Array:
        """Nearest decodable position: (N, W) -> (N, W)."""
        return self.at(self.level(x))

    def draw(self, u: Array) -> Array:
        """Position (N, W) of a level drawn by u (N,)."""
        return self.at(self.drawn(u))


@dataclass(frozen=True)
class Grid(Levels):
    """K levels at equal steps of the value; on a log scale `ratio` is step / lowest value, else 0."""

    count: int
    ratio: float = 0.0

    width = 1

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper bounds (1,); equal for a single level."""
        return np.zeros(1), np.array([min(self.count - 1.0, 1.0)])

    def position(self, index: Array) -> Array:
        """Position (N,) of levels that need not be whole, nor inside."""
        return np.log1p(index * self.ratio) / self._length if self.ratio else index / self._length

    def index(self, x: Array) -> Array:
        """Undo `position`: (N,) -> (N,)."""
        return np.expm1(x * self._length) / self.ratio if self.ratio else x * self._length

    @cached_property
    def _length(self) -> float:
        top = max(self.count - 1, 1)
        return float(np.log1p(top * self.ratio)) if self.ratio else float(top)

    def level(self, x: Array) -> Integers:
        """Nearest level in encoded distance: (N, 1) -> (N,)."""
        u = np.clip(x[:, 0], *self.box)
        below = np.clip(np.floor(self.index(u)), 0, max(self.count - 2, 0))
        halfway = (self.position(below) + self.position(below + 1)) / 2
        return self._inside(below + (u >= halfway))

    def _inside(self, levels: Array) -> Integers:
        return np.clip(levels, 0, self.count - 1).astype(np.int64)

    def at(self, levels: Integers) -> Array:
        """Where the levels lie: (N,) -> (N, 1)."""
        return self.position(levels.astype(float))[:, None]

    def drawn(self, u: Array) -> Integers:
        """Levels drawn by u (N,): equally likely; on a log scale in proportion to their cells on that scale."""
        if not self.ratio:
            return super().drawn(u)
        # cells reach half a step to both sides; the first one as far down as up, lest it reach below zero
        first, last = -np.log1p(self.ratio / 2), np.log1p((self.count - 0.5) * self.ratio)
        index = np.expm1(first + u * (last - first)) / self.ratio
        return self._inside(np.rint(index))

    def moves(self, level: int) -> Integers:
        """Levels 1, 2, 4, ... steps away and both ends, without the level itself: few, however long the grid."""
        reach = 2 ** np.arange(max(self.count - 1, 1).bit_length())
        there: Integers = np.unique(np.concatenate(([0, self.count - 1], level + reach, level - reach)))
        others: Integers = there[(there >= 0) & (there < self.count) & (there != level)]
        return others

    def marks(self, x: Array) -> Array:
        """Level in thousandths, so that data off the grid or outside it keep their own: (N, 1) -> (N,)."""
        return np.rint(self.index(x[:, 0]) * 1000)


@dataclass(frozen=True)
class Steps(Levels):
    """K levels at given different positions in [0, 1], in any order."""

    positions: tuple[float, ...]

    width = 1

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of levels."""
        return len(self.positions)

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper bounds (1,)."""
        return np.array([min(self.positions)]), np.array([max(self.positions)])

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.positions)

    @cached_property
    def _halfway(self) -> Array:
        rising: Array = np.array(self.positions)[self._order]
        halfway: Array = (rising[1:] + rising[:-1]) / 2
        return halfway

    def level(self, x: Array) -> Integers:
        """Nearest level: (N, 1) -> (N,)."""
        return self._order[np.searchsorted(self._halfway, x[:, 0], side="right")]

    def at(self, levels: Integers) -> Array:
        """Where the levels lie: (N,) -> (N, 1)."""
        return np.array(self.positions)[levels][:, None]

    def marks(self, x: Array) -> Array:
        """Nearest level: (N, 1) -> (N,)."""
        return self.level(x).astype(float)


@dataclass(frozen=True)
class Corners(Levels):
    """K levels with no order: K columns, one of them sqrt(1/2) and the others 0, so any two are at distance 1."""

    count: int

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many columns as levels."""
        return self.count

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper bounds (K,); equal for a single level."""
        return np.full(self.count, CORNER if self.count == 1 else 0.0), np.full(self.count, CORNER)

    def level(self, x: Array) -> Integers:
        """Nearest corner: (N, K) -> (N,)."""
        nearest: Integers = np.argmax(x, axis=1)
        return nearest

    def at(self, levels: Integers) -> Array:
        """Where the levels lie: (N,) -> (N, K)."""
        x = np.zeros((len(levels), self.count))
        x[np.arange(len(levels)), levels] = CORNER
        return x

    def marks(self, x: Array) -> Array:
        """Nearest corner: (N, K) -> (N,)."""
        return self.level(x).astype(float)
