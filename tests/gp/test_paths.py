"""Sampled paths: their moments against the posterior's, weights against plain regression, fast against exact."""

import tracemalloc

import numpy as np
import pytest

from gp.cases import KINDS, SHARES, data_of, dense_kernel, random_data, random_hyper
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Model, Posterior
from pfes.gp.kernels import KERNELS
from pfes.gp.paths import _dual, _frequencies, _primal, draw_paths
from pfes.gp.waves import add_mixed_pulls, add_pull_slopes, add_pulls, add_waves

GROUPS = np.array([0, 1, 1, 2])
BOTH = ["pathwise", "features"]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def model_of(rng, n=12, kernel="matern52", objectives=1, noise=np.nan, share=0.0):
    return Model(
        tuple(
            Posterior.of(random_data(rng, n, 4, noise), GROUPS, random_hyper(rng, 3, kernel, share))
            for _ in range(objectives)
        )
    )


def moments(values):
    """Mean (N,) and covariance (N, N) of draws (R, N)."""
    return values.mean(axis=0), np.cov(values.T)


# The inner loops


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 2e-5), (np.float64, 1e-13)])
def test_waves_are_sums_of_cosines(rng, dtype, close):
    points, frequencies = rng.uniform(-3, 3, (4, 2 * 7)).astype(dtype), rng.normal(size=(5, 4)).astype(dtype)
    heights, phases = rng.normal(size=(2, 3, 5)).astype(dtype), rng.random((2, 5)).astype(dtype)
    out = np.ones((2, 3, 7), dtype)
    add_waves(out, heights, frequencies, phases, points)
    turns = (frequencies.astype(float) @ points).reshape(5, 2, 7) + phases.T[:, :, None]
    np.testing.assert_allclose(out, 1 + np.einsum("bkf,fbj->bkj", heights, np.cos(2 * np.pi * turns)), atol=close)


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 5e-6), (np.float64, 2e-14)])
def test_pulls_are_sums_of_the_kernels_correlations(rng, kernel, dtype, close):
    centre = rng.random((1, 3)).astype(dtype)
    points = (centre.T + rng.normal(size=(3, 400)) * 10.0 ** rng.uniform(-4, 2, 400)).astype(dtype)
    square = ((points.astype(float) - centre.T) ** 2).sum(axis=0)
    value, slope = KERNELS[kernel].value_and_slope(square)
    for add, truth in ((add_pulls, value), (add_pull_slopes, slope)):
        out = np.zeros((1, 1, 400), dtype)
        add(out, np.full((1, 1, 1), 2, dtype), centre, points, kernel == "matern52")
        np.testing.assert_allclose(out[0, 0], 2 * truth, atol=2 * close)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 5e-6), (np.float64, 2e-14)])
def test_mixed_pulls_are_sums_of_the_kernel(rng, kernel, dtype, close, share):
    hyper = Hyper(kernel, np.ones(3), 1.0, 0.1, 0.0, share)
    centres, points = rng.random((5, 4)).astype(dtype), (3 * rng.random((4, 2 * 7))).astype(dtype)
    weights, out = rng.normal(size=(2, 3, 5)).astype(dtype), np.ones((2, 3, 7), dtype)
    add_mixed_pulls(out, weights, centres, points, kernel == "matern52", GROUPS, share)
    covariance = dense_kernel(centres.astype(float), points.T.astype(float), GROUPS, hyper).reshape(5, 2, 7)
    np.testing.assert_allclose(out, 1 + np.einsum("bki,ibj->bkj", weights, covariance), atol=10 * close)


# The law of the paths


@pytest.mark.parametrize(("count", "share", "wanted"), [(100, 0.6, [40, 20, 20, 20]), (30, 1.0, [0, 10, 10, 10])])
def test_every_part_of_the_kernel_has_its_share_of_frequencies(rng, count, share, wanted):
    posterior = Posterior.of(data_of(np.zeros((0, 4)), []), GROUPS, random_hyper(rng, 3, additive=share))
    moving = np.abs(_frequencies(posterior, count, rng)) > 0.0
    together = moving.all(axis=1)
    alone = [np.equal(moving, g == GROUPS).all(axis=1) for g in range(3)]
    np.testing.assert_allclose([together.sum(), *(rows.sum() for rows in alone)], wanted, atol=1)
    assert (together | np.any(alone, axis=0)).all()


