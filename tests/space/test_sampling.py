"""Points of a space: uniform, evenly spread, all of them; under constraints, too."""

import warnings

import numpy as np
import pytest
from scipy import stats

from pfes.errors import InvalidInput
from pfes.space import Choice, Integer, Linear, Real, Space, sampling

METHODS = ["random", "sobol", "grid"]


def points_of(space, method, count=4096, seed=0):
    rng = np.random.default_rng(seed)
    return space.grid() if method == "grid" else getattr(space, method)(count, rng)


def shares(values):
    return np.unique(values, return_counts=True)[1] / len(values)


@pytest.mark.parametrize("method", ["random", "sobol"])
@pytest.mark.parametrize(
    "parameter",
    [
        Integer(0, 4),
        Integer(10, 45, step=10),
        Real(0, 1, step=0.3),
        Choice(["a", "b", "c"]),
        Choice([1, 2, 100], ordered=True),
    ],
    ids=repr,
)
def test_all_levels_are_equally_likely(parameter, method):
    # a continuous companion keeps the points distinct
    space = Space(p=parameter, x=Real(0, 1))
    values = [params["p"] for params in space.decode(points_of(space, method, 2**13))]
    counts = 2**13 * shares(np.array(values))
    assert len(counts) == parameter.axis.count
    assert stats.chisquare(counts).pvalue > 1e-4
    if method == "sobol":  # far more even than chance
        assert np.ptp(counts) <= 8


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_levels_on_a_log_scale_are_as_likely_as_their_cells_are_long(method):
    space = Space(n=Integer(2, 9, log=True), x=Real(0, 1))
    values = np.array([params["n"] for params in space.decode(points_of(space, method, 2**13))])
    edges = np.array([2 * 2 / 2.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5])
    lengths = np.diff(np.log(edges))
    np.testing.assert_allclose(shares(values), lengths / lengths.sum(), atol=0.02)


def test_a_log_grid_whose_first_cell_would_reach_below_zero_is_drawn_from():
    space = Space(n=Integer(1, 101, step=50, log=True))
    drawn = {params["n"] for params in space.decode(space.random(200, np.random.default_rng(0)))}
    assert drawn == {1, 51, 101}


@pytest.mark.parametrize("log", [False, True])
def test_numbers_are_uniform_on_their_own_scale(log):
    space = Space(x=Real(1, 1000, log=log))
    x = space.random(5000, np.random.default_rng(1))[:, 0]
    assert stats.kstest(x, "uniform").pvalue > 1e-4
    values = np.array([params["x"] for params in space.decode(x[:, None])])
    assert np.median(values) == pytest.approx(31.6 if log else 500, rel=0.1)


def test_sobol_points_are_more_even_than_random_ones():
    space = Space({f"x{i}": Real(0, 1) for i in range(4)})
    even, chance = (stats.qmc.discrepancy(points_of(space, method, 256)) for method in ("sobol", "random"))
    assert even < chance / 3


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 100, 1000])
def test_sobol_gives_any_number_of_distinct_points_without_a_warning(count):
    space = Space(x=Real(0, 1), c=Choice(["a", "b"]), n=Integer(0, 99))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = points_of(space, "sobol", count)
    assert x.shape == (count, space.width)
    assert len(set(space.keys(x))) == count


def test_fifty_parameters_are_no_trouble():
    space = Space({f"x{i}": Real(0, 1) for i in range(50)})
    assert len(set(space.keys(points_of(space, "sobol", 500)))) == 500


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_the_same_seed_gives_the_same_points(method):
    space = Space(x=Real(0, 1), n=Integer(0, 9), constraints=[Linear({"x": 1, "n": 0.1}, upper=1)])
    np.testing.assert_array_equal(points_of(space, method, 20, 3), points_of(space, method, 20, 3))
    assert (points_of(space, method, 20, 3) != points_of(space, method, 20, 4)).any()


@pytest.mark.parametrize("method", METHODS)
def test_points_are_decodable_and_allowed(method):
    space = Space(
        a=Integer(0, 9),
        b=Real(0, 1, step=0.1),
        c=Choice(["u", "v"]),
        constraints=[Linear({"a": 0.1, "b": 1}, lower=0.5, upper=1), lambda p: p["c"] == "u" or p["a"] > 3],
    )
    x = points_of(space, method, 50)
    np.testing.assert_array_equal(space.snap(x), x)
    assert all(space.contains(params) for params in space.decode(x))


@pytest.mark.parametrize("count", [90, 1000])
def test_a_small_space_gives_all_its_points_once(count):
    space = Space(a=Integer(0, 9), b=Choice(["u", "v", "w"]), c=Real(0, 1, step=0.5))
    x = points_of(space, "sobol", count)
    assert len(x) == len(set(space.keys(x))) == 90
    assert set(space.keys(x)) == set(space.keys(space.grid()))


