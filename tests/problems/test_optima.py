"""Optimal hypervolumes: closed forms against plain numerical integration, computed ones against what is attained."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid
from scipy.stats import qmc

from pfes import problems
from pfes.pareto import non_dominated
from problems.cases import FRONT_KNOWN, NAMES, POOLS, usual


def dominated_area(f1, f2, reference):
    """Area that the curve (f1, f2), f1 rising, dominates: the running minimum, summed by trapezoids."""
    lowest = np.minimum.accumulate(f2)
    inside = trapezoid(reference[1] - lowest, f1)
    return inside + (reference[0] - f1[-1]) * (reference[1] - lowest[-1])


@pytest.mark.parametrize("name", ["zdt1", "zdt2", "zdt3", "zdt4", "dtlz1", "dtlz2", "dtlz7"])
def test_two_objectives_by_trapezoids(name):
    problem = usual(name)
    t = np.linspace(0, 1, 1_000_001)
    curves = {
        "zdt1": (t, 1 - np.sqrt(t)),
        "zdt2": (t, 1 - t**2),
        "zdt3": (t, 1 - np.sqrt(t) - t * np.sin(10 * np.pi * t)),
        "zdt4": (t, 1 - np.sqrt(t)),
        "dtlz1": (t / 2, 0.5 - t / 2),
        "dtlz2": (t, np.sqrt(1 - t**2)),
        "dtlz7": (t, 4 - t * (1 + np.sin(3 * np.pi * t))),
    }
    assert problem.optimum == pytest.approx(dominated_area(*curves[name], problem.reference), rel=1e-8)


def test_the_truss_by_trapezoids_along_its_front():
    problem = problems.four_bar_truss()
    assert problem.optimum == pytest.approx(dominated_area(*problem.front(1_000_001).T, problem.reference), rel=1e-8)


def test_the_spring_by_trying_everything():
    problem = problems.coil_spring()
    wires = problem.space.parameters["wire"].values
    levels = np.meshgrid(np.arange(1.0, 4.0), np.linspace(0.6, 3.0, 5001), wires, indexing="ij")
    assert problem.share(problem.truth(np.stack(levels, axis=-1).reshape(-1, 3))) == pytest.approx(1.0, abs=1e-6)


SHAPES = {
    "dtlz1": lambda y: y.sum(axis=1) >= 0.5,
    "dtlz2": lambda y: (y**2).sum(axis=1) >= 1,
    "dtlz3": lambda y: (y**2).sum(axis=1) >= 1,
    "dtlz4": lambda y: (y**2).sum(axis=1) >= 1,
}


@pytest.mark.parametrize("L", [3, 4])
@pytest.mark.parametrize("name", SHAPES)
def test_more_objectives_by_counting_points(name, L):
    # with a reference point close to the front, or nothing would be seen of its shape
    reference = 0.55 if name == "dtlz1" else 1.1
    y = reference * qmc.Sobol(L, scramble=False).random(2**17)
    counted = SHAPES[name](y).mean() * reference**L
    assert problems.get(name, L=L, reference=reference).optimum == pytest.approx(counted, rel=2e-3)


def test_the_arc_of_dtlz5_by_quadrature():
    problem = problems.dtlz5()
    inside = quad(lambda z: (1.1 - math.sqrt(max(0.0, 1 - z * z) / 2)) ** 2, 0, 1, epsabs=1e-12, limit=200)[0]
    assert problem.optimum == pytest.approx(inside + 0.1 * 1.1**2, rel=1e-9)
    assert problems.dtlz5(L=2).optimum == problems.dtlz2().optimum


def test_dtlz7_with_three_objectives_by_its_own_sample():
    problem = problems.dtlz7(L=3)
    assert problem.share(problem.front(40_000)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("name", FRONT_KNOWN)
def test_the_front_holds_all_of_the_optimum(name):
    problem = usual(name)
    front = problem.front(2000)
    assert 1 - {3: 5e-3, 4: 5e-2}.get(front.shape[1], 3e-3) < problem.share(front) <= 1 + 1e-9


@pytest.mark.parametrize("name", FRONT_KNOWN)
def test_the_front_is_better_than_the_reference_point_and_not_dominated(name):
    problem = usual(name)
    front = problem.objectives.inward(problem.front(100))
    assert non_dominated(front + 0.0).mean() > 0.95  # pieces of a front may share an end
    assert (front >= problem.objectives.inward(problem.reference)).all(axis=1).mean() > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_random_points_do_not_beat_the_front(name):
    problem = usual(name)
    rng = np.random.default_rng(3)
    x = rng.permutation(len(problem.space)) if name in POOLS else rng.random((2000, problem.space.width))
    known = [problem.front(300)] if name in FRONT_KNOWN else []
    assert 0.3 < problem.share(np.concatenate([problem.values(x), *known])) <= 1 + 1e-9


def test_optima_are_not_below_those_of_botorch():
    # theirs come from NSGA-II or from published approximate fronts; from below
    ours = [usual(name).optimum for name in ("branin_currin", "vehicle_safety", "car_side_impact")]
    theirs = [59.36011874867746, 246.81607081187002, 484.72654347642793]
    assert (np.array(ours) > theirs).all()
    np.testing.assert_allclose(ours, theirs, rtol=0.05)


def test_the_trusses_front_is_where_random_search_ends():
    problem = problems.four_bar_truss()
    low, high = np.array([1, math.sqrt(2), math.sqrt(2), 1]), np.full(4, 3.0)
    drawn = problem.truth(low + np.random.default_rng(0).beta(0.5, 0.5, (200_000, 4)) * (high - low))
    best = problem.front(500)
    behind = np.interp(drawn[:, 0], best[:, 0], best[:, 1])  # of the front at the same volume; convex, so above it
    assert (drawn[:, 1] >= behind - 1e-5).all()
