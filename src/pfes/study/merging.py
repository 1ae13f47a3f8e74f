"""A table of results and a study, made one: what is new in the table is told or added, all of it or nothing.

A row with a trial's number tells that trial; where the study has no trials at all, and the table is one that `export`
wrote, it becomes the trial of that number. A row without one is found by its point: values that the study has there
already are not taken twice, so that the same table can be taken in again and again while it grows; new ones go to the
pending trial at that point, if there is one, and are data of their own otherwise. A value that differs from the one the
study has may be a correction or a second measurement: only the user knows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pfes.errors import Conflict, InvalidInput, UnknownTrial
from pfes.ledger import Event, Ledger
from pfes.objectives import Objectives
from pfes.points import Domain
from pfes.storage import Desk
from pfes.study import telling
from pfes.study.journal import Draft
from pfes.study.restoring import is_copy, restored
from pfes.study.rows import Placed, Row, placed
from pfes.study.telling import News, Told
from pfes.trials import Trial, TrialState

__all__ = ["Merged", "Row", "merge"]

APART = 0.02  # of a parameter's range: spreadsheets save what they show, a few digits
SAYABLE = (TrialState.FAILED, TrialState.INFEASIBLE, TrialState.ABANDONED)  # what a table can say of a trial
LEARNED = (TrialState.FAILED, TrialState.INFEASIBLE)  # and what is worth knowing where nobody asked
UNSAID = "so says the table"


@dataclass(frozen=True)
class Merged:
    """What a table changed: trials told and trials added, by number, and how many rows held nothing new.

    released  those of the trials added that somebody was to measure for another study
    rejected  the places of rows whose data were rejected elsewhere: they are left out
    """

    told: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    unchanged: int = 0
    released: tuple[int, ...] = ()
    rejected: tuple[str, ...] = ()


def merge(rows: Iterable[Row], domain: Domain, objectives: Objectives, *, correct: bool, replicates: bool) -> "Merger":
    """Read the rows; the result decides, under a study's lock, what is new in them."""
    return Merger(placed(list(rows), domain, objectives), objectives, correct, replicates)


@dataclass
class _News:
    """What rows at one point say of a trial that is there; place: of the last of them."""

    place: str = ""
    values: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    verdict: dict[str, str] = field(default_factory=dict)

    def hear(self, row: Row, values: dict[str, float]) -> None:
        self.place = row.place
        self.values |= values
        self.noise |= _noise_of(row, values)
        self.verdict = _verdict(row, SAYABLE) or self.verdict

    def told(self) -> Told:
        return Told(self.values, noise=self.noise, correct=True, **self.verdict)


