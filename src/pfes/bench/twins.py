"""Runs that need not be made, because a finished one tells what they would: of the same settings, or all but costs.

A search that measures everything together, with a budget in evaluations, chooses the same points whatever single
objectives cost: only what it has spent, in units of cost, is another number. Of a user's own method nothing is known,
so it runs. A search that may end early, because it holds enough, is the beginning of one that may not. Looking at what
a model recommends changes nothing, so a run that was looked at more often tells of one that is looked at less.
"""

import math
from collections.abc import Iterable
from typing import Any

from pfes.bench.jobs import Job, digest
from pfes.bench.work import heading

__all__ = ["Twins"]

Line = dict[str, Any]
DIGITS = 9  # of what was spent
CHOICES = ("at", "which", "values", "gain", "purpose", "wall", "processor")  # columns with an entry for each choice
STATES = ("spent", "held")  # one more: what was before the first


class Twins:
    """Finished searches, by all that their choices depend on."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines: dict[str, Line] = {}
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        """Note a run; one that failed or was cut off tells nothing."""
        if "held" not in line or line.get("ended") == "time limit":
            return
        key = _choices(line["settings"])
        if key not in self._lines or _telling(line) >= _telling(self._lines[key]):
            self._lines[key] = line

    def of(self, job: Job) -> Line | None:
        """The line of a job as a finished run tells it; None if none does."""
        line = self._lines.get(_choices(job.settings)) if job.settings["kind"] == "search" else None
        if line is None or not _looked_at(line, _marks(job.settings)):
            return None
        if (line := _ended(line, _until(job.settings))) is None:
            return None
        costs = dict(zip(line["objectives"], _costs(job.settings, line), strict=True))
        price = sum(costs.values())
        spent = [round(value / line["price"] * price, DIGITS) for value in line["spent"]]
        mine = heading(job)
        taken = {"taken_from": line.get("taken_from", line["id"])}
        if _until(job.settings) == math.inf:
            wanted = set(map(str, _marks(job.settings)))
            taken |= {"recommended": {mark: share for mark, share in line["recommended"].items() if mark in wanted}}
        rest = {key: value for key, value in line.items() if key not in mine}
        return mine | rest | {"spent": spent, "price": price, "objectives": costs} | taken


def _ended(line: Line, until: float) -> Line | None:
    """The same run, ended when it held so much; None if it does not tell."""
    if until == _until(line["settings"]):
        return line
    many = next((n for n, share in enumerate(line["held"][1:], 1) if share >= until), None)
    if until > _until(line["settings"]) or (many is not None and line["recommended"]):
        return None  # it ended before, or what its model recommended then was not written down
    if many is None:
        return line
    kept = {key: line[key][:many] for key in CHOICES} | {key: line[key][: many + 1] for key in STATES}
    return line | kept | {"ended": "enough"}


def _telling(line: Line) -> tuple[float, int]:
    """How much a run tells: how long it may go on, how often it was looked at."""
    return _until(line["settings"]), len(_marks(line["settings"]))


def _looked_at(line: Line, marks: list[int]) -> bool:
    """Whether a run was looked at after all these evaluations, or has a method that recommends nothing."""
    before = _marks(line["settings"])
    return set(marks) <= set(before) or (bool(before) and not line["recommended"])


def _marks(settings: dict[str, Any]) -> list[int]:
    return list(settings.get("marks", []))


def _until(settings: dict[str, Any]) -> float:
    """The share of the optimum that ends a search."""
    return float(settings.get("until", math.inf))


def _costs(settings: dict[str, Any], line: Line) -> list[float]:
    """Of the objectives, as the job has them."""
    return [float(cost) for cost in settings["problem"].get("costs") or line["objectives"].values()]


def _choices(settings: dict[str, Any]) -> str:
    """A digest of all that the choices of a search depend on."""
    if settings["kind"] != "search":
        return digest(settings)
    method, problem = settings["method"], settings["problem"]
    free = not method.get("decoupled") and ":" not in method["name"] and "evaluations" in settings["budget"]
    if free and "costs" in problem:
        problem = {key: value for key, value in problem.items() if key != "costs"} | {"priced": True}
    rest = {key: value for key, value in settings.items() if key not in ("until", "marks")}
    return digest(rest | {"problem": problem})
