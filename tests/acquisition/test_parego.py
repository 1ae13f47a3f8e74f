"""ParEGO: the scalar by hand, its improvement by quadrature, and whole suggestions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from acquisition.situations import NONE, everything, followed, situation, study
from pfes.acquisition import Acquisition
from pfes.acquisition.parego import Parego, augmented_chebyshev, drawn_weights, parego, shortfalls
from pfes.acquisition.protocol import gain_of
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Model, Recipe
from pfes.task import Settings
from pfes.testing import WIDTH, AcquisitionContract, example_model

POINTS = np.random.default_rng(2).uniform(size=(10, WIDTH))
WEIGHTS = np.array([0.3, 0.7])


def made(model: Model, order: Sequence[int]) -> Parego:
    order = list(order)
    levels = model.predict(POINTS).mean
    return Parego(
        model, everything(order), POINTS, levels, np.full(2, -np.inf), WEIGHTS[order], Recipe(), np.arange(WIDTH),
        np.full(2, 1e-3), NONE,
    )  # fmt: skip


class TestParego(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


def test_the_scalar_of_three_points_by_hand() -> None:
    # ranges 4 and 2; shortfalls (1, 0), (0, 1), (1/2, 1/4); weighted by 1/4 and 3/4
    levels = np.array([[0.0, 3.0], [4.0, 1.0], [2.0, 2.5]])
    short = shortfalls(levels, np.full(2, -np.inf))
    np.testing.assert_allclose(short, [[1.0, 0.0], [0.0, 1.0], [0.5, 0.25]])
    found = augmented_chebyshev(short, np.array([0.25, 0.75]))
    np.testing.assert_allclose(found, [-0.25 * 1.05, -0.75 * 1.05, -(0.1875 + 0.05 * 0.3125)])


def test_a_threshold_ends_the_range_where_something_exceeds_it() -> None:
    levels = np.array([[0.0, 3.0], [4.0, 1.0]])
    np.testing.assert_allclose(shortfalls(levels, np.array([2.0, -np.inf])), [[2.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(shortfalls(levels, np.array([9.0, 9.0])), [[1.0, 0.0], [0.0, 1.0]])


def test_equal_levels_have_no_shortfall() -> None:
    np.testing.assert_array_equal(shortfalls(np.ones((3, 2)), np.full(2, -np.inf)), np.zeros((3, 2)))
    assert shortfalls(np.zeros((0, 2)), np.full(2, -np.inf)).shape == (0, 2)


def test_the_gain_is_the_expected_improvement_of_the_scalar() -> None:
    one, x = made(example_model(2), [0, 1]), AcquisitionContract.candidates(10)
    mean, std = one.scalar.predict(x)
    best = one.scalar.predict(POINTS).mean.max()
    nodes = np.linspace(best, mean.max() + 12.0 * std.max(), 40_001)
    density = stats.norm.pdf(nodes, mean, std)  # (N, nodes)
    want = one.scalars.std() * np.trapezoid((nodes - best) * density, nodes)
    np.testing.assert_allclose(gain_of(one.scores(x))[:, 0], want, rtol=1e-4, atol=1e-12)


def test_the_scalar_is_modelled_where_it_was_measured() -> None:
    # without noise the model of s goes through its values, in their own unit
    one = replace(made(example_model(2), [0, 1]), recipe=replace(Recipe(), noise=1e-8))
    mean = one.scalar.predict(POINTS).mean[:, 0]
    np.testing.assert_allclose(one.scalars.mean() + one.scale * mean, one.scalars, atol=1e-4)


def test_all_weights_of_the_simplex_are_equally_likely() -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([drawn_weights(3, rng) for _ in range(4000)])
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0)
    # evenly over a triangle: a weight exceeds t with probability (1 - t)^2
    assert (drawn > 0.5).mean(axis=0) == pytest.approx(np.full(3, 0.25), abs=0.03)


def test_every_suggestion_draws_its_own_weights() -> None:
    one = made(example_model(2), [0, 1])
    rng = np.random.default_rng(5)
    second = one.given(POINTS[0] + 0.05, [0, 1], rng)
    third = second.given(POINTS[1] + 0.05, [0, 1], rng)
    assert len({tuple(it.weights) for it in (one, second, third)}) == 3
    assert len(third.points) == len(third.levels) == len(POINTS) + 2
    np.testing.assert_allclose(second.levels[-1], one.model.predict(POINTS[:1] + 0.05).mean[0])


def test_half_a_measurement_under_way_has_no_scalar_yet() -> None:
    one = made(example_model(2), [0, 1])
    half = one.given(POINTS[0] + 0.05, [0], np.random.default_rng(5))
    assert len(half.points) == len(POINTS)
    assert len(half.given(POINTS[0] + 0.05, [1], np.random.default_rng(5)).points) == len(POINTS) + 1


def test_what_was_measured_is_scalarised_not_what_is_predicted() -> None:
    measured = np.random.default_rng(4).normal(size=(8, 2))
    assert parego(situation(measured=measured)).levels is measured


def test_where_no_point_has_everything_predictions_fill_the_gaps() -> None:
    points = np.random.default_rng(4).uniform(size=(5, 3))
    one = parego(situation(observed=points, held=NONE, measured=np.zeros((0, 2))))
    np.testing.assert_array_equal(one.levels, one.model.predict(points).mean)


@pytest.mark.parametrize("count", [0, 1])
def test_next_to_nothing_is_enough(count: int) -> None:
    one = parego(situation(observed=POINTS[:count], held=POINTS[:count], measured=np.zeros((count, 2))))
    assert np.isfinite(one.scores(AcquisitionContract.candidates())).all()
    assert np.isfinite(one.slopes(AcquisitionContract.candidates()).d_x).all()


def test_ties_duplicates_and_certainty_are_no_trouble() -> None:
    one = made(example_model(2), [0, 1])
    same = replace(one, points=np.repeat(POINTS[:2], 4, axis=0), levels=np.ones((8, 2)))
    far = replace(one, levels=1e12 * one.levels)
    tight = replace(one, recipe=replace(Recipe(), noise=1e-24))
    for it in (same, far, tight):
        score, d_x = it.slopes(np.vstack([AcquisitionContract.candidates(), it.points]))
        assert np.isfinite(score).all()
        assert np.isfinite(d_x).all()


@pytest.mark.parametrize(("objectives", "pool"), [(1, 0), (2, 0), (3, 30), (2, 30)])
def test_a_study_is_led_by_it(objectives: int, pool: int) -> None:
    trials = followed(study("parego", objectives, pool=pool, threshold=-0.5), 2, objectives)
    trials += study("parego", objectives, pool=pool).ask(3)
    assert all("weighted distance from the ideal point" in trial.reason for trial in trials)
    assert len({(trial.params["a"], trial.params["b"]) for trial in trials[2:]}) == 3


def test_the_same_events_give_the_same_weights() -> None:
    assert study("parego").ask().params == study("parego").ask().params


def test_given_hyper_parameters_are_the_objectives_own_and_the_scalar_is_fitted() -> None:
    hypers = tuple(Hyper("matern52", np.full(2, 0.4), 1.0, 1e-6, 0.0) for _ in range(2))
    assert study("parego", settings=Settings(hypers=hypers)).ask().gain > 0.0


def test_single_objectives_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'parego' cannot name single objectives"):
        study("parego").ask(decoupled=True)
