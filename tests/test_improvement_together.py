"""Improvement under covariances: against integration, sampling, the independent form; gradients, tails, extremes."""

import numpy as np
import pytest
from scipy.stats import norm

from oracles.improvement import by_sampling
from pfes.errors import InvalidInput
from pfes.improvement import (
    expected_improvement,
    log_expected_improvement,
    log_expected_improvement_gradient,
    prepare_front,
)

STAIRS = np.array([(0.0, 1.2), (0.4, 0.9), (0.5, 0.3), (1.1, -0.4)])
REFERENCE = (-1.0, -1.5)


def covariance(std, rho):
    """(L, L) with one correlation for all pairs."""
    std = np.asarray(std, dtype=float)
    return np.outer(std, std) * (rho + (1.0 - rho) * np.eye(len(std)))


def by_strips(mean, cov, points, reference):
    """Two objectives: sum of the closed form in the second over a fine grid of the first, strip by strip."""
    order = np.argsort(points[:, 0])
    starts = np.concatenate([[reference[0]], points[order, 0]])
    ends = np.concatenate([points[order, 0], [np.inf]])
    floors = np.concatenate([points[order, 1], [reference[1]]])
    s1, s2, rho = np.sqrt(cov[0, 0]), np.sqrt(cov[1, 1]), cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
    y = mean[0] + s1 * np.linspace(-12.0, 12.0, 200_001)
    given, left = mean[1] + rho * s2 / s1 * (y - mean[0]), s2 * np.sqrt(1.0 - rho**2)
    total = np.zeros_like(y)
    for start, end, floor in zip(starts, ends, floors, strict=True):
        a = (given - floor) / left
        total += np.clip(np.minimum(y, end) - start, 0.0, None) * left * (a * norm.cdf(a) + norm.pdf(a))
    return np.sum(total * norm.pdf(y, mean[0], s1)) * (y[1] - y[0])


