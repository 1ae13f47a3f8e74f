import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oracles import dominance as oracle
from pareto import fronts
from pfes.errors import InvalidFrontier, InvalidInput
from pfes.pareto import Cells, as_frontier, both_sides, dominated_cells, grid, hypervolume, nondominated_cells

SIZES = {2: 40, 3: 25, 4: 15, 5: 10, 6: 8}  # so that the oracle, which looks into every cell, stays quick
PARTITIONS = ("hbda", "qhv", "grid")


def partitions(points):
    """The names of the partitions worth making: all, but for the grid where it is large."""
    distinct = np.prod([len(np.unique(column)) for column in as_frontier(points).T])
    return PARTITIONS if distinct < 2000 else PARTITIONS[:2]


def queries_near(points, count, seed=0):
    """Points around the frontier (count, L); every second coordinate is one of the frontier's, to test the borders."""
    rng = np.random.default_rng(seed)
    finite = points[np.isfinite(points)]
    shape = (count, points.shape[1])
    queries = rng.uniform(finite.min() - 0.3, finite.max() + 0.3, shape)
    borders = rng.choice(finite, shape)
    return np.where(rng.random(shape) < 0.5, borders, queries)


def assert_cells_are_the_region(points, queries, names):
    dominated = oracle.in_dominated_region(queries, points)
    free = oracle.memberships(queries, nondominated_cells(points))
    np.testing.assert_array_equal(free, ~dominated)
    for name in names:
        np.testing.assert_array_equal(oracle.memberships(queries, dominated_cells(points, name)), dominated, name)


def assert_same_cells(one, other):
    np.testing.assert_array_equal(one.lower, other.lower)
    np.testing.assert_array_equal(one.upper, other.upper)


@pytest.mark.parametrize("objectives", SIZES)
@pytest.mark.parametrize("front", fronts.ALL)
def test_every_point_lies_in_exactly_one_cell_of_its_region(front, objectives):
    points = front(SIZES[objectives], objectives)
    assert_cells_are_the_region(points, queries_near(points, 100_000), partitions(points))


values = st.sampled_from([0.0, 1.0, 2.0, 3.0, np.inf])
small_fronts = st.tuples(st.integers(1, 10), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=values)
)


@settings(deadline=None, max_examples=200)
@given(small_fronts)
def test_ties_leave_no_gap_and_no_overlap(points):
    points.setflags(write=False)
    ladder = np.array([-0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 3.5, np.inf])  # a value on and between all borders
    queries = np.random.default_rng(0).choice(ladder, (3000, points.shape[1]))
    assert_cells_are_the_region(points, queries, partitions(points))


@pytest.mark.parametrize("objectives", [3, 4, 5])
def test_large_tied_fronts_leave_no_gap_and_no_overlap(objectives):
    points = np.random.default_rng(2).integers(0, 7, (400, objectives)).astype(float)
    points[points.sum(axis=1) > 3.2 * objectives] = 0.0
    assert len(as_frontier(points)) > 10
    assert_cells_are_the_region(points, queries_near(points, 10_000), PARTITIONS[:2])


@pytest.mark.parametrize("objectives", [1, *SIZES])
@pytest.mark.parametrize("front", [fronts.concave, fronts.convex, fronts.linear, fronts.tied, fronts.duplicated])
def test_the_cells_fill_the_hypervolume(front, objectives):
    points = front(SIZES.get(objectives, 10), objectives)
    ref = points.min(axis=0) - 0.1
    ref[0] += 0.3  # some of the points fall out
    for name in partitions(points):
        assert oracle.volume(dominated_cells(points, name), ref) == pytest.approx(hypervolume(points, ref), rel=1e-12)


@pytest.mark.parametrize("objectives", [3, 4, 5])
def test_the_complement_fills_the_rest_of_a_box(objectives):
    points, ref = fronts.linear(SIZES[objectives], objectives), np.zeros(objectives)
    free = nondominated_cells(points)
    boxed = Cells(free.lower, np.minimum(free.upper, 1.0))
    assert oracle.volume(boxed, ref) == pytest.approx(1 - hypervolume(points, ref), rel=1e-12)


