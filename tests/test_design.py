import numpy as np
import pytest

from pfes.design import designed, lacking
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import Offer
from pfes.space import Pool, Real, Space
from test_offer import GRID, LINE, OBJECTIVES, POOL, known


def offer_of(domain: Space | Pool, *rows: tuple) -> Offer:
    return Offer(domain, OBJECTIVES, OBJECTIVES.options(decoupled=True), known(domain, *rows))


def test_objectives_lack_values_until_they_have_enough() -> None:
    taken = known(POOL, (0, 0, State.MEASURED), (1, 0, State.MEASURED), (1, 1, State.PENDING))
    assert lacking(taken, OBJECTIVES, 2) == (1,)
    assert lacking(taken, OBJECTIVES, 0) == ()


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("domain", [GRID, POOL], ids=["space", "pool"])
def test_places_are_distinct_and_end_with_the_domain(domain: Space | Pool, even: bool) -> None:
    places = designed(offer_of(domain), (0, 1), 100, np.random.default_rng(0), even=even)
    assert len(places) == domain.size
    assert len({(p.row, *p.x) for p in places}) == domain.size
    assert {p.which for p in places} == {(0, 1)}


def test_the_last_free_point_is_found_at_random_too() -> None:
    rows = [(point, l, State.MEASURED) for point in GRID.decode(GRID.grid()[1:]) for l in (0, 1)]
    places = designed(offer_of(GRID, *rows), (0, 1), 3, np.random.default_rng(0), even=False)
    assert [p.x.tolist() for p in places] == [GRID.grid()[0].tolist()]


def test_half_measured_points_come_first_and_only_what_is_lacking_is_measured() -> None:
    offer = offer_of(POOL, (3, 0, State.MEASURED))
    first, second = designed(offer, (0, 1), 2, np.random.default_rng(0))
    assert (second.row, second.which) != (3, (0, 1))
    completed = designed(offer, (1,), 1, np.random.default_rng(0))[0]
    assert (completed.row, completed.which) == (3, (1,))
    assert first.row != second.row


def test_failed_points_are_not_completed_before_new_ones_are_tried() -> None:
    offer = offer_of(LINE, ({"x": 0.5}, 0, State.MEASURED), ({"x": 0.5}, 1, State.FAILED))
    assert designed(offer, (1,), 1, np.random.default_rng(0))[0].x != pytest.approx([0.5])


def test_points_outside_the_space_are_never_suggested() -> None:
    offer = offer_of(LINE, ({"x": 1.5}, 0, State.MEASURED))
    place = designed(offer, (1,), 1, np.random.default_rng(0))[0]
    assert 0.0 <= place.x[0] <= 1.0


def test_the_sequence_goes_on_where_it_stopped() -> None:
    square = Space(x=Real(0, 1), y=Real(0, 1))
    whole = designed(offer_of(square), (0, 1), 4, np.random.default_rng(5))
    taken = Observations.none(2)
    for place in whole[:2]:
        taken = taken.with_pending(place.x, place.which, NO_ROW)
    offer = Offer(square, OBJECTIVES, OBJECTIVES.options(decoupled=True), taken)
    rest = designed(offer, (0, 1), 2, np.random.default_rng(5))
    np.testing.assert_array_equal([p.x for p in rest], [p.x for p in whole[2:]])


def test_new_rows_are_far_from_those_already_looked_at() -> None:
    pool = Pool({"x": np.linspace(0.0, 1.0, 101)})
    offer = offer_of(pool, (0, 0, State.MEASURED), (100, 0, State.MEASURED))
    assert [place.row for place in designed(offer, (0, 1), 3, np.random.default_rng(0))][:1] == [50]
