"""The matched bound along beams: against the careful integrals, against draws, gradients, order, far away."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from information.fronts import concave, problems, thresholds
from oracles.sampling import in_region
from pfes.errors import InvalidInput
from pfes.information import beams, matched
from pfes.information.beams import of_sets, of_sets_gradient


def every_set(objectives):
    """All non-empty sets of objectives."""
    sizes = range(1, objectives + 1)
    return [members for size in sizes for members in itertools.combinations(range(objectives), size)]


def cases(rng, count, objectives):
    """Means in, on and somewhat above a front of size 1; covariances of deviations 0.03 to 1 and any correlation."""
    mean = rng.uniform(-0.5, 0.9, (count, objectives))
    std = np.exp(rng.uniform(np.log(0.03), 0.0, (count, objectives)))
    root = rng.normal(size=(count, objectives, objectives)) + rng.uniform(0, 4, (count, 1, 1))
    whole = root @ np.swapaxes(root, 1, 2) + 0.05 * np.eye(objectives)
    scale = std / np.sqrt(np.einsum("nll->nl", whole))
    return mean, whole * scale[:, :, None] * scale[:, None, :]


def drawn_bound(rng, mean, covariance, frontiers, delta, members):
    """The bound from the covariance of draws of f that lie below each frontier."""
    whole = rng.multivariate_normal(mean, covariance, 400_000)
    noise = np.diag(np.full(len(members), delta**2))
    before = np.linalg.slogdet(covariance[np.ix_(members, members)] + noise)[1]
    gains = []
    for frontier in frontiers:
        inside = whole[in_region(whole, frontier)][:, list(members)]
        gains.append(0.5 * (before - np.linalg.slogdet(np.atleast_2d(np.cov(inside.T)) + noise)[1]))
    return np.mean(gains)


@pytest.mark.parametrize(("objectives", "count", "usual", "worst"), [(2, 60, 0.01, 0.1), (3, 10, 0.04, 0.25)])
def test_all_sets_as_by_careful_integrals(objectives, count, usual, worst):
    rng = np.random.default_rng(objectives)
    frontiers = [concave(rng, 30, objectives), 1.2 * concave(rng, 12, objectives)]
    mean, covariance = cases(rng, count, objectives)
    found = of_sets(mean, covariance, frontiers, 0.02, every_set(objectives))
    blind = np.full(objectives, 1e9)
    for k, members in enumerate(every_set(objectives)):
        delta = blind.copy()
        delta[list(members)] = 0.02
        want = matched.coupled(mean, covariance, frontiers, delta)
        assert np.median(np.abs(found[:, k] - want) / np.maximum(want, 0.01)) < usual
        np.testing.assert_allclose(found[:, k], want, rtol=worst, atol=0.005)


@pytest.mark.parametrize("objectives", [4, 5])
def test_many_objectives_as_by_draws(objectives):
    rng = np.random.default_rng(objectives)
    frontiers = [concave(rng, 40, objectives), 1.3 * concave(rng, 20, objectives)]
    mean = np.full(objectives, 0.3)
    covariance = 0.3**2 * (0.7 + 0.3 * np.eye(objectives))
    sets = [tuple(range(objectives)), (0,), (1, 3)]
    found = of_sets(mean[None], covariance[None], frontiers, 0.05, sets)[0]
    want = [drawn_bound(rng, mean, covariance, frontiers, 0.05, members) for members in sets]
    np.testing.assert_allclose(found, want, rtol=0.08)


@pytest.mark.parametrize(("objectives", "off"), [(1, 1e-9), (2, 0.01), (3, 0.05), (4, 0.08)])
def test_unrelated_objectives_are_those_of_the_independent_bound(objectives, off):
    rng = np.random.default_rng(7)
    frontiers = [concave(rng, 25, objectives) if objectives > 1 else np.array([[0.4]])]
    mean, std = rng.uniform(-0.2, 0.9, (20, objectives)), rng.uniform(0.1, 0.5, (20, objectives))
    covariance = std[:, :, None] * std[:, None, :] * np.eye(objectives)
    sets = [tuple(range(objectives)), *[(l,) for l in range(objectives)]]
    want = np.column_stack([matched.coupled(mean, std, frontiers, 0.05), matched.decoupled(mean, std, frontiers, 0.05)])
    np.testing.assert_allclose(of_sets(mean, covariance, frontiers, 0.05, sets), want, rtol=off, atol=off)


def test_gradients_are_those_of_the_careful_bound():
    rng = np.random.default_rng(3)
    frontiers = [concave(rng, 20, 2), 1.1 * concave(rng, 20, 2)]
    mean, covariance = cases(rng, 40, 2)
    gain, d_mean, d_spread = of_sets_gradient(mean, covariance, frontiers, 0.05, [(0, 1), (1,)])
    np.testing.assert_allclose(gain, of_sets(mean, covariance, frontiers, 0.05, [(0, 1), (1,)]), rtol=1e-9, atol=1e-12)
    whole, alone = (
        matched.coupled_gradient(mean, covariance, frontiers, 0.05),
        matched.decoupled_gradient(mean, covariance, frontiers, 0.05),
    )
    unit = np.sqrt(np.einsum("nll->nl", covariance))
    for k, (by_mean, by_spread) in enumerate([whole[1:], (alone.d_mean[:, 1], alone.d_spread[:, 1])]):
        np.testing.assert_allclose(d_mean[:, k] * unit, by_mean * unit, rtol=0.1, atol=0.05)
        square = unit[:, :, None] * unit[:, None, :]
        assert np.sum(np.abs(d_spread[:, k] - by_spread) * square) < 0.1 * np.sum(np.abs(by_spread) * square)


def test_every_frontier_may_have_its_own_mean():
    rng = np.random.default_rng(5)
    frontiers = [concave(rng, 9, 3), 1.3 * concave(rng, 9, 3)]
    mean, covariance = cases(rng, 6, 3)
    means = np.stack([mean, mean + 0.1])
    sets = [(0, 1, 2), (2,)]
    together = of_sets_gradient(means, covariance, frontiers, 0.05, sets)
    each = [of_sets_gradient(m, covariance, [f], 0.05, sets) for m, f in zip(means, frontiers, strict=True)]
    np.testing.assert_allclose(together.gain, (each[0].gain + each[1].gain) / 2)
    np.testing.assert_allclose(together.d_mean, np.stack([each[0].d_mean, each[1].d_mean]) / 2)
    np.testing.assert_allclose(together.d_spread, (each[0].d_spread + each[1].d_spread) / 2)


def test_the_order_of_objectives_matters_little():
    rng = np.random.default_rng(6)
    frontier, order = concave(rng, 15, 3), [2, 0, 1]
    mean, covariance = cases(rng, 20, 3)
    plain = of_sets(mean, covariance, [frontier], 0.05, [(0, 1, 2), (2,)])
    turned = of_sets(
        mean[:, order], covariance[:, order][:, :, order], [frontier[:, order]], 0.05, [(0, 1, 2), (order.index(2),)]
    )
    np.testing.assert_allclose(turned, plain, rtol=0.1, atol=0.03)


def test_what_cannot_be_above_a_threshold_tells_nothing():
    frontier = thresholds(np.array([2.0, 2.0]))
    covariance = 0.1**2 * (0.8 + 0.2 * np.eye(2))
    assert of_sets([[0.0, 0.0]], covariance[None], [frontier], 0.01, [(0, 1)])[0, 0] < 1e-12
    assert of_sets([[2.1, 2.1]], covariance[None], [frontier], 0.01, [(0, 1)])[0, 0] > 0.1


@given(problems(most_objectives=5), st.floats(-0.999, 0.999))
@settings(max_examples=60, deadline=None)
def test_gains_are_finite_and_within_capacity_wherever_means_lie(problem, correlation):
    mean, std, frontier = problem
    objectives = mean.shape[1]
    rho = max(correlation, -0.99 / max(objectives - 1, 1))
    covariance = std[:, :, None] * std[:, None, :] * (rho + (1 - rho) * np.eye(objectives))
    found = of_sets_gradient(mean, covariance, [frontier], 0.1, [tuple(range(objectives)), (0,)])
    assert all(np.isfinite(part).all() for part in found)
    capacity = 0.5 * np.log1p((std / 0.1) ** 2)
    assert (found.gain[:, 0] <= capacity.sum(axis=1) * (1 + 1e-6) + 1e-9).all()
    assert (found.gain[:, 1] <= capacity[:, 0] * (1 + 1e-6) + 1e-9).all()


def test_nodes_have_the_moments_of_a_standard_normal():
    for objectives in (2, 3, 4, 6):
        nodes, weights = beams.beams_of(objectives)
        assert weights.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(weights @ nodes, 0.0, atol=1e-12)
        np.testing.assert_allclose(nodes.T @ (weights[:, None] * nodes), np.eye(objectives - 1), atol=1e-9)


def test_deviations_are_refused():
    with pytest.raises(InvalidInput, match="spread: got standard deviations, wanted covariances"):
        of_sets([[0.0, 0.0]], [[1.0, 1.0]], [np.eye(2)], 0.1, [(0,)])
