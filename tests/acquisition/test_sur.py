"""Stepwise uncertainty reduction: against draws, against its definition, and whole suggestions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import NONE, everything, followed, situation, study
from acquisition.test_joint_models import joint_model
from pfes.acquisition import Acquisition
from pfes.acquisition.sur import PLACES, Places, Sur, chosen_places, room_above, still_open, sur
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Model, Posterior, Surrogate
from pfes.observations import Data
from pfes.space import Pool
from pfes.testing import AcquisitionContract, example_model

Z = np.random.default_rng(6).uniform(size=(30, 3))
X = np.random.default_rng(7).uniform(size=(4, 3))
EVEN = Places(Z, np.full(30, 1.0 / 30.0))


def made(model: Surrogate, order: Sequence[int], thresholds: float = -np.inf, held: int = 8) -> Sur:
    order = list(order)
    points = np.random.default_rng(4).uniform(-0.5, 0.5, (held, 3))[:, order]
    delta = np.full(len(order), 1e-3)
    return Sur(model, everything(order), points, np.full(len(order), thresholds), EVEN, delta, NONE)


class TestSur(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


class TestSurOfThree(AcquisitionContract):
    rounding = 1e-8  # logarithms of gains of 1e-12, differences of probabilities

    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order, thresholds=-0.4)


def dominated(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(...) whether any of the points (n, L) dominates values (..., L)."""
    return (points >= values[..., None, :]).all(axis=-1).any(axis=-1)


@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("thresholds", [-np.inf, -0.2])
def test_the_gain_is_the_probability_that_what_is_open_is_dominated(objectives: int, thresholds: float) -> None:
    model = example_model(objectives)
    one = made(model, range(objectives), thresholds, held=3)
    draws = model.draw(np.vstack([X, Z]), 8000, np.random.default_rng(0))
    new, there = draws[:, :4, None], draws[:, None, 4:]  # (R, 4, 1, L), (R, 1, I, L)
    is_open = ~dominated(one.points, there) & (there > thresholds).all(axis=-1)
    falls = (is_open & (new >= there).all(axis=-1)).mean(axis=2)  # (R, 4)
    error = falls.std(axis=0) / np.sqrt(len(falls))
    assert (error < 0.01).all()
    # 1e-5: so rarely that 8,000 draws need not see it
    assert (np.abs(one.gains(X) - falls.mean(axis=0)) < 4.5 * error + 1e-5).all()


@pytest.mark.parametrize("objectives", [2, 3])
def test_the_gain_is_the_expected_fall_of_what_is_still_open(objectives: int) -> None:
    # the definition: measure, condition, add to what is held, and see how much is open then
    model = example_model(objectives)
    one = made(model, range(objectives), held=3)
    before = still_open(*model.predict(Z), one.room).mean()
    x = X[1:2]
    after = []
    for value in model.draw(x, 400, np.random.default_rng(1)):  # (1, L)
        grown = room_above(np.vstack([one.points, value]), one.thresholds)
        after.append(still_open(*model.given(x, value, 1e-12).predict(Z), grown).mean())
    error = np.std(after) / np.sqrt(len(after))
    assert error < 0.1 * (before - np.mean(after))
    assert one.gains(x)[0] == pytest.approx(before - np.mean(after), abs=4.0 * error)


def test_the_probability_of_being_open_is_that_of_draws() -> None:
    model = example_model(2)
    one = made(model, [0, 1], thresholds=-0.3, held=4)
    mean, std = model.predict(Z)
    draws = np.random.default_rng(2).normal(mean, std, size=(20_000, *mean.shape))
    want = (~dominated(one.points, draws) & (draws > -0.3).all(axis=-1)).mean(axis=0)
    np.testing.assert_allclose(still_open(mean, std, one.room), want, atol=0.02)


