"""Joint sampled paths: their moments against the posterior's, what they interpolate, fast against exact."""

from dataclasses import replace

import numpy as np
import pytest

from gp.cases import KINDS, SHARES, differences, random_data, random_hyper
from gp.joint_cases import GROUPS, joint_data, joint_hyper
from pfes.errors import InvalidInput
from pfes.gp.multitask import JointHyper, JointModel, draw_joint_paths

STRUCTURES = ["coregional", "latent", "both"]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def model_of(rng, sizes=(5, 3, 4), structure="coregional", kernel="matern52", share=0.4):
    hyper = joint_hyper(rng, len(sizes), structure, kernel, share)
    return JointModel.of(joint_data(rng, sizes), GROUPS, hyper)


def assert_moments(model, x, rng, close):
    values = draw_joint_paths(model, 3000, rng, features=1500)(x)
    size = model.hyper.amplitude.max()
    np.testing.assert_allclose(values.mean(axis=0), model.predict(x).mean, atol=close * size**0.5)
    wanted = model.covariance(x, x).reshape(x.shape[0] * len(model), -1)
    np.testing.assert_allclose(np.cov(values.reshape(3000, -1).T), wanted, atol=close * size)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_prior_paths_have_the_joint_covariance(rng, kernel, share):
    assert_moments(model_of(rng, (0, 0), "latent", kernel, share), rng.random((3, 3)), rng, 0.12)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_paths_have_the_joint_posteriors_moments(rng, structure):
    assert_moments(model_of(rng, structure=structure), rng.random((3, 3)), rng, 0.1)


def test_paths_of_independent_objectives_are_independent(rng):
    data = [random_data(rng, n, 3) for n in (6, 0)]
    hypers = [random_hyper(rng, 2, additive=share) for share in (0.0, 0.5)]
    assert_moments(JointModel.of(data, GROUPS, JointHyper.independent(hypers)), rng.random((2, 3)), rng, 0.1)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_paths_go_through_exact_values_of_every_objective(rng, structure):
    model = model_of(rng, structure=structure)
    x, y = rng.random((2, 3)), np.array([[1.0, np.nan, -0.5], [np.nan, 0.3, np.nan]])
    values = draw_joint_paths(model.given(x, y), 7, rng)(x)
    measured = ~np.isnan(y)
    np.testing.assert_allclose(values[:, measured], np.tile(y[measured], (7, 1)), atol=1e-5)
    assert values[:, ~measured].std(axis=0).min() > 1e-4


def test_path_r_belongs_to_mean_r(rng):
    x, y = rng.random((1, 3)), rng.normal(size=(5, 1, 3))
    paths = draw_joint_paths(model_of(rng).given(x, y), 5, rng)
    np.testing.assert_allclose(paths(x), y, atol=1e-5)
    assert (paths.count, len(paths)) == (5, 3)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_single_precision_and_slopes(rng, structure):
    model = model_of(rng, structure=structure)
    paths = draw_joint_paths(model, 3, rng, features=100)
    own = rng.random((3, 4, 3))
    exact = paths(own)
    assert exact.shape == (3, 4, 3)
    scale = model.hyper.amplitude.max() ** 0.5
    assert paths.fast(own).dtype == np.float32
    np.testing.assert_allclose(paths.fast(own), exact, atol=2e-3 * scale)
    np.testing.assert_allclose(paths(own[0])[0], exact[0], atol=1e-9 * scale)
    np.testing.assert_allclose(paths.fast(own[0])[0], exact[0], atol=2e-3 * scale)
    slopes = paths.slopes(own)
    assert slopes.shape == (3, 4, 3, 3)
    for r in range(3):
        wanted = differences(lambda v, r=r: paths(v[None])[r, 0], own[r, 0])
        np.testing.assert_allclose(slopes[r, 0], wanted, atol=2e-2 * scale)


def test_perfectly_correlated_objectives_are_one_path(rng):
    hyper = replace(joint_hyper(rng, 3), mixing=np.outer([1.0, -2.0, 0.0], np.ones(4)), mean=np.zeros(3))
    model = JointModel.of(joint_data(rng, [3, 0, 2]), GROUPS, hyper)
    paths = draw_joint_paths(model, 2, rng)
    values = paths(rng.random((4, 3)))
    assert paths.mixing.shape == (3, 1)
    np.testing.assert_allclose(values[..., 1], -2 * values[..., 0], atol=1e-9)
    np.testing.assert_array_equal(values[..., 2], 0.0)


def test_objectives_that_do_not_vary_have_flat_paths(rng):
    hyper = replace(joint_hyper(rng, 2), mixing=np.zeros((2, 3)))
    paths = draw_joint_paths(JointModel.of(joint_data(rng, [3, 0]), GROUPS, hyper), 2, rng)
    np.testing.assert_allclose(paths(rng.random((4, 3))), np.broadcast_to(hyper.mean, (2, 4, 2)))


def test_wrong_counts_are_refused(rng):
    model = model_of(rng)
    with pytest.raises(InvalidInput, match="wanted at least 1 path"):
        draw_joint_paths(model, 0, rng)
    with pytest.raises(InvalidInput, match="at least 2 features"):
        draw_joint_paths(model, 1, rng, features=1)
    with pytest.raises(InvalidInput, match="a model with 4 means"):
        draw_joint_paths(model.given(rng.random((1, 3)), rng.normal(size=(4, 1, 3))), 3, rng)
