"""Boxes under many correlated normals: one common factor, orthants, products, tails, singular matrices, scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import multivariate_normal, norm

from pfes.errors import InvalidInput
from pfes.normal import bivariate_box, box, box_gradient, log_interval, trivariate_box
from pfes.normal.lattice import generator

INF = np.inf


def alike(size, rho):
    """One correlation between all variables."""
    return rho + (1.0 - rho) * np.eye(size)


def correlations(rng, size, factors=None):
    root = rng.normal(size=(size, factors or size + 1))
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    return root @ root.T


def some_boxes(rng, count, size):
    lower = rng.normal(size=(count, size)) - 1.0
    upper = lower + 10 ** rng.uniform(-0.5, 1, size=(count, size))
    lower[::3, 0], upper[1::3, 2] = -INF, INF
    return lower, upper


def by_factor(lower, upper, loading):
    """z_i = loading_i x + sqrt(1 - loading_i^2) e_i: one integral over x, by panels of a fiftieth, to 1e-12."""
    root, mass = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(-9.5, 9.5, 951)
    x = ((edges[1:] + edges[:-1])[:, None] / 2 + np.diff(edges)[:, None] / 2 * root).ravel()
    weight = (np.diff(edges)[:, None] / 2 * mass).ravel()
    rest = np.sqrt(1 - loading**2)[:, None]
    a, b = ((v[:, None] - loading[:, None] * x) / rest for v in (lower, upper))
    return float(weight @ (norm.pdf(x) * np.prod(norm.cdf(b) - norm.cdf(a), axis=0)))


@pytest.mark.parametrize(
    ("size", "usual", "worst"), [(4, 2e-6, 1e-4), (5, 5e-6, 2e-4), (6, 2e-5, 4e-4), (8, 4e-5, 4e-4)]
)
def test_one_common_factor(size, usual, worst):
    rng = np.random.default_rng(size)
    lower, upper = some_boxes(rng, 20, size)
    loading = rng.uniform(-0.98, 0.98, (20, size))
    r = loading[:, :, None] * loading[:, None, :]
    r[:, range(size), range(size)] = 1.0
    want = np.array([by_factor(*v) for v in zip(lower, upper, loading, strict=True)])
    got = box(lower, upper, r)
    off = np.abs(got.probability / want - 1.0)
    assert np.median(off) < usual
    assert off.max() < worst
    assert (np.abs(got.probability - want) < 6.0 * got.error + 1e-12).all()
    assert np.median(got.log_error) < 3.0 * usual  # the estimate knows that it is good
    np.testing.assert_allclose(got.error, got.log_error * got.probability)


@pytest.mark.parametrize("size", [4, 5, 7])
def test_orthants_of_variables_alike(size):
    got = box([-INF] * size, [0.0] * size, alike(size, 0.5))
    assert float(got.probability) == pytest.approx(1 / (size + 1), rel=4e-4)
    assert abs(float(got.probability) - 1 / (size + 1)) < 5.0 * float(got.error)
    finer = box([-INF] * size, [0.0] * size, alike(size, 0.5), points=4096)
    assert float(finer.error) < 0.5 * float(got.error)
    assert float(finer.probability) == pytest.approx(1 / (size + 1), rel=5e-5)


def test_independent_variables_are_a_product_however_far():
    rng = np.random.default_rng(0)
    for away in (0.0, 8.0, 40.0, 1000.0):
        lower = 2.0 * rng.normal(size=(5, 5)) + away
        upper = lower + rng.exponential(size=(5, 5))
        got = box(lower, upper, np.eye(5))
        np.testing.assert_allclose(got.log, log_interval(lower, upper).sum(axis=1), rtol=1e-12)
        assert (got.log_error < 1e-12).all()


@pytest.mark.parametrize("away", [0.0, 3.0, 6.0, 8.0, 11.0])
def test_two_pairs_are_a_product_of_two_boxes_down_to_1e_200(away):
    upper = np.array([0.0, -0.3, 0.5, 1.0]) - away
    order, r = [0, 2, 1, 3], np.eye(4)
    r[0, 2] = r[2, 0] = 0.9
    r[1, 3] = r[3, 1] = -0.7
    want = bivariate_box([-INF] * 2, upper[[0, 2]], 0.9) * bivariate_box([-INF] * 2, upper[[1, 3]], -0.7)
    got = box([-INF] * 4, upper, r)
    assert float(got.probability) == pytest.approx(float(want), rel=2e-4, abs=0)
    assert abs(float(got.log) - np.log(want)) < 5.0 * float(got.log_error)
    turned = box([-INF] * 4, upper[order], r[np.ix_(order, order)])
    assert float(turned.probability) == pytest.approx(float(got.probability), rel=1e-12, abs=0)


def test_a_far_orthant_like_mpmath():
    """Three variables alike are one integral; a fourth that is independent a factor."""
    with mp.workdps(25):
        rho, b = mp.mpf("0.6"), mp.mpf(-12)
        s = mp.sqrt(1 - rho)
        # the integrand is largest near x = b / sqrt(rho) times a share below 1
        inner = mp.quad(lambda x: mp.npdf(x) * mp.ncdf((b - mp.sqrt(rho) * x) / s) ** 3, list(range(-30, 1, 2)))
        want = float(mp.log(inner * mp.ncdf(mp.mpf(-15))))
    assert want < -220.0
    r = np.eye(4)
    r[:3, :3] = alike(3, 0.6)
    got = box([-INF] * 4, [-12.0, -12.0, -12.0, -15.0], r)
    assert float(got.log) == pytest.approx(want, abs=2e-4)
    assert abs(float(got.log) - want) < 5.0 * float(got.log_error)


def test_early_variables_are_drawn_to_a_far_bound_of_a_later_one():
    # opposite demands on strongly related variables: whichever comes first knows nothing of the other
    got = box([-INF, -INF, 6.0, -INF], [-6.0, 2.0, INF, 1.0], alike(4, 0.9))
    fine = box([-INF, -INF, 6.0, -INF], [-6.0, 2.0, INF, 1.0], alike(4, 0.9), points=8192)
    assert float(got.log) < -150.0
    assert float(got.log) == pytest.approx(float(fine.log), abs=1e-3)
    assert float(got.log_error) < 1e-3


def test_a_variable_without_bounds_does_not_matter():
    rng = np.random.default_rng(1)
    lower, upper = some_boxes(rng, 6, 5)
    lower[:, [1, 4]], upper[:, [1, 4]] = -INF, INF
    r = correlations(rng, 5)
    rest = [0, 2, 3]
    want = trivariate_box(lower[:, rest], upper[:, rest], r[np.ix_(rest, rest)])
    got = box(lower, upper, r)
    np.testing.assert_allclose(got.probability, want, rtol=1e-4)
    assert (np.abs(got.probability - want) < 5.0 * got.error).all()
    assert float(box([-INF] * 4, [INF] * 4, np.eye(4)).probability) == 1.0


def test_few_variables_are_those_of_their_own_functions():
    rng = np.random.default_rng(2)
    lower, upper = rng.normal(size=(2, 6, 3)) + np.array([-1.0, 1.0])[:, None, None]
    upper = np.maximum(upper, lower + 0.1)
    r = correlations(rng, 3)
    np.testing.assert_allclose(box(lower, upper, r).probability, trivariate_box(lower, upper, r), rtol=1e-14)
    pair = box(lower[:, :2], upper[:, :2], r[:2, :2])
    np.testing.assert_allclose(pair.probability, bivariate_box(lower[:, :2], upper[:, :2], r[0, 1]), rtol=1e-13)
    one = box(lower[:, :1], upper[:, :1], [[1.0]])
    np.testing.assert_allclose(one.log, log_interval(lower[:, 0], upper[:, 0]), rtol=1e-14)
    assert one.log_error.max() == pair.log_error.max() == 0.0
    assert float(box([0.0], [0.0], [[1.0]]).probability) == 0.0


def test_tiny_boxes_of_three_variables_keep_their_relative_accuracy():
    r = np.eye(3)
    r[0, 1] = r[1, 0] = 0.8
    want = bivariate_box([-INF] * 2, [-12.0, -11.0], 0.8) * bivariate_box([-INF] * 2, [-10.0, INF], 0.0)
    got = box([-INF] * 3, [-12.0, -11.0, -10.0], r)
    assert float(got.probability) == pytest.approx(float(want), rel=1e-4, abs=0)
    assert 0.0 < float(got.log_error) < 1e-3


def test_boxes_like_scipys():
    rng = np.random.default_rng(3)
    for size in (4, 6):
        r = correlations(rng, size)
        upper = rng.normal(size=(3, size)) + 0.5
        got = box([-INF] * size, upper, r)
        for u, p, error in zip(upper, got.probability, got.error, strict=True):
            want = multivariate_normal.cdf(u, cov=r, abseps=1e-5, releps=1e-5, maxpts=200_000)
            assert p == pytest.approx(want, abs=5e-5 + 5.0 * error)


def test_copies_share_their_bounds():
    rng = np.random.default_rng(4)
    few, lower, upper = correlations(rng, 3), rng.normal(size=(5, 4)) - 1.5, rng.normal(size=(5, 4)) + 1.5
    both = [0, 1, 2, 0]
    low, high = lower[:, :3].copy(), upper[:, :3].copy()
    low[:, 0], high[:, 0] = np.maximum(lower[:, 0], lower[:, 3]), np.minimum(upper[:, 0], upper[:, 3])
    got = box(lower, upper, few[np.ix_(both, both)])
    np.testing.assert_allclose(got.probability, trivariate_box(low, high, few), rtol=1e-4)
    # and what is the opposite of another
    r = few[np.ix_(both, both)]
    r[3], r[:, 3] = -r[3], -r[:, 3]
    r[3, 3] = 1.0
    flipped_low, flipped_high = lower.copy(), upper.copy()
    flipped_low[:, 3], flipped_high[:, 3] = -upper[:, 3], -lower[:, 3]
    np.testing.assert_allclose(box(flipped_low, flipped_high, r).probability, got.probability, rtol=2e-4)
    assert float(box([-1.0] * 4, [0.5, 1.0, 0.7, 1.2], np.ones((4, 4))).log) == pytest.approx(
        float(log_interval(-1.0, 0.5)), rel=1e-12
    )
    assert float(box([-1.0, 0.8, -1.0, -1.0], [0.5, 1.0, 0.7, 1.2], np.ones((4, 4))).probability) == 0.0


def test_four_variables_made_of_two():
    rng = np.random.default_rng(5)
    angles = np.array([0.0, 0.7, 1.6, 2.5])
    root = np.column_stack([np.cos(angles), np.sin(angles)])
    lower, upper = np.full(4, -1.0), np.array([0.5, 1.0, 0.7, 1.2])
    # given the first of the two, the second lies in an interval
    x, mass = np.polynomial.legendre.leggauss(2000)
    x, mass = 0.75 * x - 0.25, 0.75 * mass
    a, b = ((v[1:, None] - root[1:, :1] * x) / root[1:, 1:] for v in (lower, upper))
    low, high = np.minimum(a, b).max(axis=0), np.maximum(a, b).min(axis=0)
    want = mass @ (norm.pdf(x) * np.maximum(norm.cdf(high) - norm.cdf(low), 0.0))
    order = rng.permutation(4)
    got = box(lower[order], upper[order], (root @ root.T)[np.ix_(order, order)])
    assert float(got.probability) == pytest.approx(want, rel=2e-4)
    assert abs(float(got.probability) - want) < 5.0 * float(got.error) + 1e-6


@given(st.integers(0, 10**6), st.integers(4, 6), st.floats(-6.0, 6.0))
@settings(max_examples=25, deadline=None)
def test_boxes_add_up_wherever_they_lie(seed, size, away):
    rng = np.random.default_rng(seed)
    r = correlations(rng, size)
    lower = rng.normal(size=size) + away
    upper = lower + rng.exponential(size=size)
    middle = lower.copy()
    middle[1] = 0.4 * lower[1] + 0.6 * upper[1]
    below = upper.copy()
    below[1] = middle[1]
    parts = box(np.array([lower, middle, lower]), np.array([below, upper, upper]), r, points=256)
    total = np.logaddexp(parts.log[0], parts.log[1])
    assert np.isfinite(parts.log).all()
    assert abs(total - parts.log[2]) < 8.0 * parts.log_error.max() + 1e-9
    mirrored = box(-upper, -lower, r, points=256)
    assert abs(float(mirrored.log) - parts.log[2]) < 8.0 * (parts.log_error[2] + float(mirrored.log_error)) + 1e-9


def test_results_are_the_same_again_and_smooth():
    rng = np.random.default_rng(6)
    r, lower, upper = correlations(rng, 4), np.array([-1.0, -0.5, -INF, -2.0]), np.array([0.5, 1.0, 0.2, 0.4])
    steps = np.linspace(1e-4, 1e-3, 37)  # from where on one order is kept
    along = upper + steps[:, None] * np.array([1.0, -1.0, 0.5, 0.3])
    first, again = box(lower, along, r), box(lower, along, r)
    np.testing.assert_array_equal(first.probability, again.probability)
    np.testing.assert_array_equal(first.probability[7], box(lower, along[7], r).probability)
    # the rest that a parabola leaves is far below the error of a single value
    rest = first.probability - np.polyval(np.polyfit(steps, first.probability, 2), steps)
    assert np.abs(rest).max() < 1e-3 * first.error.min()
    # another order is another lattice: no further off than the error says
    change = float(box(lower, upper, r).probability) - first.probability[0]
    assert abs(change) < 5.0 * first.error[0]


def test_gradients_are_limits_of_differences():
    rng = np.random.default_rng(7)
    r, step = correlations(rng, 4), 1e-4
    lower, upper = np.array([-1.0, -INF, -0.5, -2.0]), np.array([1.0, 0.3, INF, 0.8])
    slopes = box_gradient(lower, upper, r, points=1024)

    def rise(*bounds_and_r):
        ahead, behind = (box(*v, points=1024).probability for v in zip(*bounds_and_r, strict=True))
        return float(ahead - behind) / (2 * step)

    for i in range(4):
        move = step * np.eye(4)[i]
        up = rise((lower, lower), (upper + move, upper - move), (r, r))
        down = rise((lower + move, lower - move), (upper, upper), (r, r))
        assert slopes.upper[i] == pytest.approx(up, abs=5e-5)
        assert slopes.lower[i] == pytest.approx(down, abs=5e-5)
        for j in range(i):
            change = np.zeros((4, 4))
            change[i, j] = change[j, i] = step
            along = rise((lower, lower), (upper, upper), (r + change, r - change))
            assert np.sum(slopes.correlation * change) / step == pytest.approx(along, abs=1.5e-4)


def test_gradients_of_a_pair_and_of_many():
    lower, upper = np.array([[-1.0, -0.5], [-INF, 0.2]]), np.array([[1.0, 0.4], [0.5, INF]])
    from_pairs = box_gradient(lower, upper, alike(2, 0.6))
    step = 1e-5
    ahead, behind = bivariate_box(lower, upper, 0.6 + step), bivariate_box(lower, upper, 0.6 - step)
    np.testing.assert_allclose(2 * from_pairs.correlation[:, 0, 1], (ahead - behind) / (2 * step), atol=1e-8)
    assert from_pairs.lower.shape == (2, 2)
    with pytest.raises(InvalidInput, match="no derivative"):
        box_gradient([0.0] * 4, [1.0] * 4, np.ones((4, 4)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0] * 4, [1.0] * 3, np.eye(4)), r"wanted \(\.\.\., L\) and \(\.\.\., L, L\)"),
        ((0.0, 1.0, np.eye(1)), r"wanted \(\.\.\., L\)"),
        (([np.nan] * 4, [1.0] * 4, np.eye(4)), "nan among the bounds"),
        (([0.0] * 4, [1.0] * 4, 2.0 * np.eye(4)), "1 on the diagonal"),
        (([0.0] * 4, [1.0] * 4, alike(4, -0.5)), "negative eigenvalue"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        box(*arguments)


def test_arrays_are_broadcast():
    got = box(np.zeros((2, 1, 4)), np.ones((3, 4)), np.eye(4), points=16)
    assert got.probability.shape == got.log_error.shape == (2, 3)
    with pytest.raises(InvalidInput, match="points: got 2, wanted at least 3"):
        box(np.zeros(4), np.ones(4), np.eye(4), points=2)


def test_a_lattice_is_as_good_as_any_of_its_kind():
    """Its worst error over smooth periodic functions of two variables, against all other second components."""
    n = 61

    def worst_error(g):
        x = np.outer(np.arange(n), [1, g]) / n % 1.0
        kernel = 2.0 * np.pi**2 * (x * x - x + 1 / 6)
        return np.mean(np.prod(1.0 + kernel / np.array([1.0, 2.0]), axis=1)) - 1.0

    first, second = generator(n, 2)
    assert first == 1
    assert worst_error(second) == pytest.approx(min(worst_error(g) for g in range(1, n)), rel=1e-9)
