"""Squared distances: exact where points are close, whichever way they are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.gp.kernels import WIDE, squared_distances


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, WIDE - 1, WIDE, 3 * WIDE]), st.floats(1e-9, 1e3))
def test_distances_have_all_their_digits(seed: int, width: int, apart: float) -> None:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(4, width)) + 10.0
    # some near one another, some far, some equal
    a = np.concatenate([centres, centres + apart * rng.normal(size=(4, width)), centres + 1e-7])
    b = np.concatenate([centres[::-1], rng.normal(size=(5, width))])
    wide = a.astype(np.longdouble)[:, None, :] - b
    np.testing.assert_allclose(squared_distances(a, b), (wide**2).sum(axis=2).astype(float), rtol=2e-12)
    assert (squared_distances(a, a).diagonal() == 0.0).all()
    assert (squared_distances(centres, b)[:, :4][::-1].diagonal() == 0.0).all()


@pytest.mark.parametrize("width", [0, 2, WIDE])
@pytest.mark.parametrize(("first", "second"), [(0, 3), (3, 0), (1, 1)])
def test_no_rows_and_single_ones(first: int, second: int, width: int) -> None:
    assert squared_distances(np.ones((first, width)), np.zeros((second, width))).tolist() == [[width] * second] * first
