"""What methods that sample frontiers have in common: the draw itself, and what measurements under way mean to it.

R   sampled functions, each with its frontier
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.resolution import resolution
from pfes.acquisition.situation import Situation
from pfes.frontiers import Sampled, sample_frontiers

__all__ = ["Draw", "draw", "own_values"]

Array = NDArray[np.float64]

STARTS = 20  # points of each sampled Pareto set that a search may start from


class Draw(NamedTuple):
    """Sampled frontiers, and what a method makes of the situation besides."""

    sampled: Sampled
    delta: Array  # (L,) deviation of a measurement: its noise and the resolution; 0 for the estimator "exact"
    starts: Array  # (Q, D) of the sampled Pareto sets


def draw(situation: Situation, *, bounded: bool = True) -> Draw:
    """Sample frontiers and choose the resolution; not bounded: of all there is, whatever the thresholds say."""
    sampled = sample_frontiers(
        situation.model,
        situation.domain,
        situation.observed,
        situation.thresholds if bounded else np.full(len(situation.thresholds), -np.inf),
        situation.frontiers,
        situation.rng,
        allowed=situation.allowed,
    )
    exact = situation.estimator == "exact"
    delta = (
        np.zeros(len(situation.noise)) if exact else np.hypot(situation.noise, resolution(situation, sampled.frontiers))
    )
    return Draw(sampled, delta, np.vstack([points[:: 1 + len(points) // STARTS] for points in sampled.sets]))


def own_values(
    values: Callable[[Array], Array], delta: Array, x: Array, which: Sequence[int], rng: np.random.Generator
) -> Array:
    """(R, 1, L) what each sampled function would show at x (D,), measured with deviation delta (L,); else nan.

    Given to a model, it makes a mean for each function, which is what conditional information asks for (theory 8).
    """
    true = values(x[None])  # (R, 1, L)
    seen = np.full_like(true, np.nan)
    for l in which:
        seen[..., l] = true[..., l] + delta[l] * rng.standard_normal(true.shape[:2])
    return seen
