"""What a study is about, as a file keeps it: everything but what happened. With it, a file needs nothing else."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pfes.errors import InvalidInput, PfesError, StorageError
from pfes.objectives import Objectives
from pfes.points import Domain
from pfes.records import from_data, to_data
from pfes.space import Linear, Space

if TYPE_CHECKING:
    from pfes.study import models

__all__ = ["Description", "describe", "functions_of", "restore"]

Function = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True)
class Description:
    """What a study is about.

    budget    what all trials together may cost; None: no limit
    method    how suggestions are made, initial: with how many values of each objective models begin
    model     how objectives are believed to be related
    seed      of all random numbers
    make      all of it, settings included; called when it is first needed, since models are loaded then
    """

    domain: Domain
    objectives: Objectives
    budget: float | None
    method: str
    model: str
    initial: int
    seed: int
    make: "Callable[[], models.Task]"

    @staticmethod
    def of(task: "models.Task", budget: float | None) -> "Description":
        """That of a task."""
        how = task.settings
        said = how.method, how.model, how.initial
        return Description(task.domain, task.objectives, budget, *said, task.seed, lambda: task)

    @cached_property
    def task(self) -> "models.Task":
        """All that suggestions are made from."""
        return self.make()


def describe(it: Description) -> str:
    """As a text; InvalidInput names what a file cannot keep."""
    task = it.task
    parts = {
        "space": task.domain,
        "objectives": task.objectives,
        "settings": task.settings,
        "seed": task.seed,
        "budget": it.budget,
    }
    return json.dumps({what: _kept(what, part) for what, part in parts.items()}, allow_nan=False)


def _kept(what: str, part: Any) -> Any:
    try:
        return to_data(part)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}; without storage= a study keeps it in memory") from None


def restore(text: str, functions: Sequence[Function] = ()) -> Description:
    """The inverse of `describe`; functions: the space's constraints that are functions, in their order."""
    with _legible():
        parts = json.loads(text)
        space, objectives = from_data(parts["space"], functions), from_data(parts["objectives"])
        settings, seed, budget = parts["settings"], parts["seed"], from_data(parts["budget"])
        method, initial = settings["method"], settings["initial"]
        model = settings.get("model", "independent")  # files from before there were others

    def make() -> "models.Task":
        from pfes.study import models  # noqa: PLC0415 - see there

        with _legible():
            return models.Task(space, objectives, from_data(settings), seed)

    return Description(space, objectives, budget, method, model, initial, seed, make)


@contextmanager
def _legible() -> Iterator[None]:
    """StorageError for whatever reading a spoilt text may lead to."""
    try:
        yield
    except PfesError:
        raise
    except Exception as error:
        raise StorageError(
            f"what the study is about cannot be read ({type(error).__name__}: {error}), it is damaged; try a backup"
        ) from error


def functions_of(space: object) -> tuple[Function, ...]:
    """The constraints of a space that are functions."""
    if not isinstance(space, Space):
        return ()
    return tuple(limit for limit in space.constraints if not isinstance(limit, Linear))
