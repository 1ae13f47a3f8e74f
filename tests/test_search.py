"""The search: against plain loops, known Pareto sets, and every kind of space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pfes.errors import InvalidInput
from pfes.pareto import hypervolume, non_dominated
from pfes.search import SearchSettings, pareto_search
from pfes.search.selection import enter, survive
from pfes.space import Choice, Integer, Linear, Real, Space

VALUES = st.integers(0, 4).map(float)  # few values: ties and duplicates in every example
TABLES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12).flatmap(
    lambda shape: hnp.arrays(np.float64, (shape[0], min(shape[1], 5)), elements=VALUES)
)


def cube(width):
    return Space({f"x{i}": Real(0, 1) for i in range(width)})


def peaks(width, objectives, seed=0):
    """Two families of functions, -|x - peak|^2: their Pareto sets are the convex hulls of the peaks."""
    tops = np.random.default_rng(seed).uniform(0.2, 0.8, (2, objectives, width))

    def evaluate(x):
        return -((x[:, :, None, :] - tops[:, None]) ** 2).sum(axis=-1)

    def slopes(x):
        return -2 * (x[:, :, None, :] - tops[:, None])

    return evaluate, slopes, tops


def nothing(width, count=2):
    return [np.empty((0, width))] * count


# The kernels


def plain_ranks(y):
    rank, left, level = np.full(len(y), -1), list(range(len(y))), 0
    while left:
        beaten = [
            j for j in left if any((y[i] >= y[j]).all() and ((y[i] > y[j]).any() or i < j) for i in left if i != j)
        ]
        rank[[j for j in left if j not in beaten]] = level
        left, level = beaten, level + 1
    return rank


@given(TABLES, st.integers(1, 12))
def test_survivors_are_the_best_ranks(y, room):
    room = min(room, len(y))
    chosen, rank = np.empty(room, np.int64), np.empty(room, np.int64)
    survive(np.ascontiguousarray(y.T), chosen, rank)
    expected = plain_ranks(y)
    assert len(set(chosen)) == room
    assert rank.tolist() == expected[chosen].tolist() == sorted(expected)[:room]


def test_within_a_rank_the_lonely_come_first():
    y = np.array([[0.0, 10.0], [1.0, 9.0], [1.1, 8.9], [5.0, 5.0], [10.0, 0.0]])
    chosen, rank = np.empty(5, np.int64), np.empty(5, np.int64)
    survive(np.ascontiguousarray(y.T), chosen, rank)
    assert set(chosen[:2]) == {0, 4}
    assert chosen[2] == 3
    assert (rank == 0).all()


@given(TABLES, st.integers(1, 4))
def test_the_archive_is_the_non_dominated_set_of_all_it_met(y, parts):
    archive, names, size, met = np.empty((y.shape[1], 64)), np.empty(64, np.int64), 0, 0
    for part in np.array_split(y, parts):
        size = enter(archive, names, size, np.ascontiguousarray(part.T), met)
        met += len(part)
    np.testing.assert_array_equal(np.sort(names[:size]), np.flatnonzero(non_dominated(y)))
    np.testing.assert_array_equal(archive[:, :size].T, y[names[:size]])


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_a_full_archive_keeps_the_ends_and_stays_non_dominated(objectives):
    rng = np.random.default_rng(0)
    y = np.abs(rng.normal(size=(500, objectives)))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    archive, names = np.empty((objectives, 40)), np.empty(40, np.int64)
    size = enter(archive, names, 0, np.ascontiguousarray(y.T), 0)
    assert 30 <= size <= 40
    assert non_dominated(archive[:, :size].T).all()
    assert set(y.argmax(axis=0)) <= set(names[:size])


# What is found


@pytest.mark.parametrize("climbing", [False, True])
def test_two_objectives_are_found_with_their_whole_front(climbing):
    evaluate, slopes, tops = peaks(3, 2)
    found = pareto_search(
        evaluate, cube(3), nothing(3), SearchSettings(), np.random.default_rng(0), slopes=slopes if climbing else None
    )
    for r in range(2):
        along = np.linspace(0, 1, 1000)[None, :, None]
        truth = evaluate(np.repeat(tops[:, :1] + along * (tops[:, 1:] - tops[:, :1]), 1, axis=0))[r]
        ref = truth.min(axis=0) - 0.1
        assert hypervolume(found[r].y, ref) > 0.995 * hypervolume(truth, ref)
        assert non_dominated(found[r].y).all()
        assert len(found[r].y) > 100


@pytest.mark.parametrize("objectives", [1, 3, 4, 6])
def test_any_number_of_objectives_is_searched(objectives):
    evaluate, slopes, tops = peaks(4, objectives)
    found = pareto_search(evaluate, cube(4), nothing(4), SearchSettings(), np.random.default_rng(0), slopes=slopes)
    for r in range(2):
        np.testing.assert_allclose(found[r].y.max(axis=0), 0.0, atol=0.01)  # every objective's own peak
        np.testing.assert_allclose(evaluate(np.stack([found[r].x] * 2))[r], found[r].y)
    if objectives == 1:
        assert len(found[0].x) == 1
        np.testing.assert_allclose(found[0].x[0], tops[0, 0], atol=0.01)


def test_gradients_help_where_there_are_many_inputs():
    evaluate, slopes, _ = peaks(20, 2)
    few = SearchSettings(population=40, generations=10)
    plain, climbed = (
        pareto_search(evaluate, cube(20), nothing(20), few, np.random.default_rng(0), slopes=s)[0].y
        for s in (None, slopes)
    )
    assert hypervolume(climbed, [-2, -2]) > hypervolume(plain, [-2, -2])


def test_each_function_gets_points_of_its_own():
    evaluate, slopes, tops = peaks(2, 1)
    found = pareto_search(evaluate, cube(2), nothing(2), SearchSettings(), np.random.default_rng(0), slopes=slopes)
    for r in range(2):
        np.testing.assert_allclose(found[r].x[0], tops[r, 0], atol=0.01)


def test_the_search_is_a_function_of_its_arguments(frozen, monkeypatch):
    evaluate, slopes, _ = peaks(3, 3)
    seeds = frozen([np.full((2, 3), 0.5), np.empty((0, 3))])

    def run():
        small = SearchSettings(population=20, generations=5, climbs=3)
        return pareto_search(evaluate, cube(3), seeds, small, np.random.default_rng(7), slopes=slopes)

    first, again = run(), run()
    monkeypatch.setenv("PFES_THREADS", "1")
    for a, b, c in zip(first, again, run(), strict=True):
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_array_equal(a.x, c.x)


# Beginnings and ends


def test_good_seeds_are_never_lost():
    evaluate, _, tops = peaks(5, 3)
    none = SearchSettings(population=8, generations=0)
    found = pareto_search(evaluate, cube(5), list(tops), none, np.random.default_rng(0))
    for r in range(2):
        np.testing.assert_allclose(found[r].y.max(axis=0), 0.0, atol=1e-15)


def test_seeds_outside_the_space_are_passed_over():
    evaluate, _, _ = peaks(2, 2)
    seeds = [np.array([[1.5, 0.5], [0.5, 0.5]]), np.array([[-1.0, 0.5]])]
    found = pareto_search(evaluate, cube(2), seeds, SearchSettings(generations=3), np.random.default_rng(0))
    assert all((f.x >= 0).all() and (f.x <= 1).all() for f in found)


def test_without_an_archive_the_last_population_is_returned():
    evaluate, _, _ = peaks(3, 2)
    paper = SearchSettings(population=50, generations=30, archive=0)
    found = pareto_search(evaluate, cube(3), nothing(3), paper, np.random.default_rng(0))
    assert all(25 < len(f.x) <= 50 and non_dominated(f.y).all() for f in found)


def test_the_archive_stays_within_its_capacity():
    evaluate, _, _ = peaks(4, 5)
    small = SearchSettings(population=40, generations=10, archive=64)
    assert all(len(f.x) <= 64 for f in pareto_search(evaluate, cube(4), nothing(4), small, np.random.default_rng(0)))


@pytest.mark.parametrize(
    "wrong", [{"population": 3}, {"generations": -1}, {"climbs": -1}, {"eta": -1.0}, {"archive": 7}, {"archive": -8}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(InvalidInput, match="wanted a population of 4 or more"):
        SearchSettings(**wrong)


# Spaces of all kinds

MIXED = Space(x=Real(0, 1), k=Integer(1, 9), s=Real(0, 1, step=0.1), c=Choice(["a", "b", "c"]), b=Choice([False, True]))


@pytest.mark.parametrize("climbing", [False, True])
def test_points_of_a_mixed_space_are_decodable(climbing):
    evaluate, slopes, _ = peaks(MIXED.width, 2)
    few = SearchSettings(population=40, generations=20)
    found = pareto_search(
        evaluate, MIXED, nothing(MIXED.width), few, np.random.default_rng(0), slopes=slopes if climbing else None
    )
    for f in found:
        np.testing.assert_allclose(MIXED.encode(MIXED.decode(f.x)), f.x, atol=1e-12)


def test_a_discrete_space_is_searched_to_the_end():
    space = Space(k=Integer(1, 9), s=Real(0, 1, step=0.1), c=Choice(["a", "b", "c", "d"]), b=Choice([False, True]))
    evaluate, _, _ = peaks(space.width, 2)
    found = pareto_search(evaluate, space, nothing(space.width), SearchSettings(), np.random.default_rng(0))
    values = evaluate(np.stack([space.grid()] * 2))
    for r in range(2):
        truth = values[r][non_dominated(values[r])]
        np.testing.assert_allclose(np.sort(found[r].y, axis=0), np.sort(truth, axis=0), atol=1e-12)


@pytest.mark.parametrize("climbing", [False, True])
def test_constraints_hold_and_are_followed_to_their_border(climbing):
    space = Space(
        {f"x{i}": Real(0, 1) for i in range(3)},
        constraints=[Linear({"x0": 1, "x1": 1}, upper=0.7), lambda p: p["x2"] > 0.2],
    )

    def evaluate(x):
        return x[:, :, :2] - 0.1 * x[:, :, 2:]

    def slopes(x):
        return np.broadcast_to(np.array([[1, 0, -0.1], [0, 1, -0.1]]), (*x.shape[:2], 2, 3))

    few = SearchSettings(population=60, generations=15)
    found = pareto_search(
        evaluate, space, nothing(3, 1), few, np.random.default_rng(0), slopes=slopes if climbing else None
    )[0]
    assert space.admissible(found.x).all()
    assert found.y.sum(axis=1).max() > 0.7 - 0.2 * 0.2 - 0.02


def test_fixed_parameters_stay_fixed():
    space = MIXED.fix(c="b", x=0.25)
    evaluate, slopes, _ = peaks(space.width, 2)
    few = SearchSettings(population=20, generations=5)
    found = pareto_search(evaluate, space, nothing(space.width), few, np.random.default_rng(0), slopes=slopes)
    assert {(row["c"], row["x"]) for f in found for row in space.decode(f.x)} == {("b", 0.25)}


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_what_is_found_does_not_contradict_itself(seed):
    evaluate, slopes, _ = peaks(3, 3, seed)
    few = SearchSettings(population=12, generations=4, climbs=2, archive=16)
    for f in pareto_search(evaluate, cube(3), nothing(3), few, np.random.default_rng(seed), slopes=slopes):
        assert non_dominated(f.y).all()
        assert ((f.x >= 0) & (f.x <= 1)).all()
