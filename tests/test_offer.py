from dataclasses import replace

import numpy as np
import pytest

from pfes.objectives import Bundle, Objective, Objectives
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import NEAR, Offer
from pfes.space import Choice, Integer, Pool, Real, Space

OBJECTIVES = Objectives([Objective("a", cost=4.0), Objective("b", cost=1.0)], [Bundle(["a", "b"], 4.5)])
GRID = Space(t=Integer(0, 4), kind=Choice(["red", "blue"]))
LINE = Space(x=Real(0, 1))
POOL = Pool({"x": [0.0, 1.0, 2.0, 2.0]})


def known(domain: Space | Pool, *rows: tuple) -> Observations:
    """Rows (point, objective, state): the point is a row of a pool or a dict of parameters."""
    everything = Observations.none(domain.width)
    for point, objective, state in rows:
        x = domain.x[point] if isinstance(domain, Pool) else domain.encode([point])[0]
        everything = everything.with_pending(x, [objective], point if isinstance(domain, Pool) else NO_ROW)
        everything.state[-1] = state
    return everything


def test_a_fresh_point_offers_everything_at_full_cost() -> None:
    offer = Offer(GRID, OBJECTIVES, OBJECTIVES.options(decoupled=True), Observations.none(GRID.width), whole=False)
    costs = offer.costs(GRID.encode([{"t": 1, "kind": "red"}]))
    assert costs.tolist() == [[4.0, 1.0, 4.5]]


@pytest.mark.parametrize("state", [State.MEASURED, State.PENDING, State.FAILED])
def test_what_is_taken_is_not_offered(state: State) -> None:
    point = {"t": 1, "kind": "red"}
    options = OBJECTIVES.options(decoupled=True)
    x = GRID.encode([point, {"t": 1, "kind": "blue"}])
    offer = Offer(GRID, OBJECTIVES, options, known(GRID, (point, 1, state)), whole=False)
    assert offer.costs(x).tolist() == [[4.0, np.inf, np.inf], [4.0, 1.0, 4.5]]
    assert offer.masks(x).tolist() == [0b10, 0]


def test_measured_together_a_point_offers_all_that_it_lacks_and_nothing_less() -> None:
    point = {"t": 1, "kind": "red"}
    options = OBJECTIVES.options(decoupled=True)
    x = GRID.encode([point, {"t": 1, "kind": "blue"}])
    offer = Offer(GRID, OBJECTIVES, options, known(GRID, (point, 1, State.MEASURED)), whole=True)
    assert offer.costs(x).tolist() == [[4.0, np.inf, np.inf], [np.inf, np.inf, 4.5]]


def test_an_infeasible_point_offers_nothing() -> None:
    offer = Offer(
        POOL, OBJECTIVES, OBJECTIVES.options(decoupled=True), known(POOL, (1, 0, State.INFEASIBLE)), whole=False
    )
    assert np.isinf(offer.row_costs()[1]).all()
    assert np.isfinite(offer.row_costs()[[0, 2, 3]]).all()


def test_rows_of_a_pool_with_the_same_inputs_are_different_rows() -> None:
    taken = known(POOL, (2, 0, State.MEASURED), (2, 1, State.PENDING))
    offer = Offer(POOL, OBJECTIVES, OBJECTIVES.options(decoupled=False), taken)
    assert offer.row_costs().ravel().tolist() == [4.5, 4.5, np.inf, 4.5]


def test_rows_can_be_left_out() -> None:
    only = np.array([True, False, False, False])
    offer = Offer(POOL, OBJECTIVES, OBJECTIVES.options(decoupled=False), Observations.none(1), rows=only)
    assert np.isfinite(offer.row_costs()).ravel().tolist() == [True, False, False, False]


def test_replicates_are_offered_when_asked_for_but_not_of_what_is_pending() -> None:
    taken = known(POOL, (0, 0, State.MEASURED), (1, 0, State.PENDING))
    offer = Offer(POOL, OBJECTIVES, OBJECTIVES.options(decoupled=True), taken, whole=False, replicates=True)
    assert offer.row_costs()[0].tolist() == [4.0, 1.0, 4.5]
    assert offer.row_costs()[1].tolist() == [np.inf, 1.0, np.inf]


