"""Expected hypervolume improvement: against mpmath, sampling, closed forms, differences, BoTorch; its symmetries."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mpmath import mp

from information.fronts import candidates, concave
from information.test_gradients import differences
from oracles.improvement import by_sampling, log_gradient, log_improvement
from pfes.errors import InvalidInput
from pfes.improvement import (
    expected_improvement,
    independent,
    log_expected_improvement,
    log_expected_improvement_gradient,
    prepare_front,
)
from pfes.improvement.excess import shortfall
from pfes.improvement.far import from_logarithms
from pfes.pareto import hypervolume

BOTORCH = json.loads((Path(__file__).parent / "fixtures" / "botorch_ehvi.json").read_text())["cases"]
STAIRS = [(0.0, 1.2), (0.4, 0.9), (0.5, 0.3), (1.1, -0.4)]
NARROW = [(0.0, 1.0), (1e-9, 1.0 - 1e-13), (0.5, 0.5), (0.5 + 1e-12, 0.5 - 1e-12), (1.0, 0.0)]
CUBE = [(0.0, 1.0, 0.3), (1.0, 0.0, 0.5), (0.4, 0.4, 1.0), (0.7, 0.6, -0.2), (0.7, 0.6, -0.2), (0.1, 0.0, 0.1)]
TIED = [(2.0, 1.0, 0.0), (1.0, 1.0, 1.0), (0.0, 2.0, 1.0), (1.0, 2.0, 0.0)]
FOUR = [(0.9, 0.1, 0.3, 0.3), (0.2, 0.8, 0.4, 0.4), (0.5, 0.5, 0.6, 0.1), (0.1, 0.4, 0.2, 0.9)]
SIX = [(0.9, 0.1, 0.3, 0.3, 0.5, 0.2), (0.2, 0.8, 0.4, 0.4, 0.1, 0.3)]
FRONTS = [[(0.5,)], STAIRS, NARROW, CUBE, TIED, FOUR, SIX, [], [(-7.0, -7.0)]]


def width(points):
    return len(points[0]) if points else 2


# Against mpmath


@pytest.mark.parametrize("points", FRONTS, ids=str)
@pytest.mark.parametrize("below", [0.0, 1.0, 6.0, 30.0, 300.0, 1e4, 1e6])
def test_logarithm_is_that_of_the_precise_sum_however_far_below(points, below):
    objectives = width(points)
    std = 0.2 * 1.3 ** np.arange(objectives)
    mean = 0.5 - 0.1 * np.arange(objectives) - below * std * 0.9 ** np.arange(objectives)
    reference = np.linspace(-1.0, -1.5, objectives)
    want = log_improvement(mean, std, points, reference)
    got = log_expected_improvement(mean[None], std[None], prepare_front(points, reference))[0]
    assert abs(got - want) <= 1e-12 + 1e-14 * abs(want)


@pytest.mark.parametrize("lean", [(1.0, 1.0), (1.0, 0.1), (0.1, 1.0)])
def test_there_is_no_seam_between_sums_and_logarithms(lean):
    std, reference = np.array([0.1, 0.15]), (-1.0, -1.5)
    mean = 0.3 - np.arange(0.0, 60.0, 0.7)[:, None] * std * lean
    got = log_expected_improvement(mean, np.tile(std, (len(mean), 1)), prepare_front(STAIRS, reference))
    want = [float(log_improvement(m, std, STAIRS, reference)) for m in mean]
    np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-12)


REGIMES = {
    "one objective far below": ((0.5, -40.0), (0.3, 0.4)),
    "above the front": ((3.0, 4.0), (0.3, 0.4)),
    "far above the front": ((3000.0, 4000.0), (0.3, 0.4)),
    "between points, hardly uncertain": ((0.45, 0.6), (1e-6, 1e-9)),
    "on a point, hardly uncertain": ((0.5, 0.5), (1e-12, 1e-12)),
    "dominated, hardly uncertain": ((0.2, 0.3), (1e-12, 1e-12)),
    "below the reference in one objective": ((-9.0, 2.0), (0.2, 0.3)),
    "below the reference, hardly uncertain": ((-9.0, 2.0), (1e-12, 1e-3)),
    "one known, one vague": ((0.2, 0.3), (1e-12, 100.0)),
    "vague": ((0.2, 0.3), (1e8, 1e6)),
}


@pytest.mark.parametrize("points", [STAIRS, NARROW, []], ids=str)
@pytest.mark.parametrize("regime", REGIMES)
def test_values_and_gradients_are_the_precise_ones(points, regime):
    mean, std = (np.array(given) for given in REGIMES[regime])
    reference = (-1.0, -1.5)
    got = log_expected_improvement_gradient(mean[None], std[None], prepare_front(points, reference))
    want = log_improvement(mean, std, points, reference)
    assert abs(got.gain[0] - want) <= 1e-12 + 1e-14 * abs(want)
    slopes = np.array(log_gradient(mean, std, points, reference), dtype=float) * std
    ours = np.vstack([got.d_mean, got.d_spread]) * std
    assert np.abs(ours - slopes).max() <= 1e-11 * np.abs(slopes).max()


@pytest.mark.parametrize("points", [CUBE, TIED, FOUR], ids=str)
@pytest.mark.parametrize("below", [0.0, 3.0, 50.0, 1e5])
def test_gradients_are_the_precise_ones_for_more_objectives(points, below):
    objectives = len(points[0])
    std = 0.2 * 1.3 ** np.arange(objectives)
    mean = 0.5 - 0.1 * np.arange(objectives) - below * std * 0.9 ** np.arange(objectives)
    reference = np.linspace(-1.0, -1.5, objectives)
    got = log_expected_improvement_gradient(mean[None], std[None], prepare_front(points, reference))
    slopes = np.array(log_gradient(mean, std, points, reference), dtype=float)
    np.testing.assert_allclose([got.d_mean[0], got.d_spread[0]], slopes, rtol=1e-9, atol=1e-12 * np.abs(slopes).max())


@pytest.mark.parametrize("below", [1e2, 1e4, 1e7])
def test_corners_too_close_to_choose_from_share_the_gradient(below):
    mean, std, apart = np.array([-below, 0.4]), np.array([1.0, 0.5]), 1.0 / below
    points, reference = [(0.0, 1.0), (apart, 0.5), (2 * apart, 0.0)], (-apart, -1.0)
    got = log_expected_improvement_gradient(mean[None], std[None], prepare_front(points, reference))
    slopes = np.array(log_gradient(mean, std, points, reference), dtype=float)
    np.testing.assert_allclose([got.d_mean[0], got.d_spread[0]], slopes, rtol=1e-12)


def test_what_is_29_deviations_away_does_not_hide_what_is_40_away():
    mean, std, points, reference = (0.0, 0.0), (1.0, 1.0), [(40.0, 29.0)], (29.0, -1.0)
    got = log_expected_improvement([mean], [std], prepare_front(points, reference))[0]
    assert got == pytest.approx(float(log_improvement(mean, std, points, reference)), rel=1e-14)


def test_a_hopeless_objective_leaves_the_others_as_they_are():
    rng = np.random.default_rng(0)
    mean = rng.uniform(-4.0, -2.0, (400, 2))
    points, std = np.column_stack([np.linspace(0.0, 1.0, 12), np.linspace(1.0, 0.0, 12)]), np.full((400, 2), 0.1)
    two = log_expected_improvement_gradient(mean, std, prepare_front(points, [-0.1, -0.1]))
    three = log_expected_improvement_gradient(
        np.column_stack([np.full(400, -1.0), mean]),
        np.column_stack([np.full(400, 3e-10), std]),
        prepare_front(np.column_stack([np.ones(12), points]), [0.0, -0.1, -0.1]),
    )
    np.testing.assert_allclose(three.d_mean[:, 1:], two.d_mean, rtol=1e-10)
    np.testing.assert_allclose(three.d_spread[:, 1:], two.d_spread, rtol=1e-10)


def test_thirty_deviations_below_the_logarithm_has_all_its_digits():
    got = log_expected_improvement([[-30.0]], [[1.0]], prepare_front([], [0.0]))[0]
    with mp.workdps(60):
        assert got == pytest.approx(float(mp.log(mp.npdf(30) - 30 * mp.erfc(30 / mp.sqrt(2)) / 2)), rel=1e-15)
    assert got == pytest.approx(-457.72465376, rel=1e-10)


def test_expected_shortfall_keeps_its_accuracy_in_the_tail():
    t = np.concatenate([np.linspace(0, 40, 400), [1e2, 1e3]])
    with mp.workdps(60):
        want = [float(1 - x * mp.erfc(x / mp.sqrt(2)) / (2 * mp.npdf(x))) for x in map(mp.mpf, t.tolist())]
    np.testing.assert_allclose([shortfall(x) for x in t], want, rtol=5e-15)


# Against other ways to the same number


def test_one_objective_is_the_expected_improvement():
    mean, std = np.linspace(-2.0, 4.0, 61)[:, None], np.linspace(0.1, 2.0, 61)[:, None]
    with mp.workdps(40):
        rows = [(mp.mpf(float(m)) - 1, mp.mpf(float(s))) for m, s in zip(mean[:, 0], std[:, 0], strict=True)]
        want = [float(s * mp.npdf(d / s) + d * mp.ncdf(d / s)) for d, s in rows]
    got = expected_improvement(mean, std, prepare_front([[1.0], [0.2]], [-1.0]))
    np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
def test_a_known_outcome_brings_its_own_hypervolume(objectives):
    rng = np.random.default_rng(objectives)
    points, reference = concave(rng, 12, objectives), np.full(objectives, 0.05)
    mean = rng.uniform(0.0, 1.2, (40, objectives))
    before = hypervolume(points, reference)
    want = [hypervolume(np.vstack([points, outcome]), reference) - before for outcome in mean]
    got = expected_improvement(mean, np.full_like(mean, 1e-12), prepare_front(points, reference))
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_sampled_outcomes_grow_the_hypervolume_as_much(objectives):
    rng = np.random.default_rng(objectives)
    points, reference = concave(rng, 10, objectives), np.full(objectives, 0.1)
    mean, std = rng.uniform(0.2, 0.9, (3, objectives)), rng.uniform(0.05, 0.5, (3, objectives))
    got = expected_improvement(mean, std, prepare_front(points, reference))
    for value, m, s in zip(got, mean, std, strict=True):
        sampled, error = by_sampling(m, s, points, reference, rng.normal(size=(2500, objectives)))
        assert abs(value - sampled) < 4.5 * error


@pytest.mark.parametrize("case", BOTORCH, ids=lambda case: case["name"])
def test_values_and_gradients_agree_with_botorch(case):
    mean, std = np.array(case["mean"]), np.array(case["std"])
    front = prepare_front(case["points"], case["reference"])
    got = log_expected_improvement_gradient(mean, std, front)
    value = np.array(case["improvement"])
    np.testing.assert_allclose(expected_improvement(mean, std, front), value, rtol=1e-8)
    for ours, theirs in ((got.d_mean, case["d_mean"]), (got.d_spread, case["d_std"])):
        np.testing.assert_allclose(ours * value[:, None], theirs, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("below", [0.0, 40.0])
def test_gradient_is_the_limit_of_differences(objectives, below):
    rng = np.random.default_rng(objectives)
    mean, std = candidates(rng, 40, objectives)
    mean -= below * std
    front = prepare_front(concave(rng, 10, objectives), np.full(objectives, -0.1))
    got = log_expected_improvement_gradient(mean, std, front)
    by_mean, by_std = differences(lambda m, s: log_expected_improvement(m, s, front), mean, std)
    np.testing.assert_array_equal(got.gain.shape, (40,))
    largest = np.abs(np.hstack([by_mean, by_std]) * np.hstack([std, std])).max(axis=1, keepdims=True)
    assert (np.abs(got.d_mean - by_mean) * std <= 1e-8 * largest).all()
    assert (np.abs(got.d_spread - by_std) * std <= 1e-8 * largest).all()


@pytest.mark.parametrize("objectives", [1, 2, 4])
def test_sums_and_logarithms_give_the_same(objectives):
    rng = np.random.default_rng(objectives)
    mean, std = candidates(rng, 70, objectives)
    front = prepare_front(concave(rng, 15, objectives), np.full(objectives, -0.1))
    near = np.column_stack(log_expected_improvement_gradient(mean, std, front))
    far = np.full((70, 1 + 2 * objectives), np.nan)
    from_logarithms(front, mean, std, far)
    np.testing.assert_allclose(far, near, rtol=1e-11, atol=1e-12)


# Properties


@st.composite
def problems(draw):
    """(mean (N, L), std (N, L), points (S, L), reference (L,)): ties, duplicates, points below the reference, none."""
    objectives = draw(st.integers(1, 4))
    value = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5))
    points = draw(arrays(float, (draw(st.integers(0, 6)), objectives), elements=value))
    reference = draw(arrays(float, (objectives,), elements=st.one_of(st.just(-3.0), st.floats(-6, 0))))
    count = draw(st.integers(1, 3))
    far = st.one_of(st.integers(-3, 3).map(float), st.floats(-50, 50))
    mean = draw(arrays(float, (count, objectives), elements=far))
    log_std = draw(arrays(float, (count, objectives), elements=st.floats(-12, 3)))
    return mean, 10.0**log_std, points, reference


def close(got, want):
    """Equal up to what rounding the bounds' distances once more can do: a^2 eps, also in shares and slopes."""
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-11)


