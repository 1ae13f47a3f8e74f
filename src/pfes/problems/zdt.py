"""The ZDT problems of Zitzler, Deb and Thiele (2000): two objectives, minimised, with fronts known by formula.

f1 = x1, f2 = g h(f1 / g), where g >= 1 depends on x2, ..., xd alone and is 1 on the front.
"""

from collections.abc import Callable
from math import pi

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.objectives import Objective, Objectives
from pfes.problems.problem import Problem, rebuildable
from pfes.space import Real, Space

__all__ = ["zdt1", "zdt2", "zdt3", "zdt4"]

Array = npt.NDArray[np.float64]

# Where f1 of ZDT3's front lies: the descending stretches of 1 - sqrt(f1) - f1 sin(10 pi f1) that undercut all to
# their left. Computed with 30 digits (benchmarks/optimal_hypervolumes.py).
ZDT3_PIECES = (
    (0.0, 0.083001534926911633),
    (0.18222872802939978, 0.25776236338783022),
    (0.40931367480865684, 0.45388210408883017),
    (0.61839679443926579, 0.65251170380466252),
    (0.82333179832663274, 0.8518328654364139),
)


@rebuildable
def zdt1(d: int = 6) -> Problem:
    """ZDT1: a convex front, f2 = 1 - sqrt(f1). Reference point (11, 11), as in BoTorch; optimum in closed form."""
    return _problem("zdt1", _unit(d), _plain(lambda f, g: 1.0 - np.sqrt(f / g)), (11.0, 11.0), 121.0 - 1.0 / 3.0)


@rebuildable
def zdt2(d: int = 6) -> Problem:
    """ZDT2: a concave front, f2 = 1 - f1^2. Reference point (11, 11), as in BoTorch; optimum in closed form."""
    return _problem("zdt2", _unit(d), _plain(lambda f, g: 1.0 - (f / g) ** 2), (11.0, 11.0), 121.0 - 2.0 / 3.0)


@rebuildable
def zdt3(d: int = 6) -> Problem:
    """ZDT3: a front in five pieces. Reference point (11, 11), as in BoTorch; optimum in closed form.

    f2 = g (1 - sqrt(f1 / g) - f1 / g sin(10 pi f1)), as published; BoTorch leaves the factor g out.
    """
    truth = _plain(lambda f, g: 1.0 - np.sqrt(f / g) - f / g * np.sin(10.0 * pi * f))
    return _problem("zdt3", _unit(d), truth, (11.0, 11.0), 128.7781161306908, ZDT3_PIECES)


@rebuildable
def zdt4(d: int = 4) -> Problem:
    """ZDT4: ZDT1's front behind 21^(d-1) local ones; x2, ..., xd in [-5, 5]. The paper has d = 4.

    The paper does not tell its reference point. Ours, (1.1, 43 d - 42), is (1.1, 130) for d = 4: a little worse than
    the worst value on the domain. Optimum in closed form.
    """
    _checked(d)
    space = Space({"x1": Real(0.0, 1.0)} | {f"x{i}": Real(-5.0, 5.0) for i in range(2, d + 1)})
    worst = 43.0 * d - 42.0

    def truth(natural: Array) -> Array:
        first, rest = natural[:, 0], natural[:, 1:]
        g = 1.0 + (rest**2 + 10.0 * (1.0 - np.cos(4.0 * pi * rest))).sum(axis=1)
        return np.column_stack([first, g * (1.0 - np.sqrt(first / g))])

    return _problem("zdt4", space, truth, (1.1, worst), 1.1 * worst - 1.0 / 3.0)


def _plain(shape: Callable[[Array, Array], Array]) -> Callable[[Array], Array]:
    """f2 = g h(f1, g) with the g that ZDT1, ZDT2 and ZDT3 share."""

    def truth(natural: Array) -> Array:
        g = 1.0 + 9.0 * natural[:, 1:].mean(axis=1)
        return np.column_stack([natural[:, 0], g * shape(natural[:, 0], g)])

    return truth


def _unit(d: int) -> Space:
    _checked(d)
    return Space({f"x{i}": Real(0.0, 1.0) for i in range(1, d + 1)})


def _checked(d: int) -> None:
    if d < 2:
        raise InvalidInput(
            f"got d = {d}; wanted at least 2 parameters: the first moves along the front, the rest to it"
        )


def _problem(
    name: str,
    space: Space,
    truth: Callable[[Array], Array],
    reference: tuple[float, float],
    optimum: float,
    pieces: tuple[tuple[float, float], ...] = ((0.0, 1.0),),
) -> Problem:
    # on the front g = 1, which the other parameters reach at 0
    def sample(count: int) -> Array:
        each = max(-(-count // len(pieces)), 2)
        first = np.concatenate([np.linspace(low, high, each) for low, high in pieces])
        return truth(np.column_stack([first, np.zeros((len(first), len(space.names) - 1))]))

    objectives = Objectives([Objective("f1", "min"), Objective("f2", "min")])
    return Problem(name, space, objectives, truth, np.array(reference), optimum, sample)
