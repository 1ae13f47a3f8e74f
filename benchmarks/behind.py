"""What is behind a suggestion: the same acquisition, made from the same random numbers, for those who look closer."""

import numpy as np

from pfes.acquisition import Acquisition, Situation, method_named
from pfes.belief import Belief, believe
from pfes.gp import Hyper
from pfes.observations import Observations
from pfes.task import Task

__all__ = ["behind"]


def behind(
    task: Task, known: Observations, rng: np.random.Generator, hypers: tuple[Hyper, ...] | None = None
) -> tuple[Belief, Acquisition]:
    """The belief and the acquisition that `suggest` makes of the same arguments, without pending points, in a space."""
    belief = believe(task, known, rng, hypers)
    build = method_named(task.settings.method).build
    assert build is not None
    situation = Situation(
        model=belief.model,
        domain=task.domain,
        observed=belief.observed,
        held=belief.held,
        options=task.objectives.options(False),
        thresholds=belief.thresholds,
        noise=belief.noise,
        resolution=belief.resolution,
        frontiers=task.settings.frontiers,
        estimator=task.settings.estimator,
        allowed=None,
        rng=rng,
    )
    return belief, build(situation)
