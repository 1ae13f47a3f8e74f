"""Distinct rows against numpy's own, on tables that differ early, late, or not at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.distinct import NARROW, distinct


def same_as_numpy(x: np.ndarray) -> None:
    rows, first, which = np.unique(x, axis=0, return_index=True, return_inverse=True)
    found = distinct(x)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.first, first)
    np.testing.assert_array_equal(found.which, which.ravel())
    np.testing.assert_array_equal(found.rows[found.which], x)


@given(st.integers(0, 12), st.sampled_from([1, 3, NARROW, NARROW + 1, 100]), st.integers(0, 2**32 - 1), st.data())
def test_as_numpy_finds_them(count: int, columns: int, seed: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    x = np.zeros((count, columns))
    varied = data.draw(st.lists(st.integers(0, columns - 1), max_size=3))  # where rows differ, if at all
    x[:, varied] = rng.integers(-1, 2, (count, len(varied)))
    same_as_numpy(x)


def test_rows_that_differ_in_their_last_column_only() -> None:
    x = np.ones((6, 500))
    x[:, -1] = [3.0, 1.0, 3.0, 2.0, 1.0, 0.0]
    same_as_numpy(x)


@pytest.mark.parametrize("columns", [1, NARROW + 4])
def test_zeros_of_either_sign_are_one(columns: int) -> None:
    x = np.zeros((2, columns))
    x[1] = -0.0
    assert distinct(x).which.tolist() == [0, 0]


def test_without_columns_all_rows_are_one_and_without_rows_none() -> None:
    assert distinct(np.zeros((3, 0))).which.tolist() == [0, 0, 0]
    assert distinct(np.zeros((3, 0))).rows.shape == (1, 0)
    assert distinct(np.zeros((0, 40))).rows.shape == (0, 40)


def test_what_is_given_stays_as_it_is() -> None:
    x = np.full((2, 3), -0.0)
    x.flags.writeable = False
    distinct(x)
    assert np.signbit(x).all()
