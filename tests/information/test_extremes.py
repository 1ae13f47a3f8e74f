"""Any finite argument gives a finite answer, without a warning (they are errors here)."""

import numpy as np
import pytest
from hypothesis import given

from information.fronts import candidates, concave, problems
from pfes.information import exact, matched, noisy, power


@given(problems())
def test_everything_stays_finite(problem):
    mean, std, frontier = problem
    for result in (
        exact.coupled_gradient(mean, std, [frontier]),
        exact.decoupled_gradient(mean, std, [frontier]),
        matched.coupled_gradient(mean, std, [frontier], 0.01),
        matched.decoupled_gradient(mean, std, [frontier], 0.01),
        power.coupled_gradient(mean, std, [frontier], 0.01),
        power.decoupled_gradient(mean, std, [frontier], 0.01),
        noisy.decoupled_gradient(mean, std, [frontier], 0.01),
    ):
        for part in result:
            assert np.isfinite(part).all()


@given(problems(most_objectives=2))
def test_the_coupled_gain_of_two_objectives_is_never_negative(problem):
    mean, std, frontier = problem
    assert (exact.coupled(mean, std, [frontier]) >= -1e-12).all()


@given(problems(most_objectives=2))
def test_bounds_bracket_each_other(problem):
    mean, std, frontier = problem
    for verb in ("coupled", "decoupled"):
        low = getattr(matched, verb)(mean, std, [frontier], 0.1)
        high = getattr(power, verb)(mean, std, [frontier], 0.1)
        assert (low <= high + 1e-9 * (1 + np.abs(high))).all()
    truth = noisy.decoupled(mean, std, [frontier], 0.1)
    assert (matched.decoupled(mean, std, [frontier], 0.1) <= truth + 1e-9 * (1 + np.abs(truth))).all()
    assert (truth <= power.decoupled(mean, std, [frontier], 0.1) + 1e-9 * (1 + np.abs(truth))).all()


@pytest.mark.parametrize("std", [1e-3, 1e-6, 1e-9, 1e-12])
def test_deviations_down_to_the_smallest(std):
    mean = np.array([[1.5, 1.5], [0.3, 0.2], [0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    frontier = [np.array([[0.0, 1.0], [1.0, 0.0]])]
    narrow = np.full(mean.shape, std)
    gain = exact.coupled(mean, narrow, frontier)
    # far above: each coordinate exponential with rate t = distance / std; on a corner: half of each is lost
    far = np.log(2 * np.pi) - 1 + np.log(1.5 / std) + np.log(0.5 / std)
    assert gain[0] == pytest.approx(far + _balance(std), abs=1e-4)
    assert gain[2:4] == pytest.approx(2 * np.log(2), rel=1e-9)
    assert gain[4] == 0.0
    assert np.isfinite(exact.decoupled(mean, narrow, frontier)).all()


def _balance(std):
    """Two cells of equal mass: their mixture tells log 2 less than either."""
    return -np.log(2)


def test_large_frontiers_are_routine():
    rng = np.random.default_rng(0)
    for points, objectives in ((1000, 2), (200, 4), (50, 6)):
        mean, std = candidates(rng, 50, objectives)
        frontier = [concave(rng, points, objectives)]
        together, alone = exact.coupled(mean, std, frontier), exact.decoupled(mean, std, frontier)
        assert np.isfinite(together).all()
        assert np.isfinite(alone).all()
        bound = matched.coupled(mean, std, frontier, 0.05)
        assert (bound <= 0.5 * np.log1p((std / 0.05) ** 2).sum(axis=1)).all()


def test_no_candidates_is_no_error():
    frontier = [np.zeros((1, 2))]
    assert exact.coupled(np.empty((0, 2)), np.empty((0, 2)), frontier).shape == (0,)
    assert exact.decoupled_gradient(np.empty((0, 2)), np.empty((0, 2)), frontier).d_mean.shape == (0, 2, 2)