@given(problems())
def test_finite_input_gives_finite_output_that_only_grows(problem):
    mean, std, points, reference = problem
    front = prepare_front(points, reference)
    got = log_expected_improvement_gradient(mean, std, front)
    assert all(np.isfinite(part).all() for part in got)
    close(got.gain, log_expected_improvement(mean, std, front))
    size = np.hstack([got.d_mean * std, got.d_spread * std]).max(axis=1, keepdims=True)
    assert (got.d_mean >= 0.0).all()
    assert (got.d_spread * std >= -1e-14 * size).all()


@given(problems(), st.randoms(use_true_random=False))
def test_order_of_objectives_and_points_does_not_matter(problem, random):
    mean, std, points, reference = problem
    turn = random.sample(range(len(reference)), len(reference))
    shuffled = points[random.sample(range(len(points)), len(points))]
    one = log_expected_improvement_gradient(mean, std, prepare_front(points, reference))
    two = log_expected_improvement_gradient(
        mean[:, turn], std[:, turn], prepare_front(shuffled[:, turn], reference[turn])
    )
    close(two.gain, one.gain)
    largest = np.abs(np.hstack([one.d_mean * std, one.d_spread * std])).max(axis=1, keepdims=True)
    close(two.d_mean * std[:, turn] / largest, (one.d_mean * std)[:, turn] / largest)
    close(two.d_spread * std[:, turn] / largest, (one.d_spread * std)[:, turn] / largest)