@dataclass(frozen=True)
class Merger:
    """Rows that are to be made part of a study."""

    rows: Sequence[Placed]
    objectives: Objectives
    correct: bool
    replicates: bool

    def decide(self, ledger: Ledger, desk: Desk) -> list[Draft]:
        """The events that the rows amount to; none if they hold nothing new."""
        numbered = [it for it in self.rows if it.row.number is not None]
        _check_once(numbered)
        copied = is_copy(numbered, ledger)
        if copied:
            drafts = restored(numbered, ledger, self.objectives)
        else:
            drafts = self._tell([self._numbered(it, ledger) for it in numbered], desk)
        known = {it.row.number for it in numbered}
        at: dict[tuple[int | float, ...], list[Trial]] = {}
        for trial in ledger.trials.values():
            if trial.id not in known:
                at.setdefault(trial.point.key, []).append(trial)
        next_id = max([ledger.next_id, *(number + 1 for number in known if copied and number is not None)])
        for key, here in self._by_point().items():
            told, added = self._at_one_point(here, at.get(key, []))
            drafts += self._tell(told, desk)
            drafts += [(kind, n, payload) for n, news in enumerate(added, next_id) for kind, payload in news]
            next_id += len(added)
        return drafts

    def _by_point(self) -> dict[tuple[int | float, ...], list[Placed]]:
        """Rows without a number that say anything, by their points."""
        found: dict[tuple[int | float, ...], list[Placed]] = {}
        for it in self.rows:
            says = it.row.values or _verdict(it.row, LEARNED)
            if it.row.number is None and it.point is not None and says and it.row.state != TrialState.REJECTED:
                found.setdefault(it.point.key, []).append(it)
        return found

    def outcome(self, written: Sequence[Event]) -> Merged:
        """What was changed by the events that were written."""
        made = {event.trial for event in written if event.kind in ("added", "asked")}
        told = {event.trial for event in written} - made
        given_up = {event.trial for event in written if event.kind == "released"}
        open_ = {it.row.number for it in self.rows if it.row.state != TrialState.RELEASED} & made & given_up
        aside = [it.row.place for it in self.rows if it.row.number is None and it.row.state == TrialState.REJECTED]
        same = max(len(self.rows) - len(told) - len(made) - len(aside), 0)
        return Merged(_sorted(told), _sorted(made), same, _sorted(open_), tuple(aside))

    # Rows that name their trial

    def _numbered(self, it: Placed, ledger: Ledger) -> tuple[Trial, list[News]]:
        row = it.row
        if row.number is None or row.number not in ledger.trials:
            raise UnknownTrial(
                f"{row.place}: there is no trial {row.number}; wanted an id that ask gave, or an empty one for data "
                "from before"
            )
        trial = ledger.trials[row.number]
        _check_same_point(it, trial)
        return trial, self._news(row, trial)

    def _news(self, row: Row, trial: Trial) -> list[News]:
        verdict = _verdict(row, SAYABLE) if row.state != trial.state else {}
        if not row.values and not verdict:
            return []
        return self._checked(trial, Told(row.values, noise=row.noise, correct=self.correct, **verdict), row.place)

    def _checked(self, trial: Trial, told: Told, place: str) -> list[News]:
        try:
            return telling.news(trial, told, self.objectives)
        except Conflict as error:
            raise Conflict(f"{place}: {error}") from None

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
    ) -> tuple[list[tuple[Trial, list[News]]], list[list[News]]]:
        """What rows at one point tell to which trials, and the events of what they add."""
        new: list[dict[str, float]] = [{} for _ in rows]
        told: dict[int, _News] = {}
        for name in self.objectives.names:
            self._compare(name, rows, trials, new, told)
        alike = [trial for trial in trials if trial.state in LEARNED]
        added = []
        for it, values in zip(rows, new, strict=True):
            verdict = _verdict(it.row, LEARNED)
            if not values and it.row.values:
                continue  # all of it is known
            waiting = self._waiting(trials, values, told)
            same = next((trial for trial in alike if trial.state in verdict), None)
            if not values and same is not None:
                alike.remove(same)
            elif waiting is not None:
                told.setdefault(waiting.id, _News()).hear(it.row, values)
            elif values or verdict:
                added.append(self._added(it, values))
        by_id = {trial.id: trial for trial in trials}
        heard = [(by_id[number], news) for number, news in told.items()]
        return [(trial, self._checked(trial, news.told(), news.place)) for trial, news in heard], added

    def _added(self, it: Placed, values: dict[str, float]) -> list[News]:
        payload: dict[str, Any] = {"point": it.data, "values": values, "noise": _noise_of(it.row, values)}
        verdict = _verdict(it.row, LEARNED)
        if verdict:
            payload["objectives"] = it.row.tried(self.objectives)
        return [("added", payload), *((state, {"message": message}) for state, message in verdict.items())]

    def _compare(
        self,
        name: str,
        rows: Sequence[Placed],
        trials: Sequence[Trial],
        new: list[dict[str, float]],
        told: dict[int, _News],
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
            told.setdefault(others[0].id, _News()).hear(rows[number].row, {name: value})
            return
        for number, value in fresh:
            new[number][name] = value

    @staticmethod
    def _waiting(trials: Sequence[Trial], values: dict[str, float], told: dict[int, _News]) -> Trial | None:
        """A pending trial that waits for any of these values (for anything, if there are none), and was told none."""
        for trial in trials:
            news = told.get(trial.id, _News())
            taken = trial.values.keys() | news.values.keys()
            waits = trial.state is TrialState.PENDING and (not values or any(name in trial.missing for name in values))
            if waits and not taken & values.keys() and not news.verdict:
                return trial
        return None


def _verdict(row: Row, which: Sequence[TrialState]) -> dict[str, str]:
    """What a row says became of a trial, if it is one of these, and why."""
    return {row.state: row.message or UNSAID} if row.state in which else {}


def _noise_of(row: Row, values: dict[str, float]) -> dict[str, float]:
    return {name: deviation for name, deviation in row.noise.items() if name in values}


def _sorted(numbers: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(sorted(number for number in numbers if number is not None))


def _check_once(numbered: Sequence[Placed]) -> None:
    seen: dict[int | None, str] = {}
    for it in numbered:
        number, place = it.row.number, it.row.place
        if number in seen:
            raise InvalidInput(f"{place}: trial {number} is in {seen[number]}, too; wanted it once")
        seen[number] = place


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
