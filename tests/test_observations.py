import numpy as np
import pytest

from pfes.observations import NO_ROW, Observations, State, merged


def table(rows: list[tuple[float, int, State, float]]) -> Observations:
    x, objective, state, value = zip(*rows, strict=True)
    return Observations(
        x=np.array(x)[:, None],
        row=np.full(len(rows), NO_ROW),
        objective=np.array(objective),
        state=np.array(state),
        value=np.array(value),
        noise=np.full(len(rows), np.nan),
    )


def test_rows_are_found_by_state_and_objective() -> None:
    known = table([(0.1, 0, State.MEASURED, 5.0), (0.1, 1, State.PENDING, np.nan), (0.2, 0, State.FAILED, np.nan)])
    assert known.of(0).value.tolist() == [5.0]
    assert known.of(1).value.tolist() == []
    assert known.counts(3).tolist() == [1, 0, 0]
    assert known.only(State.PENDING).x.tolist() == [[0.1]]
    assert len(known.but(State.FAILED)) == 2


def test_pending_points_are_added_without_touching_the_rest() -> None:
    known = Observations.none(2)
    more = known.with_pending(np.array([0.1, 0.2]), (0, 2), row=7)
    assert len(known) == 0
    assert more.x.tolist() == [[0.1, 0.2], [0.1, 0.2]]
    assert more.objective.tolist() == [0, 2]
    assert more.row.tolist() == [7, 7]
    assert set(more.state) == {State.PENDING}
    assert len(more.only(State.MEASURED)) == 0


def test_replicates_of_unknown_noise_are_averaged_and_their_scatter_kept() -> None:
    x = np.array([[0.5], [0.1], [0.5], [0.5]])
    data = merged(x, np.array([1.0, 9.0, 2.0, 6.0]), np.full(4, np.nan))
    assert data.x.tolist() == [[0.5], [0.1]]  # in the order they came
    assert data.y.tolist() == [3.0, 9.0]
    assert data.count.tolist() == [3.0, 1.0]
    assert np.isnan(data.noise).all()
    assert data.within == pytest.approx(4.0 + 1.0 + 9.0)


def test_replicates_of_known_noise_are_weighted_by_precision() -> None:
    x = np.zeros((2, 1))
    data = merged(x, np.array([0.0, 3.0]), np.array([1.0, 2.0]))
    assert data.y == pytest.approx([1.0])
    assert data.noise == pytest.approx([1.0 / 1.5])
    assert data.within == 0.0


def test_known_and_unknown_noise_are_not_mixed() -> None:
    data = merged(np.zeros((2, 1)), np.array([0.0, 3.0]), np.array([1.0, np.nan]))
    assert data.y.tolist() == [0.0, 3.0]


def test_points_that_differ_by_rounding_are_one() -> None:
    data = merged(np.array([[0.3], [0.3 + 1e-16], [0.3 + 1e-6]]), np.arange(3.0), np.full(3, np.nan))
    assert data.count.tolist() == [2.0, 1.0]


def test_a_noise_of_0_is_known() -> None:
    data = merged(np.array([[0.1], [0.1]]), np.array([1.0, 1.0]), np.zeros(2))
    assert data.y.tolist() == [1.0]
    assert data.noise[0] < 1e-19


def test_many_exact_replicates_keep_their_value() -> None:
    data = merged(np.full((9, 1), 0.1), np.full(9, 3.0), np.zeros(9))
    assert data.y.tolist() == [3.0]


def test_a_part_keeps_its_share_of_the_scatter() -> None:
    data = merged(
        np.array([[0.1], [0.1], [0.2], [0.2], [0.3]]), np.array([0.0, 2.0, 1.0, 3.0, 5.0]), np.full(5, np.nan)
    )
    part = data.part(np.array([1, 2]))
    assert part.y.tolist() == [2.0, 5.0]
    assert part.within == data.within / 2