@given(problems(), arrays(int, (4,), elements=st.integers(-30, 30)))
def test_units_multiply_the_improvement(problem, powers):
    mean, std, points, reference = problem
    unit = 2.0 ** powers[: len(reference)]
    here = log_expected_improvement(mean, std, prepare_front(points, reference))
    there = log_expected_improvement(mean * unit, std * unit, prepare_front(points * unit, reference * unit))
    close(there, here + np.log(unit).sum())


@given(problems(), arrays(float, (4,), elements=st.integers(-64, 64).map(float)))
def test_moving_everything_changes_nothing(problem, shifts):
    mean, std, points, reference = (np.round(part * 1024) / 1024 for part in problem)  # sums below are then exact
    std, shift = np.maximum(std, 2.0**-10), shifts[: len(reference)]
    here = log_expected_improvement(mean, std, prepare_front(points, reference))
    close(log_expected_improvement(mean + shift, std, prepare_front(points + shift, reference + shift)), here)


@given(problems(), arrays(float, (4,), elements=st.floats(-5, 5)))
def test_another_point_leaves_less_to_gain_and_a_useless_one_as_much(problem, extra):
    mean, std, points, reference = problem
    extra = extra[: len(reference)]
    before = log_expected_improvement(mean, std, prepare_front(points, reference))
    after = log_expected_improvement(mean, std, prepare_front(np.vstack([points, extra]), reference))
    assert (after <= before + 1e-11 + 1e-12 * np.abs(before)).all()
    useless = np.vstack([points, *(p - 1.0 for p in points), reference])
    close(log_expected_improvement(mean, std, prepare_front(useless, reference)), before)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_a_batch_is_a_loop_and_arguments_stay_untouched(seed):
    rng = np.random.default_rng(seed)
    mean, std = candidates(rng, 130, 3)
    front = prepare_front(concave(rng, 9, 3), np.zeros(3))
    mean.setflags(write=False)
    std.setflags(write=False)
    whole = log_expected_improvement(mean, std, front)
    alone = [log_expected_improvement(mean[n : n + 1], std[n : n + 1], front)[0] for n in range(130)]
    np.testing.assert_allclose(whole, alone, rtol=1e-13, atol=1e-13)


