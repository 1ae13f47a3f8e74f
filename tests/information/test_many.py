"""Many objectives under joint normals: against careful integrals, draws, independence, copies, order, extremes."""

import numpy as np
import pytest
from scipy.special import ndtr

from information.fronts import concave, thresholds
from oracles.sampling import in_region
from pfes.errors import InvalidInput
from pfes.information import correlated, coupled, coupled_gradient, decoupled, exact, many, matched
from pfes.information.evaluate import Gradient, ask

SETTINGS = [("coupled", 0.0), ("decoupled", 0.0), ("coupled_matched", 0.05), ("decoupled_matched", 0.05)]


def covariances(rng, std, alike=3.0):
    """(N, L, L): any correlations, the more of them near 1 the larger alike is."""
    size = std.shape[-1]
    root = rng.normal(size=(*std.shape, size)) + rng.uniform(0, alike, (len(std), 1, 1))
    whole = root @ np.swapaxes(root, 1, 2) + 0.1 * np.eye(size)
    scale = std / np.sqrt(np.einsum("nii->ni", whole))
    return whole * scale[:, :, None] * scale[:, None, :]


def problem(seed, count, objectives, points=15):
    rng = np.random.default_rng(seed)
    mean = rng.uniform(-0.6, 1.4, (count, objectives))
    std = np.exp(rng.uniform(np.log(0.05), np.log(0.5), (count, objectives)))
    return rng, mean, std, covariances(rng, std), [concave(rng, points, objectives)]


def whitened(told: Gradient, covariance):
    """Derivatives in units of the deviations that there are, one row for each gain."""
    root = np.linalg.cholesky(covariance)
    d_mean, d_spread = told.d_mean, told.d_spread
    if told.gain.ndim == 1:
        d_mean, d_spread = d_mean[:, None], d_spread[:, None]
    return np.einsum("nij,nki->nkj", root, d_mean), np.einsum("nij,nkil,nlm->nkjm", root, d_spread, root)


@pytest.mark.parametrize(("verb", "resolution"), SETTINGS)
def test_three_objectives_as_by_careful_integrals(verb, resolution):
    _, mean, _, covariance, frontiers = problem(0, 6, 3, points=8)
    question = ask(mean, covariance, frontiers, resolution)
    got, want = getattr(many, verb)(question, True), getattr(correlated, verb)(question, True)
    np.testing.assert_allclose(got.gain, want.gain, rtol=5e-3, atol=1e-4)
    assert np.median(np.abs(got.gain / want.gain - 1.0)) < 5e-4
    np.testing.assert_allclose(getattr(many, verb)(question, False).gain, got.gain, rtol=1e-9, atol=1e-12)
    for ours, true in zip(whitened(got, covariance), whitened(want, covariance), strict=True):
        size = np.abs(true).max(axis=-1, keepdims=True)
        off = np.abs(ours - true) / (size.max(axis=-2, keepdims=True) if size.ndim > 3 else size)
        assert np.median(off) < 0.01
        assert np.quantile(off, 0.9) < 0.1


@pytest.mark.parametrize("objectives", [4, 5])
def test_unrelated_objectives_are_those_of_the_theorems(objectives):
    _, mean, std, _, frontiers = problem(1, 3, objectives, points=8)
    apart = std[:, :, None] ** 2 * np.eye(objectives)
    for resolution, whole, alone in ((0.0, "coupled", "decoupled"), (0.05, "coupled_matched", "decoupled_matched")):
        question = ask(mean, apart, frontiers, resolution)
        estimator, off = (matched, 5e-4) if resolution else (exact, 1e-5)
        np.testing.assert_allclose(
            getattr(many, whole)(question, False).gain,
            estimator.coupled(mean, std, frontiers, resolution),
            rtol=3e-3,
            atol=off,
        )
        np.testing.assert_allclose(
            getattr(many, alone)(question, False).gain,
            estimator.decoupled(mean, std, frontiers, resolution),
            rtol=3e-3,
            atol=off,
        )
    # and asked for as a whole, a diagonal covariance is the independent result itself
    np.testing.assert_array_equal(coupled(mean, apart, frontiers), exact.coupled(mean, std, frontiers))


