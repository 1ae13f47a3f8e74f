"""Squared distances: exact where points are close, whichever way they are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.gp.kernels import MANY, WIDE, scaled_squared_distances, squared_distances


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


@pytest.mark.parametrize("rows", [2, MANY + 5])
@pytest.mark.parametrize("same", [True, False], ids=["one scale", "scales"])
def test_scaled_distances_are_those_of_scaled_columns(rows: int, same: bool) -> None:
    rng = np.random.default_rng(rows)
    scales = np.full(WIDE, 0.3) if same else rng.uniform(0.2, 2.0, WIDE)
    for _ in range(2):  # tables take turns: none is taken for another
        for a in (rng.uniform(size=(rows, WIDE)), rng.uniform(size=(rows, WIDE))):
            for b in (a, a.copy(), a[:2]):
                expected = squared_distances(a / scales, b / scales)
                np.testing.assert_allclose(scaled_squared_distances(a, b, scales), expected, rtol=1e-11, atol=0.0)


def test_what_is_remembered_cannot_be_changed_by_what_is_done_with_it() -> None:
    a = np.random.default_rng(0).uniform(size=(MANY, WIDE))
    once = scaled_squared_distances(a, a, np.ones(WIDE))
    kept = once.copy()
    once[:] = -1.0
    np.testing.assert_array_equal(scaled_squared_distances(a, a, np.ones(WIDE)), kept)
    a[0] = 5.0  # the table itself is another one now
    np.testing.assert_array_equal(scaled_squared_distances(a, a, np.ones(WIDE)), squared_distances(a, a))
