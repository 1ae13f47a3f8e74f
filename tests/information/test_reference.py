"""Every estimator against high-precision arithmetic, value and gradient, in every regime (oracles/reference.json)."""

import numpy as np
import pytest

from information import cases
from pfes.information import exact, matched, noisy

VALUE, GRADIENT = 1e-11, 1e-9


def errors_of(key, value, gradient):
    values, gradients = [], []
    for case in cases.load(key):
        arguments = cases.arguments(case)
        settings = () if key in ("coupled", "decoupled") else (cases.delta(case),)
        slopes = gradient(*arguments, *settings)
        got = value(*arguments, *settings)
        np.testing.assert_allclose(got, slopes.gain, rtol=1e-14)
        # where the deviation is 1e-12 of the resolution, the reference's integral is good to 1e-34 only
        floor = 1e-34 if key == "decoupled_noisy" and "1e-12" in case["regime"] else 1e-300
        values.append((cases.value_error(got[0], case[key], floor), case["regime"]))
        if f"{key}_d_mean" in case:
            gradients.append((cases.gradient_error(slopes, case, key), case["regime"]))
    assert min(len(values), len(gradients)) > 40
    return values, gradients


@pytest.mark.parametrize(
    ("key", "value", "gradient"),
    [
        ("coupled", exact.coupled, exact.coupled_gradient),
        ("decoupled", exact.decoupled, exact.decoupled_gradient),
        ("coupled_matched", matched.coupled, matched.coupled_gradient),
        ("decoupled_matched", matched.decoupled, matched.decoupled_gradient),
        ("decoupled_noisy", noisy.decoupled, noisy.decoupled_gradient),
    ],
)
def test_values_and_gradients_agree_with_high_precision(key, value, gradient):
    values, gradients = errors_of(key, value, gradient)
    assert max(values)[0] < VALUE, cases.worst(values)
    assert max(gradients)[0] < GRADIENT, cases.worst(gradients)
