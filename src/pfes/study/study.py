"""A study: what is to be optimised, what happened so far, and what to do next. The one thing in pfes that remembers."""

import logging
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, overload

import numpy as np

from pfes.errors import Exhausted, InvalidInput
from pfes.ledger import Event, Ledger
from pfes.objectives import Objectives
from pfes.points import given, read
from pfes.request import Request
from pfes.space import Pool
from pfes.storage import Desk, Storage
from pfes.study import telling
from pfes.study.adding import additions
from pfes.study.amounts import amount
from pfes.study.crew import crew_for, run_on
from pfes.study.description import Description, Function, functions_of, restore
from pfes.study.findings import Findings
from pfes.study.foreseeing import Change, Glass, changes
from pfes.study.handing import PEOPLE, WORKERS, Handing, expire, hand_out
from pfes.study.heartbeat import Heartbeat
from pfes.study.journal import Draft, Journal
from pfes.study.loop import Evaluate, Limits, Outcome, run
from pfes.study.measured import complete, measured_points
from pfes.study.merging import Merged, Row, merge
from pfes.study.progress import reporting
from pfes.study.snapshot import Answer, Snapshot
from pfes.study.stopping import Rule
from pfes.study.telling import Told
from pfes.trials import Trial, Trials, TrialState

__all__ = ["Study", "kept_study"]

logger = logging.getLogger("pfes")

Callback = Callable[["Study", Trial], object]


def kept_study(storage: Storage, name: str | None, functions: Sequence[Function] = ()) -> "Study":
    """A study as it is kept; functions: the constraints of its space that are functions."""
    entry = storage.find(name)
    it = restore(entry.description, functions)
    return Study(it, Journal(storage, entry, Ledger(it.domain, it.objectives)))