def drawn_gains(rng, mean, covariance, frontier, bins=400):
    """H[f] - H[f | F], and of each objective by a histogram of f_l given F over quantiles of f_l."""
    count, size = 1_000_000, len(mean)
    z = rng.normal(size=(count, size))
    f = mean + z @ np.linalg.cholesky(covariance).T
    below = in_region(f, frontier)
    whole = -np.log(below.mean()) + 0.5 * (size - (z[below] ** 2).sum(axis=1).mean())
    alone = []
    for l in range(size):
        u = ndtr((f[below, l] - mean[l]) / np.sqrt(covariance[l, l]))
        share = np.histogram(u, bins=bins, range=(0.0, 1.0))[0] / below.sum()
        seen = share > 0
        # D(f_l | F against f_l) - (E[z^2 | F] - 1) / 2, less what the counts' noise adds on average
        against = np.sum(share[seen] * np.log(share[seen] * bins)) - 0.5 * (seen.sum() - 1) / below.sum()
        square = ((f[below, l] - mean[l]) ** 2).mean() / covariance[l, l]
        alone.append(against - 0.5 * (square - 1.0))
    return whole, np.array(alone)


def test_four_objectives_as_by_draws():
    rng, mean, _, covariance, frontiers = problem(4, 2, 4)
    mean[:] = np.array([[0.4, 0.3, 0.5, 0.6], [0.1, 0.5, 0.2, 0.4]])
    assert np.abs(covariance[0, 0, 1]) > 0.3 * np.sqrt(covariance[0, 0, 0] * covariance[0, 1, 1])
    got, alone = exact.coupled(mean, covariance, frontiers), exact.decoupled(mean, covariance, frontiers)
    for n in range(2):
        want, each = drawn_gains(rng, mean[n], covariance[n], frontiers[0])
        assert got[n] == pytest.approx(want, abs=0.01)
        np.testing.assert_allclose(alone[n], each, atol=0.01)


@pytest.mark.parametrize(("verb", "resolution"), SETTINGS)
def test_a_copy_of_an_objective_adds_nothing(verb, resolution):
    _, mean, _, covariance, frontiers = problem(5, 3, 3, points=6)
    both = [0, 1, 2, 0]
    want = getattr(correlated, verb)(ask(mean, covariance, frontiers, resolution), False).gain
    question = ask(mean[:, both], covariance[:, both][:, :, both], [frontiers[0][:, both]], resolution)
    got = getattr(many, verb)(question, False).gain
    if verb == "coupled_matched":  # measured twice, it is known better
        assert (got > want).all()
        assert (got < 1.5 * want).all()
    else:
        np.testing.assert_allclose(got, want[:, both] if want.ndim > 1 else want, rtol=0.03, atol=1e-3)


@pytest.mark.parametrize("verb", [exact.coupled, exact.decoupled])
def test_the_order_of_objectives_does_not_matter(verb):
    _, mean, _, covariance, frontiers = problem(6, 2, 4, points=7)
    order = [2, 0, 3, 1]
    plain = verb(mean, covariance, frontiers)
    turned = verb(mean[:, order], covariance[:, order][:, :, order], [frontiers[0][:, order]])
    np.testing.assert_allclose(turned, plain[:, order] if plain.ndim > 1 else plain, rtol=0.02, atol=1e-4)


def test_every_frontier_may_have_its_own_mean():
    rng, mean, _, covariance, frontiers = problem(7, 1, 4, points=4)
    frontiers.append(1.2 * concave(rng, 4, 4))
    means = np.stack([mean, mean + 0.1])
    for verb, resolution in SETTINGS:
        whole = getattr(many, verb)(ask(means, covariance, frontiers, resolution), True)
        parts = [getattr(many, verb)(ask(means[r], covariance, [frontiers[r]], resolution), True) for r in range(2)]
        assert whole.d_mean.shape == (2, *parts[0].d_mean.shape)
        np.testing.assert_allclose(whole.gain, (parts[0].gain + parts[1].gain) / 2, rtol=1e-12)
        np.testing.assert_allclose(whole.d_mean, np.array([p.d_mean for p in parts]) / 2, rtol=1e-12)
        np.testing.assert_allclose(whole.d_spread, (parts[0].d_spread + parts[1].d_spread) / 2, rtol=1e-12)


