"""Any finite argument gives a finite answer, without a warning (they are errors here)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from information.fronts import candidates, concave, problems
from oracles import exact as oracle
from pfes.information import exact, matched, noisy, power


@given(problems(), st.sampled_from([1e-12, 1e-6, 0.01, 10.0]))
def test_everything_stays_finite(problem, delta):
    mean, std, frontier = problem
    for result in (
        exact.coupled_gradient(mean, std, [frontier]),
        exact.decoupled_gradient(mean, std, [frontier]),
        matched.coupled_gradient(mean, std, [frontier], delta),
        matched.decoupled_gradient(mean, std, [frontier], delta),
        power.coupled_gradient(mean, std, [frontier], delta),
        power.decoupled_gradient(mean, std, [frontier], delta),
        noisy.decoupled_gradient(mean, std, [frontier], delta),
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
    gain, alone = exact.coupled(mean, narrow, frontier), exact.decoupled(mean, narrow, frontier)

    def exponential(distance):  # what is left of a normal far above its bound
        return 0.5 * np.log(2 * np.pi) - 0.5 + np.log(distance / std)

    # two cells of equal mass, log 2 unknown; then one cell, then a corner that leaves half of each objective; inside
    assert gain[0] == pytest.approx(exponential(1.5) + exponential(0.5) - np.log(2), abs=1e-4)
    assert gain[1] == pytest.approx(exponential(0.2), abs=1e-4)
    assert alone[1] == pytest.approx([0.0, exponential(0.2)], abs=1e-4)
    assert gain[2:4] == pytest.approx(2 * np.log(2), rel=1e-9)
    assert alone[2:4] == pytest.approx(np.log(2), rel=1e-9)
    assert gain[4] == 0.0


TIED = np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("std", "delta"),
    [(1e-2, 1e-4), (1e-3, 1e-5), (1e-3, 1e-6), (1e-4, 1e-6), (1e-6, 1e-6), (1e-6, 1e-9), (1e-9, 1e-12)],
)
def test_two_humps_far_apart_keep_their_determinant(std, delta):
    # the covariance is almost of rank one there
    slopes = matched.coupled_gradient([[1.5, 1.5]], [[std, std]], [TIED], delta)
    assert slopes.gain[0] == pytest.approx(
        float(oracle.coupled_matched([1.5] * 2, [std] * 2, TIED.tolist(), delta)), rel=1e-6
    )
    assert all(np.isfinite(part).all() for part in slopes)
    if std >= 1e-3:
        by_mean, by_std = oracle.coupled_matched_gradient([1.5] * 2, [std] * 2, TIED.tolist(), delta)
        norm = max(abs(float(v)) for v in by_std)
        np.testing.assert_allclose(slopes.d_mean[0] / norm, [float(v) / norm for v in by_mean], rtol=0, atol=1e-4)
        np.testing.assert_allclose(slopes.d_spread[0] / norm, [float(v) / norm for v in by_std], rtol=0, atol=1e-4)


@pytest.mark.parametrize("std", [1e-12, 1e-10, 1e-6, 1e-3])
@pytest.mark.parametrize("delta", [0.0, 1e-14, 1e-9, [0.0, 1e-6]])
def test_entropy_power_stays_between_nothing_and_the_capacity(std, delta):
    arguments = [[1.5, 1.5], [0.3, 0.2]], np.full((2, 2), std), [TIED]
    with np.errstate(divide="ignore"):
        capacity = 0.5 * np.log1p((std / np.broadcast_to(delta, 2)) ** 2)
    together, alone = power.coupled_gradient(*arguments, delta), power.decoupled_gradient(*arguments, delta)
    assert (together.gain <= capacity.sum() * (1 + 1e-12)).all()
    assert (alone.gain <= capacity * (1 + 1e-12)).all()
    for part in (*together, *alone):
        assert np.isfinite(part).all()
    if not np.any(delta):
        np.testing.assert_allclose(together.gain, exact.coupled(*arguments), rtol=1e-12)
        np.testing.assert_allclose(alone.gain, exact.decoupled(*arguments), rtol=1e-12, atol=1e-15)


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


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5])
def test_a_single_cell_has_the_slopes_of_its_one_objective(objectives):
    mean, std = np.random.default_rng(objectives).normal(size=(5, objectives)), np.full((5, objectives), 0.7)
    frontier = np.full((1, objectives), np.inf)
    frontier[0, 0] = 0.2  # nothing but a bound on the first
    gain, d_mean, d_std = matched.coupled_gradient(mean, std, [frontier], 0.1)
    alone, alone_mean, alone_std = matched.coupled_gradient(mean[:, :1], std[:, :1], [frontier[:, :1]], 0.1)
    np.testing.assert_allclose(gain, alone, rtol=1e-10)
    np.testing.assert_allclose(d_mean, np.pad(alone_mean, ((0, 0), (0, objectives - 1))), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(d_std, np.pad(alone_std, ((0, 0), (0, objectives - 1))), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("verb", [exact.decoupled, matched.decoupled, power.decoupled, noisy.decoupled])
@pytest.mark.parametrize("above", [2.5, 3.0, 10.0, 1e6])
def test_an_objective_far_inside_learns_nothing_from_one_far_above(verb, above):
    resolution = [] if verb is exact.decoupled else [0.1]
    gain = verb(np.array([[0.0, above]]), np.full((1, 2), 0.1), [np.array([[4.0, 1.0]])], *resolution)
    assert gain[0, 0] == pytest.approx(0.0, abs=1e-300)
    assert gain[0, 1] > 0.3
