"""Runs that need not be made, because a finished one tells what they would: of the same settings, or all but costs.

A search that measures everything together, with a budget in evaluations, chooses the same points whatever single
objectives cost: only what it has spent, in units of cost, is another number. Of a user's own method nothing is known,
so it runs.
"""

from collections.abc import Iterable
from typing import Any

from pfes.bench.jobs import Job, digest
from pfes.bench.work import heading

__all__ = ["Twins"]

Line = dict[str, Any]
DIGITS = 9  # of what was spent


class Twins:
    """Finished searches, by all that their choices depend on."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines: dict[str, Line] = {}
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        """Note a run; one that failed or was cut off tells nothing."""
        if "held" in line and line.get("ended") != "time limit":
            self._lines[_choices(line["settings"])] = line

    def of(self, job: Job) -> Line | None:
        """The line of a job as a finished run tells it; None if none does."""
        if job.settings["kind"] != "search" or (line := self._lines.get(_choices(job.settings))) is None:
            return None
        costs = dict(zip(line["objectives"], _costs(job.settings, line), strict=True))
        price = sum(costs.values())
        spent = [round(value / line["price"] * price, DIGITS) for value in line["spent"]]
        mine = heading(job)
        taken = {"taken_from": line.get("taken_from", line["id"])}
        rest = {key: value for key, value in line.items() if key not in mine}
        return mine | rest | {"spent": spent, "price": price, "objectives": costs} | taken


def _costs(settings: dict[str, Any], line: Line) -> list[float]:
    """Of the objectives, as the job has them."""
    return [float(cost) for cost in settings["problem"].get("costs") or line["objectives"].values()]


def _choices(settings: dict[str, Any]) -> str:
    """A digest of all that the choices of a search depend on."""
    method, problem = settings["method"], settings["problem"]
    free = not method.get("decoupled") and ":" not in method["name"] and "evaluations" in settings["budget"]
    if free and "costs" in problem:
        problem = {key: value for key, value in problem.items() if key != "costs"} | {"priced": True}
    return digest(settings | {"problem": problem})
