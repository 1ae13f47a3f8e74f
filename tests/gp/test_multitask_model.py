"""The joint posterior against dense algebra, the independent model, and differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gp.cases import KINDS, data_of, differences, random_data, random_hyper
from gp.joint_cases import GROUPS, dense_joint_posterior, joint_data, joint_hyper, rows_of
from pfes.errors import InvalidInput
from pfes.gp import Model
from pfes.gp.multitask import JointHyper, JointModel

STRUCTURES = ["coregional", "latent", "both"]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def model_of(rng, sizes=(7, 4, 5), structure="coregional", kernel="matern52", **more):
    data, hyper = joint_data(rng, sizes, **more), joint_hyper(rng, len(sizes), structure, kernel)
    return data, hyper, JointModel.of(data, GROUPS, hyper)


def on_diagonal(covariance):
    return np.stack([covariance[i, :, i] for i in range(len(covariance))])


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("shared", [False, True])
def test_predictions_are_those_of_dense_algebra(rng, structure, kernel, shared):
    data, hyper, model = model_of(rng, structure=structure, kernel=kernel, shared=shared)
    x = rng.random((4, 3))
    mean, covariance = dense_joint_posterior(rows_of(data, hyper), x, GROUPS, hyper)
    joint = model.predict_joint(x)
    np.testing.assert_allclose(joint.mean, mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(joint.covariance, on_diagonal(covariance), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.covariance(x, x), covariance, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(model.predict(x).mean, joint.mean)
    np.testing.assert_array_equal(model.mean(x), joint.mean)
    np.testing.assert_allclose(model.predict(x).std ** 2, np.einsum("nll->nl", joint.covariance), rtol=1e-12)


@pytest.mark.parametrize("objectives", range(1, 7))
def test_any_number_of_objectives(rng, objectives):
    data, hyper, model = model_of(rng, [3, 0, 1, 2, 2, 4][:objectives])
    x = rng.random((2, 3))
    mean, covariance = dense_joint_posterior(rows_of(data, hyper), x, GROUPS, hyper)
    np.testing.assert_allclose(model.predict_joint(x).mean, mean, atol=1e-9)
    np.testing.assert_allclose(model.predict_joint(x).covariance, on_diagonal(covariance), atol=1e-9)
    assert len(model) == objectives


def test_a_diagonal_mixing_is_the_independent_model(rng):
    data = [random_data(rng, n, 3) for n in (9, 5, 0)]
    hypers = [random_hyper(rng, 2, additive=share) for share in (0.0, 0.4, 1.0)]
    joint, single = JointModel.of(data, GROUPS, JointHyper.independent(hypers)), Model.of(data, GROUPS, hypers)
    x, y = rng.random((6, 3)), np.array([[1.0, np.nan, 0.3], [np.nan, np.nan, 0.1]])
    for mine, theirs in ((joint, single), (joint.given(x[:2], y, 0.1), single.given(x[:2], y, 0.1))):
        for found, wanted in zip(mine.predict_gradient(x), theirs.predict_gradient(x), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)
    off = joint.predict_joint(x).covariance[:, ~np.eye(3, dtype=bool)]
    np.testing.assert_allclose(off, 0.0, atol=1e-14)


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("many", [(), (4,)])
def test_gradients_are_those_of_differences(rng, structure, kernel, many):
    model = model_of(rng, structure=structure, kernel=kernel)[2]
    model = model.given(rng.random((2, 3)), rng.normal(size=(*many, 2, 3)), 0.05)
    for x in rng.random((3, 3)):
        found, plain = model.predict_joint_gradient(x[None]), model.predict_gradient(x[None])
        mean = differences(lambda v: model.predict(v[None]).mean[..., 0, :], x)
        covariance = differences(lambda v: model.predict_joint(v[None]).covariance[0], x)
        std = differences(lambda v: model.predict(v[None]).std[0], x)
        np.testing.assert_allclose(found.d_mean[..., 0, :, :], mean, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(found.d_covariance[0], covariance, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(plain.d_std[0], std, rtol=1e-7, atol=1e-8)
        np.testing.assert_array_equal(plain.d_mean, found.d_mean)
        np.testing.assert_array_equal(found.covariance, model.predict_joint(x[None]).covariance)


def test_given_is_the_same_as_all_at_once(rng):
    data, hyper, model = model_of(rng)
    x, more, noise = rng.random((4, 3)), rng.random((2, 3)), np.array([0.1, 0.2, 0.3])
    y = np.array([[0.5, np.nan, -1.0], [np.nan, 2.0, np.nan]])
    rows = rows_of(data, hyper)
    pairs = [(0, 0), (0, 2), (1, 1)]
    rows = (
        np.concatenate([rows[0], [more[i] for i, _ in pairs]]),
        np.append(rows[1], [l for _, l in pairs]),
        np.append(rows[2], [y[p] for p in pairs]),
        np.append(rows[3], [noise[l] for _, l in pairs]),
    )
    mean, covariance = dense_joint_posterior(rows, x, GROUPS, hyper)
    found = model.given(more, y, noise).predict_joint(x)
    np.testing.assert_allclose(found.mean, mean, atol=1e-9)
    np.testing.assert_allclose(found.covariance, on_diagonal(covariance), atol=1e-9)


def test_given_many_vectors_is_given_each(rng, frozen):
    model, at, x = model_of(rng)[2], frozen(rng.random((2, 3))), frozen(rng.random((5, 3)))
    y = rng.normal(size=(4, 2, 3))
    y[:, 1, 0] = np.nan
    after = model.given(at, frozen(y), 0.01)
    slopes = after.predict_gradient(x)
    assert [a.shape for a in slopes] == [(4, 5, 3), (5, 3), (4, 5, 3, 3), (5, 3, 3)]
    for r in range(4):
        one = model.given(at, y[r], 0.01).predict_gradient(x)
        np.testing.assert_allclose(slopes.mean[r], one.mean, atol=1e-10)
        np.testing.assert_allclose(slopes.d_mean[r], one.d_mean, atol=1e-9)
        np.testing.assert_allclose(slopes.std, one.std, atol=1e-10)


def test_given_refuses_ragged_vectors(rng):
    y = rng.normal(size=(2, 1, 3))
    y[0, 0, 1] = np.nan
    with pytest.raises(InvalidInput, match="nan in different places"):
        model_of(rng)[2].given(rng.random((1, 3)), y)


def test_nothing_measured_changes_nothing(rng):
    model = model_of(rng)[2]
    assert model.given(rng.random((2, 3)), np.full((2, 3), np.nan)) is model


def test_blocks_do_not_show(rng, monkeypatch):
    model, x = model_of(rng)[2].given(rng.random((1, 3)), rng.normal(size=(2, 1, 3))), rng.random((9, 3))
    whole = [*model.predict(x), *model.predict_joint_gradient(x)]
    monkeypatch.setattr("pfes.gp.multitask.model.BLOCK_BYTES", 2000)
    for found, wanted in zip([*model.predict(x), *model.predict_joint_gradient(x)], whole, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_measurement_tells_about_the_other_objective(rng):
    hyper = replace(joint_hyper(rng, 2), mixing=np.array([[1.0, 0.1, 0.0], [-1.0, 0.0, 0.1]]), mean=np.zeros(2))
    x = rng.random((1, 3))
    after = JointModel.of(joint_data(rng, [0, 0]), GROUPS, hyper).given(x, np.array([[2.0, np.nan]])).predict_joint(x)
    assert after.mean[0, 1] == pytest.approx(-2.0 / 1.01, rel=1e-6)
    assert after.covariance[0, 1, 1] == pytest.approx(1.01 - 1.0 / 1.01, rel=1e-6)


def test_draws_have_the_joint_moments(rng):
    model, x = model_of(rng, (3, 2, 0))[2], rng.random((2, 3))
    draws = model.draw(x, 40_000, rng)
    assert draws.shape == (40_000, 2, 3)
    size = model.hyper.amplitude.max()
    np.testing.assert_allclose(draws.mean(axis=0), model.predict(x).mean, atol=0.03 * size**0.5)
    wanted = model.covariance(x, x).reshape(6, 6)
    np.testing.assert_allclose(np.cov(draws.reshape(-1, 6).T), wanted, atol=0.04 * size)


def test_draws_with_many_means(rng):
    model = model_of(rng)[2].given(rng.random((1, 3)), rng.normal(size=(4, 1, 3)))
    assert model.draw(rng.random((5, 3)), 6, rng).shape == (6, 4, 5, 3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(-9, 0), st.booleans())
def test_covariances_are_admissible_next_to_data_and_for_perfect_correlation(seed, objectives, log_noise, perfect):
    rng = np.random.default_rng(seed)
    data, hyper = joint_data(rng, [4] * objectives, shared=True), joint_hyper(rng, objectives)
    if perfect:
        hyper = replace(hyper, mixing=np.tile(hyper.mixing[:1], (objectives, 1)))
    model = JointModel.of(data, GROUPS, replace(hyper, noise=np.full(objectives, 10.0**log_noise)))
    x = np.concatenate([data[0].x, data[0].x + 1e-9, rng.random((3, 3))])
    joint = model.predict_joint_gradient(x)
    assert all(np.isfinite(a).all() for a in joint)
    variance = np.einsum("nll->nl", joint.covariance)
    assert (variance > 0.0).all()
    assert (np.linalg.eigvalsh(joint.covariance)[:, 0] >= -1e-12 * variance.max(axis=1)).all()
    np.testing.assert_allclose(model.predict(x).std, np.sqrt(variance), rtol=1e-6)
    assert np.isfinite(model.draw(x, 2, rng)).all()


@pytest.mark.parametrize("case", ["nothing", "constants", "duplicates", "still"])
def test_extreme_data_are_finite(rng, case):
    hyper, x = joint_hyper(rng, 2), rng.random((4, 3))
    data = {
        "nothing": joint_data(rng, [0, 0]),
        "constants": [data_of(x, np.zeros(4), 0.0), data_of(x, np.ones(4), 0.0)],
        "duplicates": [data_of(np.repeat(x[:1], 4, 0), np.arange(4.0), 0.0), data_of(x[:1], [5.0], 0.0)],
        "still": joint_data(rng, [4, 4]),
    }[case]
    hyper = replace(hyper, mixing=np.zeros((2, 3)) if case == "still" else hyper.mixing)
    model = JointModel.of(data, GROUPS, hyper)
    assert all(np.isfinite(a).all() for a in model.predict_gradient(x))
    assert np.isfinite(model.draw(x, 3, rng)).all()
