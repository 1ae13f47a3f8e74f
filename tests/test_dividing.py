"""DIRECT in rounds: against its definition, against scipy's, and that boxes fill the cube."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize

from pfes.errors import InvalidInput
from pfes.search import dividing
from pfes.search.dividing import WORTH, minimise_by_dividing, promising

Array = NDArray[np.float64]
TOP = np.array([0.31, 0.72, 0.55, 0.13])


def waves(x: Array) -> Array:
    """Many valleys, one of them the deepest; no two of the points met have the same value."""
    away = np.sum((x - TOP[: x.shape[1]]) ** 2, axis=1)
    return away + 0.3 * np.sin(7 * x[:, 0] + 3 * x[:, -1]) + 0.1 * np.cos(11 * x).sum(axis=1)


def by_scipy(width: int, most: int) -> tuple[Array, float]:
    met: list[Array] = []

    def loss(x: Array) -> float:
        met.append(x.copy())
        return float(waves(x[None])[0])

    bounds = optimize.Bounds(np.zeros(width), np.ones(width))
    result = optimize.direct(loss, bounds, maxfun=most, locally_biased=False, vol_tol=0.0, len_tol=0.0)
    return np.array(met), float(result.fun)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_points_are_scipys(width: int) -> None:
    # where the two differ it is in how much a box must promise: scipy's adds 1e-8
    theirs, least = by_scipy(width, 1000)
    ours, met = minimise_by_dividing(waves, width, 1000)
    known = {tuple(x) for x in theirs.round(9)}
    same = [tuple(x) in known for x in ours.round(9)]
    assert np.mean(same) > 0.8
    assert all(same[:30])
    assert met.min() == pytest.approx(least, abs=1e-9)


@given(st.integers(1, 4), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_boxes_fill_the_cube_and_no_point_is_met_twice(width: int, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends: list[Array] = []

    def noise(x: Array) -> Array:
        return rng.choice([0.0, 1.0, 2.0], len(x))  # many are equal

    def watched(met: Array, cuts: Array) -> Array:
        ends[:] = [cuts]
        return promising(met, cuts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "promising", watched)
        x, met = minimise_by_dividing(noise, width, most)
    assert len(x) == len(met) <= most
    assert len(np.unique(x, axis=0)) == len(x)
    assert ((x > 0) & (x < 1)).all()
    if ends:
        assert np.sum(3.0 ** -ends[0].sum(axis=1)) == pytest.approx(1.0, abs=1e-9)
        assert (np.ptp(ends[0], axis=1) <= 1).all()


@given(st.integers(1, 3), st.integers(0, 2**32 - 1))
@example(1, 510511)  # two boxes of one size that differ by 3e-4
def test_promising_boxes_are_those_of_the_definition(width: int, seed: int) -> None:
    """Jones, Perttunen and Stuckman, definition 4.1: some slope makes the bound of the box the least of all."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.integers(0, 4, (12, 1)) + (rng.random((12, width)) < 0.5), axis=1)
    met = rng.normal(size=12)
    met[rng.integers(12, size=3)] = met.min()  # some are equal
    radius = 0.5 * np.sqrt(np.sum(9.0**-cuts, axis=1))
    enough = met.min() - WORTH * abs(met.min())
    wanted = set()
    for box in range(12):
        other = np.flatnonzero(radius != radius[box])
        # an interval of slopes will do, or none: its ends are among these
        ends = [(met[other] - met[box]) / (radius[other] - radius[box]), [(met[box] - enough) / radius[box], 1e5, 1e-9]]
        for slope in np.concatenate(ends):
            bounds = met - slope * radius
            if slope > 0 and bounds[box] <= min(bounds.min(), enough) + 1e-12 * (1.0 + slope):
                wanted.add(box)
    assert set(promising(met, cuts).tolist()) == wanted


@pytest.mark.parametrize(("width", "most"), [(0, 10), (2, 0)])
def test_nothing_to_divide_is_refused(width: int, most: int) -> None:
    with pytest.raises(InvalidInput, match="wanted 1 or more of each"):
        minimise_by_dividing(waves, width, most)


def test_a_plateau_is_divided_evenly() -> None:
    x, _ = minimise_by_dividing(lambda x: np.zeros(len(x)), 2, 81)
    assert len(x) == 81
    np.testing.assert_allclose(np.unique(x[:, 0].round(6)), (np.arange(9) + 0.5) / 9, atol=1e-6)
