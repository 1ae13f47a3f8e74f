"""The DTLZ problems of Deb, Thiele, Laumanns and Zitzler (2005): any number of objectives, minimised, on the unit cube.

The first L - 1 parameters place a point along the front; the other k = d - L + 1 hold it off by g >= 0.

| problem | front | g | reference point |
|---|---|---|---|
| DTLZ1 | simplex, sum f = 1/2 | rippled | 400 (BoTorch) |
| DTLZ2 | unit sphere | smooth | 1.1 (BoTorch) |
| DTLZ3 | unit sphere | rippled | 1 + 100 k, where random points lie; BoTorch's 10,000 would hide all progress |
| DTLZ4 | unit sphere, its middle hard to reach | smooth | 1.5, twice as far as random points lie for k = 3 |
| DTLZ5 | an arc | smooth | 1.1; BoTorch's 10 would hide all progress |
| DTLZ7 | 2^(L-1) pieces | linear | 15 (BoTorch) |

The paper has DTLZ3 and DTLZ4 with L = 4, d = 6 and does not tell its reference points. All optima are in closed form.
"""

from collections.abc import Callable
from math import factorial, gamma, pi, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.objectives import Objective, Objectives
from pfes.problems.fronts import simplex, sphere
from pfes.problems.problem import Problem, rebuildable
from pfes.space import Real, Space

__all__ = ["dtlz1", "dtlz2", "dtlz3", "dtlz4", "dtlz5", "dtlz7"]

Array = npt.NDArray[np.float64]


@rebuildable
def dtlz1(d: int = 6, L: int = 2, reference: float = 400.0) -> Problem:
    """DTLZ1: a linear front behind 11^k - 1 local ones; g = 100 (k + sum (x - 1/2)^2 - cos(20 pi (x - 1/2))).

    Below the front lies a simplex of volume 2^-L / L!, which the optimum leaves out (BoTorch takes 2^-L for it).
    """
    size = _Size("dtlz1", d, L, reference, least=0.5)

    def truth(natural: Array) -> Array:
        place = natural[:, : L - 1]
        return 0.5 * (1.0 + _rippled(natural[:, L - 1 :]))[:, None] * _corners(place, 1.0 - place)

    return _problem(size, truth, reference**L - 0.5**L / factorial(L), lambda count: 0.5 * simplex(count, L))


@rebuildable
def dtlz2(d: int = 6, L: int = 2, reference: float = 1.1) -> Problem:
    """DTLZ2: a concave front, the unit sphere; g = sum (x - 1/2)^2. The default is BoTorch's."""
    return _spherical(_Size("dtlz2", d, L, reference, least=1.0), _smooth)


@rebuildable
def dtlz3(d: int = 6, L: int = 4, reference: float | None = None) -> Problem:
    """DTLZ3: DTLZ2's front behind 11^k - 1 local ones, up to 660 away for k = 3. The default is the paper's."""
    worst = 1.0 + 100.0 * (d - L + 1) if reference is None else reference
    return _spherical(_Size("dtlz3", d, L, worst, least=1.0), _rippled)


@rebuildable
def dtlz4(d: int = 6, L: int = 4, reference: float = 1.5) -> Problem:
    """DTLZ4: DTLZ2 with x^100 in place of x for the first L - 1 parameters. The default is the paper's.

    Nearly all of the cube is mapped next to one corner of the sphere. (BoTorch's DTLZ4 ignores the exponent.)
    """
    return _spherical(_Size("dtlz4", d, L, reference, least=1.0), _smooth, exponent=100.0)


@rebuildable
def dtlz5(d: int = 6, L: int = 3, reference: float = 1.1) -> Problem:
    """DTLZ5: the sphere bent into an arc, f1 = f2 = cos(t) / sqrt(2), f3 = sin(t) for L = 3; as DTLZ2 for L = 2.

    For L >= 4 the front is more than the arc (Huband et al. 2006) and not known by formula: refused.
    """
    size = _Size("dtlz5", d, L, reference, least=1.0)
    if L > 3:
        raise InvalidInput(f"got L = {L}; wanted 2 or 3, as the front of DTLZ5 is not known beyond; try dtlz2 or dtlz7")

    def truth(natural: Array) -> Array:
        g = _smooth(natural[:, L - 1 :])[:, None]
        angles = (
            np.column_stack([natural[:, :1], (1.0 + 2.0 * g * natural[:, 1 : L - 1]) / (2.0 * (1.0 + g))]) * pi / 2.0
        )
        return (1.0 + g) * _corners(np.cos(angles), np.sin(angles))

    def sample(count: int) -> Array:
        return truth(np.column_stack([np.linspace(0.0, 1.0, max(count, 2)), np.full((max(count, 2), d - 1), 0.5)]))

    return _problem(size, truth, _below_ball(reference, 2) if L == 2 else _above_arc(reference), sample)