@pytest.mark.parametrize("away", [-10.0, -3.0, 3.0, 10.0, 1e4, 1e7])
def test_both_tails_keep_their_relative_accuracy(away):
    frontiers = [concave(np.random.default_rng(8), 12, 4)]
    mean, std = away + 0.1 * np.arange(4.0)[None], np.full((1, 4), 0.3)
    question = ask(mean, std[:, :, None] ** 2 * np.eye(4), frontiers, 0.0)
    want, alone = exact.coupled(mean, std, frontiers), exact.decoupled(mean, std, frontiers)
    np.testing.assert_allclose(many.coupled(question, False).gain, want, rtol=1e-3)
    # gains far below the candidate's largest are rounding (docs/numerics.md)
    np.testing.assert_allclose(many.decoupled(question, False).gain, alone, rtol=1e-3, atol=1e-7 * np.abs(alone).max())


def test_correlated_tails_as_by_careful_integrals():
    _, _, _, covariance, frontiers = problem(9, 6, 3, points=10)
    mean = np.array([[-2.0, -1.5, -2.5], [-4.0, 0.2, -3.0], [3.0, 3.5, 2.5], [5.0, 0.3, 4.0], [-3.0] * 3, [20.0] * 3])
    question = ask(mean, covariance, frontiers, 0.0)
    want = correlated.coupled(question, False).gain
    assert 0.0 < want.min() < 1e-6
    np.testing.assert_allclose(many.coupled(question, False).gain, want, rtol=5e-3)
    alone = correlated.decoupled(question, False).gain
    largest = np.abs(alone).max(axis=1, keepdims=True)
    off = np.abs(many.decoupled(question, False).gain - alone) / np.maximum(np.abs(alone), 1e-6 * largest)
    assert np.median(off) < 2e-3
    assert off.max() < 0.05


def test_gradients_of_four_objectives_are_limits_of_differences():
    _, mean, std, covariance, frontiers = problem(10, 3, 4)
    slopes, step = coupled_gradient(mean, covariance, frontiers), 0.02
    for l in range(4):
        move = step * std * np.eye(4)[l]
        rise = coupled(mean + move, covariance, frontiers) - coupled(mean - move, covariance, frontiers)
        np.testing.assert_allclose(slopes.d_mean[:, l] * std[:, l], rise / (2 * step), rtol=0.1, atol=0.05)
    # all deviations larger at once
    rise = coupled(mean, covariance * 1.02, frontiers) - coupled(mean, covariance / 1.02, frontiers)
    along = np.einsum("nij,nij->n", slopes.d_spread, covariance)
    np.testing.assert_allclose(along, rise / (2 * np.log(1.02)), rtol=0.1, atol=0.05)


def test_thresholds_and_nothing_to_tell():
    covariance = 0.1**2 * (0.8 + 0.2 * np.eye(4))[None]
    frontier = thresholds(np.full(4, 2.0))
    assert 0.0 <= coupled([[0.0] * 4], covariance, [frontier])[0] < 1e-12
    assert coupled([[2.1] * 4], covariance, [frontier])[0] > 0.1
    everything = coupled_gradient([[0.0] * 4], covariance, [np.full((1, 4), np.inf)])
    assert everything.gain[0] == 0.0
    assert not everything.d_spread.any()
    assert decoupled(np.empty((0, 4)), np.empty((0, 4, 4)), [frontier]).shape == (0, 4)


def test_too_many_objectives_are_refused():
    covariance = (0.5 + 0.5 * np.eye(9))[None]
    with pytest.raises(InvalidInput, match="covariances of 9 objectives, wanted at most 8"):
        coupled(np.zeros((1, 9)), covariance, [np.zeros((1, 9))])
