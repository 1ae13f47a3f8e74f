"""What was held as cost was spent: shares of the optimum, of single runs and over seeds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.bench.summary.arenas import Arena, Row
from pfes.plots.chart import Axis, Band, Chart, Layer, Line, Panel

__all__ = ["ENOUGH", "Trace", "Traces", "cost_to", "held_at", "traces_of"]

Array = NDArray[np.float64]

ENOUGH = 0.95  # of the optimum
STEPS = 100  # of a trace over cost
EXACTLY = 1e-6


def held_at(line: dict[str, Any], cost: float) -> float:
    """What a run held when it had spent so much; nan before its first points are paid for."""
    spent = np.array(line["spent"])
    known = np.flatnonzero(spent <= cost + EXACTLY)
    return float(line["held"][known[-1]]) if len(known) else math.nan


def cost_to(line: dict[str, Any], share: float = ENOUGH) -> float:
    """What a run had spent when it held so much; inf: it never did."""
    return min((c for h, c in zip(line["held"], line["spent"], strict=True) if h >= share), default=math.inf)


@dataclass(frozen=True)
class Trace:
    """A method over its seeds, at budgets (G,): mean and its standard error, median and quartiles, each (G,)."""

    method: str
    seeds: int
    mean: Array
    error: Array
    median: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Traces:
    """All methods on one problem."""

    problem: str
    cost: Array  # (G,)
    in_evaluations: bool
    traces: tuple[Trace, ...]

    def chart(self) -> Chart:
        """Means and standard errors beside medians and quartiles."""
        across = Axis("evaluations of everything" if self.in_evaluations else "cost")
        left: list[Layer] = []
        right: list[Layer] = []
        for place, it in enumerate(self.traces):
            left.append(Band(place, "", self.cost, it.mean - it.error, it.mean + it.error))
            left.append(Line(place, it.method, self.cost, it.mean))
            right.append(Band(place, "", self.cost, it.low, it.high))
            right.append(Line(place, "", self.cost, it.median))
        panels = (
            Panel(across, Axis("share of the optimum held"), tuple(left), "mean ± standard error"),
            Panel(across, Axis(""), tuple(right), "median and quartiles"),
        )
        return Chart(f"{self.problem}: what is held", panels, columns=2)


def traces_of(arena: Arena) -> Traces:
    """The traces of all rows that have runs."""
    first = min(line["spent"][0] for row in arena.rows for line in row.runs.values()) / arena.unit
    if arena.in_evaluations and arena.budget <= 10 * STEPS:
        cost = np.arange(math.ceil(first), math.floor(arena.budget) + 1.0)
    else:
        cost = np.linspace(first, arena.budget, STEPS + 1)
    made = tuple(_trace(row, cost * arena.unit) for row in arena.rows if row.runs)
    return Traces(arena.name, cost, arena.in_evaluations, made)


def _trace(row: Row, cost: Array) -> Trace:
    held = np.array([[held_at(line, at) for at in cost] for line in row.runs.values()])
    low, median, high = np.quantile(held, [0.25, 0.5, 0.75], axis=0)
    return Trace(row.method, len(held), held.mean(axis=0), standard_error(held), median, low, high)


def standard_error(held: Array) -> Array:
    """Of the mean over the first axis of (n, G); 0 for a single run."""
    n = len(held)
    return np.asarray(held.std(axis=0, ddof=1) / math.sqrt(n)) if n > 1 else np.zeros(held.shape[1:])


def finite_median(values: Iterable[float]) -> float:
    """The median; inf if the middle one was never reached."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
