"""Ask, evaluate, tell, until something says stop: the loop behind `Study.optimize`."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from pfes.errors import InvalidInput
from pfes.objectives import Objectives
from pfes.study.progress import Report, Status
from pfes.study.stopping import History, Rule
from pfes.trials import Trial, TrialState

__all__ = ["Bench", "Limits", "Outcome", "run"]

Evaluate = Callable[[Trial], Any]

TOO_MANY_FAILURES = 10  # in a row: something is wrong with the function, not with the points


@dataclass(frozen=True)
class Outcome:
    """How a run ended: why, after how many trials, what they cost, how long it took."""

    reason: str
    trials: int
    spent: float
    seconds: float


@dataclass(frozen=True)
class Limits:
    """When a run ends: cost units, trials, seconds, rules; and which exceptions of the user's function it survives."""

    budget: float | None = None
    trials: int | None = None
    timeout: float | None = None
    stop: tuple[Rule, ...] = ()
    catch: tuple[type[BaseException], ...] = (Exception,)


class Bench(Protocol):
    """What a run needs of a study."""

    @property
    def objectives(self) -> Objectives:
        """What it measures."""
        ...

    def next(self, limit: float) -> Trial | None:
        """A trial that costs at most `limit`, or None."""
        ...

    def why_none(self) -> str:
        """Why there was none."""
        ...

    def look(self, number: int) -> Trial:
        """The trial as it is now."""
        ...

    def looks(self, numbers: Sequence[int]) -> list[Trial]:
        """Several trials as they are now, not to be edited."""
        ...

    def tell(self, number: int, values: Mapping[str, float], failed: str | None) -> None:
        """Write down what came of it."""
        ...

    def release(self, number: int, message: str) -> None:
        """Give it back."""
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
    while not (reason := _reached(at, limits)):
        left = math.inf if limits.budget is None else limits.budget - _committed(bench, at)
        trial = bench.next(left)
        if trial is None:
            reason = bench.why_none()
            break
        report(_status(bench, at, limits, trial.reason))
        _evaluated(bench, evaluate, trial, limits.catch)
        at = _after(bench, at, bench.look(trial.id))
        bench.after(bench.look(trial.id))
    report(_status(bench, at, limits, f"Ended: {reason}."))
    return Outcome(reason, len(at.trials), _spent(bench, at), at.seconds)


def _reached(at: Run, limits: Limits) -> str:
    if limits.trials is not None and len(at.trials) >= limits.trials:
        return f"{limits.trials} trials were evaluated"
    if limits.timeout is not None and at.seconds >= limits.timeout:
        return f"the time of {limits.timeout:g} s is over"
    if len(at.failures) >= TOO_MANY_FAILURES:
        return f"{TOO_MANY_FAILURES} trials in a row gave no values, the last one because: {at.failures[-1]}"
    if not at.trials:
        return ""
    return next(filter(None, (rule(at.history) for rule in limits.stop)), "")


def _committed(bench: Bench, at: Run) -> float:
    """What its trials have cost and may still cost, if parts of them are told later."""
    return sum(trial.spent + trial.reserved for trial in bench.looks(at.trials))


def _spent(bench: Bench, at: Run) -> float:
    return sum(trial.spent for trial in bench.looks(at.trials))


def _after(bench: Bench, at: Run, trial: Trial) -> Run:
    bad = trial.state not in (TrialState.DONE, TrialState.PENDING)
    now = replace(at, trials=(*at.trials, trial.id), failures=(*at.failures, trial.message) if bad else ())
    history = at.history.with_trial(trial.gain / trial.cost, bench.hypervolume(), _spent(bench, now), bench.held())
    return replace(now, history=history, failed=at.failed + bad)


def _status(bench: Bench, at: Run, limits: Limits, reason: str) -> Status:
    reached = at.history.hypervolumes[-1] if at.trials else math.nan
    spent = _spent(bench, at)
    return Status(len(at.trials), spent, limits.budget, limits.trials, at.failed, reached, reason)


def _evaluated(bench: Bench, evaluate: Evaluate, trial: Trial, catch: tuple[type[BaseException], ...]) -> None:
    """Call the user's function and write down what came of it: values, or why there are none."""
    try:
        given = evaluate(trial)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        _give_back(bench, trial, "interrupted")
        raise
    except BaseException as error:
        if _pending(bench, trial):
            bench.tell(trial.id, {}, f"{type(error).__name__}: {error}")
        if not isinstance(error, catch):
            raise
        return
    try:
        values = _values(given, trial, bench)
    except InvalidInput:
        _give_back(bench, trial, "the function returned what no measurement is")
        raise
    _tell(bench, trial, values)


def _pending(bench: Bench, trial: Trial) -> bool:
    """Whether it is still open: the user's function may have told the study itself."""
    return bench.look(trial.id).state is TrialState.PENDING


def _give_back(bench: Bench, trial: Trial, message: str) -> None:
    if _pending(bench, trial):
        bench.release(trial.id, message)


def _values(given: Any, trial: Trial, bench: Bench) -> Mapping[str, Any]:
    """What the function returned, by name."""
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in bench.objectives.names]:
            raise InvalidInput(
                f"evaluate returned {unknown} for trial {trial.id}, wanted names among {list(trial.objectives)}"
            )
        return given
    if given is None and not _pending(bench, trial):
        return {}
    if len(trial.objectives) == 1 and isinstance(given, int | float | np.number | np.ndarray) and not np.ndim(given):
        return {trial.objectives[0]: given}
    raise InvalidInput(
        f"evaluate returned {given!r} for trial {trial.id}, wanted {{name: value}} for {list(trial.objectives)}"
    )


def _tell(bench: Bench, trial: Trial, values: Mapping[str, Any]) -> None:
    """Tell the values that are numbers; the others are what failed. What was not returned may be told later."""
    good: dict[str, float] = {}
    bad: list[str] = []
    for name, value in values.items():
        try:
            good.update(bench.objectives.checked({name: value}))
        except InvalidInput as error:
            bad.append(str(error))
    now = bench.look(trial.id)
    if not values and not now.values:
        bad.append("evaluate returned no value")
    failed = "; ".join(bad) if bad and now.state is TrialState.PENDING else None
    if good or failed:
        bench.tell(trial.id, good, failed)
