"""What came of an evaluation, written down: values, or why there are none. The same wherever it was done."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from pfes.errors import Infeasible, InvalidInput
from pfes.objectives import Objectives
from pfes.trials import Trial, TrialState

__all__ = ["Teller", "give_back", "is_pending", "take_error", "take_values"]


class Teller(Protocol):
    """What is needed of a study to write down what came of a trial."""

    @property
    def objectives(self) -> Objectives:
        """What it measures."""
        ...

    def look(self, number: int) -> Trial:
        """The trial as it is now."""
        ...

    def tell(self, number: int, values: Mapping[str, float], failed: str | None, infeasible: str | None = None) -> None:
        """Write down what came of it."""
        ...

    def release(self, number: int, message: str) -> None:
        """Give it back."""
        ...


def take_values(bench: Teller, trial: Trial, given: Any) -> None:
    """Write down what the user's function returned; InvalidInput, and the trial given back, if that is no result."""
    try:
        values = _values(given, trial, bench)
    except InvalidInput:
        give_back(bench, trial, "the function returned what no measurement is")
        raise
    _tell(bench, trial, values)


def take_error(bench: Teller, trial: Trial, error: BaseException) -> None:
    """Write down that the user's function raised; Infeasible says that the point can never be measured."""
    if not is_pending(bench, trial):
        return
    if isinstance(error, Infeasible):
        bench.tell(trial.id, {}, None, str(error))
    else:
        bench.tell(trial.id, {}, f"{type(error).__name__}: {error}")


def is_pending(bench: Teller, trial: Trial) -> bool:
    """Whether it is still open: the user's function may have told the study itself."""
    return bench.look(trial.id).state is TrialState.PENDING


def give_back(bench: Teller, trial: Trial, message: str) -> None:
    """Release a trial that is still open."""
    if is_pending(bench, trial):
        bench.release(trial.id, message)


def _values(given: Any, trial: Trial, bench: Teller) -> Mapping[str, Any]:
    """What the function returned, by name."""
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in bench.objectives.names]:
            raise InvalidInput(
                f"evaluate returned {unknown} for trial {trial.id}, wanted names among {list(trial.objectives)}"
            )
        return given
    if given is None and not is_pending(bench, trial):
        return {}
    if len(trial.objectives) == 1 and isinstance(given, int | float | np.number | np.ndarray) and not np.ndim(given):
        return {trial.objectives[0]: given}
    raise InvalidInput(
        f"evaluate returned {given!r} for trial {trial.id}, wanted {{name: value}} for {list(trial.objectives)}"
    )


def _tell(bench: Teller, trial: Trial, values: Mapping[str, Any]) -> None:
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
