"""Evaluations on many workers at once, on any `concurrent.futures.Executor`.

The main thread submits and writes down; a second one asks, so that workers do not wait while a suggestion is made.
Where suggestions take a noticeable share of the workers' time, some are made ahead and kept in hand; otherwise none
are, since a suggestion made later knows more.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pfes.errors import Infeasible, InvalidInput
from pfes.study.amounts import amount
from pfes.study.evaluating import give_back, take_error, take_values
from pfes.study.loop import Bench, Evaluate, Limits, Outcome, Run, after, committed, outcome, reached, status
from pfes.study.progress import Report
from pfes.study.workers import Strands, Workers
from pfes.trials import Trial

__all__ = ["Crew", "crew_for", "crew_of", "run_on"]

LITTLE = 0.02  # share of their time that workers may wait before suggestions are made ahead
MUCH = 0.5  # ... and from which on there is one in hand for each of them
BEAT = 1.0  # seconds at most between two looks at the clock


@dataclass(frozen=True)
class Crew:
    """Who evaluates: an executor, how many evaluations it takes at a time, seconds that each may take.

    replaces: the place of an evaluation that was given up is free for another; refuses: to cancel one that is under
    way. Dask cancels those too, and its worker goes on with them.
    """

    executor: Executor
    size: Callable[[], int]
    time_limit: float | None = None
    replaces: bool = False
    refuses: bool = True


def crew_of(executor: Any, workers: int | None, time_limit: float | None) -> Crew:
    """Find out how many evaluations an executor takes at a time; a dask client is taken for its executor."""
    if not isinstance(executor, Executor) and callable(getattr(executor, "get_executor", None)):
        executor = executor.get_executor()
    if not callable(getattr(executor, "submit", None)):
        raise InvalidInput(f"executor: got {executor!r}, wanted a concurrent.futures.Executor, or a dask client")
    client = getattr(executor, "_client", None)  # dask: workers come and go
    if workers is not None:
        count = int(amount("workers", workers))
        return Crew(executor, lambda: count, time_limit, refuses=client is None)
    if isinstance(executor, Workers):
        count = executor.count
        return Crew(executor, lambda: count, time_limit)
    if client is not None:
        return Crew(executor, lambda: max(1, sum(client.nthreads().values())), time_limit, refuses=False)
    known = getattr(executor, "_max_workers", None)
    if not isinstance(known, int):
        raise InvalidInput(f"workers: {type(executor).__name__} does not say how many it has; try workers=4")
    return Crew(executor, lambda: known, time_limit)


@contextmanager
def crew_for(executor: Any, workers: int | None, time_limit: float | None) -> Iterator[Crew | None]:
    """Whoever is to evaluate: the executor given, processes or a thread of our own, or None: the caller itself."""
    if executor is not None:
        yield crew_of(executor, workers, time_limit)
    elif workers is not None:
        own = Workers(workers, time_limit)  # which keeps the time itself
        try:
            yield crew_of(own, None, None)
            own.shutdown()
        finally:
            own.shutdown(wait=False)
    elif time_limit is not None:
        yield Crew(Strands(), lambda: 1, time_limit, replaces=True)
    else:
        yield None


@dataclass(frozen=True)
class UnderWay:
    """An evaluation and when it began."""

    trial: Trial
    begun: float


@dataclass
class Shift:
    """A run while it goes on: the one thing here that changes."""

    crew: Crew
    bench: Bench
    evaluate: Evaluate
    limits: Limits
    report: Report
    asker: ThreadPoolExecutor
    at: Run = field(default_factory=Run)
    asked: list[int] = field(default_factory=list)  # all trials of this run
    ready: list[Trial] = field(default_factory=list)  # in hand, not begun
    busy: dict[Future[Any], UnderWay] = field(default_factory=dict)
    late: dict[Future[Any], Trial] = field(default_factory=dict)  # given up, but who knows
    asking: Future[Trial | None] | None = None
    none_left: str = ""
    newest: str = ""  # the reason of the suggestion begun last
    seconds_asking: list[float] = field(default_factory=list)
    seconds_evaluating: list[float] = field(default_factory=list)

    def go_on(self) -> str:
        """Evaluate until something says stop; why."""
        while not (reason := reached(self.at, self.limits)):
            self.submit()
            self.ask()
            if not self.busy and self.asking is None and not self.ready:
                return self.none_left or "all workers are busy with evaluations that were given up"
            self.wait()
        return reason

    def finish(self) -> None:
        """Wait for what is under way, and give back what is not."""
        self.give_back_what_is_in_hand("the run ended before it was begun")
        while self.busy:
            self.wait()
        for future in self.late:
            future.cancel()

    def stop(self) -> None:
        """Give back everything at once, but for results that are there already."""
        for future, work in list(self.busy.items()):
            if future.done() and not future.cancelled() and future.exception() is None:
                take_values(self.bench, work.trial, future.result())
            else:
                future.cancel()
                give_back(self.bench, work.trial, "interrupted")
        self.busy.clear()
        self.give_back_what_is_in_hand("interrupted")

    def give_back_what_is_in_hand(self, message: str) -> None:
        """Release what was asked for and not begun, a suggestion that is being made included."""
        if self.asking is not None and self.asking.exception() is None:  # waits for it
            self.take_suggestion()
        self.asking = None
        for trial in self.ready:
            give_back(self.bench, trial, message)
        self.ready.clear()

    # Asking

    def ask(self) -> None:
        """Begin to make one more suggestion, if one is wanted."""
        limits, size = self.limits, self.places()
        enough = len(self.ready) + len(self.busy) >= size + (self.ahead(size) if size > 0 else 0)
        counted = len(self.at.trials) + len(self.busy) + len(self.ready)
        if self.asking is not None or self.none_left or enough or size < 1:
            return
        if limits.trials is not None and counted >= limits.trials:
            return
        left = math.inf if limits.budget is None else limits.budget - committed(self.bench, self.asked)
        self.asking = self.asker.submit(self._next, left)

    def _next(self, left: float) -> Trial | None:
        begun = time.monotonic()
        found = self.bench.next(left)
        self.seconds_asking.append(time.monotonic() - begun)
        return found

    def places(self) -> int:
        """How many evaluations can be under way, those that hang taken off."""
        hang = 0 if self.crew.replaces else sum(not future.done() for future in self.late)
        return self.crew.size() - hang

    def ahead(self, size: int) -> int:
        """How many suggestions to keep in hand."""
        if not self.seconds_asking or not self.seconds_evaluating:
            return 0
        asking, evaluating = _mean(self.seconds_asking[-10:]), _mean(self.seconds_evaluating[-10:])
        waits = size * asking / max(evaluating, 1e-9)
        return 0 if waits < LITTLE else 1 if waits < MUCH else size

    def take_suggestion(self) -> None:
        """Take the suggestion that was made, or the news that there is none."""
        assert self.asking is not None
        found, self.asking = self.asking.result(), None
        if found is None:
            self.none_left = self.bench.why_none()
            return
        self.asked.append(found.id)
        self.ready.append(found)

    # Evaluating

    def submit(self) -> None:
        """Give work to whoever has none."""
        while self.ready and len(self.busy) < self.places():
            trial = self.ready[0]
            self.newest = trial.reason
            if not self.at.trials:
                self.show()
            self.busy[self.crew.executor.submit(self.evaluate, trial)] = UnderWay(trial, time.monotonic())
            del self.ready[0]

    def wait(self) -> None:
        """Wait for something to happen, and draw the conclusions."""
        awaited: list[Future[Any]] = [*self.busy, *(future for future in self.late if not future.done())]
        awaited += [self.asking] if self.asking is not None else []
        wait(awaited, timeout=self.patience(), return_when=FIRST_COMPLETED)
        if self.asking is not None and self.asking.done():
            self.take_suggestion()
        finished = [(future, work) for future, work in self.busy.items() if future.done()]
        for future, work in finished:
            del self.busy[future]
            self.seconds_evaluating.append(time.monotonic() - work.begun)
            self.take(future, work.trial)
        self.submit()  # nobody waits while we look at what it means
        for _, work in finished:
            self.conclude(work.trial)
        self.look_at_the_clock()

    def patience(self) -> float:
        """Seconds until somebody has to look at the clock."""
        if self.crew.time_limit is None or not self.busy:
            return BEAT
        first = min(work.begun for work in self.busy.values())
        return min(BEAT, max(0.01, first + self.crew.time_limit - time.monotonic()))

    def take(self, future: Future[Any], trial: Trial) -> None:
        """Write down what came of an evaluation."""
        try:
            given = future.result()
        except (BrokenExecutor, CancelledError, KeyboardInterrupt, SystemExit) as error:
            give_back(self.bench, trial, f"the executor gave it up: {type(error).__name__}")
            if not isinstance(error, CancelledError):
                raise
        except Exception as error:
            if "pickle" in f"{type(error).__name__} {error}".lower():
                give_back(self.bench, trial, "it could not be sent to a worker")
                raise InvalidInput(
                    f"evaluate, or what it returned, cannot be sent to another process ({error}); wanted a function "
                    "that stands at the top of a module"
                ) from error
            take_error(self.bench, trial, error)
            if not isinstance(error, (Infeasible, *self.limits.catch)):
                raise
        else:
            take_values(self.bench, trial, given)

    def conclude(self, trial: Trial) -> None:
        """Add a trial to the run's history, and let callbacks know."""
        self.none_left = ""  # what it did not use may be enough for another
        self.at = after(self.bench, self.at, self.bench.look(trial.id))
        self.bench.after(self.bench.look(trial.id))
        self.show()

    def show(self) -> None:
        """Let the user see how far it is."""
        self.report(status(self.bench, self.at, self.limits, self.newest))

    def look_at_the_clock(self) -> None:
        """Give up what takes too long; what comes of it later is welcome."""
        for future in [future for future in self.late if future.done()]:
            trial = self.late.pop(future)
            if not future.cancelled() and future.exception() is None:
                take_values(self.bench, trial, future.result())
        limit = self.crew.time_limit
        if limit is None:
            return
        now = time.monotonic()
        for future, work in [(f, w) for f, w in self.busy.items() if now - w.begun > limit and not f.done()]:
            del self.busy[future]
            if not (self.crew.refuses and future.cancel()):
                self.late[future] = work.trial
            take_error(self.bench, work.trial, TimeoutError(f"took longer than {limit:g} s"))
            self.conclude(work.trial)


def run_on(crew: Crew, bench: Bench, evaluate: Evaluate, limits: Limits, report: Report) -> Outcome:
    """Evaluate trials on a crew until a limit is reached; what is under way then is waited for."""
    with ThreadPoolExecutor(1, thread_name_prefix="pfes asks") as asker:
        shift = Shift(crew, bench, evaluate, limits, report, asker)
        try:
            reason = shift.go_on()
            shift.finish()
        except BaseException:
            shift.stop()
            raise
    report(status(bench, shift.at, limits, f"Ended: {reason}."))
    return outcome(bench, shift.at, reason)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
