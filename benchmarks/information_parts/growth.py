"""How time and memory of ours grow with the points S, objectives L, candidates N and frontiers R."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from information_parts.problem import Problem, problem
from information_parts.race import number_of_cells
from pfes.information import coupled, coupled_gradient, decoupled, decoupled_gradient, prepare
from tables import megabytes, seconds, table
from timing import Cost, cost

__all__ = ["Axis", "axes", "growth", "what_the_columns_mean"]

RESOLUTION = 0.01
FUNCTIONS: dict[str, Callable[..., object]] = {
    "coupled": coupled,
    "coupled ∇": coupled_gradient,
    "decoupled": decoupled,
    "decoupled ∇": decoupled_gradient,
}
COLUMNS = [(name, function, 0.0) for name, function in FUNCTIONS.items()] + [
    (f"{name}, δ", function, RESOLUTION) for name, function in FUNCTIONS.items()
]


class Axis(NamedTuple):
    letter: str  # which of S, L, N, R grows
    values: list[int]
    fixed: dict[str, int]


def axes(quick: bool) -> list[Axis]:
    """Along each axis the other letters are the paper's, or those with L = 2."""
    four = {"L": 4, "S": 50, "R": 10, "N": 100}
    two = four | {"L": 2}
    candidates = [100, 1000] if quick else [100, 1000, 10_000, 100_000]
    return [
        Axis("S", [10, 25, 50, 100, 200, 1000], two),
        Axis("S", [10, 25, 50, 100] if quick else [10, 25, 50, 100, 200], four),
        Axis("L", [1, 2, 3, 4, 5] if quick else [1, 2, 3, 4, 5, 6], four),
        Axis("N", candidates, two),
        Axis("N", candidates, four),
        Axis("R", [1, 10, 30, 50], four),
    ]


def growth(axis: Axis, limit: float) -> str:
    """Times and memory along one axis. What would take more than `limit` seconds, growing linearly, is not asked."""
    rows: list[list[str]] = []
    memories: list[list[str]] = []
    slow: set[str] = set()
    for value, larger in zip(axis.values, [*axis.values[1:], 0], strict=True):
        print(f"growth, {_fixed(axis)}: {axis.letter} = {value}", file=sys.stderr)
        given = problem(**(axis.fixed | {axis.letter: value}))
        found = _costs(given, slow)
        slow |= {name for name, took in found.items() if took and took.best * larger / value > limit}
        rows.append([f"{value:,}", f"{number_of_cells(given):.0f}", *[seconds(t and t.best) for t in found.values()]])
        memories.append([f"{value:,}", *[megabytes(t and t.memory) for t in found.values()]])
    names = list(found)
    title = f"#### {axis.letter} grows ({_fixed(axis)})"
    return "\n\n".join([title, table([axis.letter, "cells", *names], rows), table([axis.letter, *names], memories)])


def what_the_columns_mean() -> str:
    """For the report."""
    return (
        "First best times, then peak memory. `prepare`: all R frontiers, once; ∇: value with gradient; δ: with "
        f"resolution {RESOLUTION}; cells: of one dominated region, mean over the frontiers. Compilation is not "
        "included. A dash: not asked, because it would take too long."
    )


def _costs(given: Problem, slow: set[str]) -> dict[str, Cost | None]:
    ready = prepare(given.frontiers)  # compiles
    found: dict[str, Cost | None] = {"prepare": cost(lambda: prepare(given.frontiers))}
    for name, function, delta in COLUMNS:
        found[name] = None if name in slow else _cost(function, given, ready, delta)
    return found


def _cost(function: Callable[..., object], given: Problem, ready: object, delta: float) -> Cost:
    # compiles, also what is needed only deep inside or far above the frontiers
    everywhere = np.outer([-100.0, 0.0, 1.0, 100.0], np.ones(given.mean.shape[1]))
    function(everywhere, np.ones_like(everywhere), ready, resolution=delta)
    return cost(lambda: function(given.mean, given.std, ready, resolution=delta))


def _fixed(axis: Axis) -> str:
    return ", ".join(f"{letter} = {number}" for letter, number in axis.fixed.items() if letter != axis.letter)