def test_one_frequency_is_enough_for_a_path(rng):
    x, counts = rng.random((3, 4)), []
    for _ in range(400):
        paths = draw_paths(model_of(rng, n=0, share=0.75), 1, rng, features=2)
        assert np.isfinite(paths(x)).all()
        counts.append((paths.objectives[0].frequencies[0] != 0.0).all())
    assert 0.15 < np.mean(counts) < 0.35


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("kernel", KINDS)
def test_prior_paths_have_the_kernels_covariance(rng, kernel, kind, share):
    hyper = random_hyper(rng, 3, kernel, share)
    prior = Model((Posterior.of(data_of(np.zeros((0, 4)), []), GROUPS, hyper),))
    x = rng.random((5, 4))
    mean, covariance = moments(draw_paths(prior, 2000, rng, features=2000, kind=kind)(x)[:, :, 0])
    close = 0.12 * hyper.amplitude
    np.testing.assert_allclose(mean, hyper.mean, atol=close)
    np.testing.assert_allclose(covariance, dense_kernel(x, x, GROUPS, hyper), atol=close)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("kernel", KINDS)
def test_paths_have_the_posteriors_mean_and_covariance(rng, kernel, kind, share):
    model = model_of(rng, kernel=kernel, share=share)
    posterior = model.posteriors[0]
    x = np.concatenate((rng.random((4, 4)), posterior.x[:2]))
    mean, covariance = moments(draw_paths(model, 2000, rng, features=2000, kind=kind)(x)[:, :, 0])
    # with features the error of the kernel is multiplied by what the data insist on
    close = (0.12 if kind == "pathwise" else 0.25) * posterior.hyper.amplitude
    np.testing.assert_allclose(mean, posterior.predict(x).mean, atol=close)
    np.testing.assert_allclose(covariance, posterior.covariance(x, x), atol=close)


@pytest.mark.parametrize("share", SHARES)
def test_the_pathwise_mean_has_no_error_from_features(rng, share):
    # few features, many paths: what the features get wrong has mean zero over phases and heights
    model = model_of(rng, share=share)
    x = rng.random((4, 4))
    values = draw_paths(model, 10_000, rng, features=40)(x)[:, :, 0]
    spread = values.std(axis=0) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - model.predict(x).mean[:, 0]) < 5 * spread).all()


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_noise_free_data_are_interpolated(rng, kernel, share):
    prior = Posterior.of(data_of(np.zeros((0, 4)), []), GROUPS, random_hyper(rng, 3, kernel, share))
    x, y = rng.random((8, 4)), rng.normal(size=8)
    paths = draw_paths(Model((prior.given(x, y, 0.0),)), 5, rng, features=50)
    np.testing.assert_allclose(paths(x)[:, :, 0], np.tile(y, (5, 1)), atol=1e-7)


def test_far_from_data_paths_return_to_the_prior(rng):
    hyper = Hyper("matern52", np.full(3, 0.1), 4.0, 0.01, 1.5)
    model = Model((Posterior.of(random_data(rng, 10, 4), GROUPS, hyper),))
    values = draw_paths(model, 4000, rng)(np.full((1, 4), 30.0))[:, 0, 0]
    assert abs(values.mean() - 1.5) < 0.15
    assert abs(values.std() - 2.0) < 0.15


def test_rows_of_known_noise_keep_theirs(rng):
    x = np.array([[0.1] * 4, [0.9] * 4])
    data = data_of(x, [1.0, -1.0])
    data = type(data)(data.x, data.y, data.count, np.array([0.0, 4.0]), 0.0)
    model = Model((Posterior.of(data, GROUPS, Hyper("rbf", np.full(3, 0.2), 1.0, 0.3, 0.0)),))
    for kind in BOTH:
        at = draw_paths(model, 4000, rng, features=1000, kind=kind)(x)[:, :, 0]
        np.testing.assert_allclose(at.std(axis=0), model.predict(x).std[:, 0], atol=0.05)
        np.testing.assert_allclose(at.mean(axis=0), model.predict(x).mean[:, 0], atol=0.1)


@pytest.mark.parametrize("draw", [_dual, _primal])
@pytest.mark.parametrize(("n", "features"), [(3, 5), (7, 5)])
def test_feature_weights_are_those_of_bayesian_regression(rng, draw, n, features):
    basis, noise, target = rng.normal(size=(n, features)), rng.uniform(0.1, 0.5, n), rng.normal(size=n)
    precision = np.eye(features) + basis.T @ np.diag(1 / noise) @ basis
    mean, covariance = moments(draw(basis, noise, np.tile(target, (100_000, 1)), rng))
    np.testing.assert_allclose(mean, np.linalg.solve(precision, basis.T @ (target / noise)), atol=0.02)
    np.testing.assert_allclose(covariance, np.linalg.inv(precision), atol=0.02)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", BOTH)