def test_near_a_known_point_only_doubt_is_offered() -> None:
    taken = known(LINE, ({"x": 0.5}, 0, State.MEASURED), ({"x": 0.5}, 1, State.MEASURED))
    options = OBJECTIVES.options(decoupled=True)
    x = np.array([[0.5 + NEAR / 2], [0.5 - NEAR / 2], [0.5 + 2 * NEAR]])

    def doubt_in_b_to_the_right(x: np.ndarray) -> np.ndarray:
        return np.column_stack([np.zeros(len(x), dtype=bool), x[:, 0] > 0.5])

    costs = Offer(LINE, OBJECTIVES, options, taken, whole=False, uncertain=doubt_in_b_to_the_right).costs(x)
    assert np.isfinite(costs).tolist() == [[False, True, True], [False, False, False], [True, True, True]]


@pytest.mark.parametrize("domain", [GRID, POOL], ids=["space", "pool"])
def test_completing_a_point_costs_what_it_lacks_if_the_limit_pays_for_it(domain: Space | Pool) -> None:
    points = [1, 2, 0] if isinstance(domain, Pool) else [{"t": t, "kind": "red"} for t in (1, 2, 0)]
    x = domain.x[points] if isinstance(domain, Pool) else domain.encode(points)
    some = known(domain, (points[0], 1, State.MEASURED), (points[1], 0, State.PENDING))
    offer = Offer(domain, OBJECTIVES, OBJECTIVES.options(decoupled=True), some, whole=False)
    on_offer = [[True, False, False], [False, True, False], [True, True, True]]  # a, b, both
    # at a fresh point both together are a bundle; who begins with one of them pays for the other alone
    assert offer.completing(x)[on_offer].tolist() == [4.0, 1.0, 5.0, 5.0, 4.5]
    assert replace(offer, limit=4.7).completing(x)[on_offer].tolist() == [4.0, 1.0, np.inf, np.inf, 4.5]
    assert offer.completing(x[:0]).shape == (0, 3)


def test_where_costs_add_up_completing_costs_the_same_whatever_comes_first() -> None:
    goals = Objectives([Objective("a", cost=0.1), Objective("b", cost=0.2), Objective("c", cost=0.3)])
    offer = Offer(LINE, goals, goals.options(decoupled=True), known(LINE), whole=False, limit=goals.cost(range(3)))
    costs = offer.completing(np.array([[0.5]]))
    assert (costs == offer.whole_cost).all()  # to the last bit, or a limit would pay for some only


def test_what_completes_a_point_is_measured_exactly_there() -> None:
    some = known(LINE, ({"x": 0.25}, 1, State.MEASURED))
    offer = Offer(LINE, OBJECTIVES, OBJECTIVES.options(decoupled=True), some)
    near, far = np.array([0.2500001]), np.array([0.2501])
    assert offer.masks(near[None]).tolist() == [0b10]
    assert offer.settled(near).tolist() == [0.25]
    assert offer.settled(far).tolist() == [0.2501]


@pytest.mark.parametrize("state", [State.MEASURED, State.PENDING, State.FAILED, State.INFEASIBLE])
def test_a_level_is_tried_by_whatever_was_measured_or_is_under_way_there_of_the_same_objective(state: State) -> None:
    some = known(GRID, ({"t": 1, "kind": "red"}, 0, state))
    options = OBJECTIVES.options(decoupled=True)
    offer = Offer(GRID, OBJECTIVES, options, some, whole=False, untried=True)
    x = GRID.encode([{"t": 3, "kind": "red"}, {"t": 3, "kind": "blue"}])
    # at red only b was never measured; a and b together try b there, too
    assert offer.costs(x).tolist() == [[np.inf, 1.0, 4.5], [4.0, 1.0, 4.5]]
    assert offer.untried_at(x[0], (0,)) == ()
    assert offer.untried_at(x[0], (0, 1)) == offer.untried_at(x[1], (0,)) == ("kind",)


