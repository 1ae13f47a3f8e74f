"""The formulas against BoTorch, pymoo and jMetalPy, recorded by make_values.py."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfes import problems

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "problem_values.json").read_text(encoding="utf-8"))


def label(case):
    return "-".join([case["name"], *(f"{key}{value}" for key, value in case["size"].items()), case["source"]])


@pytest.mark.parametrize("case", FIXTURE["cases"], ids=label)
def test_values_agree_with_other_libraries(case, frozen):
    problem = problems.get(case["name"], **case["size"])
    np.testing.assert_allclose(problem.truth(frozen(np.array(case["x"]))), case["values"], rtol=1e-10, atol=1e-12)


def test_every_problem_with_a_counterpart_is_compared():
    ours_alone = {"ackley_sphere", "bismuth_oxide", "perovskite"}
    assert {case["name"] for case in FIXTURE["cases"]} == set(problems.names()) - ours_alone


def test_ackley_and_sphere_have_their_known_values():
    values = problems.ackley_sphere().truth(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]))
    assert values[0, 0] == 0.0  # Ackley's minimum, at its centre
    assert values[1, 0] == pytest.approx(20 - 20 * np.exp(-0.2))  # where all cosines are 1
    np.testing.assert_array_equal(values[:, 1], [5.0, 1.0, 0.0])


def test_currin_is_finite_where_its_formula_divides_by_zero():
    edge = problems.branin_currin().values(np.array([[0.3, 0.0], [0.3, 1e-9]]))
    np.testing.assert_allclose(edge[0], edge[1], rtol=1e-7)
