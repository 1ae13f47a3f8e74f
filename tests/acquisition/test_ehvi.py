"""Improvement over what is held as well as it is known: against joint draws of everything, and what it is for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.acquisition import Ehvi
from pfes.acquisition.ehvi import contenders
from pfes.acquisition.protocol import gain_of
from pfes.gp import Model
from pfes.improvement import expected_improvement, prepare_front
from pfes.objectives import Objective, Objectives
from pfes.pareto import hypervolume, non_dominated
from pfes.testing import example_model

BOTH = Objectives([Objective("a"), Objective("b")]).options(decoupled=False)
HELD = np.random.default_rng(0).uniform(size=(6, 3))
REFERENCE = np.array([-1.5, -1.5])
DELTA = np.full(2, 1e-3)


def over_draws(model: Model, held: np.ndarray, draws: int, seed: int) -> Ehvi:
    levels = model.draw(held, draws, np.random.default_rng(seed))
    return Ehvi(model.given(held, levels, 1e-8), BOTH, levels, REFERENCE, DELTA, held)


def test_the_average_over_draws_is_the_improvement_of_joint_draws() -> None:
    model, x = example_model(2), np.random.default_rng(1).uniform(size=(4, 3))
    found = gain_of(over_draws(model, HELD, 600, 2).scores(x))[:, 0]
    joint = model.draw(np.vstack([HELD, x]), 6000, np.random.default_rng(3))
    grown = np.empty((len(joint), len(x)))
    for r, values in enumerate(joint):
        before = hypervolume(values[: len(HELD)], REFERENCE)
        for i in range(len(x)):
            grown[r, i] = hypervolume(np.vstack([values[: len(HELD)], values[len(HELD) + i]]), REFERENCE) - before
    error = grown.std(axis=0) / np.sqrt(len(grown))
    np.testing.assert_allclose(found, grown.mean(axis=0), atol=float(5.0 * error.max()), rtol=0.1)


def test_one_draw_is_the_plain_improvement_of_what_the_model_then_predicts() -> None:
    one = over_draws(example_model(2), HELD, 1, 4)
    x = np.random.default_rng(5).uniform(size=(5, 3))
    mean, std = one.model.predict(x)
    plain = expected_improvement(mean.reshape(5, 2), std, prepare_front(one.points[0], REFERENCE))
    np.testing.assert_allclose(gain_of(one.scores(x))[:, 0], plain, rtol=1e-9)


def test_a_twin_of_what_is_held_promises_less_than_the_means_say() -> None:
    model = example_model(2)
    mean = model.predict(HELD).mean
    best = HELD[[int(mean.sum(axis=1).argmax())]]
    assert model.predict(best).std.max() > 0.1  # it is not known exactly
    by_means = Ehvi(model, BOTH, mean, REFERENCE, DELTA, HELD)
    by_draws = over_draws(model, HELD, 200, 6)
    twin = best + 1e-3
    assert gain_of(by_draws.scores(twin))[0, 0] < 0.1 * gain_of(by_means.scores(twin))[0, 0]


def test_gradients_over_draws_are_those_of_differences() -> None:
    one = replace(over_draws(example_model(2), HELD, 5, 7), caution=1.7)
    x = np.random.default_rng(8).uniform(0.2, 0.8, size=(3, 3))
    score, d_x = one.slopes(x)
    np.testing.assert_allclose(score, one.scores(x), rtol=1e-12)
    for column in range(3):
        step = 1e-5 * np.eye(3)[column]
        slope = (one.scores(x + step) - one.scores(x - step)) / 2e-5
        np.testing.assert_allclose(d_x[:, :, column], slope, rtol=1e-4, atol=1e-6)


def test_a_measurement_under_way_is_drawn_and_held() -> None:
    one = over_draws(example_model(2), HELD, 7, 9)
    x = np.array([0.9, 0.1, 0.5])
    then = one.given(x, [0, 1], np.random.default_rng(10))
    assert then.points.shape == (7, len(HELD) + 1, 2)
    assert np.ptp(then.points[:, -1], axis=0).min() > 0.0  # each draw has its own
    np.testing.assert_allclose(then.model.predict(x[None]).mean[:, 0], then.points[:, -1], atol=0.01)
    assert gain_of(then.scores(x[None]))[0, 0] < 0.05 * gain_of(one.scores(x[None]))[0, 0]


def test_half_a_measurement_under_way_is_not_held() -> None:
    one = over_draws(example_model(2), HELD, 3, 11)
    assert one.given(np.array([0.9, 0.1, 0.5]), [0], np.random.default_rng(0)).points.shape == (3, len(HELD), 2)


@pytest.mark.parametrize("std", [0.0, 0.1])
def test_contenders_are_all_that_may_be_on_the_front(std: float) -> None:
    mean = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, -0.1], [-1.0, -1.0], [1.0, 0.0]])
    kept = contenders(mean, np.full_like(mean, std))
    assert kept.tolist() == ([True, True, False, False, True] if std == 0.0 else [True, True, True, False, True])


@given(st.integers(1, 20), st.integers(1, 4), st.floats(0.0, 1.0), st.integers(0, 2**31))
def test_what_is_on_the_front_of_the_means_is_a_contender(count: int, objectives: int, std: float, seed: int) -> None:
    mean = np.random.default_rng(seed).normal(size=(count, objectives))
    assert contenders(mean, np.full_like(mean, std))[non_dominated(mean)].all()
