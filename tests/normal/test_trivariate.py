"""Boxes under three correlated normals: one common factor, angles, marginals, scipy."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from pfes.errors import InvalidInput
from pfes.normal import bivariate_box, trivariate_box

INF = np.inf


def correlations(r12, r13, r23):
    return np.array([[1.0, r12, r13], [r12, 1.0, r23], [r13, r23, 1.0]])


def by_factor(lower, upper, loading):
    """z_i = loading_i x + sqrt(1 - loading_i^2) e_i: one integral over x, by panels of a hundredth."""
    root, mass = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(-9.5, 9.5, 1901)
    x = ((edges[1:] + edges[:-1])[:, None] / 2 + np.diff(edges)[:, None] / 2 * root).ravel()
    weight = (np.diff(edges)[:, None] / 2 * mass).ravel()
    rest = np.sqrt(1 - loading**2)
    inner = [
        norm.cdf((b - l * x) / s) - norm.cdf((a - l * x) / s)
        for a, b, l, s in zip(lower, upper, loading, rest, strict=True)
    ]
    return float((weight * norm.pdf(x) * np.prod(inner, axis=0)).sum())


@pytest.mark.parametrize(
    "loading", [(0.5, 0.6, 0.7), (-0.9, 0.8, 0.95), (0.99, 0.99, -0.99), (0.1, -0.2, 0.3), (0.9995, 0.7, 0.9995)]
)
def test_one_common_factor(loading):
    rng = np.random.default_rng(0)
    loading = np.array(loading)
    correlation = np.outer(loading, loading)
    np.fill_diagonal(correlation, 1.0)
    lower = rng.normal(size=(8, 3)) - 0.5
    upper = lower + 10 ** rng.uniform(-1, 1, size=(8, 3))
    lower[::3, 0], upper[1::3, 2] = -INF, INF
    want = [by_factor(a, b, loading) for a, b in zip(lower, upper, strict=True)]
    np.testing.assert_allclose(trivariate_box(lower, upper, correlation), want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("r", [(0.5, 0.3, -0.2), (-0.4, -0.3, -0.2), (0.9, 0.8, 0.95), (0.0, 0.0, 0.0)])
def test_orthants_at_the_origin_are_angles(r):
    want = 0.125 + np.arcsin(r).sum() / (4 * np.pi)
    assert float(trivariate_box([-INF] * 3, [0.0] * 3, correlations(*r))) == pytest.approx(want, abs=1e-13)


def test_a_variable_without_bounds_does_not_matter():
    rng = np.random.default_rng(1)
    lower = rng.normal(size=(6, 3)) - 1
    upper = lower + rng.exponential(size=(6, 3))
    for k in range(3):
        i, j = [l for l in range(3) if l != k]
        low, high = lower.copy(), upper.copy()
        low[:, k], high[:, k] = -INF, INF
        r = correlations(0.6, -0.5, 0.2)
        want = bivariate_box(low[:, [i, j]], high[:, [i, j]], r[i, j])
        np.testing.assert_allclose(trivariate_box(low, high, r), want, rtol=0, atol=1e-13)


def test_quadrants_like_scipys():
    rng = np.random.default_rng(2)
    r = correlations(0.7, 0.2, -0.4)
    for upper in rng.normal(size=(5, 3)):
        want = multivariate_normal.cdf(upper, cov=r, abseps=1e-7, releps=1e-7, maxpts=10**6)
        assert float(trivariate_box([-INF] * 3, upper, r)) == pytest.approx(want, abs=2e-6)


def test_variables_that_are_one():
    r = correlations(1.0, 0.5, 0.5)
    got = trivariate_box([-INF] * 3, [0.3, 0.1, 0.4], r)
    assert float(got) == pytest.approx(float(bivariate_box([-INF] * 2, [0.1, 0.4], 0.5)), abs=1e-10)
    assert float(trivariate_box([0.0] * 3, [0.0, 1.0, 1.0], r)) == 0.0


def test_wrong_arguments():
    with pytest.raises(InvalidInput, match="wanted"):
        trivariate_box([0.0] * 2, [1.0] * 3, np.eye(3))
    with pytest.raises(InvalidInput, match="nan among the bounds"):
        trivariate_box([np.nan] * 3, [1.0] * 3, np.eye(3))
    assert trivariate_box(np.zeros((2, 1, 3)), np.ones((4, 3)), np.eye(3)).shape == (2, 4)
