"""Covariances with fixed points: against the model's own, and their slopes against differences."""

import numpy as np
import pytest

from acquisition.test_joint_models import joint_model
from pfes.gp import Surrogate, Ties, covariances
from pfes.testing import example_model

STEP = 1e-5


@pytest.fixture(params=["independent", "joint"])
def model(request: pytest.FixtureRequest) -> Surrogate:
    return example_model(3) if request.param == "independent" else joint_model(range(3))


def test_they_are_the_covariances_of_every_objective_alone(model: Surrogate) -> None:
    rng = np.random.default_rng(0)
    x, points = rng.uniform(size=(5, 3)), rng.uniform(size=(4, 3))
    found = Ties(model, points)(x)
    np.testing.assert_allclose(found, covariances(model, x, points), rtol=1e-10, atol=1e-13)
    draws = model.draw(np.vstack([x, points]), 40_000, rng)
    for l in range(3):
        np.testing.assert_allclose(found[l], np.cov(draws[:, :, l].T)[:5, 5:], atol=0.03)
    np.testing.assert_allclose(np.diagonal(covariances(model, x, x), axis1=1, axis2=2).T, model.predict(x).std ** 2)


def test_slopes_are_those_of_differences(model: Surrogate) -> None:
    rng = np.random.default_rng(1)
    x, points, weights = rng.uniform(size=(5, 3)), rng.uniform(size=(4, 3)), rng.standard_normal((3, 5, 4))
    ties = Ties(model, points)
    slopes = ties.slopes(x, weights)
    assert slopes.shape == (5, 3, 3)
    for column in range(3):
        step = STEP * np.eye(3)[column]
        change = np.sum(weights * (ties(x + step) - ties(x - step)), axis=2).T / (2.0 * STEP)
        np.testing.assert_allclose(slopes[:, :, column], change, rtol=1e-6, atol=1e-8)
