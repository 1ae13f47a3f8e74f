"""Ask, evaluate, tell, until something says stop: the loop behind `Study.optimize`."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pfes.errors import Infeasible
from pfes.study.evaluating import Teller, give_back, take_error, take_values
from pfes.study.progress import Report, Status
from pfes.study.stopping import History, Rule
from pfes.trials import Trial, TrialState

__all__ = ["Bench", "Limits", "Outcome", "Run", "after", "committed", "outcome", "reached", "run", "spent", "status"]

Evaluate = Callable[[Trial], Any]

TOO_MANY_FAILURES = 10  # in a row: something is wrong with the function, not with the points


@dataclass(frozen=True)
class Outcome:
    """How a run ended: why, after how many trials, what they cost, how long it took, how many of them failed."""

    reason: str
    trials: int
    spent: float
    seconds: float
    failed: int = 0


@dataclass(frozen=True)
class Limits:
    """When a run ends: cost units, trials, seconds, rules; and which exceptions of the user's function it survives."""

    budget: float | None = None
    trials: int | None = None
    timeout: float | None = None
    stop: tuple[Rule, ...] = ()
    catch: tuple[type[BaseException], ...] = (Exception,)


class Bench(Teller, Protocol):
    """What a run needs of a study."""

    def next(self, limit: float) -> Trial | None:
        """A trial that costs at most `limit`, or None."""
        ...

    def why_none(self) -> str:
        """Why there was none."""
        ...

    def looks(self, numbers: Sequence[int]) -> list[Trial]:
        """Several trials as they are now, not to be edited."""
        ...

    def held(self) -> int:
        """How many points have every objective measured."""
        ...

    def hypervolume(self) -> float:
        """Of the measured front; nan as long as that says little."""
        ...

    def after(self, trial: Trial) -> None:
        """Let the user's callbacks know."""
        ...


@dataclass(frozen=True)
class Run:
    """How far a run is: the numbers of its trials, and what it has seen."""

    trials: tuple[int, ...] = ()
    failures: tuple[str, ...] = ()  # in a row, up to now
    failed: int = 0
    history: History = field(default_factory=History)
    begun: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.begun


def run(bench: Bench, evaluate: Evaluate, limits: Limits, report: Report) -> Outcome:
    """Evaluate trials one after the other until a limit is reached; its reason is part of the outcome."""
    at = Run()
    while not (reason := reached(at, limits)):
        left = math.inf if limits.budget is None else limits.budget - committed(bench, at.trials)
        trial = bench.next(left)
        if trial is None:
            reason = bench.why_none()
            break
        report(status(bench, at, limits, trial.reason))
        _evaluated(bench, evaluate, trial, limits.catch)
        at = after(bench, at, bench.look(trial.id))
        bench.after(bench.look(trial.id))
    report(status(bench, at, limits, f"Ended: {reason}."))
    return outcome(bench, at, reason)


def outcome(bench: Bench, at: Run, reason: str) -> Outcome:
    """How a run ended."""
    failed = sum(trial.state is TrialState.FAILED for trial in bench.looks(at.trials))
    return Outcome(reason, len(at.trials), spent(bench, at), at.seconds, failed)


def reached(at: Run, limits: Limits) -> str:
    """Why a run is to end now; empty if it goes on."""
    if limits.trials is not None and len(at.trials) >= limits.trials:
        return f"{limits.trials} trials were evaluated"
    if limits.timeout is not None and at.seconds >= limits.timeout:
        return f"the time of {limits.timeout:g} s is over"
    if len(at.failures) >= TOO_MANY_FAILURES:
        return f"{TOO_MANY_FAILURES} trials in a row gave no values, the last one because: {at.failures[-1]}"
    if not at.trials:
        return ""
    return next(filter(None, (rule(at.history) for rule in limits.stop)), "")


def committed(bench: Bench, trials: Sequence[int]) -> float:
    """What trials have cost and may still cost, if parts of them are told later."""
    return sum(trial.spent + trial.reserved for trial in bench.looks(trials))


def spent(bench: Bench, at: Run) -> float:
    """What the trials of a run have cost."""
    return sum(trial.spent for trial in bench.looks(at.trials))


def after(bench: Bench, at: Run, trial: Trial) -> Run:
    """The run after one more trial."""
    bad = trial.state not in (TrialState.DONE, TrialState.PENDING)
    now = replace(at, trials=(*at.trials, trial.id), failures=(*at.failures, trial.message) if bad else ())
    history = at.history.with_trial(trial.gain / trial.cost, bench.hypervolume(), spent(bench, now), bench.held())
    return replace(now, history=history, failed=at.failed + bad)


def status(bench: Bench, at: Run, limits: Limits, reason: str) -> Status:
    """How far a run is, for people; reason: of the newest suggestion, or of the end."""
    volume = at.history.hypervolumes[-1] if at.trials else math.nan
    return Status(len(at.trials), spent(bench, at), limits.budget, limits.trials, at.failed, volume, reason)


def _evaluated(bench: Bench, evaluate: Evaluate, trial: Trial, catch: tuple[type[BaseException], ...]) -> None:
    """Call the user's function and write down what came of it."""
    try:
        given = evaluate(trial)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        give_back(bench, trial, "interrupted")
        raise
    except BaseException as error:
        take_error(bench, trial, error)
        if not isinstance(error, (Infeasible, *catch)):
            raise
        return
    take_values(bench, trial, given)
