"""Plots made of characters: points and steps on a grid, with the ranges of the axes written at their ends."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Canvas", "Series"]


@dataclass(frozen=True)
class Series:
    """Points of one kind: where they are, the mark they get (and the one for ASCII), what they are."""

    x: Sequence[float]
    y: Sequence[float]
    mark: str
    plain: str
    label: str


@dataclass
class Canvas:
    """A grid of characters. Later series are drawn over earlier ones."""

    width: int = 60
    height: int = 14
    unicode: bool = True
    series: list[Series] = field(default_factory=list)

    def add(self, series: Series) -> None:
        """Draw points; those that are no numbers are left out."""
        pairs = [(x, y) for x, y in zip(series.x, series.y, strict=True) if math.isfinite(x) and math.isfinite(y)]
        if pairs:
            x, y = zip(*pairs, strict=True)
            self.series.append(Series(x, y, series.mark, series.plain, series.label))

    def lines(self, x_label: str, y_label: str) -> list[str]:
        """The plot as lines of text; nothing if there is nothing to be drawn."""
        if not self.series:
            return []
        left, right = _range([v for s in self.series for v in s.x])
        low, high = _range([v for s in self.series for v in s.y])
        grid = [[" "] * self.width for _ in range(self.height)]
        for series in self.series:
            for x, y in zip(series.x, series.y, strict=True):
                column = round(_share(x, left, right) * (self.width - 1))
                row = round(_share(y, high, low) * (self.height - 1))
                grid[row][column] = series.mark if self.unicode else series.plain
        return self._framed(grid, (left, right, low, high), x_label, y_label)

    def _framed(
        self, grid: list[list[str]], ends: tuple[float, float, float, float], x_label: str, y_label: str
    ) -> list[str]:
        left, right, low, high = ends
        wall, corner, floor = ("│", "└", "─") if self.unicode else ("|", "+", "-")
        names = {0: f"{high:.4g}", self.height - 1: f"{low:.4g}"}
        margin = max(len(name) for name in names.values())
        body = [f"{names.get(i, ''):>{margin}} {wall}{''.join(row)}".rstrip() for i, row in enumerate(grid)]
        ends_line = f"{left:.4g}".ljust(self.width - len(f"{right:.4g}")) + f"{right:.4g}"
        legend = "   ".join(f"{s.mark if self.unicode else s.plain} {s.label}" for s in self.series if s.label)
        indent = " " * (margin + 2)
        return [
            f"{y_label}",
            *body,
            f"{' ' * margin} {corner}{floor * self.width}",
            f"{indent}{ends_line}",
            f"{indent}{x_label.rjust(self.width)}",
            *([f"{indent}{legend}"] if legend else []),
        ]


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if low < high:
        return low, high
    room, most = abs(low) * 0.1 or 1.0, sys.float_info.max
    return max(low - room, -most), min(high + room, most)


def _share(value: float, start: float, end: float) -> float:
    """How far along it lies; halves, because the difference of two numbers may be too large for one."""
    return (value / 2 - start / 2) / (end / 2 - start / 2)
