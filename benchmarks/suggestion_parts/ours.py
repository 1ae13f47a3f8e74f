"""Our suggestion, and what is behind it: the model, the sampled frontiers, the acquisition."""

from dataclasses import dataclass, replace

import numpy as np

from behind import behind
from known import cube, from_arrays, objectives
from pfes.acquisition import Acquisition
from pfes.belief import Belief
from pfes.frontiers import FrontierSettings, sample_frontiers
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
    """What a suggestion is made from, to be compared with a rival's."""

    belief: Belief
    frontiers: list[np.ndarray]  # (S_r, L), in the units of the data
    acquisition: Acquisition


def inside(x: np.ndarray, y: np.ndarray, seed: int) -> Inside:
    """The model and ten frontiers behind a suggestion with the default settings."""
    task = Task(cube(x.shape[1]), objectives(y.shape[1]))
    observations, rng = from_arrays(x, y), np.random.default_rng(seed)
    belief, acquisition = behind(task, observations, rng)
    none = np.full(y.shape[1], -np.inf)
    sampled = sample_frontiers(belief.model, task.domain, belief.observed, none, FrontierSettings(), rng)
    frontiers = [
        np.column_stack([scaling.backward(front[:, l]) for l, scaling in enumerate(belief.scalings)])
        for front in sampled.frontiers
    ]
    return Inside(belief, frontiers, acquisition)
