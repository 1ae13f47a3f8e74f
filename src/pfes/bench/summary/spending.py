"""Where the cost went, over the course of a search: is it cheap first, then expensive?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.bench.summary.arenas import Arena, Row
from pfes.plots.chart import Axis, Chart, Line, Panel

__all__ = ["PARTS", "Spending", "shares_of", "spending_of"]

Array = NDArray[np.float64]
PARTS = 10  # of the budget


@dataclass(frozen=True)
class Spending:
    """Share of the measurements (PARTS, L) that each objective had, in tenths of the budget; costs by name."""

    arena: str
    method: str
    costs: Mapping[str, float]
    shares: Array

    def chart(self) -> Chart:
        """A line for each objective."""
        middle = (np.arange(PARTS) + 0.5) / PARTS * 100.0
        lines = tuple(
            Line(l, f"{name}, costs {cost:g}", middle, self.shares[:, l])
            for l, (name, cost) in enumerate(self.costs.items())
        )
        panel = Panel(Axis("per cent of the budget spent"), Axis("share of the measurements", span=(0.0, 1.0)), lines)
        return Chart(f"{self.arena}, {self.method}", (panel,))


def spending_of(arena: Arena, row: Row, costs: Mapping[str, float]) -> Spending:
    """Of all runs of a row together; costs of the objectives by name, in their order."""
    return Spending(arena.name, row.method, costs, shares_of(arena, row, len(costs), PARTS))


def shares_of(arena: Arena, row: Row, objectives: int, parts: int) -> Array:
    """(parts, objectives) shares of the measurements of all runs, in equal parts of the budget after the first points.

    A measurement belongs to the part in which it began.
    """
    counts = np.zeros((parts, objectives))
    whole = arena.budget * arena.unit
    for line in row.runs.values():
        begin = line["spent"][0]
        for which, spent in zip(line["which"], line["spent"], strict=False):  # what had been spent before it
            part = min(int(parts * (spent - begin) / max(whole - begin, 1e-300)), parts - 1)
            counts[part, which] += 1.0
    total = counts.sum(axis=1, keepdims=True)
    return counts / np.where(total > 0.0, total, 1.0)
