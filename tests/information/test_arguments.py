"""Wrong arguments are told what was got, what was wanted and what to try."""

import numpy as np
import pytest

from pfes.errors import InvalidFrontier, InvalidInput
from pfes.information import coupled, exact, prepare

MEAN, STD = np.zeros((3, 2)), np.ones((3, 2))
FRONT = [np.array([[0.0, 1.0], [1.0, 0.0]])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((MEAN, STD[:, :1], FRONT), r"spread: got shape \(3, 1\), wanted \(N, 2\)"),
        ((MEAN, np.ones((3, 2, 3)), FRONT), r"spread: got shape \(3, 2, 3\), wanted covariances \(N, 2, 2\)"),
        ((MEAN, -np.ones((3, 2, 2)), FRONT), "spread: got covariances that are nan, infinite, or not above 0"),
        ((MEAN, np.tile([[1.0, 0.5], [0.1, 1.0]], (3, 1, 1)), FRONT), "spread: got covariances that are not symmetric"),
        ((MEAN, np.tile([[1.0, 2.0], [2.0, 1.0]], (3, 1, 1)), FRONT), "spread: got covariances with negative eigen"),
        ((MEAN[:2], STD, FRONT), r"mean: got shape \(2, 2\), wanted \(3, 2\).*one mean per frontier"),
        ((np.zeros((2, 3, 2)), STD, FRONT), r"mean: got shape \(2, 3, 2\)"),
        ((MEAN + np.nan, STD, FRONT), "mean: got nan"),
        ((MEAN, STD - 1.0, FRONT), "spread: got values that are nan, infinite, zero or negative"),
        ((MEAN, STD * np.inf, FRONT), "spread: got values"),
        ((MEAN, STD, FRONT, [0.1, 0.1, 0.1]), r"resolution: got shape \(3,\), wanted a number or one per objective"),
        ((MEAN, STD, FRONT, -0.1), "resolution: got -0.1, wanted finite deviations of at least 0"),
        ((MEAN, STD, FRONT, np.nan), "resolution: got nan"),
        (("high", STD, FRONT), "mean: got str that is not an array of numbers"),
        ((MEAN, STD, FRONT, None), "resolution: got NoneType that is not an array of numbers"),
        ((MEAN, STD, FRONT, []), r"resolution: got shape \(0,\), wanted a number or one per objective"),
        ((MEAN, STD, FRONT, np.zeros(7)), r"resolution: got shape \(7,\), wanted a number or one per objective"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        coupled(*arguments)


@pytest.mark.parametrize(
    ("frontiers", "message"),
    [
        ([], "got no frontier"),
        (FRONT[0], r"got one array of shape \(2, 2\) where a list of frontiers was wanted; try \[frontier\]"),
        ([[0.0, 1.0], [1.0, 0.0]], r"got one frontier where a list of frontiers was wanted; try \[frontier\]"),
        (5, "got int where a list of frontiers was wanted"),
        ([[[1.0, 2.0], [3.0]]], "no table of numbers"),
        (["front"], "no table of numbers"),
        ([FRONT[0], np.zeros((1, 3))], r"got frontiers of \[2, 3\] objectives"),
    ],
)
def test_wrong_frontiers(frontiers, message):
    with pytest.raises(InvalidFrontier, match=message):
        prepare(frontiers)


def test_prepared_frontiers_say_what_they_are():
    ready = prepare([FRONT[0], np.zeros((1, 2))])
    assert repr(ready) == "Frontiers(R=2, L=2, points 1 to 2, 3 cells)"
    assert [len(f.points) for f in ready] == [2, 1]


def test_prepared_frontiers_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        prepare(FRONT)[0].values[1] = 99.0


def test_the_theorems_know_no_noise():
    with pytest.raises(InvalidInput, match="wanted 0: the theorems know no noise; try matched, power or noisy"):
        exact.decoupled(MEAN, STD, FRONT, 0.1)
