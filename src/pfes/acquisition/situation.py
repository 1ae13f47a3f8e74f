"""All that a method may look at when it is set up."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfes.frontiers import FrontierSettings
from pfes.gp import Recipe, Surrogate
from pfes.objectives import Option
from pfes.pareto import non_dominated
from pfes.space import Pool, Space

__all__ = ["Situation", "best_of"]

Array = NDArray[np.float64]


def _ones(x: Array) -> Array:
    return np.ones((len(x), 1))


@dataclass(frozen=True)
class Situation:
    """What is believed and what is on offer; values are levels (larger is better, deviation 1)."""

    model: Surrogate
    domain: Space | Pool
    observed: Array  # (n, D) distinct points with any measurement
    held: Array  # (m, D) those with every objective measured
    options: tuple[Option, ...]
    thresholds: Array  # (L,) -inf where there is none
    noise: Array  # (L,) deviation of a measurement
    resolution: Array  # (L,) smallest difference worth knowing; nan: to be chosen
    frontiers: FrontierSettings
    estimator: str
    allowed: NDArray[np.bool_] | None  # (P,) rows of a pool that can be measured or have been; None: all
    rng: np.random.Generator
    stale: float = 0.0  # measurements of everything that were paid for since what is held last grew
    apart: bool = False  # may single objectives of a point be measured?
    left: float = np.inf  # measurements of everything that the budget still pays for
    completing: Callable[[Array], Array] = _ones  # x (N, D) -> (N, K) cost of all a point lacks, begun so
    recipe: Recipe = field(default_factory=Recipe)  # of the model, for methods that fit one of their own
    measured: Array | None = None  # (m, L) levels measured at `held`, averages of replicates; None: as predicted


def best_of(points: Array, levels: Array) -> Array:
    """Those of the points (S, ...) whose levels (S, L) none of the others dominates; there may be no points."""
    return points[non_dominated(levels)] if len(levels) else points
