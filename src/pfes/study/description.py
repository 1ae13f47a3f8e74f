"""What a study is about, as a file keeps it: everything but what happened. With it, a file needs nothing else."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pfes.errors import InvalidInput, PfesError, StorageError
from pfes.records import from_data, to_data
from pfes.space import Linear, Space
from pfes.task import Task

__all__ = ["Description", "describe", "functions_of", "restore"]

Function = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True)
class Description:
    """A task, and what all trials together may cost (None: no limit)."""

    task: Task
    budget: float | None = None


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
    try:
        parts = json.loads(text)
        space = from_data(parts["space"], functions)
        objectives, settings = from_data(parts["objectives"]), from_data(parts["settings"])
        return Description(Task(space, objectives, settings, parts["seed"]), from_data(parts["budget"]))
    except PfesError:
        raise
    except Exception as error:  # whatever a spoilt text may lead to
        raise StorageError(
            f"what the study is about cannot be read ({type(error).__name__}: {error}), it is damaged; try a backup"
        ) from error


def functions_of(space: object) -> tuple[Function, ...]:
    """The constraints of a space that are functions."""
    if not isinstance(space, Space):
        return ()
    return tuple(limit for limit in space.constraints if not isinstance(limit, Linear))
