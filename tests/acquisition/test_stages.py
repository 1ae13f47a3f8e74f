"""The first stage of a point: conditioning against sums of precisions, the best rule against all rules."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.acquisition import Ehvi
from pfes.acquisition.stages import best_rate, outcomes
from pfes.improvement import expected_improvement
from pfes.objectives import Option
from pfes.testing import example_model

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("delta", [1e-12, 0.1, 30.0])
def test_what_is_seen_and_what_is_left_add_up_to_what_was_not_known(number: int, delta: float) -> None:
    mean, std = RNG.normal(size=(4, number)), RNG.uniform(0.1, 2.0, size=(4, number))
    for objective in range(number):
        seen = outcomes(mean, std, objective, delta)
        weight = np.exp(seen.log_weight)[:, None, None]
        np.testing.assert_allclose((weight * seen.mean).sum(axis=0), mean, atol=1e-12)
        moved = (weight * (seen.mean - mean) ** 2).sum(axis=0)
        np.testing.assert_allclose(moved + seen.spread**2, std**2, rtol=1e-6, atol=1e-12)
        left = 1.0 / (1.0 / std[:, objective] ** 2 + 1.0 / delta**2)  # precisions add up
        np.testing.assert_allclose(seen.spread[:, objective] ** 2, left, rtol=1e-6, atol=1e-17)


def test_extreme_deviations_stay_finite_and_positive() -> None:
    for spread in (np.full((2, 3), 1e-12), np.full((2, 3), 1e12)):
        for delta in (0.0, 1e-12, 1e12):
            seen = outcomes(np.zeros((2, 3)), spread, 0, delta)
            assert np.isfinite(seen.mean).all()
            assert np.isfinite(seen.spread).all()
            assert (seen.spread > 0.0).all()


def test_where_each_frontier_has_its_own_mean_each_is_moved_alike() -> None:
    mean, std = RNG.normal(size=(4, 5, 2)), RNG.uniform(0.1, 2.0, size=(5, 2))
    every = outcomes(mean, std, 0, 0.1)
    for r in range(4):
        np.testing.assert_array_equal(every.mean[:, r], outcomes(mean[r], std, 0, 0.1).mean)


@given(
    st.lists(st.tuples(st.floats(-50.0, 5.0), st.floats(0.01, 1.0)), min_size=1, max_size=7),
    st.floats(0.01, 100.0),
    st.floats(0.0, 100.0),
)
def test_no_rule_when_to_go_on_has_more_improvement_per_cost(
    outcome: list[tuple[float, float]], cost: float, rest: float
) -> None:
    logs, weights = np.array(outcome).T
    weights = weights / weights.sum()
    sets = itertools.product([False, True], repeat=len(logs))
    rules = [np.flatnonzero(each) for each in sets if any(each)]
    rates = [(weights[g] * np.exp(logs[g])).sum() / (cost + rest * weights[g].sum()) for g in rules]
    found = np.exp(best_rate(logs[:, None], np.log(weights), cost, np.array([rest])))[0]
    assert found == pytest.approx(max(rates), rel=1e-9)
    assert found >= (weights * np.exp(logs)).sum() / (cost + rest) * (1.0 - 1e-9)  # to go on always is one of them


def test_nothing_to_be_gained_is_minus_infinity_not_an_error() -> None:
    rate = best_rate(np.full((3, 2), -np.inf), np.log(np.full(3, 1 / 3)), 1.0, np.array([0.0, 5.0]))
    assert (rate == -np.inf).all()


def test_a_first_stage_is_worth_what_the_best_rule_finds_on_a_fine_grid_of_outcomes() -> None:
    model = example_model(2)
    x = np.random.default_rng(5).uniform(size=(6, 3))
    hold = Ehvi(model, (Option((0,), 1.0),), np.array([[0.0, 0.1], [0.2, -0.3]]), np.full(2, -1.0), np.full(2, 0.1), x)
    mean, std = model.predict(x)
    seen = outcomes(mean, std, 1, 0.1)
    each = np.stack([hold.expected_of(means, seen.spread) for means in seen.mean])
    rest = np.full(len(x), 5.0)
    ours = np.exp(best_rate(each, seen.log_weight, 1.0, rest))
    edges = np.linspace(-6.0, 6.0, 4001)
    weight = np.exp(-(edges**2) / 2.0)
    weight /= weight.sum()
    total = np.hypot(std[:, 1], 0.1)
    left = std.copy()
    left[:, 1] = std[:, 1] * 0.1 / total
    gains = []
    for z in edges:
        moved = mean.copy()
        moved[:, 1] += z * std[:, 1] ** 2 / total
        gains.append(expected_improvement(moved, left, hold.fronts[0]))
    for n in range(len(x)):
        order = np.argsort(-np.array(gains)[:, n])
        gain = np.cumsum((np.array(gains)[:, n] * weight)[order])
        best = (gain / (1.0 + 5.0 * np.cumsum(weight[order]))).max()
        assert ours[n] == pytest.approx(best, rel=0.1)  # twelve nodes: a kink falls between two of them
        assert ours[n] > gain[-1] / 6.0
