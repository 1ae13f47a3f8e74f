"""Posteriors: against dense algebra, gradients against differences, conditioning against starting again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gp.cases import KINDS, SHARES, data_of, dense_posterior, differences, random_data, random_hyper
from pfes.gp import Posterior, posterior
from pfes.observations import Data

GROUPS = np.array([0, 1, 1, 2])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def some(rng, n=15, kernel="matern52", share=0.0):
    return Posterior.of(random_data(rng, n, 4), GROUPS, random_hyper(rng, 3, kernel, share))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_prediction_is_that_of_plain_algebra(rng, kernel, frozen, share):
    data, hyper, x = random_data(rng, 15, 4), random_hyper(rng, 3, kernel, share), frozen(rng.random((7, 4)))
    data = Data(frozen(data.x), frozen(data.y), frozen(rng.integers(1, 5, 15).astype(float)), data.noise, data.within)
    found = Posterior.of(data, frozen(GROUPS), hyper)
    mean, covariance = dense_posterior(data.x, data.y, hyper.noise / data.count, x, GROUPS, hyper)
    np.testing.assert_allclose(found.predict(x).mean, mean, rtol=1e-9)
    np.testing.assert_allclose(found.predict(x).std, np.sqrt(np.diag(covariance)), rtol=1e-9)
    np.testing.assert_allclose(found.covariance(x, x), covariance, atol=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("means", [0, 3])
@pytest.mark.parametrize("kernel", KINDS)
def test_gradients_are_those_of_differences(rng, kernel, means, share):
    found, x = some(rng, 15, kernel, share), rng.random((5, 4))
    if means:
        found = found.given(rng.random((2, 4)), rng.normal(size=(means, 2)), 0.01)
    slopes = found.predict_gradient(x)
    assert slopes.mean == pytest.approx(found.predict(x).mean, rel=1e-12)
    assert slopes.std == pytest.approx(found.predict(x).std, rel=1e-12)
    for i, row in enumerate(x):
        d_mean = differences(lambda v: found.predict(v[None]).mean[..., 0], row, 1e-3)
        d_std = differences(lambda v: found.predict(v[None]).std[0], row, 1e-3)
        np.testing.assert_allclose(slopes.d_mean[..., i, :], d_mean, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(slopes.d_std[i], d_std, rtol=1e-6, atol=1e-8)


def test_gradient_in_one_dimension_agrees_next_to_data_and_at_them(rng):
    data = data_of([[0.2], [0.7]], [0.0, 1.0], noise=1e-6)
    found = Posterior.of(data, np.array([0]), random_hyper(rng, 1, "rbf"))
    for at in (0.2, 0.2 + 1e-6, 0.45, 1.5):
        wanted = differences(lambda v: found.predict(v[None]).mean[0], [at], 1e-4)
        assert found.predict_gradient(np.array([[at]])).d_mean[0] == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert np.isfinite(found.predict_gradient(np.array([[0.2]])).d_std).all()


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_given_is_starting_again_with_all_data(rng, kernel, share):
    data, hyper, x = random_data(rng, 20, 4), random_hyper(rng, 3, kernel, share), rng.random((6, 4))
    noise = rng.uniform(0.01, 0.1, 20)
    whole = Posterior.of(Data(data.x, data.y, data.count, noise), GROUPS, hyper)
    part = Posterior.of(Data(data.x[:9], data.y[:9], data.count[:9], noise[:9]), GROUPS, hyper)
    steps = part.given(data.x[9:12], data.y[9:12], noise[9:12]).given(data.x[12:], data.y[12:], noise[12:])
    for name in ("x", "y", "noise", "factor", "whitened", "weights"):
        np.testing.assert_allclose(getattr(steps, name), getattr(whole, name), atol=1e-9)
    np.testing.assert_allclose(steps.predict(x).mean, whole.predict(x).mean, rtol=1e-9)
    np.testing.assert_allclose(steps.predict(x).std, whole.predict(x).std, rtol=1e-9)


def test_many_values_are_many_posteriors_of_one_variance(rng):
    found, x, at = some(rng), rng.random((6, 4)), rng.random((3, 4))
    first, second, later = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=3)
    together = found.given(at, first, 0.02).given(at + 0.1, second, 0.03).given(at - 0.1, later, 0.01)
    assert together.predict(x).mean.shape == (4, 6)
    for r in range(4):
        alone = found.given(at, first[r], 0.02).given(at + 0.1, second[r], 0.03).given(at - 0.1, later, 0.01)
        np.testing.assert_allclose(together.predict(x).mean[r], alone.predict(x).mean, rtol=1e-10)
        np.testing.assert_allclose(together.predict(x).std, alone.predict(x).std, rtol=1e-10)
        np.testing.assert_allclose(together.predict_gradient(x).d_mean[r], alone.predict_gradient(x).d_mean, rtol=1e-8)


def test_nothing_given_changes_nothing(rng):
    found, x = some(rng), rng.random((3, 4))
    again = found.given(np.zeros((0, 4)), np.zeros(0))
    assert (again.predict(x).mean == found.predict(x).mean).all()


@pytest.mark.parametrize("share", SHARES)
def test_values_without_noise_are_interpolated(rng, share):
    found, at = some(rng, share=share), rng.random((5, 4))
    values = rng.normal(size=(2, 5))
    mean, std = found.given(at, values).predict(at)
    np.testing.assert_allclose(mean, values, atol=1e-6)
    assert (std < 1e-5).all()


@pytest.mark.parametrize("share", SHARES)
def test_the_same_point_given_again_and_again_is_no_trouble(rng, share):
    found, at = some(rng, share=share), rng.random((1, 4))
    for _ in range(5):
        found = found.given(np.repeat(at, 3, axis=0), np.full(3, 0.7))
    mean, std = found.predict(at)
    assert mean == pytest.approx(0.7, abs=1e-6)
    assert std < 1e-5
    assert np.isfinite(found.predict_gradient(at).d_std).all()


def test_solve_inverts_the_covariance_of_the_data(rng):
    found = some(rng)
    right = rng.normal(size=(2, 3, 15))
    back = found.solve(right) @ (found.kernel(found.x, found.x) + np.diag(found.noise))
    np.testing.assert_allclose(back, right, atol=1e-9)
    np.testing.assert_allclose(found.solve(found.y - found.hyper.mean), found.weights, rtol=1e-9)


@pytest.mark.parametrize("share", SHARES)
def test_draws_have_the_posterior_mean_and_covariance(rng, share):
    found, x = some(rng, 6, share=share), rng.random((4, 4))
    x = np.vstack([x, x[:1]])
    draws = found.draw(x, 40_000, rng)
    covariance = found.covariance(x, x)
    scale = np.sqrt(np.diag(covariance))
    assert draws.shape == (40_000, 5)
    np.testing.assert_allclose((draws.mean(axis=0) - found.predict(x).mean) / scale, 0.0, atol=0.03)
    np.testing.assert_allclose((np.cov(draws.T) - covariance) / np.outer(scale, scale), 0.0, atol=0.03)
    np.testing.assert_allclose(draws[:, 0], draws[:, 4], atol=1e-4)


def test_draws_with_many_means_surround_each(rng):
    found, x = some(rng, 6).given(rng.random((1, 4)), np.array([[0.0], [5.0]])), rng.random((3, 4))
    draws = found.draw(x, 4000, rng)
    assert draws.shape == (4000, 2, 3)
    np.testing.assert_allclose(draws.mean(axis=0), found.predict(x).mean, atol=0.15)


@pytest.mark.parametrize("share", SHARES)
def test_blocks_do_not_change_the_result(rng, monkeypatch, share):
    found, x = some(rng, share=share).given(rng.random((2, 4)), rng.normal(size=(3, 2))), rng.random((11, 4))
    whole = found.predict_gradient(x)
    plain = found.predict(x)
    monkeypatch.setattr(posterior, "BLOCK_BYTES", 8 * 17 * 4)
    for a, b in [*zip(found.predict_gradient(x), whole, strict=True), *zip(found.predict(x), plain, strict=True)]:
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_data_and_no_candidates(rng, n, share):
    found = some(rng, n, share=share)
    assert found.predict(np.zeros((0, 4))).mean.shape == (0,)
    assert found.predict_gradient(np.zeros((0, 4))).d_mean.shape == (0, 4)
    slopes = found.predict_gradient(rng.random((3, 4)))
    assert slopes.d_std.shape == (3, 4)
    assert found.draw(rng.random((3, 4)), 2, rng).shape == (2, 3)
    if n == 0:
        assert (slopes.mean == found.hyper.mean).all()
        assert slopes.std == pytest.approx(np.sqrt(found.hyper.amplitude))


@pytest.mark.parametrize("share", SHARES)
def test_far_away_the_prior_returns(rng, share):
    found = some(rng, share=share)
    mean, std = found.predict(np.full((1, 4), 1e6))
    assert mean == pytest.approx(found.hyper.mean)
    assert std == pytest.approx(np.sqrt(found.hyper.amplitude))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 12),
    spread=st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 1.0, 1e3]),
    size=st.sampled_from([0.0, 1e-8, 1.0, 1e8]),
    noise=st.sampled_from([np.nan, 0.0, 1e-14, 1e-3, 1e6]),
    kernel=st.sampled_from(KINDS),
    share=st.sampled_from([0.0, 1e-12, 0.5, 1.0]),
)
def test_whatever_the_data_all_is_finite(seed, n, spread, size, noise, kernel, share):
    rng = np.random.default_rng(seed)
    data = data_of(0.5 + spread * rng.normal(size=(n, 4)), size * rng.normal(size=n), noise)
    found = Posterior.of(data, GROUPS, random_hyper(rng, 3, kernel, share)).given(data.x, size * rng.normal(size=n))
    x = np.vstack([data.x, rng.random((3, 4))])
    for array in [*found.predict_gradient(x), *found.predict(x), found.draw(x, 2, rng)]:
        assert np.isfinite(array).all()
    assert (found.predict(x).std > 0).all()


def test_main_effects_are_remembered_where_another_parameter_is_new(rng):
    # the second parameter's effect is known at the first one's old values; at a new one the product forgets it
    x = np.array([[a, b] for a in (0.0, 0.1) for b in np.linspace(0, 1, 9)])
    hypers = (random_hyper(np.random.default_rng(1), 2, "matern52", w) for w in (0.0, 0.9))
    new = np.column_stack([np.full(30, 1e3), np.linspace(0, 1, 30)])
    plain, mixed = (
        Posterior.of(data_of(x, np.sin(6 * x[:, 1]), 1e-6), np.arange(2), hyper).predict(new).mean for hyper in hypers
    )
    truth = np.sin(6 * new[:, 1])
    assert np.corrcoef(mixed, truth)[0, 1] > 0.99
    assert np.ptp(plain) < 1e-6


def test_no_columns_have_no_main_effects(rng):
    data = data_of(np.zeros((3, 0)), [1.0, 2.0, 3.0])
    plain, mixed = (
        Posterior.of(data, np.zeros(0, int), random_hyper(np.random.default_rng(1), 0, "rbf", w)) for w in (0.0, 0.5)
    )
    np.testing.assert_allclose(mixed.predict(np.zeros((2, 0))), plain.predict(np.zeros((2, 0))), rtol=1e-12)
    assert mixed.predict_gradient(np.zeros((2, 0))).d_mean.shape == (2, 0)
