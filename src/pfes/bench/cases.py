"""From an entry of an experiment to a problem that methods can be compared on, and the points they all begin with.

Held is the hypervolume of points with every objective measured, at their true values, as a share of the optimum. Pools
have the worst values less a tenth of their range for a reference point, unless the entry gives another.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pfes.bench.experiment import ProblemTable
from pfes.errors import InvalidInput
from pfes.functions import NAMED, function_named
from pfes.objectives import Objective, Objectives
from pfes.pareto import hypervolume
from pfes.plan.candidates import candidates
from pfes.problems import Problem, get
from pfes.space import Pool
from pfes.space.csv_table import read_csv

__all__ = ["fingerprint", "found_file", "problem_of", "start_of"]

BELOW = 0.1  # of the range of a pool's values: how far below the worst its reference point lies


def problem_of(entry: ProblemTable, folders: Sequence[str | Path] = (".",)) -> Problem:
    """The problem that an entry describes; its files, and modules, are looked for in the folders."""
    if entry.file:
        found = _table(entry, found_file(entry.file, folders))
    elif NAMED.fullmatch(entry.name):
        found = function_named(entry.name, folders[0])(**entry.arguments)
        if not isinstance(found, Problem):
            raise InvalidInput(f"{entry.name} gave {type(found).__name__}, wanted a pfes.problems.Problem")
    else:
        found = get(entry.name, **entry.arguments)
    if isinstance(found.space, Pool) or entry.reference is not None:
        found = _measured_from(found, entry.reference)
    return found if entry.costs is None else _at_costs(found, entry.costs)


def found_file(name: str, folders: Sequence[str | Path]) -> Path:
    """The file of that name in the first of the folders, or in $PFES_DATA, that has it."""
    places = [Path(folder) for folder in folders]
    if data := os.environ.get("PFES_DATA"):
        places.append(Path(data))
    for place in places:
        if (place / name).is_file():
            return place / name
    raise InvalidInput(
        f"there is no file {name} in {' or '.join(map(str, places))}; wanted a CSV file; name its folder by --data, or "
        "in PFES_DATA"
    )


def fingerprint(entry: ProblemTable, folders: Sequence[str | Path]) -> str:
    """Of the file an entry names, so that runs on another table of the same name are not taken for these; or empty."""
    return hashlib.sha256(found_file(entry.file, folders).read_bytes()).hexdigest()[:16] if entry.file else ""


def _table(entry: ProblemTable, path: Path) -> Problem:
    """A pool whose values stand in the same table."""
    goals = [Objective(name, **table.model_dump()) for name, table in entry.objectives.items()]
    pool = candidates(path, entry.objectives, entry.inputs, entry.ids, entry.delimiter)
    columns = read_csv(path, entry.delimiter).columns
    truth = np.column_stack([_numbers(path, name, columns) for name in entry.objectives])
    noise = np.array([goal.noise or 0.0 for goal in goals])
    return Problem(entry.title, pool, Objectives(goals), lambda rows: truth[rows], truth[0], 1.0, noise=noise)


def _numbers(path: Path, name: str, columns: Any) -> NDArray[np.float64]:
    """A column (P,) in which every cell is a number."""
    if name not in columns:
        raise InvalidInput(f"{path.name} has no column {name!r}, wanted one for each objective; it has {list(columns)}")
    column = columns[name]
    if not isinstance(column, np.ndarray) or not np.isfinite(column.astype(np.float64)).all():
        raise InvalidInput(f"{path.name}: column {name!r} has cells that are no numbers, wanted a value in every row")
    return np.asarray(column, dtype=np.float64)


def _measured_from(found: Problem, reference: Sequence[float] | None) -> Problem:
    """The same with another reference point, hence another optimum: of all rows, or of the true front."""
    if isinstance(found.space, Pool):
        levels = found.objectives.inward(found.values(np.arange(len(found.space))))
    else:
        levels = found.objectives.inward(found.front(20_000))
    low = levels.min(axis=0) - BELOW * np.ptp(levels, axis=0)
    if reference is not None:
        low = found.objectives.inward(np.array(reference, dtype=np.float64))
    if reference is None and not np.ptp(levels, axis=0).all():
        same = found.names[int(np.argmin(np.ptp(levels, axis=0)))]
        raise InvalidInput(f"{found.name}: {same} has the same value in every row, wanted some that are better")
    optimum = hypervolume(levels, low)
    if optimum <= 0.0:
        raise InvalidInput(
            f"reference: got {reference}, wanted a point that some values of {found.name} are better than"
        )
    return replace(found, reference=found.objectives.inward(low), optimum=optimum, made=None)


def _at_costs(found: Problem, costs: Sequence[float]) -> Problem:
    if len(costs) != len(found.objectives):
        raise InvalidInput(f"costs: got {list(costs)}, wanted one for each of {', '.join(found.names)}")
    priced = [replace(item, cost=float(cost)) for item, cost in zip(found.objectives, costs, strict=True)]
    return replace(found, objectives=Objectives(priced), made=None)


def start_of(problem: Problem, name: str, seed: int, count: int) -> NDArray[Any]:
    """The points that every method begins with: (n, D) of a space, (n,) rows of a pool; a function of name and seed."""
    rng = np.random.default_rng([seed, crc32(name.encode())])
    if isinstance(problem.space, Pool):
        if count > len(problem.space):
            raise InvalidInput(f"start: got {count} points, wanted at most the {len(problem.space)} rows of {name}")
        return np.sort(rng.choice(len(problem.space), count, replace=False))
    return problem.space.random(count, rng)
