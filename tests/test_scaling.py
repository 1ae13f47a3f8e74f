import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pfes.objectives import Objective
from pfes.scaling import Scaling

reals = st.floats(-1e6, 1e6, allow_subnormal=False)


@pytest.mark.parametrize("transform", ["none", "log", "power"])
@pytest.mark.parametrize("goal", ["max", "min"])
def test_levels_have_mean_0_and_deviation_1_and_lead_back(transform: str, goal: str) -> None:
    values = np.random.default_rng(0).lognormal(1.0, 2.0, 60)
    scaling = Scaling.of(values, Objective("a", goal, transform=transform))  # type: ignore[arg-type]
    levels = scaling.forward(values)
    assert abs(levels.mean()) < 1e-9
    assert levels.std() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(scaling.backward(levels), values, rtol=1e-9)
    better = np.argmax(values) if goal == "max" else np.argmin(values)
    assert np.argmax(levels) == better


@given(arrays(float, st.integers(0, 20), elements=reals), st.sampled_from(["none", "power"]))
def test_flipping_goal_and_data_changes_no_bit(values: np.ndarray, transform: str) -> None:
    up = Scaling.of(values, Objective("a", "max", transform=transform))  # type: ignore[arg-type]
    down = Scaling.of(-values, Objective("a", "min", transform=transform))  # type: ignore[arg-type]
    np.testing.assert_array_equal(up.forward(values), down.forward(-values))


@pytest.mark.parametrize("size", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("transform", ["none", "power"])
def test_any_size_of_values_is_scaled(size: float, transform: str) -> None:
    values = size * np.array([1.0, 2.0, 3.0, 5.0, 8.0, 13.0])
    scaling = Scaling.of(values, Objective("a", transform=transform))  # type: ignore[arg-type]
    assert scaling.forward(values).std() == pytest.approx(1.0)
    np.testing.assert_allclose(scaling.backward(scaling.forward(values)), values, rtol=1e-9)


@pytest.mark.parametrize("values", [[], [0.0], [7.0], [3.0, 3.0, 3.0], [1e-12] * 6, [-1e12] * 6])
@pytest.mark.parametrize("transform", ["none", "power"])
def test_constants_and_nothing_are_scaled(values: list[float], transform: str) -> None:
    scaling = Scaling.of(values, Objective("a", transform=transform))  # type: ignore[arg-type]
    assert np.abs(scaling.forward(values)).max(initial=0.0) < 1e-9
    assert scaling.scale > 0.0


def test_a_skewed_sample_becomes_less_skewed() -> None:
    values = np.random.default_rng(1).gamma(0.5, 1.0, 200)
    levels = Scaling.of(values, Objective("a", transform="power")).forward(values)
    plain = (values - values.mean()) / values.std()
    assert abs(np.mean(levels**3)) < 0.3 * abs(np.mean(plain**3))


@pytest.mark.parametrize("transform", ["none", "log", "power"])
@pytest.mark.parametrize("goal", ["max", "min"])
def test_small_deviations_follow_the_slope(transform: str, goal: str) -> None:
    values = np.random.default_rng(2).lognormal(0.0, 1.0, 40)
    scaling = Scaling.of(values, Objective("a", goal, transform=transform))  # type: ignore[arg-type]
    step = 1e-6
    measured = np.abs(scaling.forward(values + step) - scaling.forward(values - step)) / 2.0
    np.testing.assert_allclose(scaling.deviation(step, values), measured, rtol=1e-4)


def test_an_interval_comes_back_in_the_users_units() -> None:
    values = np.array([10.0, 20.0, 30.0, 40.0])
    scaling = Scaling.of(values, Objective("a", "min"))
    mean, std = scaling.interval(scaling.forward([15.0]), np.array([0.5]))
    assert mean == pytest.approx([15.0])
    assert std == pytest.approx([0.5 * values.std()])


def test_a_threshold_below_all_logs_is_minus_infinity_not_nan() -> None:
    scaling = Scaling.of([1.0, 2.0, 4.0], Objective("a", transform="log"))
    assert scaling.forward(0.0) == -np.inf


def test_intervals_that_reach_beyond_the_largest_number_are_wide_and_not_complained_about() -> None:
    scaling = Scaling.of([1e308, -1e308, 1.7e308], Objective("y"))
    mean, std = scaling.interval(np.array([0.0, 0.0, 9.0]), np.array([0.5, 3.0, 0.1]))
    assert np.isfinite(mean[:2]).all()
    assert (np.isfinite(std[0]), std[1], mean[2]) == (True, np.inf, np.inf)
