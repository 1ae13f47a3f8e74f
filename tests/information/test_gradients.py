"""Gradients against central differences, for more objectives and points than the reference holds."""

import numpy as np
import pytest

from information.fronts import candidates, concave, thresholds
from pfes.information import exact, matched, noisy, power

STEP = 1e-4


def differences(gain, mean, std):
    """d gain / d mean and d std by central differences of fourth order, the last axis being the coordinate."""

    def along(k, which):
        move = np.zeros(mean.shape)
        move[:, k] = STEP * std[:, k]

        def at(steps):
            return gain(mean + steps * move, std) if which == "mean" else gain(mean, std + steps * move)

        change = 8 * (at(1) - at(-1)) - (at(2) - at(-2))
        return change / (12 * move[:, k]).reshape(-1, *[1] * (change.ndim - 1))

    return tuple(np.stack([along(k, which) for k in range(mean.shape[1])], axis=-1) for which in ("mean", "std"))


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("verb", ["coupled", "decoupled"])
@pytest.mark.parametrize("estimator", [exact, matched, power], ids=lambda e: e.__name__.rsplit(".", 1)[-1])
def test_gradient_is_the_limit_of_differences(estimator, verb, objectives):
    rng = np.random.default_rng(objectives)
    mean, std = candidates(rng, 40, objectives)
    frontiers = [concave(rng, 8, objectives) for _ in range(2)]
    frontiers.append(np.vstack([concave(rng, 8, objectives), thresholds(rng.uniform(-0.2, 0.2, objectives))]))
    resolution = () if estimator is exact else (rng.uniform(0.01, 0.3, objectives),)
    slopes = getattr(estimator, f"{verb}_gradient")(mean, std, frontiers, *resolution)
    by_mean, by_std = differences(lambda m, s: getattr(estimator, verb)(m, s, frontiers, *resolution), mean, std)
    scale = std[:, None, :] if verb == "decoupled" else std
    largest = max(np.abs(by_mean * scale).max(), 1.0)
    np.testing.assert_allclose(slopes.d_mean * scale, by_mean * scale, rtol=1e-6, atol=1e-9 * largest)
    np.testing.assert_allclose(slopes.d_spread * scale, by_std * scale, rtol=1e-6, atol=1e-9 * largest)


@pytest.mark.parametrize("objectives", [1, 2, 4])
def test_gradient_of_the_noisy_gain_is_the_limit_of_differences(objectives):
    rng = np.random.default_rng(objectives)
    mean, std = candidates(rng, 12, objectives)
    frontiers = [np.vstack([concave(rng, 8, objectives), thresholds(rng.uniform(-0.2, 0.2, objectives))])]
    delta = rng.uniform(0.01, 0.3, objectives)
    slopes = noisy.decoupled_gradient(mean, std, frontiers, delta)
    by_mean, by_std = differences(lambda m, s: noisy.decoupled(m, s, frontiers, delta), mean, std)
    scale = std[:, None, :]
    np.testing.assert_allclose(slopes.d_mean * scale, by_mean * scale, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(slopes.d_spread * scale, by_std * scale, rtol=1e-6, atol=1e-8)