def test_a_small_constrained_space_gives_all_that_is_allowed():
    space = Space(a=Integer(0, 99), b=Integer(0, 99), constraints=[Linear({"a": 1, "b": 1}, lower=198)])
    for method in ("sobol", "grid"):
        assert space.decode(points_of(space, method, 10)) == [{"a": 99, "b": 99}]
    assert space.random(10, np.random.default_rng(0)).tolist() == [[1.0, 1.0]] * 10


def test_allowed_points_of_a_small_space_are_drawn_uniformly_however_rare():
    space = Space(a=Integer(0, 299), b=Integer(0, 299), constraints=[Linear({"a": 1, "b": 1}, lower=595)])
    assert len(space.grid()) == 10
    counts = 5000 * shares(np.array(space.keys(space.random(5000, np.random.default_rng(0)))))
    assert len(counts) == 10
    assert stats.chisquare(counts).pvalue > 1e-4


def test_a_thin_corner_of_a_continuous_space_is_found():
    space = Space(
        {f"x{i}": Real(0, 1) for i in range(6)}, constraints=[Linear({f"x{i}": 1 for i in range(6)}, upper=1)]
    )
    for method in ("random", "sobol"):
        x = points_of(space, method, 200)
        assert x.shape == (200, 6)
        assert x.sum(axis=1).max() <= 1 + 1e-9


def test_rare_points_are_repeated_when_too_few_were_found(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_TRIED", 256)
    space = Space(x=Real(0, 1), constraints=[Linear({"x": 1}, upper=0.02)])
    x = space.random(50, np.random.default_rng(0))
    assert x.shape == (50, 1)
    assert x.max() <= 0.02
    assert 0 < len(space.sobol(50, np.random.default_rng(0))) < 50


@pytest.mark.parametrize("method", ["random", "sobol"])
@pytest.mark.parametrize(
    "space",
    [
        Space(a=Real(0, 1), b=Real(0, 1), constraints=[Linear({"a": 1, "b": 1}, lower=1, upper=1)]),
        Space(a=Integer(0, 3), constraints=[lambda params: False]),
        Space(a=Real(0, 1), constraints=[Linear({"a": 1}, lower=2)]),
    ],
    ids=["exact sum", "never", "outside"],
)
def test_constraints_that_leave_nothing_are_reported(space, method, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_TRIED", 2**12)
    with pytest.raises(InvalidInput, match=r"constraints leave almost nothing.*leave one parameter out and compute it"):
        points_of(space, method, 5)
    assert len(points_of(space, method, 0)) == 0


def test_an_exact_sum_of_integers_is_found():
    space = Space(a=Integer(0, 5), b=Integer(0, 5), constraints=[Linear({"a": 1, "b": 1}, lower=5, upper=5)])
    assert len(space.grid()) == len(points_of(space, "sobol", 50)) == 6


def test_a_negative_count_is_refused():
    for method in ("random", "sobol"):
        with pytest.raises(InvalidInput, match="count is -1, wanted 0 or more"):
            points_of(Space(x=Real(0, 1)), method, -1)


@pytest.mark.parametrize(("space", "size"), [(Space(x=Real(0, 1)), "inf"), (Space(n=Integer(0, 10**7)), "1e[+]07")])
def test_only_a_small_space_can_be_listed(space, size):
    with pytest.raises(InvalidInput, match=f"has {size} points, wanted at most 1000000: draw some with sobol"):
        space.grid()


# Neighbours


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_differ_in_exactly_one_discrete_parameter(seed):
    space = Space(
        x=Real(0, 1),
        n=Integer(0, 20),
        s=Real(0, 1, step=0.25),
        c=Choice(["u", "v", "w"]),
        o=Choice([1, 5, 7], ordered=True),
        constraints=[lambda p: p["n"] != 5, Linear({"s": 1, "x": 1}, upper=1.8)],
    )
    here = points_of(space, "random", 1, seed)[0]
    (params,) = space.decode(here[None])
    others = space.decode(space.neighbours(here))
    changed = [[name for name in params if params[name] != other[name]] for other in others]
    assert all(len(names) == 1 for names in changed)
    assert {names[0] for names in changed} == {"n", "s", "c", "o"}
    assert all(space.contains(other) for other in others)
    assert len(set(space.keys(space.encode(others)))) == len(others)
    assert sum(names == ["c"] for names in changed) == sum(names == ["o"] for names in changed) == 2


def test_neighbours_leave_held_parameters_alone():
    space = Space(a=Integer(0, 3), c=Choice(["u", "v"])).fix(a=1)
    assert space.decode(space.neighbours(space.encode([{"a": 1, "c": "u"}])[0])) == [{"a": 1, "c": "v"}]


def test_a_continuous_space_has_no_neighbours():
    assert Space(x=Real(0, 1), y=Real(0, 1)).neighbours([0.5, 0.5]).shape == (0, 2)