def test_objectives_together_are_each_taken_alone() -> None:
    # a joint model whose objectives have nothing in common is the same model as independent ones
    joint = joint_model([0, 1])
    apart = replace(joint.hyper, mixing=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    tasks = [Data(joint.x[joint.task == l], joint.y[joint.task == l], np.ones(12), np.full(12, np.nan)) for l in (0, 1)]
    together = type(joint).of(tasks, np.arange(3), apart)
    singles = []
    for l in (0, 1):
        amplitude = float(apart.amplitude[l])
        hyper = Hyper("matern52", apart.scales[l], amplitude, float(apart.noise[l]), 0.0, float(apart.additive[l]))
        singles.append(Posterior.of(tasks[l], np.arange(3), hyper))
    np.testing.assert_allclose(
        made(together, [0, 1]).gains(X), made(Model(tuple(singles)), [0, 1]).gains(X), rtol=1e-6, atol=1e-12
    )


def test_places_are_drawn_as_often_as_they_are_open_and_weighed_so_that_sums_stay() -> None:
    rng = np.random.default_rng(3)
    x = np.column_stack([np.arange(5000) / 5000, rng.uniform(size=5000)])
    probability = rng.uniform(size=5000) ** 4
    function = probability * (1.0 + x[:, 0])  # what is summed is small where nothing is open
    sums = []
    for _ in range(200):
        places = chosen_places(x, probability, rng)
        assert len(places.x) <= PLACES
        at = np.searchsorted(x[:, 0], places.x[:, 0])
        sums.append(function[at] @ places.share)
    assert np.mean(sums) == pytest.approx(function.mean(), rel=0.01)
    assert np.std(sums) < 0.05 * function.mean()


def test_few_places_are_all_asked_about_and_no_hope_is_no_trouble() -> None:
    np.testing.assert_allclose(chosen_places(Z, np.zeros(30), np.random.default_rng(0)).share, 1.0 / 30.0)
    many = chosen_places(np.tile(Z, (10, 1)), np.zeros(300), np.random.default_rng(0))
    assert many.share.sum() == pytest.approx(1.0)


def test_a_pool_is_asked_about_its_own_rows_that_can_be_measured() -> None:
    allowed = np.arange(30) % 2 == 0
    one = sur(situation(domain=Pool(Z), allowed=allowed))
    np.testing.assert_array_equal(one.places.x, Pool(Z).x[allowed])
    large = sur(situation(domain=Pool(np.random.default_rng(0).uniform(size=(3000, 3)))))
    assert len(large.places.x) <= PLACES


def test_a_place_does_not_dominate_itself() -> None:
    alone = replace(made(example_model(2), [0, 1]), places=Places(Z[:1], np.ones(1)))
    assert alone.gains(Z[:1])[0] == 0.0
    assert alone.gains(Z[:1] + 0.05)[0] > 0.0


def test_a_measurement_under_way_is_held() -> None:
    one = made(example_model(2), [0, 1])
    after = one.given(X[0], [0, 1], np.random.default_rng(0))
    np.testing.assert_allclose(after.points[-1], one.model.predict(X[:1]).mean[0])
    assert len(one.given(X[0], [0], np.random.default_rng(0)).points) == len(one.points)


@pytest.mark.parametrize("count", [0, 1])
def test_next_to_nothing_is_enough(count: int) -> None:
    one = sur(situation(count=count))
    score, d_x = one.slopes(AcquisitionContract.candidates())
    assert np.isfinite(score).all()
    assert np.isfinite(d_x).all()


def test_ties_duplicates_and_certainty_are_no_trouble() -> None:
    x = np.random.default_rng(0).uniform(size=(8, 3))
    sharp = Hyper("rbf", np.full(3, 5.0), 1.0, 1e-24, 0.0)
    data = Data(x, np.zeros(8), np.ones(8), np.full(8, np.nan))
    known = Model((Posterior.of(data, np.arange(3), sharp),) * 2)
    for points in (np.zeros((5, 2)), np.array([[0.0, 1.0]] * 3 + [[1.0, 1.0]]), np.array([[1e12, -1e12]])):
        one = replace(made(known, [0, 1]), points=points, places=Places(x, np.full(8, 1.0 / 8.0)))
        score, d_x = one.slopes(np.vstack([x, X]))
        assert np.isfinite(score).all()
        assert np.isfinite(d_x).all()


@pytest.mark.parametrize(("objectives", "pool"), [(1, 0), (2, 0), (3, 30)])
def test_a_study_is_led_by_it(objectives: int, pool: int) -> None:
    trials = followed(study("sur", objectives, pool=pool, threshold=-0.5), 2, objectives)
    trials += study("sur", objectives, pool=pool).ask(3)
    assert all("share of points that may still be better" in trial.reason for trial in trials)
    assert len({(trial.params["a"], trial.params["b"]) for trial in trials[2:]}) == 3


def test_single_objectives_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'sur' cannot name single objectives"):
        study("sur").ask(decoupled=True)