def test_many_candidates_are_shared_among_threads(monkeypatch):
    rng = np.random.default_rng(0)
    mean, std = candidates(rng, 1500, 4)
    front = prepare_front(concave(rng, 30, 4), np.zeros(4))
    monkeypatch.setattr(independent, "PIECE", 1)
    monkeypatch.setenv("PFES_THREADS", "3")
    shared = log_expected_improvement_gradient(mean, std, front)
    monkeypatch.undo()
    for ours, alone in zip(shared, log_expected_improvement_gradient(mean, std, front), strict=True):
        np.testing.assert_array_equal(ours, alone)


# The border


def test_no_candidates_give_no_values():
    front = prepare_front(STAIRS, [-1.0, -1.0])
    assert expected_improvement(np.empty((0, 2)), np.empty((0, 2)), front).shape == (0,)
    assert log_expected_improvement_gradient(np.empty((0, 2)), np.empty((0, 2)), front).d_mean.shape == (0, 2)


def test_absurd_magnitudes_stay_finite():
    mean = np.array([[1e300, -1e300], [1e-300, 0.0], [-1.0, 5.0], [0.2, 0.3]])
    std = np.array([[1e-10, 1e-10], [1e-308, 1e-300], [1e-200, 1e200], [1e-320, 1e-320]])
    got = log_expected_improvement(mean, std, prepare_front(STAIRS, [-1.0, -1.0]))
    assert np.isfinite(got).all()
    assert expected_improvement([[1e300, 1e300]], [[1.0, 1.0]], prepare_front([], [0.0, 0.0])) == np.inf