def test_more_data_than_features_are_no_trouble(rng, kind, share):
    model = model_of(rng, n=60, share=share)
    values = draw_paths(model, 20, rng, features=30, kind=kind)(rng.random((10, 4)))
    assert np.isfinite(values).all()


@pytest.mark.parametrize("kind", BOTH)
def test_each_of_many_means_gets_its_path(rng, kind):
    model = model_of(rng, objectives=2, noise=1e-6)
    x, y = rng.random((2, 4)), np.array([[[5.0], [-5.0]], [[-5.0], [5.0]], [[0.0], [0.0]]])
    given = model.given(x, np.concatenate((y, np.full_like(y, np.nan)), axis=2), 1e-6)
    values = draw_paths(given, 3, rng, features=1000, kind=kind)(x)
    np.testing.assert_allclose(values[:, :, 0], y[:, :, 0], atol=0.05)
    with pytest.raises(InvalidInput, match="model with 3 means"):
        draw_paths(given, 4, rng)


# Evaluation


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("kernel", KINDS)
def test_fast_exact_own_and_shared_agree(rng, kernel, kind, frozen, share):
    paths = draw_paths(model_of(rng, kernel=kernel, objectives=3, share=share), 4, rng, kind=kind)
    assert paths.count == 4
    x = frozen(rng.random((4, 700, 4)))  # more than one block
    own = paths(x)
    assert own.shape == (4, 700, 3)
    np.testing.assert_allclose(own, np.stack([paths(x[r])[r] for r in range(4)]), atol=1e-10)
    np.testing.assert_allclose(paths.fast(x), own, atol=2e-3 if kind == "features" else 2e-4)
    assert paths.fast(x).dtype == np.float32
    np.testing.assert_allclose(paths.fast(x[0]), paths(x[0]), atol=2e-3 if kind == "features" else 2e-4)
    assert paths.fast(x[0]).dtype == np.float32


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("count", [1, 31, 32, 33, 60, 65])
def test_any_number_of_points_gives_what_each_gives_alone(rng, count, share):
    paths = draw_paths(model_of(rng, share=share), 4, rng)
    x = rng.uniform(size=(4, count, paths.objectives[0].frequencies.shape[1]))
    values, slopes = paths.fast(x), paths.slopes(x)
    for n in (0, count // 2, count - 1):
        np.testing.assert_allclose(paths.fast(x[:, n : n + 1])[:, 0], values[:, n], atol=1e-4)
        np.testing.assert_allclose(paths.slopes(x[:, n : n + 1])[:, 0], slopes[:, n], atol=2e-3)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("kernel", KINDS)
def test_slopes_are_those_of_differences(rng, kernel, kind, share):
    model = model_of(rng, kernel=kernel, objectives=2, share=share)
    paths = draw_paths(model, 3, rng, kind=kind)
    x = rng.random((3, 200, 4))
    x[:, 0] = model.posteriors[0].x[0]
    slopes = paths.slopes(x)
    for d in range(4):
        step = 1e-5 * np.eye(4)[d]
        np.testing.assert_allclose(slopes[..., d], (paths(x + step) - paths(x - step)) / 2e-5, atol=0.01)


def test_paths_are_a_function_of_the_generator(rng, monkeypatch):
    model, x = model_of(rng, objectives=2), rng.random((600, 4))
    values = [draw_paths(model, 3, np.random.default_rng(seed))(x) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(values[0], values[1])
    assert not np.allclose(values[0], values[2])
    monkeypatch.setenv("PFES_THREADS", "1")
    np.testing.assert_array_equal(values[0], draw_paths(model, 3, np.random.default_rng(1))(x))


def test_many_points_need_little_memory(rng):
    paths = draw_paths(model_of(rng, n=200), 5, rng)
    x = rng.random((40_000, 4))
    paths(x[:10])
    tracemalloc.start()
    paths(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 5 * len(x) + 20e6  # the answer and a few blocks


@pytest.mark.parametrize("wrong", [{"count": 0}, {"features": 1}, {"kind": "spectral"}])
def test_impossible_requests_are_refused(rng, wrong):
    arguments = {"count": 2} | wrong
    with pytest.raises(InvalidInput, match="wanted at least 1 path"):
        draw_paths(model_of(rng), arguments.pop("count"), rng, **arguments)
