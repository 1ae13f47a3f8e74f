"""Pools of numbers cut out of spaces: some hundred random points of a test problem, measured with a little noise.

What `bismuth_oxide` alone speaks for can be looked at on ten pools of the same kind. As pools they are new; their
functions are not: kernels and priors were chosen by predictions of them, and searches of six spaces were looked at.
"""

from typing import Any

import numpy as np

from pfes.problems import Problem, get
from pfes.space import Pool, Space

__all__ = ["CUT", "cut"]

ROWS = 400
NOISE = 0.03  # of the deviation of the values
CUT: dict[str, dict[str, Any]] = {
    "branin_currin": {},
    "ackley_sphere": {},
    "zdt3": {"d": 3},
    "zdt4": {"d": 3},
    "dtlz2": {"d": 4, "L": 2},
    "dtlz7": {"d": 3, "L": 2},
    "four_bar_truss": {},
    "hatch_cover": {},
    "vehicle_safety": {},
    "rocket_injector": {},
}


def cut(name: str) -> Problem:
    """The pool of that name, `ROWS` rows."""
    whole = get(name, **CUT[name])
    assert isinstance(whole.space, Space)
    x = whole.space.random(ROWS, np.random.default_rng(5))
    truth = whole.values(x)
    pool = Pool(x, [f"x{column}" for column in range(x.shape[1])])
    noise = NOISE * truth.std(axis=0)
    reference = truth.mean(axis=0)  # not the one that counts: see `cases.problem`
    return Problem(f"cut {name}", pool, whole.objectives, lambda rows: truth[rows], reference, 1.0, noise=noise)
