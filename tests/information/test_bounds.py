"""The coupled bounds against the truth for two objectives (the reference's two-dimensional integral)."""

import numpy as np

from information import cases
from pfes.information import matched, power


def bracketed():
    for case in cases.load("coupled_noisy"):
        arguments, delta = cases.arguments(case), cases.delta(case)
        yield case["coupled_noisy"], matched.coupled(*arguments, delta)[0], power.coupled(*arguments, delta)[0]


def test_the_truth_lies_between_the_coupled_bounds():
    truth, low, high = np.array(list(bracketed())).T
    assert len(truth) > 40
    assert (low <= truth + 1e-7 * np.abs(truth)).all()
    assert (truth <= high + 1e-7 * np.abs(truth)).all()


def test_the_bounds_are_close_where_the_gain_matters():
    truth, low, high = np.array(list(bracketed())).T
    large = truth > 0.01
    assert large.sum() > 20
    assert np.median(low[large] / truth[large]) > 0.85
    assert np.median(high[large] / truth[large]) < 1.25
