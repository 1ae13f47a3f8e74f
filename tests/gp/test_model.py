"""Several objectives side by side are the single ones, one by one."""

import numpy as np
import pytest

from gp.cases import random_data, random_hyper
from pfes.errors import InvalidInput
from pfes.gp import Model, Posterior

GROUPS = np.array([0, 1])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def model(rng):
    data = [random_data(rng, n, 2) for n in (7, 4, 0)]
    return Model.of(data, GROUPS, [random_hyper(rng, 2) for _ in data])


def test_predictions_stand_side_by_side(rng, model):
    x = rng.random((5, 2))
    assert len(model) == 3
    slopes = model.predict_gradient(x)
    assert [a.shape for a in slopes] == [(5, 3), (5, 3), (5, 3, 2), (5, 3, 2)]
    for l, one in enumerate(model.posteriors):
        mean, std = one.predict(x)
        np.testing.assert_array_equal(model.predict(x).mean[:, l], mean)
        np.testing.assert_array_equal(model.predict(x).std[:, l], std)
        np.testing.assert_array_equal(slopes.d_mean[:, l], one.predict_gradient(x).d_mean)
        np.testing.assert_array_equal(slopes.d_std[:, l], one.predict_gradient(x).d_std)


@pytest.mark.parametrize("many", [(), (4,)])
def test_the_mean_alone_is_that_of_predictions(rng, model, many, monkeypatch):
    further = model.given(rng.random((3, 2)), rng.normal(size=(*many, 3, 3)), 0.1)
    x = rng.random((50, 2))
    wanted = further.predict(x).mean
    np.testing.assert_array_equal(further.mean(x), wanted)
    monkeypatch.setattr("pfes.gp.posterior.BLOCK_BYTES", 640)  # in blocks, too
    np.testing.assert_allclose(further.mean(x), wanted, rtol=1e-12)


@pytest.mark.parametrize("many", [(), (4,)])
def test_given_leaves_out_what_was_not_measured(rng, model, many, frozen):
    x, at, noise = rng.random((5, 2)), frozen(rng.random((3, 2))), np.array([0.1, 0.2, 0.3])
    y = rng.normal(size=(*many, 3, 3))
    y[..., 0, 0] = y[..., 2, 0] = y[..., :, 1] = np.nan
    after = model.given(at, frozen(y), noise)
    assert isinstance(after.posteriors[0], Posterior)
    assert [len(p.x) for p in after.posteriors] == [8, 4, 3]
    wanted = model.posteriors[0].given(at[1:2], y[..., 1:2, 0], 0.1)
    found = after.predict(x)
    assert found.mean.shape == (*many, 5, 3)
    np.testing.assert_allclose(found.mean[..., 0], wanted.predict(x).mean, rtol=1e-12)
    np.testing.assert_allclose(found.std[:, 0], wanted.predict(x).std, rtol=1e-12)
    np.testing.assert_allclose(found.std[:, 1], model.predict(x).std[:, 1], rtol=1e-12)
    assert after.predict_gradient(x).d_mean.shape == (*many, 5, 3, 2)


def test_given_refuses_ragged_vectors(rng, model):
    y = rng.normal(size=(2, 1, 3))
    y[0, 0, 1] = np.nan
    with pytest.raises(InvalidInput, match="nan in different places"):
        model.given(rng.random((1, 2)), y)


def test_draws_are_independent_between_objectives(rng, model):
    x = rng.random((2, 2))
    draws = model.draw(x, 20_000, rng)
    assert draws.shape == (20_000, 2, 3)
    np.testing.assert_allclose(draws.mean(axis=0), model.predict(x).mean, atol=0.05)
    correlation = np.corrcoef(draws[:, 0].T)
    np.testing.assert_allclose(correlation, np.eye(3), atol=0.03)


def test_draws_with_many_means(rng, model):
    y = np.full((4, 1, 3), np.nan)
    y[..., 0] = rng.normal(size=(4, 1))
    assert model.given(rng.random((1, 2)), y).draw(rng.random((5, 2)), 6, rng).shape == (6, 4, 5, 3)
