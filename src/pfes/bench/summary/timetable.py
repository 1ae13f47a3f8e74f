"""The paper's tables of times: an acquisition at 100 points, after so many training points, and its parts."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from pfes.plots.words import number
from pfes.report.document import Section, Table

__all__ = ["timetables"]

Line = dict[str, Any]


def timetables(lines: Sequence[Line]) -> Iterator[Section]:
    """A table for each problem that times were measured on."""
    timed = [line for line in lines if line["settings"]["kind"] == "times" and "error" not in line]
    for problem in dict.fromkeys(line["problem"] for line in timed):
        mine = [line for line in timed if line["problem"] == problem]
        yield Section(f"{problem}: times", (_table(mine),))


def _table(lines: Sequence[Line]) -> Table:
    sizes = sorted({line["settings"]["train"] for line in lines})
    rows = []
    for method in dict.fromkeys(line["method"] for line in lines):
        mine = [line for line in lines if line["method"] == method]
        for part in dict.fromkeys(part for line in mine for part in line["parts"]):
            cells = [_cell([line for line in mine if line["settings"]["train"] == size], part) for size in sizes]
            rows.append([method, part, *cells])
    candidates = lines[0]["settings"]["candidates"]
    seeds = len({line["seed"] for line in lines})
    caption = f"Processor seconds at {candidates} candidates, kernels on one thread: mean ± deviation of {seeds} runs."
    return Table.of(["method", "", *(f"{size} points" for size in sizes)], rows, caption)


def _cell(lines: Sequence[Line], part: str) -> str:
    values = [line["parts"][part] for line in lines if part in line["parts"]]
    if not values:
        return ""
    if any(isinstance(value, str) for value in values):
        return next(value for value in values if isinstance(value, str))
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{number(statistics.fmean(values), 3)} ± {number(spread, 2)}"
