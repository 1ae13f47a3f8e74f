"""A table of results and a study, made one: what is new in the table is told or added, all of it or nothing.

A row with a trial's number tells that trial. A row without one is found by its point: values that the study has there
already are not taken twice, so that the same table can be taken in again and again while it grows; new ones go to the
pending trial at that point, if there is one, and are data of their own otherwise. A value that differs from the one the
study has may be a correction or a second measurement: only the user knows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pfes.errors import Conflict, InvalidInput, UnknownTrial
from pfes.ledger import Ledger
from pfes.objectives import Objectives
from pfes.points import Domain, Point, given, read
from pfes.space import Pool
from pfes.storage import Desk
from pfes.study import telling
from pfes.study.journal import Draft
from pfes.study.telling import News, Told
from pfes.trials import Trial, TrialState

__all__ = ["Merged", "Row", "merge"]

APART = 0.02  # of a parameter's range: spreadsheets save what they show, a few digits
SAYABLE = (TrialState.FAILED, TrialState.INFEASIBLE, TrialState.ABANDONED)  # what a table can say of a trial


@dataclass(frozen=True)
class Row:
    """One row of a table of results; place names it in errors, number is a trial's, state and message a verdict."""

    place: str
    number: int | None = None
    point: dict[str, Any] | None = None
    values: dict[str, float] = field(default_factory=dict)
    state: str = ""
    message: str = ""


@dataclass(frozen=True)
class Merged:
    """What a table changed: trials told and trials added, by number, and how many rows held nothing new."""

    told: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    unchanged: int = 0


@dataclass(frozen=True)
class Placed:
    """A row and where it lies."""

    row: Row
    data: dict[str, Any] | None = None
    point: Point | None = None


def merge(rows: Iterable[Row], domain: Domain, objectives: Objectives, *, correct: bool, replicates: bool) -> "Merger":
    """Read the rows; the result decides, under a study's lock, what is new in them."""
    return Merger([_placed(row, domain, objectives) for row in rows], domain, objectives, correct, replicates)


def _placed(row: Row, domain: Domain, objectives: Objectives) -> Placed:
    try:
        row = replace(row, values=objectives.checked(row.values))
        if row.point is None:
            if row.number is None and row.values:
                wanted = "a row of the pool" if isinstance(domain, Pool) else f"values of {list(domain.names)}"
                raise InvalidInput(f"got neither an id nor a point, wanted the number of a trial or {wanted}")
            return Placed(row)
        data = given(domain, row.point)
        return Placed(row, data, read(domain, data))
    except InvalidInput as error:
        raise InvalidInput(f"{row.place}: {error}") from None