class Study(Findings):
    """Ask for what to measure, tell what came of it; made by `create_study` and `open_study`.

    All methods may be called from several threads, processes and, in a database server, hosts; two that ask at the
    same time get different points. In a file or a database, what was written is durable when a method returns.
    """

    def __init__(self, about: Description, journal: Journal) -> None:
        super().__init__(about, journal)
        self._asking = threading.Lock()  # suggestions are made one after the other; telling need not wait for them

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the way to a study, not itself, to another process."""
        if not self.storage:
            raise InvalidInput("a study in memory cannot be sent to another process; try create_study with a file")
        return kept_study, (self._journal.storage, self.name, functions_of(self.space))

    # Asking

    @overload
    def ask(
        self,
        n: None = None,
        *,
        decoupled: bool = False,
        timeout: float | None = None,
        fixed: Mapping[str, Any] | None = None,
        replicates: bool = False,
        confirm: bool = False,
        lease: float | None = None,
    ) -> Trial: ...
    @overload
    def ask(
        self,
        n: int,
        *,
        decoupled: bool = False,
        timeout: float | None = None,
        fixed: Mapping[str, Any] | None = None,
        replicates: bool = False,
        confirm: bool = False,
        lease: float | None = None,
    ) -> Trials: ...
    def ask(
        self,
        n: int | None = None,
        *,
        decoupled: bool = False,
        timeout: float | None = None,
        fixed: Mapping[str, Any] | None = None,
        replicates: bool = False,
        confirm: bool = False,
        lease: float | None = None,
    ) -> Trial | Trials:
        """What to measure next: one trial, or a list of n.

        decoupled   trials may name single objectives, where that tells more per cost
        timeout     seconds after which the best found so far is taken
        fixed       parameters held at given values for this request (pools: only such rows)
        replicates  points already measured may be suggested again
        confirm     measure, or complete, what adds most to what is held, without a thought for learning
        lease       seconds for which the trials are reserved, 30 days if nothing is said; then they are released, and
                    may be suggested again (what is told later is welcome). `extend` gives more time

        Raises Exhausted if nothing is left. A list may be shorter than n, even empty: `ended` says why.
        """
        if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0):
            raise InvalidInput(f"ask: got {n!r}, wanted a number of trials, or nothing for one")
        limit = None if timeout is None else amount("timeout", timeout)
        seconds = PEOPLE if lease is None else amount("lease", lease)
        request = Request(decoupled, fixed, replicates, limit, confirm=confirm)
        given_out = self._ask(1 if n is None else int(n), request, seconds)
        if n is not None:
            return given_out
        if not given_out:
            raise Exhausted(self.ended or "others were given what was left")
        return given_out[0]

    def _ask(self, count: int, request: Request, lease: float = PEOPLE) -> Trials:
        from pfes.study import models  # noqa: PLC0415 - see there

        def make(snapshot: Snapshot, wanted: int, left: float) -> Answer:
            return models.answer(self._task, snapshot, replace(request, limit=min(left, request.limit)), wanted)

        budget = math.inf if self._budget is None else self._budget
        with self._asking:
            numbers = hand_out(self._journal, Handing(count, lease, budget), make)
        with self._journal.now() as ledger:
            for number in numbers:
                logger.info("trial %d asked: %s", number, ledger.trials[number].reason)
            return Trials(ledger.trials[number].copy() for number in numbers)

    def suggestions(self, n: int = 1, *, decoupled: bool = False, confirm: bool = False) -> Trials:
        """What `ask` would hand out now, without handing it out: nothing is written, and asking may give the same.

        The trials have the numbers that they would be given; there are fewer than n, even none, if nothing is left.
        """
        from pfes.study import models  # noqa: PLC0415 - see there

        budget = math.inf if self._budget is None else self._budget
        with self._journal.now() as ledger:
            snapshot, left, first = Snapshot.of(ledger), Handing(n, PEOPLE, budget).left(ledger), ledger.next_id
        found = models.answer(self._task, snapshot, Request(decoupled, limit=left, confirm=confirm), n)
        scratch = Ledger(self.space, self.objectives)
        for number, payload in enumerate(found.payloads, first):
            scratch.append(Event("asked", number, {**payload, "queued": None}))
        return Trials(scratch.trials.values())

    def enqueue(self, params: Mapping[str, Any], objectives: Iterable[str] | None = None) -> None:
        """Have a point measured before any other: the next asks hand it out; of a pool give {"row": id}."""
        data = given(self.space, params)
        if read(self.space, data).outside:
            place = "pool" if isinstance(self.space, Pool) else "space"
            raise InvalidInput(
                f"enqueue: got {dict(params)}, wanted a point of the {place}; measurements made elsewhere go in by add"
            )
        names = self.objectives.names if objectives is None else tuple(objectives)
        which = sorted({self.objectives.index(name) for name in names})
        if not which:
            raise InvalidInput(f"enqueue: got no objectives, wanted some of {list(self.objectives.names)}")
        draft = ("enqueued", None, {"point": data, "objectives": list(self.objectives.named(which))})
        self._journal.write(lambda ledger, desk: [draft])

    # Telling

    def tell(
        self,
        number: int | Trial,
        values: Mapping[str, float] | float | None = None,
        *,
        failed: str | None = None,
        infeasible: str | None = None,
        abandoned: str | None = None,
        correct: bool = False,
        noise: Mapping[str, float] | float | None = None,
    ) -> Trial:
        """Say what came of a trial: values of any of its objectives, in any order, or why there are none.

        failed      the measurement did not work; it is charged in full, and not asked for again
        infeasible  the point can never be measured; where such points lie is learned
        abandoned   given up; only what was measured is charged, and the point may be suggested again
        correct     these values replace earlier ones
        noise       known standard deviation of the values, one for all or by name

        Telling the same again changes nothing; telling something else raises Conflict, unless it is a correction.
        """
        told = Told(values, failed, infeasible, abandoned, noise, correct)
        return self._news(number, lambda trial: telling.news(trial, told, self.objectives))

    def _news(self, number: int | Trial, found: Callable[[Trial], list[telling.News]]) -> Trial:
        def decide(ledger: Ledger, desk: Desk) -> list[Draft]:
            trial = self._find(ledger, number)
            news = found(trial)
            if telling.closes(trial, news):
                desk.drop(trial.id)
            return [(kind, trial.id, payload) for kind, payload in news]

        for event in self._journal.write(decide):
            level = logging.WARNING if event.kind == "failed" else logging.INFO
            what = event.payload.get("message") or event.payload.get("values")
            logger.log(level, "trial %d %s: %s", event.trial, event.kind, what)
        return self.trial(number)

    def add(self, rows: Any, *, noise: Any = None) -> Trials:
        """Give data from before: a list of dicts of parameters and objectives, or a data frame. They cost nothing.

        Rows of a pool are named by {"row": id, ...}. Objectives may be missing (None, an empty cell); points outside
        the space are used and flagged, never suggested. noise: known standard deviations of the values, one for all,
        by name, or a list with one entry per row.
        """
        payloads = additions(rows, noise, self.space, self.objectives)

        def decide(ledger: Ledger, _: Desk) -> list[Draft]:
            return [("added", number, payload) for number, payload in enumerate(payloads, ledger.next_id)]

        added = self._journal.write(decide)
        with self._journal.now() as ledger:
            return Trials(self._find(ledger, cast(int, event.trial)).copy() for event in added)

    def merge(self, rows: Iterable[Row], *, correct: bool = False, replicates: bool = False) -> Merged:
        """Take in a table of results: what is new in it is told or added, all of it or, after an error, nothing.

        A row tells the trial whose number it has; without a number, the pending trial at its point, or it is data of
        its own. What is known already is not taken twice. Where a value differs from the one known: correct: it
        replaces it; replicates: it is a second measurement; neither: Conflict. The rows of an exported table become
        the trials of a study that has none.
        """
        merger = merge(rows, self.space, self.objectives, correct=correct, replicates=replicates)
        return merger.outcome(self._journal.write(merger.decide))

    def preview(self, rows: Iterable[Row], *, correct: bool = False, replicates: bool = False) -> tuple[Change, ...]:
        """What `merge` would change now; raises what it would raise, and changes nothing."""
        merger = merge(rows, self.space, self.objectives, correct=correct, replicates=replicates)
        with self._journal.now() as ledger:
            return changes(ledger, merger.decide(ledger, Glass()))

    def reject(self, number: int | Trial, reason: str) -> Trial:
        """Refuse a suggestion, whose point then does not come back, or have the data of a trial no longer used."""
        return self._news(number, lambda trial: telling.reject(trial, reason))

    def release(self, number: int | Trial, reason: str = "") -> Trial:
        """Give a pending trial back: what was not measured is not charged, and the point may be suggested again."""
        return self._news(number, lambda trial: telling.release(trial, reason))

    def expire(self) -> list[int]:
        """Release the pending trials whose leases have run out, as the next ask would; their numbers."""
        return expire(self._journal)

    def extend(self, number: int | Trial, seconds: float | None = None) -> Trial:
        """Reserve a pending trial for so many seconds from now, or for as long as the last time."""
        length = None if seconds is None else amount("seconds", seconds)
        trial = self.trial(number)
        if trial.state is not TrialState.PENDING or not self._journal.extend(trial.id, length):
            raise InvalidInput(
                f"extend: trial {trial.id} is {self.trial(number).state}, wanted a pending one; see pending(). What "
                "is measured can be told all the same"
            )
        return trial

    def heartbeat(self, seconds: float = WORKERS) -> Heartbeat:
        """For workers that ask with lease=seconds: `with study.heartbeat() as beat` keeps what beat.add(id) names."""
        return Heartbeat(self._journal.extend, amount("seconds", seconds))

    def note(self, number: int | Trial, text: str) -> Trial:
        """Write something down beside a trial."""
        if not isinstance(text, str) or not text:
            raise InvalidInput(f"note: got {text!r}, wanted a text")
        return self._news(number, lambda trial: [("noted", {"text": text})])

    # Doing both

    def optimize(
        self,
        evaluate: Evaluate,
        budget: float | None = None,
        *,
        trials: int | None = None,
        timeout: float | None = None,
        decoupled: bool = False,
        executor: Any = None,
        workers: int | None = None,
        time_limit: float | None = None,
        stop: Rule | Iterable[Rule] = (),
        callbacks: Callback | Iterable[Callback] = (),
        progress: bool = True,
        catch: type[Exception] | tuple[type[Exception], ...] = (Exception,),
    ) -> Outcome:
        """Ask, call evaluate(trial) and tell, until the budget (cost of this call), trials or seconds are used up.

        evaluate    returns {name: value} for trial.objectives, or a number if there is one; what it leaves out stays
                    pending. An exception makes the trial a failed one (pfes.Infeasible: an infeasible one); ten in a
                    row end the run
        executor    any concurrent.futures.Executor, or a dask client: trials are evaluated there, as many at a time as
                    it has workers, or as workers= says
        workers     without an executor: so many processes of our own (see Workers)
        time_limit  seconds that one evaluation may take; longer ones are failed trials. Processes of our own are
                    killed, others left to themselves: what they return later is taken
        stop        rules such as GainBelow and Plateau; callbacks are called with (study, trial) after each trial
        catch       other exceptions are raised again, after the trial was marked as failed

        Never costs more than the budget. Interrupted, it releases the trials under way.
        """
        limits = Limits(
            None if budget is None else amount("budget", budget),
            None if trials is None else int(amount("trials", trials)),
            None if timeout is None else amount("timeout", timeout),
            (stop,) if callable(stop) else tuple(stop),
            catch if isinstance(catch, tuple) else (catch,),
        )
        self._check_it_ends(limits)
        called = (callbacks,) if callable(callbacks) else tuple(callbacks)
        limit = None if time_limit is None else amount("time_limit", time_limit)
        with (
            reporting(progress) as report,
            self.heartbeat() as beat,
            crew_for(executor, workers, limit) as crew,
        ):
            bench = _Bench(self, decoupled, called, beat)
            if crew is None:
                return run(bench, evaluate, limits, report)
            return run_on(crew, bench, evaluate, limits, report)

    def _check_it_ends(self, limits: Limits) -> None:
        bounded = [self._budget, limits.budget, limits.trials, limits.timeout]
        if math.isinf(self.space.size) and not limits.stop and all(bound is None for bound in bounded):
            raise InvalidInput("optimize: got no end, wanted one of budget=, trials=, timeout= or stop=")


@dataclass(frozen=True)
class _Bench:
    """A study as the loop sees it."""

    study: Study
    decoupled: bool
    callbacks: tuple[Callback, ...]
    beat: Heartbeat

    @property
    def objectives(self) -> Objectives:
        return self.study.objectives

    def next(self, limit: float) -> Trial | None:
        found = self.study._ask(1, Request(self.decoupled, limit=limit), WORKERS)
        if not found:
            return None
        self.beat.add(found[0].id)
        return found[0]

    def why_none(self) -> str:
        return self.study.ended

    def look(self, number: int) -> Trial:
        return self.study.trial(number)

    def looks(self, numbers: Sequence[int]) -> list[Trial]:
        with self.study._journal.now() as ledger:
            return [ledger.trials[number] for number in numbers]

    def tell(self, number: int, values: Mapping[str, float], failed: str | None, infeasible: str | None = None) -> None:
        self.study.tell(number, values or None, failed=failed, infeasible=infeasible)

    def release(self, number: int, message: str) -> None:
        self.study.release(number, message)

    def hypervolume(self) -> float:
        """Of the measured front; nan before there are enough points to choose a reference point by."""
        return self.study.hypervolume() if self.study.has_volume else math.nan

    def held(self) -> int:
        """How many points have every objective measured."""
        objectives = self.study.objectives
        return len(complete(measured_points(self.study.trials(), objectives), objectives))

    def after(self, trial: Trial) -> None:
        self.beat.drop(trial.id)
        if trial.state is TrialState.PENDING:  # what is missing is left to people
            self.study._journal.extend(trial.id, PEOPLE)
        for callback in self.callbacks:
            callback(self.study, trial)
