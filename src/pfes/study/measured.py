"""What is held: measured points, the front among them, the hypervolume it dominates.

Trials at one point complete each other: replicates are averaged, objectives measured apart are put together.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.display import html_table
from pfes.errors import InvalidInput
from pfes.objectives import Objectives
from pfes.pareto import hypervolume, non_dominated
from pfes.trials import Trial

__all__ = ["Measured", "MeasuredPoints", "Step", "front_of", "infer_reference", "measured_points", "trace", "volume"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A point and what was measured there: the mean of each objective, of how many values, in which trials."""

    params: dict[str, Any]
    row: Any
    values: dict[str, float]
    counts: dict[str, int]
    trials: tuple[int, ...]
    outside: bool = False


class MeasuredPoints(list[Measured]):
    """A list of measured points that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        names = dict.fromkeys(name for point in self for name in (*point.params, *point.values))
        first = ["row"] if any(point.row is not None for point in self) else []
        rows = [{"row": point.row, **point.params, **point.values} for point in self]
        return html_table(rows, [*first, *names])


class Step(NamedTuple):
    """The hypervolume after a trial, when so much had been spent."""

    trial: int
    spent: float
    hypervolume: float


def measured_points(trials: Iterable[Trial], objectives: Objectives) -> list[Measured]:
    """The points where anything was measured, in the order they came; rejected data are left out."""
    groups: dict[tuple[int | float, ...], list[Trial]] = {}
    for trial in trials:
        if trial.usable and trial.values:
            groups.setdefault(trial.point.key, []).append(trial)
    return [_merged(group, objectives) for group in groups.values()]


def _merged(group: Sequence[Trial], objectives: Objectives) -> Measured:
    told = {name: [trial.values[name] for trial in group if name in trial.values] for name in objectives.names}
    told = {name: values for name, values in told.items() if values}
    first = group[0]
    return Measured(
        dict(first.params),
        first.row,
        {name: math.fsum(values) / len(values) for name, values in told.items()},
        {name: len(values) for name, values in told.items()},
        tuple(trial.id for trial in group),
        first.outside,
    )


def complete(points: Iterable[Measured], objectives: Objectives) -> list[Measured]:
    """The points where every objective was measured."""
    return [point for point in points if len(point.values) == len(objectives)]


def levels_of(points: Sequence[Measured], objectives: Objectives) -> Array:
    """Values of complete points as an array (S, L), larger being better."""
    table = [[point.values[name] for name in objectives.names] for point in points]
    return objectives.inward(np.array(table).reshape(len(points), len(objectives)))


def front_of(points: Iterable[Measured], objectives: Objectives) -> MeasuredPoints:
    """The complete points that no other dominates; points of equal values stand side by side."""
    whole = complete(points, objectives)
    if not whole:
        return MeasuredPoints()
    distinct, which = np.unique(levels_of(whole, objectives), axis=0, return_inverse=True)
    keep = non_dominated(distinct)[which.ravel()]
    return MeasuredPoints(point for point, kept in zip(whole, keep, strict=True) if kept)


def infer_reference(points: Sequence[Measured], objectives: Objectives) -> dict[str, float]:
    """A reference point: thresholds where there are any, else a tenth of the range below the worst value.

    Of complete points, where there are any: no other one dominates anything, and a worst value that a point has only
    until the rest of it is measured would make all volumes large and alike.
    """
    points = complete(points, objectives) or points
    found = {}
    for objective in objectives:
        signed = [objective.sign * point.values[objective.name] for point in points if objective.name in point.values]
        worst, tenth = min(signed), 0.1 * max(signed) - 0.1 * min(signed)  # the range itself may be too large a number
        below = max(worst - (tenth or 0.1 * abs(worst) or 0.1), -sys.float_info.max)
        found[objective.name] = objective.sign * below if objective.threshold is None else objective.threshold
    return found


def checked_reference(given: Mapping[str, Any] | Sequence[Any], objectives: Objectives) -> dict[str, float]:
    """A reference point as a user gives it, by name or in order, as {name: value}."""
    if not isinstance(given, Mapping):
        values = list(given)
        if len(values) != len(objectives):
            raise InvalidInput(f"reference: got {len(values)} values, wanted one for each of {list(objectives.names)}")
        given = dict(zip(objectives.names, values, strict=True))
    found = {}
    for name in objectives.names:
        if name not in given:
            raise InvalidInput(f"reference: got {list(given)}, wanted a value for each of {list(objectives.names)}")
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise InvalidInput(f"reference of {name!r}: got {value!r}, wanted a finite number")
        found[name] = float(value)
    if unknown := set(given) - set(found):
        raise InvalidInput(f"reference: got {sorted(map(str, unknown))}, wanted only {list(objectives.names)}")
    return found


def volume(points: Iterable[Measured], objectives: Objectives, reference: Mapping[str, float]) -> float:
    """The hypervolume that complete points dominate above the reference point."""
    corner = objectives.inward([reference[name] for name in objectives.names])
    return hypervolume(levels_of(complete(points, objectives), objectives), corner)


def trace(trials: Iterable[Trial], objectives: Objectives, reference: Mapping[str, float]) -> list[Step]:
    """The hypervolume after each of these trials, in the order given."""
    so_far: dict[tuple[int | float, ...], list[Trial]] = {}
    held = _Held(objectives, reference)
    steps, spent = [], 0.0
    for trial in trials:
        spent += trial.spent
        if trial.usable and trial.values:
            group = so_far.setdefault(trial.point.key, [])
            group.append(trial)
            held.see(trial.point.key, _merged(group, objectives))
        steps.append(Step(trial.id, spent, held.reached))
    return steps


class _Held:
    """Complete points that come one by one, and what they dominate; that most change nothing is quickly seen."""

    def __init__(self, objectives: Objectives, reference: Mapping[str, float]) -> None:
        self.objectives = objectives
        self.corner = objectives.inward([reference.get(name, 0.0) for name in objectives.names])
        self.levels: dict[tuple[int | float, ...], Array] = {}
        self.front = np.empty((0, len(objectives)))
        self.reached = 0.0

    def see(self, key: tuple[int | float, ...], point: Measured) -> None:
        """Take in a point, or what is known of it now."""
        if not complete([point], self.objectives):
            return
        new = levels_of([point], self.objectives)
        before = self.levels.get(key)
        self.levels[key] = new[0]
        if before is not None and (before == self.front).all(axis=1).any():  # it may have become worse
            points = np.array(list(self.levels.values()))
        elif (self.front >= new).all(axis=1).any():
            return
        else:
            points = np.vstack([self.front, new])
        self.front = points[non_dominated(points)]
        self.reached = hypervolume(self.front, self.corner)