def test_a_front_keeps_what_counts_and_cannot_be_changed(frozen):
    points = frozen([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [-0.5, -0.5], [9.0, -1.0], [9.0, -2.0], [9.0, -np.inf]])
    front = prepare_front(points, frozen([-1.0, -1.0]))
    assert front.points.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert len(front.low) == 3
    with pytest.raises(ValueError, match="read-only"):
        front.values[0] = 1.0


FRONT = prepare_front(STAIRS, [-1.0, -1.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((3, 1)), np.ones((3, 1)), FRONT), r"mean: got shape \(3, 1\), wanted \(N, 2\)"),
        ((np.zeros(2), np.ones(2), FRONT), r"mean: got shape \(2,\)"),
        ((np.zeros((3, 2)), np.ones((2, 2)), FRONT), r"spread: got shape \(2, 2\), wanted \(3, 2\) as mean has"),
        ((np.full((3, 2), np.nan), np.ones((3, 2)), FRONT), "mean: got nan"),
        ((np.zeros((3, 2)), np.zeros((3, 2)), FRONT), "spread: got values that are nan, infinite, zero or negative"),
        (("high", np.ones((3, 2)), FRONT), "mean: got str that is not an array of numbers"),
        ((np.zeros((3, 2)), np.ones((3, 2)), STAIRS), r"front: got list, wanted a prepared front; try prepare_front"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        log_expected_improvement(*arguments)


@pytest.mark.parametrize(
    ("points", "reference", "message"),
    [
        (STAIRS, [0.0], r"points: got shape \(4, 2\), wanted \(S, 1\)"),
        ([1.0, 2.0], [0.0, 0.0], r"points: got shape \(2,\).*try points\[None, :\]"),
        ([[1.0, 2.0], [3.0]], [0.0, 0.0], "points: got list that is no table of numbers"),
        ([[1.0, 2.0], [3.0, np.nan]], [0.0, 0.0], "points: got nan or .inf in row 1"),
        ([[1.0, np.inf]], [0.0, 0.0], "points: got nan or .inf in row 0"),
        (STAIRS, 0.0, "reference: got 0.0, wanted L finite numbers"),
        (STAIRS, [0.0, np.inf], "reference: got .*wanted L finite numbers.*try a little below"),
        (STAIRS, "low", "reference: got 'low', wanted L finite numbers"),
    ],
)
def test_wrong_fronts(points, reference, message):
    with pytest.raises(InvalidInput, match=message):
        prepare_front(points, reference)
