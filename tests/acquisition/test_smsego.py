"""SMS-EGO: gains and penalties by hand and against the hypervolume itself, and whole suggestions."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfes
from acquisition.situations import NONE, everything, followed, situation, study, values
from pfes.acquisition import METHODS, Acquisition
from pfes.acquisition.protocol import gain_of
from pfes.acquisition.smsego import Smsego, epsilons, gain_in_use, gain_of_the_paper, reference_below
from pfes.errors import InvalidInput
from pfes.gp import Model
from pfes.objectives import Objective
from pfes.pareto import hypervolume
from pfes.space import Pool
from pfes.testing import AcquisitionContract, example_model


def made(points: np.ndarray, reference: Sequence[float], epsilon: float = 0.0, gain: float = 0.0) -> Smsego:
    count = len(reference)
    return Smsego(
        example_model(count), everything(range(count)), points, np.array(reference), np.full(count, epsilon), gain,
        np.full(count, 1e-3), NONE,
    )  # fmt: skip


def gains(one: Smsego, mean: Sequence[Sequence[float]], std: float = 0.0) -> list[float]:
    return gain_of(one.score(np.array(mean), np.full(np.shape(mean), std)))[:, 0].tolist()


class TestSmsego(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        order = list(order)
        points = np.random.default_rng(4).uniform(-0.5, 0.5, (8, 3))[:, order]
        reference = np.array([-1.0, -1.2, -1.4])[order]
        epsilon = np.array([0.01, 0.02, 0.03])[order]
        return Smsego(model, everything(order), points, reference, epsilon, 0.8, np.full(3, 1e-3), NONE)


def test_gains_and_penalties_by_hand() -> None:
    # the front (0, 1), (1, 0) above (-1, -1) leaves a notch of 1 between them
    one = made(np.array([[0.0, 1.0], [1.0, 0.0], [-0.5, -0.5]]), (-1.0, -1.0))
    found = gains(one, [[1.0, 1.0], [2.0, 2.0], [0.5, 0.5], [2.0, -0.5], [-1.0, -1.0], [0.0, 0.5]])
    # (2, 2) dominates a square of 9, the front one of 3; (2, -1/2) adds a strip of 1 by 1/2;
    # (-1, -1) lacks 1 and 2 of either point; (0, 1/2) lacks half of the second objective of (0, 1)
    np.testing.assert_allclose(found, [1.0, 6.0, 0.25, 0.5, -(2.0 * 3.0 - 1.0), -0.5], rtol=1e-12)


def test_the_largest_penalty_counts() -> None:
    one = made(np.array([[0.0, 3.0], [1.0, 0.0]]), (-9.0, -9.0))
    np.testing.assert_allclose(gains(one, [[-1.0, -1.0]]), [-(2.0 * 5.0 - 1.0)])


def test_the_potential_is_the_mean_and_so_many_deviations() -> None:
    one = made(np.array([[0.0, 0.0]]), (-1.0, -1.0), gain=0.5)
    np.testing.assert_allclose(gains(one, [[-1.0, -1.0]], std=4.0), [3.0])


def test_hardly_better_than_the_front_is_useless() -> None:
    one = made(np.array([[0.0, 0.0]]), (-1.0, -1.0), epsilon=0.1)
    found = gains(one, [[0.05, 0.05], [0.05, -0.5], [0.2, -0.5]])
    np.testing.assert_allclose(found, [0.0, -0.5, 0.1], atol=1e-12)


def test_below_the_reference_the_way_back_is_shown() -> None:
    one = made(np.array([[0.0, 0.0]]), (-1.0, -1.0))
    found = gains(one, [[1.0, -1.0], [1.0, -1.5], [1.0, -2.0]])
    np.testing.assert_allclose(found, [0.0, -0.5, -1.0], atol=1e-12)


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**31))
def test_a_gain_is_the_growth_of_the_hypervolume(count: int, objectives: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.round(rng.normal(size=(count, objectives)), 1)  # rounded: ties
    reference = points.min(axis=0) - rng.uniform(0.0, 1.0, objectives)
    potential = np.round(rng.normal(0.5, 1.0, size=(5, objectives)), 1)
    found = np.array(gains(made(points, reference.tolist()), potential.tolist()))
    held = hypervolume(points, reference)
    for it, gain in zip(potential, found, strict=True):
        grown = hypervolume(np.vstack([points, it]), reference) - held
        dominating = points[(points >= it).all(axis=1)]
        if len(dominating):
            assert gain == pytest.approx(-max((1.0 + dominating - it).prod(axis=1) - 1.0), abs=1e-9)
        elif (it > reference).all():
            assert gain == pytest.approx(grown, rel=1e-9, abs=1e-9)
        else:
            assert gain <= 0.0


def test_both_gains() -> None:
    quantile = NormalDist().inv_cdf
    assert gain_of_the_paper(2) == pytest.approx(quantile(3 / 4))
    assert gain_of_the_paper(3) == pytest.approx(quantile(5 / 8))
    assert gain_in_use(1) == pytest.approx(quantile(3 / 4))
    # both of two objectives deviate by more than that, up or down, in half of the cases
    g = gain_in_use(2)
    assert (2.0 * (1.0 - NormalDist().cdf(g))) ** 2 == pytest.approx(0.5)
    assert METHODS["smsego"].build(situation()).gain == gain_of_the_paper(2)
    assert METHODS["smsego-gpareto"].build(situation()).gain == gain_in_use(2)


def test_epsilon_fills_the_range_with_all_that_is_to_come() -> None:
    front = np.array([[0.0, 4.0], [1.0, 3.0], [2.0, 0.0]])
    np.testing.assert_allclose(epsilons(front, 12.0), [2.0 / 12.0, 4.0 / 12.0])  # 3 + 3/4 of 12
    np.testing.assert_array_equal(epsilons(front[:1], 12.0), np.zeros(2))
    np.testing.assert_array_equal(epsilons(front[:0], 12.0), np.zeros(2))
    few, many = (METHODS["smsego"].build(situation(left=left)).epsilon for left in (2.0, 200.0))
    assert (few > many).all()
    assert (METHODS["smsego"].build(situation()).epsilon > many).all()  # no budget: as many as there are


@pytest.mark.parametrize(("left", "to_come"), [(np.inf, 8.0), (5.0, 4.0), (1.0, 0.0), (0.4, 0.0)])
def test_of_the_budget_what_is_left_after_this_measurement_is_to_come(left: float, to_come: float) -> None:
    one = METHODS["smsego"].build(situation(left=left))
    assert len(one.front) > 1
    np.testing.assert_allclose(one.epsilon, np.ptp(one.front, axis=0) / (len(one.front) + 0.75 * to_come))


def test_the_reference_is_a_deviation_below_the_front_or_the_thresholds() -> None:
    one = METHODS["smsego"].build(situation())
    np.testing.assert_allclose(one.reference, one.front.min(axis=0) - 1.0)
    one = METHODS["smsego"].build(situation(thresholds=np.array([-0.5, -np.inf])))
    assert one.reference[0] == -0.5


def test_thresholds_count_once_something_exceeds_them_all() -> None:
    front = np.array([[0.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(reference_below(front, np.array([0.5, 0.5])), [0.5, 0.5])
    np.testing.assert_array_equal(reference_below(front, np.array([0.5, 1.5])), [-1.0, 0.0])
    np.testing.assert_array_equal(reference_below(front, np.array([0.5, -np.inf])), [0.5, 0.0])
    np.testing.assert_array_equal(reference_below(front[:0], np.array([0.5, -np.inf])), [0.5, -1.0])


def test_a_measurement_under_way_is_part_of_the_front() -> None:
    one = made(np.array([[0.0, 0.0]]), (-5.0, -5.0), gain=0.7)
    x = np.array([0.9, 0.1, 0.5])
    after = one.given(x, [0, 1], np.random.default_rng(0))
    np.testing.assert_allclose(after.points[-1], one.model.predict(x[None]).mean[0])
    assert len(one.given(x, [0], np.random.default_rng(0)).points) == 1


@pytest.mark.parametrize("method", ["smsego", "smsego-gpareto"])
def test_next_to_nothing_is_enough(method: str) -> None:
    x = AcquisitionContract.candidates()
    for held in (0, 1):
        one = METHODS[method].build(situation(count=held))
        assert np.isfinite(one.scores(x)).all()
        assert np.isfinite(one.slopes(x).d_x).all()


def test_ties_duplicates_and_certainty_are_no_trouble() -> None:
    x = AcquisitionContract.candidates()
    for points in (np.zeros((5, 2)), np.array([[0.0, 1.0]] * 3 + [[1.0, 1.0]]), np.array([[1e12, -1e12]])):
        one = replace(made(points, (-2.0, -2.0)), epsilon=epsilons(points, 3.0))
        mean = one.model.predict(x).mean
        for std in (1e-12, 1e6):
            found = one.sensitivity(mean, np.full(mean.shape, std))
            assert all(np.isfinite(part).all() for part in found)


def test_where_nothing_can_be_gained_the_least_penalty_is_chosen() -> None:
    # what is left of the pool lies next to what is dominated; the publication takes the best of it all the same
    pool = Pool({"a": [0.2, 0.4, 0.6, 0.8, 0.02, 0.04, 0.0, 0.03], "b": [0.45] * 8}, inputs=["a"])
    it = pfes.create_study(None, space=pool, objectives=[Objective("y0"), Objective("y1")], method="smsego")
    it.add([{"row": row, **values({**pool.params(row), "b": 0.45})} for row in range(6)])
    trial = it.ask()
    assert trial.gain < 0.0
    assert trial.reason.startswith("To learn")
    assert "per unit of cost" not in trial.reason  # a shortfall is not shared out
    assert trial.row == 7


@pytest.mark.parametrize(
    ("method", "objectives", "pool"), [("smsego", 2, 0), ("smsego", 3, 30), ("smsego-gpareto", 1, 0)]
)
def test_a_study_is_led_by_it(method: str, objectives: int, pool: int) -> None:
    trials = followed(study(method, objectives, pool=pool, threshold=-0.5), 2, objectives)
    trials += study(method, objectives, pool=pool).ask(3)
    assert all("hypervolume" in trial.reason for trial in trials)
    assert len({(trial.params["a"], trial.params["b"]) for trial in trials[2:]}) == 3


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'smsego' is made for 2 or more objectives, and got 1"):
        study("smsego", 1)
    with pytest.raises(InvalidInput, match="'smsego' cannot name single objectives"):
        study("smsego").ask(decoupled=True)
