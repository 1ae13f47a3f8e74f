"""{PF}2ES: values against draws, the contract, extreme predictions, and whole studies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import pooled
from acquisition.test_contract import options_in, pfes
from acquisition.whole_studies import WholeStudies
from pfes.acquisition import METHODS, Acquisition, gain_of
from pfes.acquisition.mass import below
from pfes.acquisition.pf2es import Pf2es, shifted
from pfes.gp import Model
from pfes.information import prepare
from pfes.pareto import non_dominated
from pfes.testing import AcquisitionContract, example_model


def pf2es(model: Model, order: Sequence[int], delta: float) -> Pf2es:
    """The method on the frontiers of `test_contract`, where objectives stand in the given order."""
    like = pfes(model, order, options_in(order, False), delta=delta)
    frontiers = prepare([shifted(frontier.points) for frontier in like.frontiers])
    return Pf2es(model, like.options, tuple(map(below, frontiers)), like.values, like.delta, like.starts)


class TestPf2es(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pf2es(model, order, 0.05)


class TestPf2esWithoutNoise(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pf2es(model, order, 0.0)


class TestPf2esWithPendingPoints(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pf2es(model, order, 0.05).given(np.full(3, 0.5), range(2), np.random.default_rng(0))

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """The noise of what is pending is drawn objective by objective: no two orders draw alike."""


class TestStudies(WholeStudies):
    method = "pf2es"


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_without_noise_it_is_minus_log_of_the_share_of_draws_below_shifted_frontiers(objectives: int) -> None:
    rng = np.random.default_rng(objectives)
    points = rng.uniform(size=(6, objectives)) + 0.1
    frontiers = [np.asarray(f.points) for f in prepare([points, points * 1.2])]
    mean, std = rng.normal(0.4, 0.4, (5, objectives)), rng.uniform(0.2, 0.5, (5, objectives))
    gains = []
    for frontier in frontiers:
        moved = frontier + 0.04 * (frontier.max(axis=0) - frontier.min(axis=0))
        draws = mean + std * rng.standard_normal((100_000, 5, objectives))
        gains.append(-np.log(np.mean([(draws[:, :, None] <= moved).all(axis=3).any(axis=2)], axis=1)[0]))
    made = replace(
        pf2es(example_model(objectives), range(objectives), 0.0),
        regions=tuple(map(below, prepare([shifted(frontier) for frontier in frontiers]))),
    )
    np.testing.assert_allclose(gain_of(made.score(mean, std))[:, 0], np.mean(gains, axis=0), atol=0.02)


def test_frontiers_are_those_of_the_sampled_functions_shifted() -> None:
    it = pooled(estimator="exact")
    built, x = METHODS["pf2es"].build(it), it.domain.x
    mean, std = built.model.predict(x)
    z = np.random.default_rng(3).standard_normal((20_000, 1, 2))
    seen = np.argsort(-mean.sum(axis=1))[:5]
    below_all = []
    for values in built.values(x):
        frontier = values[non_dominated(values)]
        moved = frontier + 0.04 * np.ptp(frontier, axis=0)
        draws = mean[seen] + std[seen] * z
        below_all.append((draws[:, :, None] <= moved).all(axis=3).any(axis=2).mean(axis=0))
    expected = -np.log(below_all).mean(axis=0)
    gains = gain_of(built.scores(x[seen]))[:, 0]
    np.testing.assert_allclose(gains, expected, rtol=0.04, atol=1e-3)


def test_a_hand_worked_case() -> None:
    # one point, no range, no shift: each objective lies below it with probability 1/2
    made = replace(pf2es(example_model(2), [0, 1], 0.0), regions=(below(prepare([[[0.3, 0.7]]])[0]),))
    assert gain_of(made.score(np.array([[0.3, 0.7]]), np.ones((1, 2))))[0, 0] == pytest.approx(2.0 * np.log(2.0))


def test_noise_takes_nats_away_and_none_are_left_of_a_known_point() -> None:
    mean, std = np.random.default_rng(0).normal(0.5, 0.5, (50, 2)), np.geomspace(1e-6, 1.0, 50)[:, None] * np.ones(2)
    plain = pf2es(example_model(2), [0, 1], 0.0)
    gains = [
        gain_of(replace(plain, delta=np.full(2, delta)).score(mean, std))[:, 0] for delta in (0.0, 1e-9, 0.01, 0.1)
    ]
    few = gains[0] < 5.0  # beyond that the capacity of the smallest noise is felt
    assert few.sum() > 20
    np.testing.assert_allclose(gains[1][few], gains[0][few], rtol=1e-3)
    assert (np.diff(gains, axis=0) <= 1e-15).all()
    assert (gains[3] <= 0.5 * np.log1p((std / 0.1) ** 2).sum(axis=1) * (1.0 + 1e-9)).all()


def test_the_virtual_points_of_thresholds_are_not_shifted() -> None:
    points = np.array([[1.0, 2.0], [2.0, 1.0], [0.5, np.inf], [np.inf, 0.2]])
    moved = shifted(points)
    np.testing.assert_allclose(moved[:2], points[:2] + 0.04)
    np.testing.assert_array_equal(moved[2:], points[2:])
    np.testing.assert_array_equal(shifted(points[2:]), points[2:])


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_far_and_near_nothing_is_lost(delta: float) -> None:
    made = pf2es(example_model(2), [0, 1], delta)
    mean = np.array([[-1e6, -1e6], [-30.0, 1.0], [0.8, 1.0], [30.0, 30.0], [1e6, 1e6]])
    for std in (1e-12, 1e-6, 1.0, 1e3):
        score, d_mean, d_std = made.sensitivity(mean, np.full((5, 2), std))
        assert np.isfinite(score).all()
        assert np.isfinite(d_mean).all()
        assert np.isfinite(d_std).all()