def test_of_a_pool_only_rows_with_a_level_that_was_never_tried_are_left() -> None:
    pool = Pool({"size": [1, 1, 1, 1], "ligand": ["A", "A", "B", "C"], "x": [0.0, 1.0, 2.0, 3.0], "base": list("KKKN")})
    some = known(pool, (0, 0, State.MEASURED), (0, 1, State.MEASURED), (2, 1, State.MEASURED))
    offer = Offer(pool, OBJECTIVES, OBJECTIVES.options(decoupled=True), some, whole=False)
    assert offer.has_untried
    narrow = replace(offer, untried=True)
    everything = offer.row_costs()
    expected = np.where([[False] * 3, [False] * 3, [True, False, True], [True] * 3], everything, np.inf)
    np.testing.assert_array_equal(narrow.row_costs(), expected)
    assert narrow.untried_at(pool.x[3], (0,)) == ("ligand", "base")
    assert narrow.untried_at(pool.x[2], (0,)) == ("ligand",)


def test_what_was_measured_early_does_not_count_as_tried() -> None:
    rows = [({"t": 0, "kind": "red"}, 0, State.MEASURED), ({"t": 1, "kind": "blue"}, 0, State.MEASURED)]
    offer = Offer(GRID, OBJECTIVES, OBJECTIVES.options(decoupled=True), known(GRID, *rows), whole=False, early=1)
    x = GRID.encode([{"t": 3, "kind": "red"}, {"t": 3, "kind": "blue"}])
    assert offer.untried_at(x[0], (0,)) == ("kind",)
    assert offer.untried_at(x[1], (0,)) == ()


def test_a_level_is_not_worth_trying_for_an_objective_that_is_known_there() -> None:
    some = known(GRID, ({"t": 1, "kind": "red"}, 0, State.MEASURED))
    options = OBJECTIVES.options(decoupled=True)
    offer = Offer(GRID, OBJECTIVES, options, some, whole=False, untried=True)
    sure_of_b = replace(offer, uncertain=lambda x: np.tile([True, False], (len(x), 1)))
    x = GRID.encode([{"t": 3, "kind": "red"}, {"t": 3, "kind": "blue"}])
    assert sure_of_b.costs(x).tolist() == [[np.inf] * 3, [4.0, np.inf, 4.5]]


def test_numbers_have_no_levels_to_be_tried() -> None:
    for domain in (LINE, POOL, Space(t=Integer(0, 3), heat=Choice([1, 2, 4], ordered=True))):
        offer = Offer(domain, OBJECTIVES, OBJECTIVES.options(decoupled=True), Observations.none(domain.width))
        assert not offer.has_untried
        assert not offer.has_categories


def test_when_every_level_was_tried_none_is_left_to_be_tried() -> None:
    rows = [({"t": 0, "kind": kind}, l, State.MEASURED) for kind in ("red", "blue") for l in (0, 1)]
    offer = Offer(GRID, OBJECTIVES, OBJECTIVES.options(decoupled=True), known(GRID, *rows), whole=False)
    assert offer.has_categories
    assert not offer.has_untried
    assert np.isinf(replace(offer, untried=True).costs(GRID.encode([{"t": 2, "kind": "red"}]))).all()


@pytest.mark.parametrize("domain", [GRID, POOL], ids=["space", "pool"])
def test_an_option_finishes_a_point_if_it_is_all_that_was_begun_there_and_lacks(domain: Space | Pool) -> None:
    one, other = (0, 1) if isinstance(domain, Pool) else ({"t": 1, "kind": "red"}, {"t": 1, "kind": "blue"})
    options = OBJECTIVES.options(decoupled=True)  # a, b, both
    fresh = Offer(domain, OBJECTIVES, options, Observations.none(domain.width), whole=False)
    begun = replace(fresh, known=known(domain, (one, 0, State.MEASURED)))
    whole = replace(fresh, known=known(domain, (one, 0, State.MEASURED), (one, 1, State.MEASURED)))
    x = domain.x[[0, 1]] if isinstance(domain, Pool) else domain.encode([one, other])
    assert [offer.begun for offer in (fresh, begun, whole)] == [False, True, False]
    assert [begun.finishes(x[0], option) for option in range(3)] == [False, True, True]
    assert not any(begun.finishes(x[1], option) for option in range(3))
    assert not any(offer.finishes(x[0], option) for offer in (fresh, whole) for option in range(3))
