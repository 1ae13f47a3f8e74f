"""The kernel's inner loops against plain ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gp.cases import KINDS, SHARES, correlation, dense_kernel, differences
from pfes.gp import Hyper
from pfes.gp.effects import BLOCK, correlations, correlations_and_slopes

GROUPS = np.array([2, 0, 1, 0])  # in no order


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_correlations_are_those_of_the_definition(rng, kernel, share, frozen):
    near, far = frozen(3 * rng.random((7, 4))), frozen(3 * rng.random((9, 4)))
    wanted = dense_kernel(near, far, GROUPS, Hyper(kernel, np.ones(3), 1.0, 0.1, 0.0, share))
    value, slopes = correlations_and_slopes(near, far, frozen(GROUPS), share, kernel == "matern52")
    np.testing.assert_allclose(value, wanted, rtol=1e-13)
    np.testing.assert_allclose(correlations(near, far, GROUPS, share, kernel == "matern52"), wanted, rtol=1e-13)
    for i, row in enumerate(near):
        wanted = differences(lambda v: correlations(v[None], far, GROUPS, share, kernel == "matern52")[0], row, 1e-3)
        np.testing.assert_allclose(slopes[i].T, wanted, atol=1e-8)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_a_point_and_itself_have_correlation_one_and_no_slope(rng, kernel, share):
    x = rng.random((5, 4))
    value, slopes = correlations_and_slopes(x, x, GROUPS, share, kernel == "matern52")
    np.testing.assert_allclose(value.diagonal(), 1.0, rtol=1e-15)
    np.testing.assert_array_equal(value, value.T)
    assert (slopes[np.arange(5), :, np.arange(5)] == 0.0).all()


@pytest.mark.parametrize("count", [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK - 1])
def test_a_matrix_and_itself_are_found_by_halves(rng, count):
    x = rng.random((count, 4))
    whole = correlations(x, x.copy(), GROUPS, 0.4, True)
    np.testing.assert_array_equal(correlations(x, x, GROUPS, 0.4, True), whole)


@given(distance=st.floats(0, 1e150), share=st.floats(0, 1), kernel=st.sampled_from(KINDS))
def test_any_distance_has_a_correlation(distance, share, kernel):
    near, far = np.array([[distance, 0.0]]), np.zeros((1, 2))
    value, slopes = correlations_and_slopes(near, far, np.array([0, 1]), share, kernel == "matern52")
    assert np.isfinite(slopes).all()
    one = correlation(min(distance, 300.0), kernel)
    assert value[0, 0] == pytest.approx((1 - share) * one + share * (one + 1) / 2, rel=1e-10, abs=1e-100)


@pytest.mark.parametrize(("n", "m", "width"), [(0, 3, 2), (3, 0, 2), (2, 3, 0)])
def test_nothing_is_no_trouble(n, m, width):
    value, slopes = correlations_and_slopes(np.zeros((n, width)), np.zeros((m, width)), np.arange(width), 0.5, True)
    assert slopes.shape == (n, width, m)
    np.testing.assert_array_equal(value, np.ones((n, m)))