@pytest.mark.parametrize("rho", [-0.99, -0.9, -0.5, 0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("mean", [(0.5, 0.5), (1.2, 1.0), (-0.3, 1.5), (0.0, 0.0)])
def test_two_objectives_come_close_to_integration(mean, rho):
    cov = covariance([0.4, 0.6], rho)
    want = by_strips(np.array(mean), cov, STAIRS, REFERENCE)
    got = expected_improvement([mean], [cov], prepare_front(STAIRS, REFERENCE))[0]
    assert got == pytest.approx(want, rel=4e-3)


@pytest.mark.parametrize("objectives", [3, 4, 5])
@pytest.mark.parametrize("rho", [-0.2, 0.7, 0.95])
def test_more_objectives_agree_with_sampling(objectives, rho):
    rng = np.random.default_rng(objectives)
    points, reference = rng.uniform(0.0, 1.0, (6, objectives)), np.full(objectives, -0.3)
    mean, cov = np.full(objectives, 0.5), covariance(np.linspace(0.3, 0.6, objectives), rho)
    draws = rng.standard_normal((4000, objectives)) @ np.linalg.cholesky(cov).T
    want, error = by_sampling(mean, np.ones(objectives), points, reference, draws)
    got = expected_improvement([mean], [cov], prepare_front(points, reference))[0]
    assert abs(got - want) < 4.0 * error + 0.01 * want


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_no_correlation_is_the_independent_form(objectives):
    rng = np.random.default_rng(1)
    front = prepare_front(rng.uniform(0.0, 1.0, (5, objectives)), np.full(objectives, -0.5))
    mean, std = rng.normal(0.5, 0.5, (30, objectives)), rng.uniform(0.1, 0.5, (30, objectives))
    got = expected_improvement(mean, std[:, :, None] ** 2 * np.eye(objectives), front)
    want = expected_improvement(mean, std, front)
    seen = want > 1e-4 * want.max()
    np.testing.assert_allclose(got[seen], want[seen], rtol={1: 1e-12, 2: 0.01, 3: 0.05, 4: 0.15}[objectives])
    assert np.median(np.abs(got[seen] / want[seen] - 1.0)) < {1: 1e-12, 2: 1e-3, 3: 0.01, 4: 0.03}[objectives]


def test_the_order_of_objectives_hardly_matters():
    rng = np.random.default_rng(2)
    points, mean = rng.uniform(0.0, 1.0, (6, 3)), rng.normal(0.5, 0.3, (20, 3))
    cov = np.tile(covariance([0.3, 0.4, 0.5], 0.6), (20, 1, 1))
    one = log_expected_improvement(mean, cov, prepare_front(points, [-0.5] * 3))
    turned = [2, 0, 1]
    other = log_expected_improvement(
        mean[:, turned], cov[:, turned][:, :, turned], prepare_front(points[:, turned], [-0.5] * 3)
    )
    assert np.median(np.abs(one - other)) < 0.01
    assert np.abs(one - other).max() < 0.1


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_derivatives_are_differences(objectives):
    rng = np.random.default_rng(3)
    front = prepare_front(rng.uniform(0.0, 1.0, (5, objectives)), np.full(objectives, -0.5))
    mean = rng.normal(0.5, 0.3, (6, objectives))
    cov = np.tile(covariance(rng.uniform(0.2, 0.5, objectives), 0.5), (6, 1, 1))
    gain, d_mean, d_cov = log_expected_improvement_gradient(mean, cov, front)
    np.testing.assert_array_equal(gain, log_expected_improvement(mean, cov, front))
    np.testing.assert_allclose(d_cov, d_cov.transpose(0, 2, 1), rtol=1e-14)
    towards, bend = rng.normal(size=(6, objectives)), rng.normal(size=(6, objectives, objectives))
    bend = 0.05 * (bend + bend.transpose(0, 2, 1))
    step = 1e-4
    ahead = log_expected_improvement(mean + step * towards, cov + step * bend, front)
    behind = log_expected_improvement(mean - step * towards, cov - step * bend, front)
    told = np.sum(d_mean * towards, axis=1) + np.sum(d_cov * bend, axis=(1, 2))
    np.testing.assert_allclose(told, (ahead - behind) / (2.0 * step), rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("rho", [-1.0, -1.0 + 1e-9, 0.3, 1.0 - 1e-9, 1.0])
@pytest.mark.parametrize("below", [0.0, 6.0, 30.0, 300.0, 1e4])
@pytest.mark.parametrize("size", [1e-12, 0.3])
def test_tails_and_singular_covariances_stay_finite(rho, below, size):
    front = prepare_front(STAIRS, REFERENCE)
    std = np.array([size, 1.5 * size])
    mean = np.array([[0.5, 0.5]]) - below * std
    found = log_expected_improvement_gradient(mean, covariance(std, rho)[None], front)
    assert all(np.isfinite(part).all() for part in found)
    further = log_expected_improvement(mean - std, covariance(std, rho)[None], front)
    assert (further < found.gain).all()


def test_what_goes_together_reaches_further_than_what_goes_apart():
    # beyond a single point in both objectives: likelier if they rise together
    front = prepare_front([(1.0, 1.0)], (0.999, 0.999))
    together, alone, apart = (
        log_expected_improvement([(0.0, 0.0)], [covariance([0.5, 0.5], rho)], front)[0] for rho in (0.8, 0.0, -0.8)
    )
    assert together > alone + 1.0
    assert alone > apart + 1.0


def test_no_candidates_and_no_points():
    assert expected_improvement(np.empty((0, 2)), np.empty((0, 2, 2)), prepare_front(STAIRS, REFERENCE)).shape == (0,)
    got = expected_improvement([(0.0, 0.0)], [covariance([1.0, 1.0], 0.5)], prepare_front([], (0.0, 0.0)))
    # E[x+ y+] of standard normals
    want = (np.sqrt(0.75) + 0.5 * (np.pi / 2.0 + np.arcsin(0.5))) / (2.0 * np.pi)
    np.testing.assert_allclose(got, want, rtol=4e-4)


def test_wrong_spreads():
    front = prepare_front(STAIRS, REFERENCE)
    with pytest.raises(InvalidInput, match=r"spread: got shape \(1, 3, 3\)"):
        log_expected_improvement([(0.0, 0.0)], np.eye(3)[None], front)
    with pytest.raises(InvalidInput, match="variances"):
        log_expected_improvement([(0.0, 0.0)], np.zeros((1, 2, 2)), front)
