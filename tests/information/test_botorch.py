"""Theorem 1 against BoTorch's values, recorded where its clamp does not bite (fixtures/botorch_information.json)."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfes.information import coupled_gradient

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "botorch_information.json").read_text())


CASES = [case for case in FIXTURE["cases"] if len(case["mean"]) > 1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_values_and_gradients_agree_where_its_clamp_does_not_bite(case):
    ours = coupled_gradient(np.array(case["mean"]), np.array(case["std"]), [np.array(f) for f in case["frontiers"]])
    clamped = np.array(case["clamped"])
    assert (~clamped).sum() >= 10
    for mine, theirs in zip(ours, (case["gain"], case["d_mean"], case["d_std"]), strict=True):
        np.testing.assert_allclose(mine[~clamped], np.array(theirs)[~clamped], rtol=1e-7, atol=1e-10)
    assert np.abs(ours.gain - case["gain"])[clamped].max() > 1e-3  # what the clamp costs


def test_ten_deviations_above_the_clamp_takes_over():
    (case,) = [case for case in FIXTURE["cases"] if len(case["mean"]) == 1]
    ours = coupled_gradient(np.array(case["mean"]), np.array(case["std"]), [np.array(f) for f in case["frontiers"]])
    assert ours.gain[0] == pytest.approx(4.6878214861765806, rel=1e-14)
    assert case["gain"][0] > 70
