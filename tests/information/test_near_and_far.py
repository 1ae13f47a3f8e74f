"""The sums and the logarithms are two ways to the same numbers: where both are accurate they agree."""

import numpy as np
import pytest

from information.fronts import candidates, concave, thresholds
from pfes.information import prepare
from pfes.information.exact import COUPLED_SLOPES, DECOUPLED
from pfes.information.kernels.marginal import EXACT, MATCHED, POWER
from pfes.information.matched import COUPLED as COUPLED_MATCHED


def both(kernels, frontier, mean, std, columns, *settings):
    near, far = np.zeros((len(mean), columns)), np.full((len(mean), columns), np.nan)
    kernels.near(frontier, mean, std, *settings, near)
    kernels.far(frontier, mean, std, *settings, far)
    seen = ~np.isnan(near[:, 0])
    assert seen.mean() > 0.5
    return near[seen], far[seen], std[seen]


def assert_agree(near, far, std, gains):
    scale = np.tile(std, (near.shape[1] - gains) // std.shape[1])
    np.testing.assert_allclose(near[:, :gains], far[:, :gains], rtol=1e-8, atol=1e-11)
    norm = np.abs(far[:, gains:] * scale).max(axis=1, keepdims=True) + 1e-2
    np.testing.assert_allclose(near[:, gains:] * scale / norm, far[:, gains:] * scale / norm, rtol=0, atol=1e-8)


@pytest.mark.parametrize("with_thresholds", [False, True])
@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
def test_sums_agree_with_logarithms(objectives, with_thresholds):
    rng = np.random.default_rng(objectives)
    mean, std = candidates(rng, 60, objectives)
    points = concave(rng, 9, objectives)
    if with_thresholds:
        points = np.vstack([points, thresholds(rng.uniform(-0.3, 0.1, objectives))])
    frontier, delta = prepare([points])[0], rng.uniform(0.01, 0.2, objectives)
    one, many = 1 + 2 * objectives, objectives + 2 * objectives**2
    assert_agree(*both(COUPLED_SLOPES, frontier, mean, std, one), 1)
    assert_agree(*both(COUPLED_MATCHED, frontier, mean, std, one, delta), 1)
    for kind in (EXACT, MATCHED, POWER):
        assert_agree(*both(DECOUPLED, frontier, mean, std, many, kind, delta), objectives)
