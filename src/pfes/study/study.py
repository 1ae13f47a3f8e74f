"""A study: what is to be optimised, what happened so far, and what to do next. The one thing in pfes that remembers."""

import logging
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from pfes.errors import Exhausted, InvalidInput
from pfes.objectives import Bundle, Objective, Objectives
from pfes.points import Domain, given, read
from pfes.space import Pool, Space
from pfes.study import telling
from pfes.study.adding import additions
from pfes.study.asking import Request, Snapshot, answer
from pfes.study.findings import Findings
from pfes.study.loop import Evaluate, Limits, Outcome, run
from pfes.study.measured import complete, measured_points
from pfes.study.progress import reporting
from pfes.study.stopping import Rule
from pfes.study.telling import Told
from pfes.task import Settings, Task
from pfes.trials import Trial, Trials

__all__ = ["Study", "create_study"]

logger = logging.getLogger("pfes")

Callback = Callable[["Study", Trial], object]


def create_study(
    storage: None = None,
    *,
    space: Domain,
    objectives: Objectives | Objective | Sequence[Objective],
    bundles: Iterable[Bundle] = (),
    name: str = "study",
    seed: int = 0,
    method: str | None = None,
    model: str = "independent",
    settings: Settings | None = None,
    budget: float | None = None,
    reference: Mapping[str, float] | Sequence[float] | None = None,
) -> "Study":
    """Begin a study.

    space       a Space, or a Pool of candidates
    objectives  what to measure; bundles: objectives that are cheaper together
    seed        of all random numbers: the same events and seed give the same suggestions
    method      "pfes" if nothing else is said here or in `settings`
    budget      what all trials together may cost; None: no limit
    reference   the point hypervolumes are measured from; None: chosen when first needed
    """
    if storage is not None:
        raise InvalidInput(f"storage: got {storage!r}, wanted None; in this version studies live in memory only")
    if model != "independent":
        raise InvalidInput(f"model: got {model!r}, wanted 'independent', the one there is in this version")
    if not isinstance(space, Space | Pool):
        raise InvalidInput(f"space: got {space!r}, wanted a pfes.Space or a pfes.Pool")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"seed: got {seed!r}, wanted a whole number of 0 or more")
    wanted = Objectives.of(objectives, bundles)
    if shared := sorted(set(space.names) & set(wanted.names)):
        raise InvalidInput(f"{shared[0]!r} is a parameter and an objective, wanted different names; rename one")
    chosen = settings or Settings()
    chosen = chosen if method is None else replace(chosen, method=method)
    study = Study(Task(space, wanted, chosen, int(seed)), name, None if budget is None else _amount("budget", budget))
    if reference is not None:
        study.set_reference(reference)
    return study


def _amount(what: str, value: Any) -> float:
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or math.isnan(value) or value < 0:
        raise InvalidInput(f"{what}: got {value!r}, wanted a number of 0 or more")
    return float(value)


