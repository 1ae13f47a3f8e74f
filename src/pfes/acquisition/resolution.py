"""The smallest differences worth knowing, where the user did not say."""

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.situation import Situation

__all__ = ["finest", "resolution", "smallest"]

Array = NDArray[np.float64]


def resolution(situation: Situation, frontiers: list[Array]) -> Array:
    """(L,) what the user gave, else 1 % of the spread of the sampled frontiers, at least 1e-3 prior deviations."""
    points = np.vstack(frontiers)
    points = points[np.isfinite(points).all(axis=1)]  # without the thresholds' virtual points
    low, high = np.quantile(points, [0.1, 0.9], axis=0) if len(points) else np.zeros((2, len(situation.noise)))
    default = np.maximum(0.01 * (high - low), smallest(situation))
    return np.where(np.isnan(situation.resolution), default, situation.resolution)


def smallest(situation: Situation) -> Array:
    """(L,) 1e-3 of the prior deviations: no difference smaller than that is worth knowing unless the user says so."""
    return 1e-3 * np.sqrt(situation.model.amplitude)


def finest(situation: Situation) -> Array:
    """(L,) how closely a measurement can be known at best: its noise, and the smallest difference worth knowing."""
    return np.hypot(situation.noise, smallest(situation))