@pytest.mark.parametrize("name", PARTITIONS)
@pytest.mark.parametrize("front", fronts.ALL)
def test_the_order_of_rows_does_not_matter(front, name):
    points = front(10, 3)
    shuffled = np.random.default_rng(3).permutation(points)
    assert_same_cells(dominated_cells(points, name), dominated_cells(shuffled, name))
    assert_same_cells(nondominated_cells(points), nondominated_cells(shuffled))


@pytest.mark.parametrize("front", fronts.ALL)
def test_no_cell_is_empty(front):
    points = front(15, 4)
    for cells in (nondominated_cells(points), *(dominated_cells(points, name) for name in partitions(points))):
        assert (cells.lower < cells.upper).all()
        assert cells.lower.dtype == cells.upper.dtype == np.float64
        assert len(cells) == len(cells.lower) == len(cells.upper) > 0


@pytest.mark.parametrize("name", PARTITIONS[:2])
def test_two_objectives_are_a_staircase(name):
    cells = dominated_cells([[3, 1], [1, 3], [2, 2], [2, 2], [0, 0]], name)
    np.testing.assert_array_equal(cells.lower, [[-np.inf, -np.inf], [1, -np.inf], [2, -np.inf]])
    np.testing.assert_array_equal(cells.upper, [[1, 3], [2, 2], [3, 1]])


def test_the_complement_of_two_objectives_is_a_staircase():
    cells = nondominated_cells([[3, 1], [1, 3]])
    np.testing.assert_array_equal(cells.lower, [[-np.inf, 3], [1, 1], [3, -np.inf]])
    np.testing.assert_array_equal(cells.upper, [[1, np.inf], [3, np.inf], [np.inf, np.inf]])


@pytest.mark.parametrize("name", PARTITIONS)
def test_one_objective_is_one_cell(name):
    dominated, free = dominated_cells([[1.0], [3.0], [2.0]], name), nondominated_cells([[1.0], [3.0], [2.0]])
    assert (dominated.lower.tolist(), dominated.upper.tolist()) == ([[-np.inf]], [[3.0]])
    assert (free.lower.tolist(), free.upper.tolist()) == ([[3.0]], [[np.inf]])


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
@pytest.mark.parametrize("name", PARTITIONS)
def test_a_point_at_infinity_dominates_everything(name, objectives):
    points = np.concatenate((np.full((1, objectives), np.inf), fronts.concave(5, objectives)))
    everything = dominated_cells(points, name)
    assert (everything.lower.tolist(), everything.upper.tolist()) == ([[-np.inf] * objectives], [[np.inf] * objectives])
    assert len(nondominated_cells(points)) == 0


def test_a_threshold_leaves_only_the_wanted_box_free():
    cells = nondominated_cells([[1.0, np.inf, np.inf], [np.inf, 2.0, np.inf], [np.inf, np.inf, 3.0]])
    assert (cells.lower.tolist(), cells.upper.tolist()) == ([[1.0, 2.0, 3.0]], [[np.inf] * 3])


def counts(front, objectives, seeds=8):
    """Mean numbers of cells of 50-point fronts: HBDA, QHV, complement."""
    points = [front(50, objectives, seed) for seed in range(seeds)]
    return np.mean(
        [(len(dominated_cells(p)), len(dominated_cells(p, "qhv")), len(nondominated_cells(p))) for p in points], axis=0
    )


@pytest.mark.parametrize(
    ("front", "objectives", "hbda", "qhv"),
    [
        (fronts.concave, 3, 87, (130, 185)),
        (fronts.concave, 4, 211, (500, 780)),
        (fronts.concave, 5, 550, (2739, 2739)),
        (fronts.convex, 3, 94, (207, 207)),
        (fronts.convex, 4, 305, (1161, 1161)),
        (fronts.convex, 5, 1080, (6431, 6431)),
    ],
)
def test_cells_are_as_few_as_theory_says(front, objectives, hbda, qhv):
    by_hbda, by_qhv, _ = counts(front, objectives)
    assert by_hbda == pytest.approx(hbda, rel=0.15)
    assert 0.85 * qhv[0] <= by_qhv <= 1.15 * qhv[1]