class Study(Findings):
    """Ask for what to measure, tell what came of it; made by `create_study`.

    All methods may be called from several threads; two that ask at the same time get different points.
    """

    def __init__(self, task: Task, name: str, budget: float | None) -> None:
        super().__init__(task, name, budget)
        self._asking = threading.Lock()  # suggestions are made one after the other; telling need not wait for them

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
    ) -> Trials: ...
    def ask(
        self,
        n: int | None = None,
        *,
        decoupled: bool = False,
        timeout: float | None = None,
        fixed: Mapping[str, Any] | None = None,
        replicates: bool = False,
    ) -> Trial | Trials:
        """What to measure next: one trial, or a list of n.

        decoupled   trials may name single objectives, where that tells more per cost
        timeout     seconds after which the best found so far is taken
        fixed       parameters held at given values for this request (pools: only such rows)
        replicates  points already measured may be suggested again

        Raises Exhausted if nothing is left. A list may be shorter than n, even empty: `ended` says why.
        """
        if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0):
            raise InvalidInput(f"ask: got {n!r}, wanted a number of trials, or nothing for one")
        limit = None if timeout is None else _amount("timeout", timeout)
        given_out = self._ask(1 if n is None else int(n), Request(decoupled, fixed, replicates, limit))
        if n is not None:
            return given_out
        if not given_out:
            raise Exhausted(self.ended)
        return given_out[0]

    def _ask(self, count: int, request: Request) -> Trials:
        with self._asking:
            with self._lock:
                snapshot, left = Snapshot.of(self._ledger), self._left()
            found = answer(self._task, snapshot, replace(request, limit=min(left, request.limit)), count)
            with self._lock:
                numbers = [self._hand_out(payload) for payload in found.payloads]
                if found.ended and found.ended != self._ledger.ended:
                    self._write("ended", None, {"reason": found.ended})
                return Trials(self.trial(number) for number in numbers)

    def _hand_out(self, payload: dict[str, Any]) -> int:
        number = self._ledger.next_id
        self._write("asked", number, payload)
        logger.info("trial %d asked: %s", number, payload["reason"])
        return number

    def _left(self) -> float:
        return math.inf if self._budget is None else self._budget - self.spent - self.reserved

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
        self._write("enqueued", None, {"point": data, "objectives": list(self.objectives.named(which))})

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
        with self._lock:
            trial = self._find(number)
            for kind, payload in found(trial):
                self._write(kind, trial.id, payload)
                level = logging.WARNING if kind == "failed" else logging.INFO
                logger.log(level, "trial %d %s: %s", trial.id, kind, payload.get("message") or payload.get("values"))
            return self.trial(trial.id)

    def add(self, rows: Any, *, noise: Any = None) -> Trials:
        """Give data from before: a list of dicts of parameters and objectives, or a data frame. They cost nothing.

        Rows of a pool are named by {"row": id, ...}. Objectives may be missing (None, an empty cell); points outside
        the space are used and flagged, never suggested. noise: known standard deviations of the values, one for all,
        by name, or a list with one entry per row.
        """
        payloads = additions(rows, noise, self.space, self.objectives)
        with self._lock:
            first = self._ledger.next_id
            for number, payload in enumerate(payloads, first):
                self._write("added", number, payload)
            return Trials(self.trial(number) for number in range(first, self._ledger.next_id))

    def reject(self, number: int | Trial, reason: str) -> Trial:
        """Refuse a suggestion, whose point then does not come back, or have the data of a trial no longer used."""
        return self._news(number, lambda trial: telling.reject(trial, reason))

    def release(self, number: int | Trial, reason: str = "") -> Trial:
        """Give a pending trial back: what was not measured is not charged, and the point may be suggested again."""
        return self._news(number, lambda trial: telling.release(trial, reason))

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
        stop: Rule | Iterable[Rule] = (),
        callbacks: Callback | Iterable[Callback] = (),
        progress: bool = True,
        catch: type[Exception] | tuple[type[Exception], ...] = (Exception,),
    ) -> Outcome:
        """Ask, call evaluate(trial) and tell, until the budget (cost of this call), trials or seconds are used up.

        evaluate    returns {name: value} for trial.objectives, or a number if there is one; what it leaves out stays
                    pending. An exception makes the trial a failed one; ten in a row end the run
        stop        rules such as GainBelow and Plateau; callbacks are called with (study, trial) after each trial
        catch       other exceptions are raised again, after the trial was marked as failed

        Never costs more than the budget. Interrupted, it releases the trial under way.
        """
        limits = Limits(
            None if budget is None else _amount("budget", budget),
            None if trials is None else int(_amount("trials", trials)),
            None if timeout is None else _amount("timeout", timeout),
            (stop,) if callable(stop) else tuple(stop),
            catch if isinstance(catch, tuple) else (catch,),
        )
        self._check_it_ends(limits)
        bench = _Bench(self, decoupled, (callbacks,) if callable(callbacks) else tuple(callbacks))
        with reporting(progress) as report:
            return run(bench, evaluate, limits, report)

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

    @property
    def objectives(self) -> Objectives:
        return self.study.objectives

    def next(self, limit: float) -> Trial | None:
        found = self.study._ask(1, Request(self.decoupled, limit=limit))
        return found[0] if found else None

    def why_none(self) -> str:
        return self.study.ended

    def look(self, number: int) -> Trial:
        return self.study.trial(number)

    def tell(self, number: int, values: Mapping[str, float], failed: str | None) -> None:
        self.study.tell(number, values or None, failed=failed)

    def release(self, number: int, message: str) -> None:
        self.study.release(number, message)

    def hypervolume(self) -> float:
        """Of the measured front; nan before there are enough points to choose a reference point by."""
        study = self.study
        if study.reference is None and self.held() < max(study.settings.initial, 1):
            return math.nan
        return study.hypervolume()

    def held(self) -> int:
        """How many points have every objective measured."""
        objectives = self.study.objectives
        return len(complete(measured_points(self.study.trials(), objectives), objectives))

    def after(self, trial: Trial) -> None:
        for callback in self.callbacks:
            callback(self.study, trial)
