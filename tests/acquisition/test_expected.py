"""What is under way, believed to bring what is expected of it."""

import numpy as np
import pytest

from pfes.acquisition.expected import expecting
from pfes.testing import example_model

X = np.array([0.9, 0.1, 0.5])
DELTA = np.array([1e-3, 1e-2])


@pytest.mark.parametrize("which", [(0,), (1,), (0, 1)])
def test_no_mean_moves_and_what_was_asked_for_becomes_known(which: tuple[int, ...]) -> None:
    model, anywhere = example_model(2), np.random.default_rng(0).uniform(size=(50, 3))
    assert np.abs(model.predict(X[None]).mean).min() > 0.1  # so that a mean of 0 would be seen
    after, levels = expecting(model, X, which, DELTA)
    np.testing.assert_allclose(after.predict(anywhere).mean, model.predict(anywhere).mean, atol=1e-9)
    before, std = model.predict(X[None]).std[0], after.predict(X[None]).std[0]
    for l in range(2):
        left = before[l] * DELTA[l] / np.hypot(before[l], DELTA[l]) if l in which else before[l]
        assert std[l] == pytest.approx(left, rel=1e-4)
    assert len(levels) == (len(which) == 2)


def test_a_point_is_complete_once_its_last_objective_is_under_way() -> None:
    model = example_model(2)
    first = expecting(model, X, [0], DELTA)
    second = expecting(first.model, X, [1], DELTA)
    assert not len(first.levels)
    np.testing.assert_allclose(second.levels, model.predict(X[None]).mean, atol=1e-9)
