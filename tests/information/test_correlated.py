"""Information under joint normals: against brute force, against independence, Theorem C.1, gradients, extremes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from information.fronts import concave, thresholds
from oracles import joint
from pfes.errors import InvalidInput
from pfes.information import coupled, coupled_gradient, decoupled, decoupled_gradient, exact, matched, noisy, power
from pfes.normal import bivariate_box
from pfes.pareto import dominated_cells

FRONT = np.array([[0.0, 1.0], [0.6, 0.7], [1.0, 0.0]])
FRONT3 = np.array([[0.0, 1.0, 0.3], [0.6, 0.5, 0.5], [1.0, 0.1, 0.0]])


def covariances(std, correlation):
    """(N, L, L) with one correlation between all objectives."""
    std = np.asarray(std, dtype=float)
    size = std.shape[-1]
    return std[..., :, None] * std[..., None, :] * (correlation + (1 - correlation) * np.eye(size))


def random_covariances(rng, std):
    root = rng.normal(size=(*std.shape, std.shape[-1]))
    whole = root @ np.swapaxes(root, -1, -2) + np.eye(std.shape[-1])
    scale = std / np.sqrt(np.einsum("...ii->...i", whole))
    return whole * scale[..., :, None] * scale[..., None, :]


# mean, deviations, correlation: near, above by up to ten deviations, on a point, in a notch
OUTSIDE = [
    ((0.5, 0.9), (0.4, 0.3), 0.6), ((0.5, 0.9), (0.4, 0.3), -0.9), ((1.5, 1.5), (0.3, 0.2), 0.8),
    ((1.8, 1.9), (0.2, 0.2), -0.3), ((3.0, 0.5), (0.3, 0.5), 0.95), ((0.7, 0.75), (0.1, 0.2), 0.3),
]  # fmt: skip
DEEP = [((-1.0, -0.5), (0.3, 0.3), 0.7), ((-2.0, -1.0), (0.4, 0.2), -0.8), ((-3.0, 0.3), (0.3, 0.1), 0.5)]


@pytest.mark.parametrize(("mean", "std", "correlation"), [*OUTSIDE, ((0.2, 0.3), (0.5, 0.6), -0.5)])
def test_two_objectives_like_brute_force(mean, std, correlation):
    covariance = covariances(std, correlation)
    g = joint.grid(mean, covariance, FRONT, points=12)
    assert exact.coupled([mean], covariance[None], [FRONT])[0] == pytest.approx(joint.coupled(g), rel=1e-8)
    want = [joint.decoupled(g, covariance, l) for l in range(2)]
    np.testing.assert_allclose(exact.decoupled([mean], covariance[None], [FRONT])[0], want, rtol=1e-8, atol=1e-13)
    assert_matched_like(g, mean, covariance, FRONT, 1e-8)


@pytest.mark.parametrize(("mean", "std", "correlation"), DEEP)
def test_two_objectives_deep_inside_like_brute_force(mean, std, correlation):
    covariance = covariances(std, correlation)
    g = joint.grid(mean, covariance, FRONT, points=12)
    want = joint.coupled_deep(g)
    assert want < 0.01
    assert exact.coupled([mean], covariance[None], [FRONT])[0] == pytest.approx(want, rel=1e-8, abs=0)
    alone = [joint.decoupled_deep(g, mean, covariance, l) for l in range(2)]
    np.testing.assert_allclose(exact.decoupled([mean], covariance[None], [FRONT])[0], alone, rtol=1e-8)


def assert_matched_like(g, mean, covariance, frontier, rtol):
    delta = np.linspace(0.05, 0.1, len(mean))
    _, given_f = joint.moments(g, mean)
    noise = np.diag(delta**2)
    want = 0.5 * (np.linalg.slogdet(covariance + noise)[1] - np.linalg.slogdet(given_f + noise)[1])
    assert matched.coupled([mean], covariance[None], [frontier], delta)[0] == pytest.approx(want, rel=rtol)
    alone = 0.5 * np.log(np.diag(covariance + noise) / np.diag(given_f + noise))
    np.testing.assert_allclose(
        matched.decoupled([mean], covariance[None], [frontier], delta)[0], alone, rtol=rtol, atol=1e-12
    )


@pytest.mark.parametrize(
    ("mean", "std", "correlation"),
    [
        ((0.5, 0.6, 0.4), (0.5, 0.4, 0.3), 0.5),
        ((1.6, 1.5, 1.2), (0.3, 0.3, 0.3), -0.3),
        ((0.2, 0.2, 0.1), (0.4, 0.3, 0.3), 0.8),
    ],
)  # fmt: skip
def test_three_objectives_like_brute_force(mean, std, correlation):
    covariance = covariances(std, correlation)
    g = joint.grid(mean, covariance, FRONT3, points=8, per_deviation=1.6, reach=9.0)
    assert exact.coupled([mean], covariance[None], [FRONT3])[0] == pytest.approx(joint.coupled(g), rel=1e-6)
    want = [joint.decoupled(g, covariance, l) for l in range(3)]
    np.testing.assert_allclose(exact.decoupled([mean], covariance[None], [FRONT3])[0], want, rtol=1e-6, atol=1e-9)
    assert_matched_like(g, mean, covariance, FRONT3, 1e-6)


def test_three_objectives_deep_inside_like_brute_force():
    mean, covariance = (-1.0, -0.8, -1.0), covariances((0.3, 0.3, 0.3), 0.5)
    g = joint.grid(mean, covariance, FRONT3, points=8, per_deviation=1.6, reach=9.0)
    assert exact.coupled([mean], covariance[None], [FRONT3])[0] == pytest.approx(joint.coupled_deep(g), rel=1e-6, abs=0)
    alone = [joint.decoupled_deep(g, mean, covariance, l) for l in range(3)]
    np.testing.assert_allclose(exact.decoupled([mean], covariance[None], [FRONT3])[0], alone, rtol=1e-6)


@pytest.mark.parametrize(("mean", "std", "correlation"), OUTSIDE[:2])
def test_theorem_c1_with_its_erratum(mean, std, correlation):
    covariance = covariances(std, correlation)
    cells = dominated_cells(FRONT)
    low, high = (cells.lower - mean) / std, (cells.upper - mean) / std
    z = bivariate_box(low, high, correlation).sum()  # the correlated Z
    s = std[1] * np.sqrt(1 - correlation**2)

    def density(f):  # of f_1 given F; N(f_1; mu_1, sigma_1^2), where the paper prints phi(alpha)
        u = correlation * std[1] / std[0] * (f - mean[0]) + mean[1]
        spans = (cells.lower[:, 0] < f) & (f <= cells.upper[:, 0])
        w = norm.cdf((cells.upper[:, 1] - u) / s) - norm.cdf((cells.lower[:, 1] - u) / s)
        return norm.pdf(f, mean[0], std[0]) * w[spans].sum() / z

    ends = [mean[0] - 9 * std[0], *FRONT[:, 0]]
    pieces = [
        quad(lambda f: -density(f) * np.log(density(f)), *piece, epsabs=1e-11) for piece in itertools.pairwise(ends)
    ]
    entropy = sum(value for value, _ in pieces)
    want = norm.entropy(mean[0], std[0]) - entropy
    assert exact.decoupled([mean], covariance[None], [FRONT])[0, 0] == pytest.approx(want, rel=1e-8)


def problem(objectives, count=6, seed=0):
    rng = np.random.default_rng(seed)
    mean = rng.uniform(-0.3, 1.2, (count, objectives))
    mean[0], mean[1] = -1.2, 2.5
    std = np.exp(rng.uniform(np.log(0.1), np.log(0.5), mean.shape))
    fronts = [
        np.vstack([concave(rng, 5, objectives), thresholds(np.full(objectives, -0.5))]),
        concave(rng, 4, objectives),
    ]
    return rng, mean, std, fronts


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_a_diagonal_covariance_is_independence(objectives):
    _, mean, std, fronts = problem(objectives)
    diagonal = std[:, :, None] ** 2 * np.eye(objectives)
    for ours in (exact.coupled, exact.decoupled):
        np.testing.assert_array_equal(ours(mean, diagonal, fronts), ours(mean, std, fronts))
    for ours in (matched.coupled, matched.decoupled):
        np.testing.assert_array_equal(ours(mean, diagonal, fronts, 0.05), ours(mean, std, fronts, 0.05))


@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("verb", ["coupled", "decoupled"])
@pytest.mark.parametrize("estimator", [exact, matched])
def test_gradients_of_a_diagonal_covariance_are_those_of_independence(estimator, verb, objectives):
    _, mean, std, fronts = problem(objectives)
    diagonal = std[:, :, None] ** 2 * np.eye(objectives)
    settings = () if estimator is exact else (0.05,)
    ours = getattr(estimator, f"{verb}_gradient")(mean, diagonal, fronts, *settings)
    want = getattr(estimator, f"{verb}_gradient")(mean, std, fronts, *settings)
    rtol = 1e-12 if objectives < 3 else 1e-9
    np.testing.assert_allclose(ours.gain, want.gain, rtol=rtol, atol=1e-14)
    by_std = np.einsum("...ii->...i", ours.d_spread) * 2 * (std if verb == "coupled" else std[:, None])
    scale = 1e-9 * np.abs(want.d_spread).max(axis=-1, keepdims=True)
    assert (np.abs(by_std - want.d_spread) <= scale + 1e-13).all()
    assert (np.abs(ours.d_mean - want.d_mean) <= scale + 1e-13).all()


@pytest.mark.parametrize("objectives", [2, 3])
@pytest.mark.parametrize("verb", ["coupled", "decoupled"])
@pytest.mark.parametrize("estimator", [exact, matched])
def test_gradients_are_limits_of_differences(estimator, verb, objectives):
    rng, mean, std, fronts = problem(objectives, seed=objectives)
    covariance = random_covariances(rng, std)
    settings = () if estimator is exact else (np.full(objectives, 0.05),)
    slopes = getattr(estimator, f"{verb}_gradient")(mean, covariance, fronts, *settings)
    gain = getattr(estimator, verb)
    np.testing.assert_allclose(slopes.gain, gain(mean, covariance, fronts, *settings), rtol=1e-11)
    to = rng.normal(size=mean.shape) * std
    turn = rng.normal(size=covariance.shape) * std[:, :, None] * std[:, None, :]
    turn += np.swapaxes(turn, 1, 2)
    step = 1e-4 if objectives == 2 else 3e-5
    by_mean = (
        gain(mean + step * to, covariance, fronts, *settings) - gain(mean - step * to, covariance, fronts, *settings)
    ) / (2 * step)
    by_turn = (
        gain(mean, covariance + step * turn, fronts, *settings)
        - gain(mean, covariance - step * turn, fronts, *settings)
    ) / (2 * step)
    axes = "nk,nk->n" if verb == "coupled" else "nlk,nk->nl"
    np.testing.assert_allclose(np.einsum(axes, slopes.d_mean, to), by_mean, rtol=1e-5, atol=2e-6)
    axes = "nij,nij->n" if verb == "coupled" else "nlij,nij->nl"
    np.testing.assert_allclose(np.einsum(axes, slopes.d_spread, turn), by_turn, rtol=1e-5, atol=2e-6)


def test_far_tails_follow_the_limits():
    # far above one point what is left are exponentials along the gradient of the distance: log(t) and constants
    frontier = [np.zeros((1, 2))]
    for correlation in (0.5, -0.5):
        gains = []
        for t in (1e2, 1e3, 1e4):
            covariance = covariances((1.0, 1.0), correlation)
            gains.append(exact.coupled([[t, t]], covariance[None], frontier)[0])
            slope = np.linalg.solve(covariance, [t, t])
            want = 1 + np.log(2 * np.pi) - 2 + np.log(slope).sum() + 0.5 * np.log(np.linalg.det(covariance))
            assert gains[-1] == pytest.approx(want, abs=20 / t**2 + 1e-7)


def test_tiny_gains_keep_their_digits():
    covariance = covariances((1.0, 1.0), 0.6)[None]
    gains = np.array([exact.coupled([[-t, -t]], covariance, [FRONT])[0] for t in (5.0, 10.0, 20.0, 30.0)])
    assert (gains > 0).all()
    assert gains[-1] < 1e-190
    slopes = exact.coupled_gradient([[-30.0, -30.0]], covariance, [FRONT])
    step = 1e-6
    more = exact.coupled([[-30.0 + step, -30.0]], covariance, [FRONT])[0]
    less = exact.coupled([[-30.0 - step, -30.0]], covariance, [FRONT])[0]
    assert slopes.d_mean[0, 0] == pytest.approx((more - less) / (2 * step), rel=1e-7, abs=0)


correlations = st.one_of(
    st.floats(-1, 1), st.floats(-15, -1).map(lambda e: 1 - 10.0**e), st.floats(-15, -1).map(lambda e: 10.0**e - 1)
)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-3, 3), st.one_of(st.floats(-3, 3), st.just(np.inf))), min_size=1, max_size=5),
    st.tuples(st.floats(-20, 20), st.floats(-20, 20)),
    st.tuples(st.floats(-12, 2), st.floats(-12, 2)),
    correlations,
)
def test_two_objectives_stay_finite_and_the_gain_is_not_negative(points, mean, log_std, correlation):
    covariance = covariances(10.0 ** np.array(log_std), correlation)[None]
    frontier = [np.array(points)]
    for result in (
        exact.coupled_gradient([mean], covariance, frontier),
        exact.decoupled_gradient([mean], covariance, frontier),
        matched.coupled_gradient([mean], covariance, frontier, 0.01),
        matched.decoupled_gradient([mean], covariance, frontier, 0.01),
    ):
        assert all(np.isfinite(part).all() for part in result)
    assert exact.coupled([mean], covariance, frontier)[0] >= -1e-9


@pytest.mark.parametrize("objectives", [2, 3])
def test_permuted_objectives_change_nothing_else(objectives):
    rng, mean, std, fronts = problem(objectives)
    covariance = random_covariances(rng, std)
    order = np.arange(objectives)[::-1]
    turned = (mean[:, order], covariance[:, order][:, :, order], [f[:, order] for f in fronts])
    rtol = 1e-10 if objectives == 2 else 1e-7
    np.testing.assert_allclose(coupled(*turned), coupled(mean, covariance, fronts), rtol=rtol)
    np.testing.assert_allclose(decoupled(*turned), decoupled(mean, covariance, fronts)[:, order], rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(coupled(*turned, 0.05), coupled(mean, covariance, fronts, 0.05), rtol=rtol)


def test_one_mean_per_frontier():
    rng, mean, std, fronts = problem(2)
    covariance = random_covariances(rng, std)
    means = mean + 0.1 * rng.normal(size=(2, *mean.shape))
    for gradient in (coupled_gradient, decoupled_gradient):
        whole = gradient(means, covariance, fronts)
        parts = [gradient(means[r], covariance, [fronts[r]]) for r in range(2)]
        assert whole.d_mean.shape == (2, *parts[0].d_mean.shape)
        np.testing.assert_allclose(whole.gain, (parts[0].gain + parts[1].gain) / 2, rtol=1e-12)
        np.testing.assert_allclose(whole.d_mean, np.array([p.d_mean for p in parts]) / 2, rtol=1e-12)
        np.testing.assert_allclose(whole.d_spread, (parts[0].d_spread + parts[1].d_spread) / 2, rtol=1e-12)


def test_with_a_resolution_decoupled_is_the_matched_bound():
    rng, mean, std, fronts = problem(2)
    covariance = random_covariances(rng, std)
    np.testing.assert_array_equal(
        decoupled(mean, covariance, fronts, 0.05), matched.decoupled(mean, covariance, fronts, 0.05)
    )
    ours, want = (
        decoupled_gradient(mean, covariance, fronts, 0.05),
        matched.decoupled_gradient(mean, covariance, fronts, 0.05),
    )
    np.testing.assert_array_equal(ours.d_spread, want.d_spread)


def test_who_does_not_know_covariances_says_so():
    covariance = covariances((1.0, 1.0), 0.5)[None]
    for verb in (noisy.decoupled, power.decoupled, power.coupled, noisy.decoupled_gradient, power.coupled_gradient):
        with pytest.raises(InvalidInput, match="takes objectives as independent"):
            verb([[0.0, 0.0]], covariance, [FRONT], 0.1)


def test_nothing_to_tell_where_everything_is_dominated():
    covariance = covariances((1.0, 1.0), 0.5)[None]
    slopes = coupled_gradient([[0.0, 0.0]], covariance, [np.full((1, 2), np.inf)])
    assert slopes.gain[0] == 0.0
    assert not slopes.d_spread.any()
    assert coupled(np.empty((0, 2)), np.empty((0, 2, 2)), [FRONT]).shape == (0,)
