"""What every problem does: evaluate, measure shares, refuse what it cannot."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from pfes import problems
from pfes.errors import InvalidInput
from pfes.objectives import Objective, Objectives
from pfes.problems import Problem
from pfes.space import Real, Space
from problems.cases import NAMES, POOLS, usual

SPACES = [name for name in NAMES if name not in POOLS]


@pytest.mark.parametrize("name", SPACES)
def test_many_points_are_as_one_by_one(name, frozen):
    problem = usual(name)
    x = frozen(problem.space.random(20, np.random.default_rng(0)))
    together = problem.values(x)
    rows = problem.space.decode(x)
    np.testing.assert_array_equal(together, problem.values(rows))
    assert [problem.evaluate(row) for row in rows] == [
        dict(zip(problem.names, values, strict=True)) for values in together.tolist()
    ]


@pytest.mark.parametrize("name", SPACES)
def test_corners_of_the_space_have_finite_values(name):
    problem = usual(name)
    corners = np.array([np.zeros(problem.space.width), np.ones(problem.space.width)])
    assert np.isfinite(problem.values(corners)).all()


def test_discrete_parameters_are_discrete():
    rows = problems.coil_spring().space.decode(np.random.default_rng(0).random((50, 3)))
    assert all(isinstance(row["coils"], int) for row in rows)
    assert {row["wire"] for row in rows} <= set(problems.coil_spring().space.parameters["wire"].values)
    assert len(problems.concrete_beam().space.parameters["steel"].values) == 76


def test_names_are_forgiving_and_sizes_are_arguments():
    assert problems.get("Branin-Currin").name == "branin_currin"
    assert problems.get(" Ackley/Sphere ").name == "ackley_sphere"
    big = problems.get("dtlz2", d=8, L=5)
    assert (len(big.space.names), len(big.objectives)) == (8, 5)
    assert [problem.name for problem in problems.all()] == list(problems.names())


def test_the_papers_sizes_are_the_defaults():
    sizes = {name: problems.get(name) for name in ("ackley_sphere", "zdt4", "dtlz3", "dtlz4")}
    assert [(len(p.objectives), len(p.space.names)) for p in sizes.values()] == [(2, 2), (2, 4), (4, 6), (4, 6)]


def test_a_trial_is_measured_for_what_it_names():
    problem = problems.branin_currin()
    trial = SimpleNamespace(id=3, params={"x1": 0.5, "x2": 0.5}, objectives=("currin",), row=None)
    assert problem.evaluate(trial) == {"currin": problem.evaluate({"x1": 0.5, "x2": 0.5})["currin"]}


def test_share_counts_complete_rows_alone():
    problem = problems.zdt1()
    whole = problem.front(50)
    assert problem.share(np.vstack([whole, [[0.0, np.nan]]])) == problem.share(whole) > 0.99
    assert problem.share([]) == 0.0
    assert problem.share([[12.0, 0.0]]) == 0.0  # worse than the reference point in one objective


def test_hypervolume_is_in_the_users_directions():
    problem = Problem(
        "mixed",
        Space(x=Real(0, 1)),
        Objectives([Objective("up", "max"), Objective("down", "min")]),
        lambda natural: np.column_stack([natural, natural]),
        np.array([0.0, 10.0]),
        optimum=30.0,
    )
    assert problem.hypervolume([[3.0, 5.0]]) == 15.0
    assert problem.share([[3.0, 5.0], [2.0, 7.0]]) == 0.5
    assert "1 parameters" in repr(problem)


def test_a_problem_is_frozen():
    problem = problems.zdt1()
    with pytest.raises(AttributeError):
        problem.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        problem.reference[0] = 0.0


def test_a_problem_travels_to_other_processes():
    for problem in (problems.get("dtlz2", d=5, L=3), problems.bismuth_oxide(ratio=7)):
        copy = pickle.loads(pickle.dumps(problem))
        assert (copy.name, copy.optimum, copy.objectives) == (problem.name, problem.optimum, problem.objectives)
        assert copy.space == problem.space
    own = Problem("own", Space(x=Real(0, 1)), Objectives([Objective("f")]), np.abs, np.zeros(1), 1.0)
    assert pickle.loads(pickle.dumps(own)).evaluate({"x": 0.5}) == {"f": 0.5}


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match=r"got the problem 'brannin'.*try 'branin_currin'"):
        problems.get("brannin")
    with pytest.raises(InvalidInput, match=r"problems.names\(\) lists them"):
        problems.get("%%%")
    with pytest.raises(InvalidInput, match="for the problem 'zdt1'"):
        problems.get("zdt1", L=3)
    with pytest.raises(InvalidInput, match="d = 1; wanted at least 2"):
        problems.zdt4(d=1)
    with pytest.raises(InvalidInput, match="wanted 2 <= L <= d"):
        problems.dtlz2(d=2, L=3)
    with pytest.raises(InvalidInput, match=r"reference 0.9; wanted more than 1, .* in dtlz2"):
        problems.dtlz2(reference=0.9)
    with pytest.raises(InvalidInput, match="wanted 2 or 3, as the front of DTLZ5"):
        problems.dtlz5(L=4)
    with pytest.raises(InvalidInput, match="front of 'vehicle_safety'"):
        problems.vehicle_safety().front()
    with pytest.raises(InvalidInput, match="row 3 of 'zdt1', which has a space"):
        problems.zdt1().evaluate_row(3)
    with pytest.raises(InvalidInput, match="reference of shape"):
        Problem("x", Space(x=Real(0, 1)), Objectives([Objective("f")]), lambda x: x, np.zeros(2), 1.0)
