"""How long suggestions took. Medians: the first one of a process may have compiled kernels."""

import statistics
from dataclasses import dataclass

from pfes.bench.summary.arenas import Row

__all__ = ["Seconds", "seconds_of"]


@dataclass(frozen=True)
class Seconds:
    """Of one suggestion: median and longest on the clock, median on the processor; and of a whole run, mean."""

    median: float
    longest: float
    processor: float
    run: float
    suggestions: int


def seconds_of(row: Row) -> Seconds | None:
    """Over all runs of a row; None if no suggestion was made."""
    wall = [value for line in row.runs.values() for value in line["wall"]]
    processor = [value for line in row.runs.values() for value in line["processor"]]
    if not wall:
        return None
    runs = [line["seconds"] for line in row.runs.values()]
    return Seconds(statistics.median(wall), max(wall), statistics.median(processor), statistics.fmean(runs), len(wall))
