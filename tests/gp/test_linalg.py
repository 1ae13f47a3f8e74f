"""Cholesky factors exist for whatever is given, and are exact where nothing is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.gp import linalg


def test_a_good_matrix_gets_no_jitter(frozen):
    a = np.random.default_rng(0).normal(size=(6, 6))
    matrix = frozen(a @ a.T + np.eye(6))
    factor = linalg.factorise(matrix, 1.0)
    assert factor.jitter == 0.0
    np.testing.assert_allclose(factor.lower @ factor.lower.T, matrix, rtol=1e-13)
    right = np.arange(12.0).reshape(6, 2)
    np.testing.assert_allclose(matrix @ linalg.solve(factor.lower, right), right, atol=1e-12)
    np.testing.assert_allclose(linalg.inverse_lower(factor.lower), np.tril(np.linalg.inv(matrix)), atol=1e-13)


def test_only_the_lower_triangle_is_read():
    matrix = np.array([[4.0, np.nan], [1.0, 3.0]])
    np.testing.assert_allclose(linalg.factorise(matrix, 4.0).lower, np.linalg.cholesky([[4.0, 1.0], [1.0, 3.0]]))


@pytest.mark.parametrize("rank", [0, 1, 3])
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_a_singular_matrix_gets_little_jitter(rank, size):
    a = np.random.default_rng(rank).normal(size=(8, rank))
    matrix = size * a @ a.T
    factor = linalg.factorise(matrix, size)
    assert 0.0 < factor.jitter <= 1e-10 * size
    np.testing.assert_allclose(
        factor.lower @ factor.lower.T, matrix + factor.jitter * np.eye(8), atol=1e-14 * 50 * size
    )


def test_rounding_left_over_counts_as_nothing():
    # positive by chance: no pivot of 1e-17 may pass for a variance where the prior one was 1
    assert linalg.factorise(np.array([[1e-17]]), 1.0).jitter >= 1e-12


@given(st.integers(0, 10**6))
def test_even_an_indefinite_matrix_gets_a_factor(seed):
    a = np.random.default_rng(seed).normal(size=(5, 5))
    lower = linalg.factorise(a + a.T - 3 * np.eye(5), 1.0).lower
    assert np.isfinite(lower).all()
    assert (lower.diagonal() > 0).all()


def test_nothing_has_a_factor():
    factor = linalg.factorise(np.zeros((0, 0)), 1.0)
    assert factor.lower.shape == linalg.inverse_lower(factor.lower).shape == (0, 0)
    assert linalg.solve(factor.lower, np.zeros((0, 3))).shape == (0, 3)
