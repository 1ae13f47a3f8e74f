"""Sums over cells by their common intervals, compared with sums cell by cell."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from pfes.compiled import WIDTH, kernel
from pfes.information import matched, prepare
from pfes.information.kernels.cell_moments import (
    FOR_SUMS,
    base,
    cells_and_fresh,
    fill_tables,
    kept_rows,
    sum_moments,
)
from pfes.pareto import non_dominated

Array = NDArray[np.float64]


@kernel
def moments(frontier: Any, mean: Array, std: Array, is_inside: bool, sums: Array) -> bool:
    """Fill sums (base(L + 1), WIDTH) for the first WIDTH candidates; tell whether all rows kept but one were used."""
    objectives = mean.shape[1]
    room, tables = np.empty((3, frontier.values.size, WIDTH)), np.empty((frontier.values.size * FOR_SUMS, WIDTH))
    fill_tables(frontier, mean, std, np.arange(WIDTH), is_inside, room, tables)
    cells = cells_and_fresh(frontier, is_inside)
    kept = np.empty((kept_rows(cells[2], objectives), WIDTH))
    return sum_moments(cells, tables, FOR_SUMS, sums, kept) == kept.shape[0] - 1


def cell_by_cell(low: Array, high: Array, mean: Array, std: Array) -> Array:
    """The same sums of one candidate, cells (M, L) one by one, lower tails and densities by scipy."""
    a, b = (low - mean) / std, (high - mean) / std
    a_phi, b_phi = (np.where(np.isinf(t), 0.0, np.nan_to_num(t) * norm.pdf(t)) for t in (a, b))
    z, p, x = norm.cdf(b) - norm.cdf(a), norm.pdf(a) - norm.pdf(b), a_phi - b_phi
    objectives = range(low.shape[1])

    def without(*named: int) -> Array:
        return np.asarray(np.prod([z[:, l] for l in objectives if l not in named] or [np.ones(len(z))], axis=0))

    rows = [without(), *(p[:, l] * without(l) for l in objectives), *(x[:, l] * without(l) for l in objectives)]
    rows += [p[:, l] * p[:, k] * without(l, k) for l, k in combinations(objectives, 2)]
    return np.array([row.sum() for row in rows])


def front(rng: np.random.Generator, points: int, objectives: int) -> Array:
    """A concave frontier, its values rounded so that cells share bounds."""
    y = np.abs(rng.standard_normal((points, objectives)))
    y = np.round(y / np.linalg.norm(y, axis=1, keepdims=True), 1)
    return y[non_dominated(y)]


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
def test_sums_by_common_intervals_are_those_cell_by_cell(objectives: int) -> None:
    rng = np.random.default_rng(objectives)
    frontier = prepare([front(rng, 30, objectives)])[0]
    mean, std = rng.normal(0.5, 0.5, (WIDTH, objectives)), rng.uniform(0.2, 1.0, (WIDTH, objectives))
    sums = np.empty((max(base.py_func(objectives + 1), 3), WIDTH))
    assert moments(frontier, mean, std, False, sums)
    low, high = frontier.values[frontier.low], frontier.values[frontier.high]
    for i in range(WIDTH):
        wanted = cell_by_cell(low, high, mean[i], std[i])
        np.testing.assert_allclose(sums[base.py_func(objectives) :, i], wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
def test_gradients_of_few_and_many_candidates_are_differences(objectives: int) -> None:
    rng = np.random.default_rng(10 + objectives)
    frontiers = prepare([front(rng, 25, objectives), front(rng, 15, objectives)])
    mean, std = rng.normal(0.4, 0.5, (11, objectives)), rng.uniform(0.2, 1.0, (11, objectives))
    gain, d_mean, d_std = matched.coupled_gradient(mean, std, frontiers, 0.05)
    np.testing.assert_allclose(gain, matched.coupled(mean, std, frontiers, 0.05), rtol=1e-13)
    step = 1e-6
    for l in range(objectives):
        way = step * np.eye(objectives)[l]
        rise = matched.coupled(mean + way, std, frontiers, 0.05) - matched.coupled(mean - way, std, frontiers, 0.05)
        np.testing.assert_allclose(d_mean[:, l], rise / (2 * step), rtol=1e-6, atol=1e-8)
        rise = matched.coupled(mean, std + way, frontiers, 0.05) - matched.coupled(mean, std - way, frontiers, 0.05)
        np.testing.assert_allclose(d_std[:, l], rise / (2 * step), rtol=1e-6, atol=1e-8)


def test_candidates_do_not_know_of_their_neighbours() -> None:
    rng = np.random.default_rng(0)
    frontiers = prepare([front(rng, 40, 4)])
    mean, std = rng.normal(0.5, 0.5, (21, 4)), rng.uniform(0.2, 1.0, (21, 4))
    together = matched.coupled_gradient(mean, std, frontiers, 0.02)
    for i in range(21):
        alone = matched.coupled_gradient(mean[i : i + 1], std[i : i + 1], frontiers, 0.02)
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_array_equal(a[0], b[i])


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_fresh_is_where_neighbouring_cells_begin_to_differ(objectives: int) -> None:
    frontier = prepare([front(np.random.default_rng(3), 30, objectives)])[0]
    for low, high, fresh in (
        (frontier.low, frontier.high, frontier.fresh),
        (frontier.beyond_low, frontier.beyond_high, frontier.beyond_fresh),
    ):
        assert fresh[0] == 0
        for m in range(1, len(low)):
            same = (low[m] == low[m - 1]) & (high[m] == high[m - 1])
            assert same[: fresh[m]].all()
            assert not same[fresh[m]]
