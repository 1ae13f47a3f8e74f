import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oracles import dominance as oracle
from pareto import fronts
from pfes.errors import InvalidFrontier, InvalidInput
from pfes.pareto import as_frontier, non_dominated

small_values = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf])
tables = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=small_values)
)


@given(tables)
def test_the_mask_is_that_of_the_definition(points):
    points.setflags(write=False)
    np.testing.assert_array_equal(non_dominated(points), oracle.non_dominated(points))


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("front", fronts.ALL)
def test_the_mask_is_that_of_the_definition_on_all_fronts(front, objectives):
    points = front(60, objectives)
    np.testing.assert_array_equal(non_dominated(points), oracle.non_dominated(points))


@pytest.mark.parametrize("objectives", [3, 4, 5, 6])
def test_infinities_are_compared_like_numbers(objectives):
    """moocore alone is wrong, or crashes, on such points."""
    rng = np.random.default_rng(objectives)
    for _ in range(30):
        points = rng.integers(0, 6, (80, objectives)).astype(float)
        points[rng.random(points.shape) < 0.1] = np.inf
        points[rng.random(points.shape) < 0.1] = -np.inf
        np.testing.assert_array_equal(non_dominated(points), oracle.non_dominated(points))


def test_only_the_first_of_duplicates_is_kept():
    assert non_dominated([[1, 2], [0, 0], [1, 2], [2, 1], [2, 1]]).tolist() == [True, False, False, True, False]


def test_no_points_give_no_mask():
    assert non_dominated(np.empty((0, 3))).tolist() == []


def test_lists_and_integers_and_strided_arrays_are_read():
    table = np.arange(24).reshape(6, 4)
    assert non_dominated(table.tolist()).tolist() == non_dominated(table[:, ::2]).tolist() == [False] * 5 + [True]


def test_a_frontier_is_filtered_sorted_and_contiguous():
    frontier = as_frontier([[2, 1], [0, 3], [0, 0], [2, 1], [1, 2]])
    np.testing.assert_array_equal(frontier, [[0, 3], [1, 2], [2, 1]])
    assert frontier.dtype == np.float64
    assert frontier.flags.c_contiguous


@pytest.mark.parametrize("front", fronts.ALL)
def test_a_frontier_does_not_depend_on_the_order_of_rows(front):
    points = front(40, 4)
    shuffled = np.random.default_rng(1).permutation(points)
    np.testing.assert_array_equal(as_frontier(points), as_frontier(shuffled))
    np.testing.assert_array_equal(as_frontier(points), as_frontier(as_frontier(points)))


def test_the_two_zeros_are_one_value():
    one, other = as_frontier([[0.0, -0.0], [-0.0, 0.0]]), as_frontier([[-0.0, 0.0], [0.0, -0.0]])
    assert one.tobytes() == other.tobytes() == np.zeros((1, 2)).tobytes()


def test_a_frontier_is_a_new_array():
    points = np.array([[0.0, 1.0], [1.0, 0.0]])
    as_frontier(points)[:] = 7
    np.testing.assert_array_equal(points, [[0, 1], [1, 0]])


def test_moocore_agrees_on_many_points():
    points = np.random.default_rng(0).standard_normal((5000, 3))
    np.testing.assert_array_equal(points[non_dominated(points)], moocore.filter_dominated(points, maximise=True))


BROKEN = [
    ([[1, 2], [3]], "no table of numbers .* rows of the same length"),
    (["a", "b"], "no table of numbers"),
    ([1.0, 2.0], r"shape \(2,\); wanted \(S, L\).* try points\[None, :\]"),
    (1.0, r"shape \(\); wanted \(S, L\)"),
    (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\)"),
    (np.empty((2, 0)), r"shape \(2, 0\)"),
    ([[1, 2], [np.nan, 3]], "nan in row 1; wanted numbers; try"),
]


@pytest.mark.parametrize(("points", "message"), BROKEN)
def test_broken_tables_are_refused(points, message):
    with pytest.raises(InvalidInput, match=message):
        non_dominated(points)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        *BROKEN,
        (np.empty((0, 3)), r"empty frontier of shape \(0, 3\); wanted at least one point; try"),
        ([[1, 2], [0, 3], [-np.inf, 9]], "-inf in row 2: .* try leaving the row out"),
    ],
)
def test_broken_frontiers_are_refused(points, message):
    with pytest.raises(InvalidFrontier, match=message):
        as_frontier(points)
