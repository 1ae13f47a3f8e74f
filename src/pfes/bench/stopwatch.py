"""How long an acquisition takes at some candidates after so many random measurements, and its parts.

The paper's tables: processor seconds on one thread, the fit of the Gaussian processes left out. Everything is done once
before, so that kernels are compiled. Of the information about the frontier the parts are timed one by one:

    features    drawing the functions, R of each objective
    NSGA-II     finding their frontiers (in a pool: drawing all rows, and looking at them)
    cells       cutting the dominated regions, by each partition; and how many cells that makes, per frontier
    entropy     the information at the candidates, from the cells
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import ESTIMATORS, Situation, method_named
from pfes.belief import Belief, believe
from pfes.bench.experiment import MethodTable
from pfes.bench.methods.own import random_observations, settings_of, wanted_of
from pfes.errors import InvalidInput
from pfes.frontiers import sample_frontiers
from pfes.gp import paths_of
from pfes.information import prepare
from pfes.objectives import Objectives
from pfes.offered import offer_for
from pfes.pareto import dominated_cells
from pfes.problems import Problem
from pfes.request import Request
from pfes.space import Pool
from pfes.suggest import situation_of
from pfes.task import Task

__all__ = ["candidates_of", "clocked", "times"]

Array = NDArray[np.float64]
T = TypeVar("T")
PARTITIONS = ("qhv", "hbda", "grid")  # the paper's, ours, the naive one


def clocked(call: Callable[[], T]) -> tuple[T, float]:
    """What a call gives, and the processor seconds it took."""
    begin = time.process_time()
    found = call()
    return found, time.process_time() - begin


def times(problem: Problem, entry: MethodTable, seed: int, train: int, candidates: int) -> dict[str, Any]:
    """Seconds of the whole and of its parts, by name; numbers of cells beside them."""
    method = method_named(entry.name)
    if method.build is None:
        raise InvalidInput(f"{entry.name} has no acquisition that could be timed")
    belief = _believed(problem, entry, seed, train)
    x = candidates_of(problem, candidates, np.random.default_rng([seed, 2]))
    build = method.build

    def whole() -> Array:
        return build(_situation(belief, seed)).scores(x)

    whole()
    parts: dict[str, Any] = {"whole": round(clocked(whole)[1], 5)}
    if entry.name == "information":
        _parts(belief, x, seed)
        parts |= _parts(belief, x, seed)
    return {"parts": parts}


def _believed(problem: Problem, entry: MethodTable, seed: int, train: int) -> Belief:
    task = Task(problem.space, Objectives(wanted_of(problem, entry, thresholds=False)), settings_of(entry), seed)
    rng = np.random.default_rng([seed, train])
    return believe(task, random_observations(problem, train, rng), rng)


def _situation(belief: Belief, seed: int) -> Situation:
    offer = offer_for(belief.task, belief.observations, Request())
    return situation_of(belief, offer, np.random.default_rng([seed, 3]))


def candidates_of(problem: Problem, count: int, rng: np.random.Generator) -> Array:
    """(N, D) points of a problem, at random: so many, or as many as a pool has rows."""
    if isinstance(problem.space, Pool):
        return problem.space.x[rng.choice(len(problem.space), min(count, len(problem.space)), replace=False)]
    return problem.space.random(count, rng)


def _parts(belief: Belief, x: Array, seed: int) -> dict[str, Any]:
    situation = _situation(belief, seed)
    model, settings = situation.model, situation.frontiers

    def drawn() -> Any:
        rng = np.random.default_rng([seed, 3])
        return paths_of(model, settings.count, rng, features=settings.features, kind=settings.kind)

    def sampled() -> list[Array]:
        rng = np.random.default_rng([seed, 3])
        limits = np.full(len(model), -np.inf)
        return sample_frontiers(model, situation.domain, situation.observed, limits, settings, rng).frontiers

    features = 0.0 if isinstance(situation.domain, Pool) else clocked(drawn)[1]
    frontiers, both = clocked(sampled)
    prepared = prepare(frontiers)
    estimator = ESTIMATORS[belief.task.settings.estimator]
    delta = 0.0 if belief.task.settings.estimator == "exact" else 0.01

    def entropy() -> Array:
        mean, std = model.predict(x)
        return np.asarray(estimator.coupled(mean, std, prepared, delta))

    found = {"features": features, "NSGA-II": both - features, "entropy": clocked(entropy)[1]}
    return {name: round(value, 5) for name, value in found.items()} | _cells(frontiers)


def _cells(frontiers: list[Array]) -> dict[str, Any]:
    """Seconds for all frontiers, and cells of each, by partition."""
    found: dict[str, Any] = {"points of a frontier": round(float(np.mean([len(points) for points in frontiers])), 1)}
    for partition in PARTITIONS:
        try:
            cut, seconds = clocked(lambda partition=partition: [dominated_cells(f, partition) for f in frontiers])  # type: ignore[misc]
        except InvalidInput:
            found |= {f"cells, {partition}": "too many", f"number of cells, {partition}": "too many"}
            continue
        found |= {
            f"cells, {partition}": round(seconds, 5),
            f"number of cells, {partition}": round(float(np.mean([len(cells) for cells in cut])), 1),
        }
    return found
