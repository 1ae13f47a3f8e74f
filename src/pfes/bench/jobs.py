"""An experiment as jobs: one for each problem, method and seed. A job is what its settings say, whatever it is called.

Its id is a digest of all that its result depends on, so that a finished run is found again after an interruption, and
after an experiment was changed only what changed is run. Labels, and the time limit, are not part of it.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pfes.bench.cases import fingerprint, problem_of
from pfes.bench.experiment import Experiment, MethodTable, ProblemTable
from pfes.bench.methods import check_method, obstacle
from pfes.bench.methods.own import is_own
from pfes.bench.reading import ExperimentFile
from pfes.errors import InvalidInput
from pfes.plan.faults import within
from pfes.problems import Problem

__all__ = ["Job", "digest", "jobs_of"]

PICTURES = ("dominated", "truncation")


@dataclass(frozen=True, eq=False)
class Job:
    """One run.

    settings    plain data: all that the result depends on
    experiment, problem, method     what they are called in reports
    folders     where files and modules are looked for
    order       places of the problem and of the method in the experiment
    obstacle    why the method cannot search the problem; empty if it can
    """

    settings: dict[str, Any]
    experiment: str
    problem: str
    method: str
    folders: tuple[str, ...]
    order: tuple[int, int] = (0, 0)
    time_limit: float | None = None
    obstacle: str = ""

    @property
    def id(self) -> str:
        """What the run is known by."""
        return digest(self.settings)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.settings["seed"])

    @property
    def row(self) -> tuple[str, str]:
        """What it is one of several seeds of."""
        return self.problem, self.method

    @property
    def words(self) -> str:
        """The run in a line."""
        train = f", {self.settings['train']} points" if "train" in self.settings else ""
        return f"{self.problem}{train}, {self.method}, seed {self.seed}"


def digest(settings: dict[str, Any]) -> str:
    """Of plain data; 5 and 5.0 are one."""
    text = json.dumps(_plain(settings), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def jobs_of(given: ExperimentFile, data: str | Path | None = None) -> list[Job]:
    """All jobs of an experiment, seed by seed, so that early ones tell of everything; data: a folder of CSV files.

    What is wrong with a problem or a method is said here, with the line, before anything runs.
    """
    experiment = given.experiment
    folders = tuple(str(Path(place).resolve()) for place in (given.path.parent, data, ".") if place is not None)
    with given.located():
        for number, method in enumerate(experiment.methods):
            within(lambda method=method: _check(experiment, method), "methods", number)  # type: ignore[misc]
        problems = [
            within(lambda entry=entry: _known(entry, folders), "problems", number)  # type: ignore[misc]
            for number, entry in enumerate(experiment.problems)
        ]
    return list(_jobs(experiment, problems, folders))


def _check(experiment: Experiment, method: MethodTable) -> None:
    """Refuse a method that cannot do what the experiment asks."""
    if experiment.kind != "picture":
        check_method(method)
    if experiment.kind == "times" and not is_own(method.name):
        raise InvalidInput(f"got the method {method.name!r}, wanted one of pfes itself: its acquisition is timed")
    if experiment.kind == "picture" and method.name not in PICTURES:
        raise InvalidInput(f"got the picture {method.name!r}, wanted one of {', '.join(PICTURES)}")


class _Known(NamedTuple):
    """A problem of the experiment: its entry, itself, and all that says which it is."""

    entry: ProblemTable
    problem: Problem
    said: dict[str, Any]


def _known(entry: ProblemTable, folders: Sequence[str]) -> _Known:
    said = entry.model_dump(exclude_defaults=True, exclude={"label", "budget"})
    said |= {"digest": fingerprint(entry, folders)} if entry.file else {}
    return _Known(entry, problem_of(entry, folders), said)


def _jobs(experiment: Experiment, problems: list[_Known], folders: tuple[str, ...]) -> Iterator[Job]:
    limit = None if experiment.time_limit is None else float(experiment.time_limit)
    for seed in experiment.each_seed:
        for i, (entry, problem, said) in enumerate(problems):
            for j, method in enumerate(experiment.methods):
                why = obstacle(method, problem) if experiment.kind != "picture" else ""
                for settings in _settings(experiment, entry, said, method, seed):
                    yield Job(settings, experiment.name, entry.title, method.title, folders, (i, j), limit, why)


def _settings(
    experiment: Experiment, entry: ProblemTable, problem: dict[str, Any], method: MethodTable, seed: int
) -> Iterator[dict[str, Any]]:
    said = method.model_dump(exclude_defaults=True, exclude={"label"})
    shared = {"kind": experiment.kind, "problem": problem, "method": said, "seed": seed}
    if experiment.kind == "search":
        budget = entry.budget or experiment.budget
        assert budget is not None  # the experiment saw to it
        yield (
            shared
            | {
                "start": experiment.start,
                "budget": budget.model_dump(exclude_none=True),
                "thresholds": experiment.thresholds,
                "marks": list(experiment.marks),
            }
            | ({} if experiment.until is None else {"until": float(experiment.until)})
        )
    elif experiment.kind == "times":
        for train in experiment.train:
            yield shared | {"train": train, "candidates": experiment.candidates}
    else:
        yield shared | {"start": experiment.start}
