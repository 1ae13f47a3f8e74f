"""Main effects looked up by levels against the kernel itself; which groups form a factor."""

import itertools

import numpy as np
import pytest

from pfes.gp.effects import correlations
from pfes.gp.levels import MOST_LEVELS, among_rows, factors_of
from pfes.gp.posterior import MANY_ROWS, Posterior
from pfes.gp.recipe import Hyper
from pfes.observations import Data

RNG = np.random.default_rng(3)


def table(*levels: int) -> np.ndarray:
    """All combinations of so many levels, in numbers that are not round."""
    return np.array(list(itertools.product(*(RNG.uniform(size=many) for many in levels))))


def described(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first column as two columns of one group, and three more that follow from others; with their groups."""
    first, second = rows[:, 0], rows[:, 1]
    columns = [first, np.cos(9.0 * first), *rows[:, 1:].T, np.round(first), second**2, np.full(len(rows), 0.4)]
    groups = [0, 0, *range(1, rows.shape[1] + 3)]
    return np.column_stack(columns), np.array(groups)


@pytest.mark.parametrize("matern", [True, False])
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_what_is_looked_up_is_what_the_kernel_gives(matern: bool, share: float) -> None:
    for x, groups in (described(table(4, 5, 7, 2)), (table(3, 9, 11), np.arange(3)), (np.full((300, 2), 0.5), [0, 1])):
        near = x / RNG.uniform(0.05, 3.0, x.shape[1])
        factors = factors_of(near, np.asarray(groups))
        assert factors is not None
        looked_up = among_rows(near, np.asarray(groups), factors, share, matern)
        plain = correlations(near, near.copy(), np.asarray(groups), share, matern)
        np.testing.assert_allclose(looked_up, plain, rtol=1e-13)
        np.testing.assert_array_equal(looked_up, looked_up.T)


def test_groups_whose_levels_follow_from_another_form_one_factor() -> None:
    x, groups = described(table(4, 5, 3))
    factors = factors_of(x, groups)
    assert factors is not None
    together = sorted(sorted(members) for members in factors.members)
    assert together in ([[0, 3], [1, 4, 5], [2]], [[0, 3, 5], [1, 4], [2]])
    assert factors.codes.shape == (3, 60)


def test_columns_of_many_values_are_left_to_the_kernel() -> None:
    assert factors_of(RNG.uniform(size=(MOST_LEVELS, 1)), np.array([0])) is not None
    assert factors_of(RNG.uniform(size=(MOST_LEVELS + 1, 1)), np.array([0])) is None


def test_a_posterior_gives_the_same_covariances_whichever_way(monkeypatch: pytest.MonkeyPatch) -> None:
    x, groups = described(table(9, 9, 7))
    assert len(x) >= MANY_ROWS
    hyper = Hyper("matern52", RNG.uniform(0.2, 2.0, groups.max() + 1), 1.7, 1e-3, 0.1, 0.6)
    data = Data(x[::29], RNG.standard_normal(len(x[::29])), np.ones(len(x[::29])), np.full(len(x[::29]), np.nan))
    posterior = Posterior.of(data, groups, hyper)
    looked_up = posterior.covariance(x, x)
    monkeypatch.setattr("pfes.gp.posterior.factors_of", lambda x, groups: None)
    np.testing.assert_allclose(looked_up, posterior.covariance(x, x), rtol=1e-9, atol=1e-12)