@dataclass(frozen=True)
class Merger:
    """Rows that are to be made part of a study."""

    rows: Sequence[Placed]
    domain: Domain
    objectives: Objectives
    correct: bool
    replicates: bool

    def decide(self, ledger: Ledger, desk: Desk) -> list[Draft]:
        """The events that the rows amount to; none if they hold nothing new."""
        numbered = [it for it in self.rows if it.row.number is not None]
        drafts = self._numbered(numbered, ledger, desk)
        known = {it.row.number for it in numbered}
        by_point: dict[tuple[int | float, ...], list[Placed]] = {}
        for it in self.rows:
            if it.row.number is None and it.point is not None and it.row.values:
                by_point.setdefault(it.point.key, []).append(it)
        at: dict[tuple[int | float, ...], list[Trial]] = {}
        for trial in ledger.trials.values():
            if trial.id not in known:
                at.setdefault(trial.point.key, []).append(trial)
        next_id = ledger.next_id
        for key, here in by_point.items():
            told, added = self._at_one_point(here, at.get(key, []))
            drafts += self._tell(told, desk)
            drafts += [("added", number, payload) for number, payload in enumerate(added, next_id)]
            next_id += len(added)
        return drafts

    # Rows that name their trial

    def _numbered(self, rows: Sequence[Placed], ledger: Ledger, desk: Desk) -> list[Draft]:
        seen: dict[int, str] = {}
        found: list[tuple[Trial, list[News]]] = []
        for it in rows:
            row = it.row
            assert row.number is not None
            if row.number not in ledger.trials:
                raise UnknownTrial(
                    f"{row.place}: there is no trial {row.number}; wanted an id that ask gave, or an empty one for "
                    "data from before"
                )
            if row.number in seen:
                raise InvalidInput(f"{row.place}: trial {row.number} is in {seen[row.number]}, too; wanted it once")
            seen[row.number] = row.place
            trial = ledger.trials[row.number]
            _check_same_point(it, trial)
            found.append((trial, self._news(row, trial)))
        return self._tell(found, desk)

    def _news(self, row: Row, trial: Trial) -> list[News]:
        said = row.state if row.state in SAYABLE and row.state != trial.state else ""
        if not row.values and not said:
            return []
        verdict = {said: row.message or "so says the table"} if said else {}
        try:
            return telling.news(trial, Told(row.values, correct=self.correct, **verdict), self.objectives)
        except Conflict as error:
            raise Conflict(f"{row.place}: {error}") from None

    def _tell(self, news: Iterable[tuple[Trial, list[News]]], desk: Desk) -> list[Draft]:
        drafts: list[Draft] = []
        for trial, found in news:
            if telling.closes(trial, found):
                desk.drop(trial.id)
            drafts += [(kind, trial.id, payload) for kind, payload in found]
        return drafts

    # Rows that are found by their point

    def _at_one_point(
        self, rows: Sequence[Placed], trials: Sequence[Trial]
    ) -> tuple[list[tuple[Trial, list[News]]], list[dict[str, Any]]]:
        """What rows at one point tell to which trials, and what they add."""
        new: list[dict[str, float]] = [{} for _ in rows]
        corrected: dict[int, dict[str, float]] = {}
        for name in self.objectives.names:
            self._compare(name, rows, trials, new, corrected)
        told: dict[int, dict[str, float]] = corrected
        added = []
        for it, values in zip(rows, new, strict=True):
            waiting = self._waiting(trials, values, told)
            if waiting is not None:
                told.setdefault(waiting.id, {}).update(values)
            elif values:
                added.append({"point": it.data, "values": values, "noise": {}})
        by_id = {trial.id: trial for trial in trials}
        how = [(by_id[number], Told(values, correct=True)) for number, values in told.items()]
        return [(trial, telling.news(trial, it, self.objectives)) for trial, it in how], added

    def _compare(
        self,
        name: str,
        rows: Sequence[Placed],
        trials: Sequence[Trial],
        new: list[dict[str, float]],
        corrected: dict[int, dict[str, float]],
    ) -> None:
        """Sort the values of one objective into known, new and corrected ones."""
        there = [trial for trial in trials if name in trial.values]
        given_ = [(number, it.row.values[name]) for number, it in enumerate(rows) if name in it.row.values]
        fresh = []
        for number, value in given_:
            same = next((trial for trial in there if trial.values[name] == value), None)
            if same is None:
                fresh.append((number, value))
            else:
                there.remove(same)
        others = [trial for trial in there if trial.usable]  # what was rejected stands in nobody's way
        if fresh and others and not self.replicates:
            number, value = fresh[0]
            if not self.correct or len(fresh) > 1 or len(others) > 1:
                raise Conflict(_differs(rows[number], name, value, others, self.correct))
            corrected.setdefault(others[0].id, {})[name] = value
            return
        for number, value in fresh:
            new[number][name] = value

    @staticmethod
    def _waiting(trials: Sequence[Trial], values: dict[str, float], told: dict[int, dict[str, float]]) -> Trial | None:
        """A pending trial that waits for any of these values and was told none of them."""
        for trial in trials:
            taken = trial.values.keys() | told.get(trial.id, {}).keys()
            waits = trial.state is TrialState.PENDING and any(name in trial.missing for name in values)
            if waits and not taken & values.keys():
                return trial
        return None


def _check_same_point(it: Placed, trial: Trial) -> None:
    """A table whose columns were sorted apart must not tell values to the wrong trials."""
    if it.point is None or it.point.key == trial.point.key:
        return
    rows_differ = trial.row is not None and it.row.point is not None and "row" in it.row.point
    apart = np.abs(np.array(it.point.x) - np.array(trial.point.x)).max(initial=0.0)
    if rows_differ or apart > APART:
        wanted = f"row {trial.row!r}" if trial.row is not None else str(trial.params)
        raise Conflict(
            f"{it.row.place}: trial {trial.id} is at {wanted}, got {it.row.point}; were columns sorted apart? Leave "
            "the id empty if this was measured elsewhere"
        )


def _differs(it: Placed, name: str, value: float, others: Sequence[Trial], correct: bool) -> str:
    trial = others[0]
    start = f"{it.row.place}, {name!r}: got {value!r}, but trial {trial.id} has {trial.values[name]!r} at this point"
    if correct:
        return f"{start}; there are several values, so give the id of the trial that is to be corrected"
    return f"{start}; say whether it is a correction (correct=True) or a second measurement (replicates=True)"
