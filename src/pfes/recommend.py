"""What the model would recommend now: the non-dominated set of its posterior mean, measured or not."""

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.belief import Belief, believe, is_small
from pfes.compiled import one_blas_thread
from pfes.gp import Fitted
from pfes.observations import NO_ROW, Observations, State
from pfes.pareto import non_dominated
from pfes.search import SearchSettings, pareto_search
from pfes.space import Pool, Space
from pfes.task import Task

__all__ = ["Recommended", "recommend", "recommended"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

POINTS = 100  # of a space: as many as a person would look at
LIKELY = 0.5  # feasible rather than not


@dataclass(frozen=True)
class Recommended:
    """Points whose predicted means no other point's dominate; values in the user's units."""

    x: Array  # (S, D)
    row: Integers  # (S,) rows of the pool, NO_ROW in a space
    mean: Array  # (S, L)
    std: Array  # (S, L)


def recommend(
    task: Task, observations: Observations, rng: np.random.Generator, hypers: Fitted | None = None
) -> Recommended:
    """Fit the model to the observations and search its mean; nothing is recommended before anything is measured."""
    if not len(observations.only(State.MEASURED)):
        width, objectives = task.domain.width, len(task.objectives)
        empty = np.zeros((0, objectives))
        return Recommended(np.zeros((0, width)), np.zeros(0, dtype=np.intp), empty, empty)
    return recommended(believe(task, observations, rng, hypers), rng)


def recommended(belief: Belief, rng: np.random.Generator) -> Recommended:
    """The non-dominated set of a belief's mean."""
    domain = belief.task.domain
    with one_blas_thread() if is_small(belief.task, belief.observations) else nullcontext():
        x, row = _rows(belief, domain) if isinstance(domain, Pool) else _points(belief, domain, rng)
        mean, std = belief.predict(x)
    return Recommended(x, row, mean, std)


def _rows(belief: Belief, pool: Pool) -> tuple[Array, Integers]:
    allowed = np.ones(len(pool), dtype=bool)
    refused = belief.observations.only(State.INFEASIBLE).row
    allowed[refused[refused != NO_ROW]] = False
    if belief.feasibility is not None:
        likely = belief.feasibility.probability(pool.x) >= LIKELY
        allowed = allowed & likely if (allowed & likely).any() else allowed
    rows = np.flatnonzero(allowed)
    best = rows[_wanted(belief.model.mean(pool.x[rows]), belief.thresholds)]
    return pool.x[best], best


def _points(belief: Belief, space: Space, rng: np.random.Generator) -> tuple[Array, Integers]:
    known = space.snap(belief.observed)
    settings = SearchSettings(population=100, generations=80, archive=POINTS)

    def mean(x: Array) -> Array:  # one function, R = 1
        level = belief.model.mean(x[0])
        if belief.feasibility is not None:  # a point that cannot be made is worse than all that can
            level = level - 1e3 * (belief.feasibility.probability(x[0]) < LIKELY)[:, None]
        return level[None]

    found = pareto_search(mean, space, [known[space.admissible(known)]], settings, rng)[0]
    best = found.x[_wanted(belief.model.mean(found.x), belief.thresholds)]
    return best, np.full(len(best), NO_ROW)


def _wanted(levels: Array, thresholds: Array) -> NDArray[np.bool_]:
    """Non-dominated levels (N, L), those above all thresholds if there are any."""
    keep = non_dominated(levels)
    above = keep & (levels >= thresholds).all(axis=1)
    return above if above.any() else keep
