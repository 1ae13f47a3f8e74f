import numpy as np
import pytest

from oracles import dominance as oracle
from pareto import fronts
from pfes.errors import InvalidInput
from pfes.pareto import hypervolume, quick_hypervolume


def test_a_staircase_has_the_area_of_its_steps():
    assert hypervolume([[1, 3], [2, 2], [3, 1]], ref=[0, 0]) == 6.0


def test_a_box_has_the_product_of_its_sides():
    assert hypervolume([[2.0, 3.0, 4.0, 5.0]], ref=[1, 1, 1, 1]) == pytest.approx(24.0)


def test_one_objective_is_a_length():
    assert hypervolume([[1.0], [4.0], [2.0]], ref=[-1.0]) == 5.0


def test_points_not_above_the_reference_add_nothing():
    inside = [[1.0, 3.0], [3.0, 1.0]]
    outside = [[9.0, 0.0], [-1.0, 9.0], [-np.inf, 9.0]]
    assert hypervolume(inside + outside, ref=[0, 0]) == hypervolume(inside, ref=[0, 0]) == 5.0
    assert hypervolume(outside, ref=[0, 0]) == 0.0


@pytest.mark.parametrize("nothing", [[], np.empty((0, 2)), [[]]])
def test_no_points_have_no_volume(nothing):
    assert hypervolume(nothing, ref=[0, 0]) == 0.0


def test_dominated_points_and_duplicates_add_nothing():
    points = fronts.concave(20, 3)
    assert hypervolume(fronts.duplicated(20, 3), np.zeros(3)) == pytest.approx(
        hypervolume(points, np.zeros(3)), rel=1e-12
    )


@pytest.mark.parametrize("objectives", [2, 3, 4, 5, 6])
def test_the_share_of_random_points_is_the_volume(objectives):
    points, ref = fronts.linear(15, objectives), np.full(objectives, -0.2)
    ref.setflags(write=False)
    queries = np.random.default_rng(0).uniform(-0.2, 1.0, (100_000, objectives))
    share = oracle.in_dominated_region(queries, points).mean()
    error = np.sqrt(share * (1 - share) / len(queries))
    assert hypervolume(points, ref) / 1.2**objectives == pytest.approx(share, abs=4 * error)


@pytest.mark.parametrize("ref", [[0, np.nan], [0, np.inf], [-np.inf, 0], [[0, 0]], 0.0, []])
def test_a_reference_point_that_is_no_point_is_refused(ref):
    with pytest.raises(InvalidInput, match="wanted a list of L finite numbers, one per objective; try"):
        hypervolume([[1.0, 2.0]], ref=ref)


def test_a_reference_point_of_another_space_is_refused():
    with pytest.raises(InvalidInput, match=r"points with 2 objectives and a reference point with 3; .* try"):
        hypervolume([[1.0, 2.0]], ref=[0, 0, 0])


def test_infinite_volumes_are_refused():
    with pytest.raises(InvalidInput, match=r"\+inf in row 1; wanted points that dominate a finite volume; try"):
        hypervolume([[1.0, 2.0], [np.inf, 0.5]], ref=[0, 0])


@pytest.mark.parametrize(("points", "message"), [([[np.nan, 1.0]], "nan in row 0"), ([1.0, 2.0], r"shape \(2,\)")])
def test_broken_tables_are_refused(points, message):
    with pytest.raises(InvalidInput, match=message):
        hypervolume(points, ref=[0, 0])


@pytest.mark.parametrize(
    ("points", "ref", "message"),
    [([[1.0, 2.0], [3.0]], [0.0, 0.0], "no table of numbers"), ([[1.0, 2.0]], "low", "got the reference point 'low'")],
)
def test_what_is_no_table_or_point_is_refused(points, ref, message):
    with pytest.raises(InvalidInput, match=message):
        hypervolume(points, ref)


@pytest.mark.parametrize("objectives", [2, 4, 5, 6, 7])
def test_the_quick_one_is_exact_for_few_points_and_close_below_for_many(objectives: int) -> None:
    points = np.random.default_rng(objectives).uniform(0.0, 1.0, (400, objectives))
    ref = np.zeros(objectives)
    assert quick_hypervolume(points[:50], ref) == hypervolume(points[:50], ref)
    exact = hypervolume(points, ref)
    assert 0.9 * exact <= quick_hypervolume(points, ref) <= exact
