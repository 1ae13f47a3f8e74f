"""Every estimator against high-precision arithmetic, value and gradient, in every regime (oracles/reference.json)."""

import pytest

from information import cases
from pfes.information import exact, matched

VALUE, GRADIENT = 1e-11, 1e-9


def errors_of(key, value, gradient):
    values, gradients = [], []
    for case in cases.load(key):
        arguments = cases.arguments(case)
        settings = () if key in ("coupled", "decoupled") else (cases.delta(case),)
        slopes = gradient(*arguments, *settings)
        got = value(*arguments, *settings)
        assert got.tolist() == slopes.gain.tolist()
        values.append((cases.value_error(got[0], case[key]), case["regime"]))
        gradients.append((cases.gradient_error(slopes, case, key), case["regime"]))
    assert len(values) > 100
    return values, gradients


@pytest.mark.parametrize(
    ("key", "value", "gradient"),
    [
        ("coupled", exact.coupled, exact.coupled_gradient),
        ("decoupled", exact.decoupled, exact.decoupled_gradient),
        ("coupled_matched", matched.coupled, matched.coupled_gradient),
        ("decoupled_matched", matched.decoupled, matched.decoupled_gradient),
    ],
)
def test_values_and_gradients_agree_with_high_precision(key, value, gradient):
    values, gradients = errors_of(key, value, gradient)
    assert max(values)[0] < VALUE, cases.worst(values)
    assert max(gradients)[0] < GRADIENT, cases.worst(gradients)