@rebuildable
def dtlz7(d: int = 6, L: int = 2, reference: float = 15.0) -> Problem:
    """DTLZ7: a front in 2^(L-1) pieces; f_l = x_l but for the last, which is (1 + g) L - sum f (1 + sin(3 pi f))."""
    size = _Size("dtlz7", d, L, reference, least=2.0 * L)

    def truth(natural: Array) -> Array:
        place = natural[:, : L - 1]
        g = 1.0 + 9.0 * natural[:, L - 1 :].mean(axis=1)
        return np.column_stack([place, (1.0 + g) * L - _waves(place).sum(axis=1)])

    def sample(count: int) -> Array:
        each = max(round(count ** (1.0 / (L - 1))), 4)
        rising = np.concatenate([np.linspace(0.0, PEAK_1, -(-each // 2)), np.linspace(AGAIN, PEAK_2, -(-each // 2))])
        place = np.stack(np.meshgrid(*[rising] * (L - 1), indexing="ij"), axis=-1).reshape(-1, L - 1)
        return truth(np.column_stack([place, np.zeros((len(place), d - L + 1))]))

    # f_L is a sum of functions of one f_l each; what dominates (f_1, ..., f_{L-1}) there is the sum of running maxima
    optimum = reference ** (L - 1) * (reference - 2.0 * L) + (L - 1) * reference ** (L - 2) * _running_maximum(
        reference
    )
    return _problem(size, truth, optimum, sample)


class _Size(NamedTuple):
    name: str
    d: int
    L: int
    reference: float
    least: float  # what the reference point must exceed for the closed form to hold


def _problem(size: _Size, truth: Callable[[Array], Array], optimum: float, sample: Callable[[int], Array]) -> Problem:
    if not 2 <= size.L <= size.d:
        raise InvalidInput(f"got L = {size.L} objectives of d = {size.d} parameters; wanted 2 <= L <= d")
    if not size.reference > size.least:
        raise InvalidInput(
            f"got reference {size.reference}; wanted more than {size.least:g}, the front's worst value in {size.name}"
        )
    space = Space({f"x{i}": Real(0.0, 1.0) for i in range(1, size.d + 1)})
    objectives = Objectives([Objective(f"f{l}", "min") for l in range(1, size.L + 1)])
    return Problem(size.name, space, objectives, truth, np.full(size.L, size.reference), optimum, sample)


def _spherical(size: _Size, distance: Callable[[Array], Array], exponent: float = 1.0) -> Problem:
    def truth(natural: Array) -> Array:
        angles = natural[:, : size.L - 1] ** exponent * pi / 2.0
        return (1.0 + distance(natural[:, size.L - 1 :]))[:, None] * _corners(np.cos(angles), np.sin(angles))

    return _problem(size, truth, _below_ball(size.reference, size.L), lambda count: sphere(count, size.L))


def _corners(along: Array, across: Array) -> Array:
    """Objective l = product of the first L - l of `along` times the next of `across`; (N, L) from two (N, L - 1)."""
    ones = np.ones((len(along), 1))
    products = np.cumprod(np.column_stack([ones, along]), axis=1, dtype=np.float64)
    objectives: Array = (products * np.column_stack([across, ones]))[:, ::-1]
    return objectives


def _smooth(rest: Array) -> Array:
    distance: Array = ((rest - 0.5) ** 2).sum(axis=1)
    return distance


def _rippled(rest: Array) -> Array:
    off = rest - 0.5
    distance: Array = 100.0 * (off**2 + 1.0 - np.cos(20.0 * pi * off)).sum(axis=1)
    return distance


def _below_ball(reference: float, L: int) -> float:
    return float(reference**L - pi ** (L / 2) / gamma(L / 2 + 1) / 2.0**L)


def _above_arc(reference: float) -> float:
    """Integral over f3 = z of (reference - sqrt(1 - z^2) / sqrt(2))^2 up to z = 1, and of reference^2 beyond."""
    return reference**3 - reference * pi / sqrt(8.0) + 1.0 / 3.0


# f (1 + sin(3 pi f)) rises to PEAK_1, is as high again at AGAIN, and rises on to its maximum at PEAK_2 (30 digits:
# benchmarks/optimal_hypervolumes.py).
PEAK_1 = 0.25141183608891712
AGAIN = 0.6316265307000612
PEAK_2 = 0.85940085664472392


def _waves(f: Array) -> Array:
    wave: Array = f * (1.0 + np.sin(3.0 * pi * f))
    return wave


def _running_maximum(upper: float) -> float:
    """Integral from 0 to `upper` > PEAK_2 of the largest f (1 + sin(3 pi f)) so far."""

    def area(f: float) -> float:
        return float(f**2 / 2.0 + np.sin(3.0 * pi * f) / (9.0 * pi**2) - f * np.cos(3.0 * pi * f) / (3.0 * pi))

    low, high = _waves(np.array([PEAK_1, PEAK_2]))
    rises = area(PEAK_1) - area(0.0) + area(PEAK_2) - area(AGAIN)
    return rises + float(low) * (AGAIN - PEAK_1) + float(high) * (upper - PEAK_2)
