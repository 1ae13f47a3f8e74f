"""What a picture is made of, whoever draws it: panels with axes and layers of points, lines, bands, bars and maps.

Layers name a role, not a colour: themes say what a role looks like. Values are in the user's units; texts are plain
and may hold anything, so whoever draws them escapes them.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Axis",
    "Band",
    "Bars",
    "Chart",
    "Layer",
    "Limit",
    "Line",
    "Map",
    "Panel",
    "Points",
    "Texts",
    "span_of",
]

Array = NDArray[np.float64]

# measured: dominated points; half: not all objectives measured; model: what is predicted; data: what it is drawn from;
# whole numbers: objectives
Role = Literal["measured", "half", "front", "recommended", "pending", "limit", "model", "data", "sample", "ink"] | int


@dataclass(frozen=True)
class Axis:
    """A label with its unit; log: by powers of ten; values: names instead of numbers, at 0, 1, 2, …; whole: a count."""

    label: str
    log: bool = False
    values: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    hidden: bool = False
    whole: bool = False


def span_of(values: Array, share: float, log: bool = False) -> tuple[float, float]:
    """Ends of an axis that shows values (N,), which need not differ, with a margin of that share of their range."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if log and low > 0.0:
        margin = (high / low) ** share if high > low else 1.5
        return low / margin, high * margin
    margin = share * (high - low) or abs(high) * 0.1 or 1.0
    return low - margin, high + margin


@dataclass(frozen=True)
class Points:
    """Points (N,), with deviations (N,) where they are predicted; texts (N) say what each one is."""

    role: Role
    name: str
    x: Array
    y: Array
    z: Array | None = None
    x_error: Array | None = None
    y_error: Array | None = None
    z_error: Array | None = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """A line through (N,); step: it keeps its value until the next point; faint: one of many."""

    role: Role
    name: str
    x: Array
    y: Array
    step: bool = False
    faint: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Band:
    """What lies between low and high (N,) along x (N,)."""

    role: Role
    name: str
    x: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Bars:
    """Bars from 0 to values (N,), one below the other, in colours of their own, with a text at their ends."""

    labels: tuple[str, ...]
    values: Array
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Limit:
    """A line across the panel where x or y has a value: a threshold, a budget."""

    name: str
    at: float
    along: Literal["x", "y"]


@dataclass(frozen=True)
class Map:
    """Colours for values (H, W) at y (H,) and x (W,), between low and high; written: the numbers are, too."""

    name: str
    x: Array
    y: Array
    values: Array
    low: float
    high: float
    written: bool = False
    diverging: bool = False


@dataclass(frozen=True)
class Texts:
    """Words at places (N,): centred there, below them, or above."""

    x: Array
    y: Array
    texts: tuple[str, ...]
    where: Literal["centre", "below", "above"] = "centre"


Layer = Texts | Points | Line | Band | Bars | Limit | Map


@dataclass(frozen=True)
class Panel:
    """Axes and what is drawn in them, the first layer at the back; z: an axis of its own, if there are three."""

    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    title: str = ""
    z: Axis | None = None
    square: bool = False


@dataclass(frozen=True)
class Chart:
    """Panels side by side, `columns` in a row; note: a sentence below them."""

    title: str
    panels: tuple[Panel, ...]
    columns: int = 1
    note: str = ""

    @property
    def rows(self) -> int:
        """How many rows the panels take."""
        return -(-len(self.panels) // self.columns)
