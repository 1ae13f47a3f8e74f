"""Runs put together: an arena is a problem with a budget, in which methods compete; a row is a method there.

Rows are told apart by their settings, not by their labels: runs of an experiment that was changed since do not mix
with its new ones, and two rows that are called the same get numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pfes.bench.experiment import Budget
from pfes.bench.jobs import digest

__all__ = ["Arena", "Row", "arenas_of", "shared_seeds"]

Line = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A method in an arena: its finished runs by seed, and the errors of those that failed."""

    method: str
    runs: dict[int, Line]
    errors: dict[int, str]
    settings: dict[str, Any]

    @property
    def decoupled(self) -> bool:
        """Whether it may name single objectives."""
        return bool(self.settings["method"].get("decoupled"))


@dataclass(frozen=True)
class Arena:
    """Methods that compete on the same problem, from the same points, with the same budget."""

    name: str
    settings: dict[str, Any]  # of all its runs
    rows: tuple[Row, ...]

    @property
    def price(self) -> float:
        """Of one point with all its objectives."""
        return next((float(line["price"]) for row in self.rows for line in row.runs.values()), 1.0)

    @property
    def in_evaluations(self) -> bool:
        """Whether its budget is one of evaluations, and costs are told in prices of one."""
        return "evaluations" in self.settings["budget"]

    @property
    def unit(self) -> float:
        """What costs are divided by to be told."""
        return self.price if self.in_evaluations else 1.0

    @property
    def budget(self) -> float:
        """As it is told."""
        return Budget.model_validate(self.settings["budget"]).amount(self.price) / self.unit

    @property
    def marks(self) -> list[float]:
        """Budgets at which methods are compared: those of the experiment, and the whole."""
        factor = self.price / self.unit
        inner = [mark * factor for mark in self.settings.get("marks", []) if mark * factor < self.budget]
        return [*inner, self.budget]


def arenas_of(lines: Sequence[Line], kind: str = "search") -> list[Arena]:
    """Runs of one kind, by problem and method, in the order of their experiments."""
    rows: dict[str, dict[str, list[Line]]] = {}
    experiments = list(dict.fromkeys(line["experiment"] for line in lines))
    for line in sorted(lines, key=lambda line: (experiments.index(line["experiment"]), line["order"])):
        if line["settings"]["kind"] == kind:
            place, method = digest(_arena(line)), digest(line["settings"]["method"])
            rows.setdefault(place, {}).setdefault(method, []).append(line)
    named = _numbered([next(iter(inside.values()))[0]["problem"] for inside in rows.values()])
    found = []
    for name, inside in zip(named, rows.values(), strict=True):
        methods = _numbered([group[-1]["method"] for group in inside.values()])
        settings = _arena(next(iter(inside.values()))[0])
        made = tuple(_row(method, group) for method, group in zip(methods, inside.values(), strict=True))
        found.append(Arena(name, settings, made))
    return found


def _arena(line: Line) -> dict[str, Any]:
    return {key: value for key, value in line["settings"].items() if key not in ("method", "seed")}


def _row(method: str, group: list[Line]) -> Row:
    runs = {line["seed"]: line for line in group if "error" not in line}
    errors = {line["seed"]: line["error"] for line in group if "error" in line and line["seed"] not in runs}
    settings = {key: value for key, value in group[-1]["settings"].items() if key != "seed"}
    return Row(method, dict(sorted(runs.items())), errors, settings)


def _numbered(names: Sequence[str]) -> list[str]:
    """Names that differ: the second of two that are alike gets a number."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def shared_seeds(rows: Sequence[Row]) -> list[int]:
    """The seeds that all of these rows, those without any run left out, have finished."""
    sets = [set(row.runs) for row in rows if row.runs]
    return sorted(set.intersection(*sets)) if sets else []
