"""Rows of a table of results, and where they lie in a study's domain."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pfes.errors import InvalidInput
from pfes.objectives import Objectives
from pfes.points import Domain, Point, all_given, all_read, given, read
from pfes.space import Pool
from pfes.space.names import shown
from pfes.study.telling import checked_noise
from pfes.trials import TrialState

__all__ = ["Placed", "Row", "placed"]


@dataclass(frozen=True)
class Row:
    """One row of a table of results.

    place    names it in errors
    number   a trial's; None: it is found by its point
    values   by objective, `noise` their known deviations
    state    what became of it, empty where nothing is said; message: why
    missing  what was asked for and not told; None: the table does not say
    spent    what it cost; 0 where the table does not say
    """

    place: str
    number: int | None = None
    point: dict[str, Any] | None = None
    values: dict[str, float] = field(default_factory=dict)
    state: str = ""
    message: str = ""
    noise: dict[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    spent: float = 0.0

    def tried(self, objectives: Objectives) -> list[str]:
        """What was to be measured: what has values and what is missing; all of it where the table does not say."""
        measured = self.values and self.state in ("", TrialState.DONE)
        said = self.missing if self.missing is not None else () if measured else objectives.names
        return [name for name in objectives.names if name in self.values or name in said] or list(objectives.names)


@dataclass(frozen=True)
class Placed:
    """A row and where it lies: `data` is the point as a file keeps it."""

    row: Row
    data: dict[str, Any] | None = None
    point: Point | None = None


def placed(rows: Sequence[Row], domain: Domain, objectives: Objectives) -> list[Placed]:
    """Check the rows and find their points; errors name the row."""
    checked = [_checked(row, domain, objectives) for row in rows]
    points = [row.point for row in checked if row.point is not None]
    try:
        data = all_given(domain, points)
        found = iter(list(zip(data, all_read(domain, data), strict=True)))
    except InvalidInput:  # of one row, which is found by looking at each
        found = iter([_located(row, row.point, domain) for row in checked if row.point is not None])
    return [Placed(row) if row.point is None else Placed(row, *next(found)) for row in checked]


def _checked(row: Row, domain: Domain, objectives: Objectives) -> Row:
    try:
        values = objectives.checked(row.values)
        noise = checked_noise(row.noise, values)
        _check_state(row.state)
        if row.point is None and row.number is None and row.values:
            wanted = "a row of the pool" if isinstance(domain, Pool) else f"values of {list(domain.names)}"
            raise InvalidInput(f"got neither an id nor a point, wanted the number of a trial or {wanted}")
    except InvalidInput as error:
        raise InvalidInput(f"{row.place}: {error}") from None
    return replace(row, values=values, noise=noise)


def _located(row: Row, point: dict[str, Any], domain: Domain) -> tuple[dict[str, Any], Point]:
    try:
        data = given(domain, point)
        return data, read(domain, data)
    except InvalidInput as error:
        raise InvalidInput(f"{row.place}: {error}") from None


def _check_state(state: str) -> None:
    known = [str(state) for state in TrialState]
    if state and state not in known:
        raise InvalidInput(f"state: got {state!r}, wanted an empty cell or one of {shown(known)}")