@pytest.mark.parametrize("front", [fronts.concave, fronts.convex])
def test_the_complement_needs_one_cell_for_each_of_its_corners(front):
    """S + 1 corners for two objectives, 2 S + 1 for three; beyond, as many as there are maximal free orthants."""
    assert counts(front, 2, seeds=2)[2] == 51
    assert counts(front, 3, seeds=2)[2] == 101
    points = front(8, 4)
    assert len(nondominated_cells(points)) == len(free_corners(points))


def free_corners(points):
    """The minimal corners w, on the grid of values, with {f > w} free of dominated points: by trying them all."""
    levels = [np.concatenate(([-np.inf], np.unique(column))) for column in points.T]
    grid_points = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, points.shape[1])
    free = np.array([not (points > w).all(axis=1).any() for w in grid_points])
    return [w for w in grid_points[free] if ((grid_points[free] <= w).all(axis=1)).sum() == 1]


@pytest.mark.parametrize(("size", "objectives"), [(1000, 2), (300, 3), (200, 4), (60, 6), (12, 8)])
def test_large_fronts_are_cut_into_their_hypervolume(size, objectives):
    points, ref = fronts.concave(size, objectives), np.zeros(objectives)
    cells = dominated_cells(points)
    sides = np.clip(cells.upper - np.maximum(cells.lower, ref), 0, None)
    assert sides.prod(axis=1).sum() == pytest.approx(hypervolume(points, ref), rel=1e-12)


@pytest.mark.parametrize("name", PARTITIONS[:2])
def test_values_of_any_size_are_cut_alike(name):
    points = fronts.concave(20, 3)
    for scale in (1e-308, 1e-100, 1e100, 1.7e308):
        scaled = np.concatenate((points, -points))[:20] * scale
        assert len(dominated_cells(scaled, name)) == len(dominated_cells(points, name))


def test_values_far_apart_do_not_overflow():
    points = np.array([[-1.7e308, 1.7e308, 0.0], [1.7e308, -1.7e308, 0.0], [0.0, 0.0, 5e-324]])
    assert_cells_are_the_region(points, np.random.default_rng(0).choice(points.ravel(), (1000, 3)), PARTITIONS)


def test_an_unknown_partition_is_refused():
    with pytest.raises(InvalidInput, match="partition 'wfg'; wanted one of 'hbda', 'qhv', 'grid'; try 'hbda'"):
        dominated_cells([[1.0, 2.0]], "wfg")


def test_a_grid_too_large_is_refused():
    points = fronts.concave(200, 3)
    message = (
        f"got 200 points in 3 objectives, a grid of 8,000,000 cells; wanted at most {grid.MOST_CELLS:,}; try .*hbda"
    )
    with pytest.raises(InvalidInput, match=message):
        dominated_cells(points, "grid")


@pytest.mark.parametrize("cut", [dominated_cells, nondominated_cells])
def test_what_is_no_frontier_is_refused(cut):
    with pytest.raises(InvalidFrontier, match="nan in row 0"):
        cut([[np.nan, 1.0, 2.0]])
    with pytest.raises(InvalidFrontier, match="empty frontier"):
        cut(np.empty((0, 2)))


def test_cells_cannot_be_exchanged():
    cells = dominated_cells([[1.0, 2.0]])
    with pytest.raises(AttributeError):
        cells.lower = cells.upper


@pytest.mark.parametrize("partition", ["hbda", "qhv", "grid"])
@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_both_sides_are_what_each_side_is_alone(objectives, partition):
    frontier = as_frontier(np.random.default_rng(objectives).integers(0, 5, (9, objectives)))
    below, above = both_sides(frontier, partition)
    for cells, alone in ((below, dominated_cells(frontier, partition)), (above, nondominated_cells(frontier))):
        np.testing.assert_array_equal(cells.lower, alone.lower)
        np.testing.assert_array_equal(cells.upper, alone.upper)


def test_a_partition_that_is_no_name_is_refused():
    with pytest.raises(InvalidInput, match="got partition"):
        dominated_cells([[0.0, 1.0]], partition=["hbda"])
