"""Searches of docs/default.md, as `pfes bench` kept them: by problem, seed, budget, costs, and how they were made."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pfes.bench import read_results

__all__ = ["Run", "Runs", "read_runs"]


@dataclass(frozen=True)
class Run:
    """One search; costs in prices of one full point, the first ones included."""

    line: dict[str, Any]

    @property
    def name(self) -> str:
        """Of the problem."""
        problem = self.line["settings"]["problem"]
        return str(problem.get("name") or problem["file"].removesuffix(".csv"))

    @property
    def seed(self) -> int:
        """Which of the searches."""
        return int(self.line["seed"])

    @property
    def budget(self) -> float:
        """Evaluations of everything that were paid for."""
        return float(self.line["settings"]["budget"]["evaluations"])

    @property
    def apart(self) -> bool:
        """Whether single objectives were measured."""
        return bool(self.line["settings"]["method"].get("decoupled", False))

    @property
    def batch(self) -> int:
        """How many at a time."""
        return int(self.line["settings"]["method"].get("batch", 1))

    @property
    def costs(self) -> tuple[float, ...]:
        """Of the objectives."""
        return tuple(map(float, self.line["objectives"].values()))

    @property
    def objectives(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.line["objectives"])

    @property
    def which(self) -> list[list[int]]:
        """The objectives that each choice measured."""
        return list(self.line["which"])

    @property
    def purpose(self) -> str:
        """A letter for each choice: learn, confirm, doubt."""
        return "".join(word[:1] for word in self.line["purpose"])

    @property
    def seconds(self) -> float:
        """On the clock."""
        return float(self.line["seconds"])

    @cached_property
    def cost(self) -> list[float]:
        """Spent before the first choice and after each."""
        return [spent / self.line["price"] for spent in self.line["spent"]]

    def at(self, cost: float) -> float:
        """What was held when so much was spent."""
        pairs = zip(self.line["held"], self.cost, strict=True)
        return max(held for held, spent in pairs if spent <= cost + 1e-6)

    def cost_to(self, share: float) -> float:
        """What had been spent when so much was held; inf: it never was."""
        pairs = zip(self.line["held"], self.cost, strict=True)
        return min((spent for held, spent in pairs if held >= share), default=math.inf)

    def recommended(self, mark: int) -> float:
        """What the model would have recommended after so many evaluations; nan if it was not asked."""
        return float(self.line["recommended"].get(str(mark), math.nan))

    def closest(self) -> float:
        """The smallest distance of two members of a batch: in the unit cube, or in rows of a pool by their values."""
        places = self.line["at"]
        groups = [places[first : first + self.batch] for first in range(0, len(places), self.batch)]
        pairs = [pair for group in groups for pair in itertools.combinations(group, 2)]
        if not pairs or isinstance(places[0], int):
            return math.nan if not pairs else float(min(one != other for one, other in pairs))
        return min(float(np.linalg.norm(np.subtract(one, other))) for one, other in pairs)


class Runs:
    """Many of them."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = list(runs)

    def __iter__(self) -> Any:
        return iter(self._runs)

    def of(self, **wanted: Any) -> dict[int, Run]:
        """By seed, those whose properties are as wanted."""
        return {run.seed: run for run in self._runs if all(getattr(run, key) == value for key, value in wanted.items())}


def read_runs(*paths: Path) -> Runs:
    """The finished runs of files that exist."""
    lines = read_results([path for path in paths if path.exists()])
    return Runs(Run(line) for line in lines if "held" in line)
