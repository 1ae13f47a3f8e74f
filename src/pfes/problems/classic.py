"""Two problems of two parameters whose fronts have no formula: Branin-Currin and Ackley/Sphere."""

import numpy as np
import numpy.typing as npt

from pfes.objectives import Objective, Objectives
from pfes.problems.fronts import grid_front
from pfes.problems.problem import Problem, rebuildable
from pfes.space import Real, Space

__all__ = ["ackley_sphere", "branin_currin"]

Array = npt.NDArray[np.float64]

SPHERE_CENTRE = np.array([2.0, 1.0])


@rebuildable
def branin_currin() -> Problem:
    """Branin, rescaled to the unit square, and Currin's exponential function; both minimised.

    As in BoTorch, with its reference point (18, 6). The optimal hypervolume is computed to 1e-5
    (benchmarks/optimal_hypervolumes.py); BoTorch's 59.36011874867746 is what NSGA-II attained, a little below it.
    """
    objectives = Objectives([Objective("branin", "min"), Objective("currin", "min")])
    return Problem(
        name="branin_currin",
        space=Space(x1=Real(0.0, 1.0), x2=Real(0.0, 1.0)),
        objectives=objectives,
        truth=_branin_currin,
        reference=np.array([18.0, 6.0]),
        optimum=59.40661,
        sample=lambda count: grid_front(
            _branin_currin, objectives.signs, [np.linspace(0.0, 0.125, 801), np.linspace(0.8, 1.0, 801)], count
        ),
    )


def _branin_currin(natural: Array) -> Array:
    return np.column_stack([_branin(15.0 * natural[:, 0] - 5.0, 15.0 * natural[:, 1]), _currin(*natural.T)])


def _branin(u: Array, v: Array) -> Array:
    valley = v - 5.1 / (4.0 * np.pi**2) * u**2 + 5.0 / np.pi * u - 6.0
    return valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(u) + 10.0


def _currin(u: Array, v: Array) -> Array:
    with np.errstate(divide="ignore"):  # v = 0 means exp(-inf), which is 0
        rise = -np.expm1(-1.0 / (2.0 * v))
    return rise * (((2300.0 * u + 1900.0) * u + 2092.0) * u + 60.0) / (((100.0 * u + 500.0) * u + 4.0) * u + 20.0)


@rebuildable
def ackley_sphere() -> Problem:
    """Ackley's function, centred at (0, 0), and the sphere, centred at (2, 1), both on [-5, 5]^2 and minimised.

    The paper combines the two functions in two dimensions and does not say how; these centres, this domain and the
    reference point (10, 10) are ours. Ackley's ripples break the front into pieces.
    The optimal hypervolume is computed to 1e-5 (benchmarks/optimal_hypervolumes.py).
    """
    objectives = Objectives([Objective("ackley", "min"), Objective("sphere", "min")])
    return Problem(
        name="ackley_sphere",
        space=Space(x1=Real(-5.0, 5.0), x2=Real(-5.0, 5.0)),
        objectives=objectives,
        truth=_ackley_sphere,
        reference=np.array([10.0, 10.0]),
        optimum=86.15153,
        sample=lambda count: grid_front(
            _ackley_sphere, objectives.signs, [np.linspace(0.0, 2.0, 1001), np.linspace(0.0, 1.0, 501)], count
        ),
    )


def _ackley_sphere(natural: Array) -> Array:
    return np.column_stack([_ackley(natural), ((natural - SPHERE_CENTRE) ** 2).sum(axis=1)])


def _ackley(point: Array) -> Array:
    bowl = -20.0 * np.expm1(-0.2 * np.sqrt((point**2).mean(axis=1)))  # expm1: exactly 0 at the centre
    ripples = np.e - np.exp(np.cos(2.0 * np.pi * point).mean(axis=1))
    value: Array = bowl + ripples
    return value
