"""Boxes under two correlated normals against mpmath, scipy and identities."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import multivariate_normal

from oracles.precision import integral
from pfes.errors import InvalidInput
from pfes.normal import bivariate_below, bivariate_box, bivariate_box_gradient, cdf, log_interval

INF = np.inf

# (a, b), (c, d), correlation: centre, tails, opposite tails, narrow strips, far corners, correlations near 1
BOXES = [
    ((-INF, 0.3), (-INF, -0.7), 0.6), ((-INF, -5.0), (-INF, -6.0), -0.5), ((-INF, -8.0), (5.0, INF), 0.7),
    ((9.0, INF), (-INF, -9.0), 0.3), ((-1.0, 2.0), (-0.5, 0.25), -0.95), ((2.0, 2.001), (-3.0, -2.0), 0.8),
    ((-INF, -12.0), (-INF, -12.0), 0.99), ((-INF, -14.0), (-INF, -14.0), -0.1), ((15.0, 16.0), (14.0, INF), 0.9999),
    ((0.5, 1.5), (0.7, INF), 1 - 1e-15), ((-INF, 0.2), (-INF, 0.1), -1 + 1e-15), ((-INF, 4.0), (3.0, 9.0), 1 - 1e-8),
    ((0.1, 0.2), (0.2, 0.3), 1 - 1e-3), ((-20.0, 20.0), (-INF, -20.0), 0.999), ((-2.0, 3.0), (1.0, 1.5), 1e-12),
    ((1.0, 2.0), (-2.0, -1.0), 0.995),
]  # fmt: skip


def by_quadrature(first, second, rho):
    """The same probability in 30 digits, by panels around everything that happens."""
    with mp.workdps(30):
        (a, b), (c, d), r = (tuple(map(mp.mpf, first)), tuple(map(mp.mpf, second)), mp.mpf(rho))
        s = mp.sqrt((1 - r) * (1 + r))

        def mass(low, high):
            sign = -1 if low > 0 else 1
            return sign * (mp.ncdf(sign * high) - mp.ncdf(sign * low))

        low, high = max(a, mp.mpf(-30)), min(b, mp.mpf(30))
        cuts = [low, high, *map(mp.mpf, range(-30, 31, 3))]
        for bound, k in itertools.product((c, d), (-30, -12, -6, -3, -1, 0, 1, 3, 6, 12, 30)):
            if mp.isfinite(bound):
                cuts += [(bound + k * s) / r, r * bound + k * s]
        kept = [min(max(x, low), high) for x in cuts]
        return float(
            integral(lambda x: [mp.npdf(x) * mass((c - r * x) / s, (d - r * x) / s)], kept, mp.mpf(10) ** -15)[0]
        )


@pytest.mark.parametrize(("first", "second", "rho"), BOXES)
def test_boxes_keep_relative_accuracy(first, second, rho):
    got = float(bivariate_box([first[0], second[0]], [first[1], second[1]], rho))
    want = by_quadrature(first, second, rho)
    assert 1e-150 < want < 1
    assert got == pytest.approx(want, rel=2e-12, abs=0)
    swapped = float(bivariate_box([second[0], first[0]], [second[1], first[1]], rho))
    assert swapped == pytest.approx(want, rel=2e-12, abs=0)


def test_quadrants_like_scipys():
    rng = np.random.default_rng(0)
    upper, rho = rng.normal(size=(200, 2)) * 2, rng.uniform(-0.999, 0.999, 200)
    want = [multivariate_normal.cdf(u, cov=[[1, r], [r, 1]]) for u, r in zip(upper, rho, strict=True)]
    np.testing.assert_allclose(bivariate_box([-INF, -INF], upper, rho), want, rtol=0, atol=2e-15)


def test_quadrants_at_the_origin_are_angles():
    rho = np.array([-1.0, -1 + 1e-15, -0.9, -1e-9, 0.0, 1e-300, 0.3, 1 - 1e-15, 1.0])
    np.testing.assert_allclose(
        bivariate_box([-INF, -INF], [0.0, 0.0], rho), 0.25 + np.arcsin(rho) / (2 * np.pi), rtol=0, atol=1e-15
    )


bounds = st.one_of(st.floats(-15, 15), st.sampled_from([-INF, INF, 0.0]))
correlations = st.one_of(
    st.floats(-1, 1), st.floats(-16, -1).map(lambda e: 1 - 10.0**e), st.floats(-16, -1).map(lambda e: 10.0**e - 1)
)


@given(st.tuples(bounds, bounds, bounds), st.tuples(bounds, bounds), correlations)
def test_boxes_add_up(x, y, rho):
    a, m, b = sorted(x)
    c, d = sorted(y)
    parts = bivariate_box([[a, c], [m, c], [a, c]], [[m, d], [b, d], [b, d]], rho)
    assert ((parts >= 0) & (parts <= 1 + 1e-15)).all()
    assert parts[0] + parts[1] == pytest.approx(parts[2], rel=1e-10, abs=1e-300)
    mirrored = bivariate_box([-b, c], [-a, d], -rho)
    assert float(mirrored) == pytest.approx(parts[2], rel=1e-10, abs=1e-300)


@given(st.floats(-25, 25), correlations)
def test_a_strip_is_univariate(b, rho):
    assert float(bivariate_box([-INF, -INF], [b, INF], rho)) == pytest.approx(float(cdf(b)), rel=1e-13)
    assert float(bivariate_box([-INF, -INF], [INF, b], rho)) == pytest.approx(float(cdf(b)), rel=1e-13)


def test_without_correlation_it_is_a_product():
    rng = np.random.default_rng(1)
    low = rng.normal(size=(50, 2)) * 5
    high = low + rng.exponential(size=(50, 2))
    want = np.exp(log_interval(low, high).sum(axis=1))
    for rho in (0.0, 1e-14, -1e-14):
        np.testing.assert_allclose(bivariate_box(low, high, rho), want, rtol=1e-11)


def test_gradients_are_limits_of_differences():
    rng = np.random.default_rng(2)
    low = rng.normal(size=(40, 2))
    high, rho = low + rng.exponential(size=(40, 2)), rng.uniform(-0.9, 0.9, 40)
    low[::4, 0], high[::5, 1] = -INF, INF
    slopes, step = bivariate_box_gradient(low, high, rho), 1e-5
    for k in range(2):
        move = step * np.eye(2)[k]
        by_low = (bivariate_box(low + move, high, rho) - bivariate_box(low - move, high, rho)) / (2 * step)
        by_high = (bivariate_box(low, high + move, rho) - bivariate_box(low, high - move, rho)) / (2 * step)
        np.testing.assert_allclose(slopes.lower[:, k], by_low, atol=1e-9)
        np.testing.assert_allclose(slopes.upper[:, k], by_high, atol=1e-9)
    by_rho = (bivariate_box(low, high, rho + step) - bivariate_box(low, high, rho - step)) / (2 * step)
    np.testing.assert_allclose(slopes.correlation, by_rho, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [1.0], 0.5), r"wanted \(\.\.\., 2\)"),
        (([0.0, 0.0], [1.0, 1.0], 1.5), r"outside \[-1, 1\]"),
        (([np.nan, 0.0], [1.0, 1.0], 0.5), "nan among the bounds"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        bivariate_box(*arguments)


def test_nothing_has_no_derivative():
    with pytest.raises(InvalidInput, match="empty box"):
        bivariate_box_gradient([0.0, 0.0], [0.0, 1.0], 0.5)
    assert float(bivariate_box([0.0, 0.0], [0.0, 1.0], 0.5)) == 0.0


def test_arrays_are_broadcast():
    assert bivariate_box(np.zeros((3, 1, 2)), np.ones((4, 2)), 0.5).shape == (3, 4)


# The quick form of one corner


@pytest.mark.parametrize("rho", [0.0, 1e-12, 1e-9, 0.3, 0.8, 0.99, 1 - 1e-6, 1 - 1e-14, 1.0])
def test_a_corner_is_a_box_without_lower_bounds(rho):
    rng = np.random.default_rng(5)
    odd = [0.0, -0.0, 1e-9, -1.0, 1.0, 9.0, -9.0, 29.0, -31.0, INF, -INF]
    corners = [*itertools.product(odd, odd), *rng.normal(0.0, 2.0, (100, 2))]
    corners += [(h, h * (1.0 + 1e-7)) for h in rng.normal(0.0, 2.0, 20)]
    for sign in (1.0, -1.0):
        found = [bivariate_below(float(h), float(k), sign * rho) for h, k in corners]
        want = bivariate_box(np.full((len(corners), 2), -INF), np.array(corners), np.full(len(corners), sign * rho))
        np.testing.assert_allclose(found, want, rtol=0.0, atol=3e-15)


@pytest.mark.parametrize("rho", [1e-14, 1e-12, 1e-9, 1e-6])
def test_next_to_no_correlation_a_box_is_a_product(rho):
    # bounds of 9 deviations, where pieces of the integral meet: they once left a gap of the rounding of 9 over rho
    for bound in (8.999999999, 9.0, 9.000000001):
        found = bivariate_box([[-INF, -INF]], [[1.0, bound]], [rho])[0]
        assert found == pytest.approx(float(cdf(1.0) * cdf(bound)), abs=1e-15 + rho * 1e-17)
