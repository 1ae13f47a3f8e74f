"""Our suggestion, and what is behind it: the model, the sampled frontiers, the acquisition."""

from dataclasses import dataclass, replace

import numpy as np

from behind import behind
from known import cube, from_arrays, objectives
from pfes.acquisition import Acquisition
from pfes.belief import Belief
from pfes.frontiers import Sampled, sample_frontiers
from pfes.suggest import suggest
from pfes.task import Settings, Task

__all__ = ["Inside", "inside", "settings_of", "suggestion"]


def settings_of(points: int | None = None, **changes: object) -> Settings:
    """The default settings; points: another limit on the points of a frontier."""
    default = Settings()
    return replace(default, frontiers=replace(default.frontiers, points=points), **changes)


def suggestion(x: np.ndarray, y: np.ndarray, seed: int, settings: Settings) -> np.ndarray:
    """The next point (d,) after values y (n, L), maximised, at points x (n, d) of the unit cube."""
    task = Task(cube(x.shape[1]), objectives(y.shape[1]), settings, seed)
    return suggest(task, from_arrays(x, y), np.random.default_rng(seed)).items[0].x


@dataclass(frozen=True)
class Inside:
    """What a suggestion is made from, to be compared with a rival's; values are levels, larger is better."""

    belief: Belief
    acquisition: Acquisition
    sampled: Sampled  # frontiers of at most `points` points


def inside(x: np.ndarray, y: np.ndarray, seed: int, points: int) -> Inside:
    """The model, the acquisition with the default settings, and ten frontiers thinned to a rival's number of points."""
    task = Task(cube(x.shape[1]), objectives(y.shape[1]))
    rng = np.random.default_rng(seed)
    belief, acquisition = behind(task, from_arrays(x, y), rng)
    none, thinned = np.full(y.shape[1], -np.inf), settings_of(points).frontiers
    return Inside(belief, acquisition, sample_frontiers(belief.model, task.domain, belief.observed, none, thinned, rng))
