"""Probabilities of both sides of a frontier: against draws, high precision and differences."""

import mpmath
import numpy as np
import pytest

from pfes.acquisition.mass import below, log_mass, log_mass_gradient, undominating
from pfes.information import prepare


def sphere(size: int, objectives: int, seed: int = 0) -> np.ndarray:
    directions = np.abs(np.random.default_rng(seed).standard_normal((size, objectives)))
    return directions / np.linalg.norm(directions, axis=1)[:, None]


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_shares_of_draws(objectives: int) -> None:
    rng, points = np.random.default_rng(objectives), sphere(12, objectives)
    mean, std = rng.normal(0.3, 0.7, (5, objectives)), rng.uniform(0.2, 1.0, (5, objectives))
    frontier = prepare([points])[0]
    found = np.exp(log_mass([below(frontier), undominating(frontier)], mean, std))
    draws = mean + std * rng.standard_normal((100_000, 5, objectives))
    dominated = np.zeros(draws.shape[:2], dtype=bool)
    undominated = np.ones(draws.shape[:2], dtype=bool)
    for point in points:
        dominated |= (draws <= point).all(axis=2)
        undominated &= ~(draws >= point).all(axis=2)
    np.testing.assert_allclose(found, [dominated.mean(axis=0), undominated.mean(axis=0)], atol=0.007)  # 4 deviations


def log_below(points: list[tuple[float, float]], mean: float, std: float) -> float:
    """log P(f is dominated), f of two equal objectives, with as many digits as it takes."""
    with mpmath.workdps(400):

        def mass(bound: float) -> mpmath.mpf:
            return mpmath.ncdf((mpmath.mpf(bound) - mean) / mpmath.mpf(std))

        total, before = mpmath.mpf(0), mpmath.mpf(0)
        for first, second in sorted(points):
            total += (mass(first) - before) * mass(second)
            before = mass(first)
        return float(mpmath.log(total))


@pytest.mark.parametrize("mean", [-30.0, -8.0, -3.0, 0.0, 1.0, 5.0, 12.0, 60.0, 1000.0])
def test_no_digits_are_lost_far_from_the_frontier(mean: float) -> None:
    points = [(0.0, 1.0), (0.5, 0.6), (1.0, 0.0)]
    (found,) = log_mass([below(prepare([points])[0])], np.full((1, 2), mean), np.ones((1, 2)))
    assert found[0] == pytest.approx(log_below(points, mean, 1.0), rel=1e-10, abs=0.0)


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_gradients_are_differences_near_and_far(objectives: int) -> None:
    frontier = prepare([sphere(9, objectives)])[0]
    regions = [below(frontier), undominating(frontier), None]
    mean = np.array([-2.0, 0.3, 0.9, 3.0, 60.0])[:, None] + np.linspace(0.0, 0.2, objectives)
    std = np.full_like(mean, 0.5)
    found = log_mass_gradient(regions, mean, std)
    np.testing.assert_array_equal(found.value, log_mass(regions, mean, std))
    for l, step in enumerate(1e-5 * np.eye(objectives)):
        by_mean = (log_mass(regions, mean + step, std) - log_mass(regions, mean - step, std)) / 2e-5
        by_std = (log_mass(regions, mean, std + step) - log_mass(regions, mean, std - step)) / 2e-5
        np.testing.assert_allclose(found.d_mean[..., l], by_mean, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(found.d_std[..., l], by_std, rtol=1e-5, atol=1e-7)


def test_each_region_may_have_its_own_prediction() -> None:
    frontiers = prepare([sphere(9, 2), 1.4 * sphere(9, 2)])
    regions = [below(frontier) for frontier in frontiers]
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=(2, 600, 2)), rng.uniform(0.2, 1.0, (2, 600, 2))
    together = log_mass(regions, mean, std)
    for r in range(2):
        np.testing.assert_array_equal(together[r], log_mass([regions[r]], mean[r], std[r])[0])


def test_thresholds_leave_nothing_to_dominate_but_real_points() -> None:
    points = np.array([[0.5, 0.5], [0.0, np.inf], [np.inf, 0.2]])
    region = undominating(prepare([points])[0])
    found = log_mass([region], np.full((1, 2), 0.5), np.full((1, 2), 1e-3))
    assert found[0, 0] == pytest.approx(np.log(0.75))
    assert undominating(prepare([points[1:]])[0]) is None
