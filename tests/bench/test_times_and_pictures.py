"""Times of acquisitions by their parts, and the numbers behind the explanatory figures."""

from typing import Any

import numpy as np
import pytest

from pfes.bench.cases import problem_of
from pfes.bench.experiment import MethodTable, ProblemTable
from pfes.bench.explain import dominated, truncation
from pfes.bench.jobs import Job
from pfes.bench.stopwatch import times
from pfes.bench.summary.contents import document
from pfes.bench.summary.figures import Dominated, Truncation
from pfes.bench.work import finished
from pfes.errors import InvalidInput

BRANIN = problem_of(ProblemTable(name="branin_currin"))
PAPER = MethodTable(name="information", recipe="paper", sampling="paper", estimator="exact", frontiers=2)


def test_the_parts_of_the_papers_recipe_are_timed_and_counted() -> None:
    parts = times(BRANIN, PAPER, 0, train=20, candidates=10)["parts"]
    many = parts["points of a frontier"]
    assert 2 <= many <= 50
    # two objectives: a cell for each point by staircase, S (S + 1) / 2 of the grid
    assert parts["number of cells, qhv"] == parts["number of cells, hbda"] == many
    assert parts["number of cells, grid"] >= many * (many + 1) / 2 - 1e-6
    for part in ("whole", "features", "NSGA-II", "entropy", "cells, qhv"):
        assert parts[part] > 0.0


def test_methods_without_an_acquisition_cannot_be_timed() -> None:
    with pytest.raises(InvalidInput, match="random has no acquisition"):
        times(BRANIN, MethodTable(name="random"), 0, 10, 10)


def job(kind: str, method: dict[str, Any], **more: Any) -> Job:
    settings = {"kind": kind, "problem": {"name": "branin_currin"}, "method": method, "seed": 0} | more
    return Job(settings, "try", "Branin", "how", ())


def test_times_become_a_table() -> None:
    lines = [finished(job("times", {"name": "ehvi"}, train=n, candidates=5)) for n in (8, 12)]
    section = document(lines, "x").sections[0]
    assert section.title == "Branin: times"
    table = section.blocks[0]
    assert table.columns == ("method", "", "8 points", "12 points")
    assert table.rows[0][:2] == ("how", "whole")
    assert all("±" in cell for cell in table.rows[0][2:])


def test_the_map_of_domination_falls_from_one_to_none() -> None:
    found = dominated(BRANIN, 0, 8)
    maps = [np.array(found["before"]), *(np.array(case["after"]) for case in found["cases"])]
    for values in maps:
        assert values.min() == 0.0
        assert values.max() == 1.0
        assert np.all(np.diff(values, axis=0) <= 0.0)
        assert np.all(np.diff(values, axis=1) <= 0.0)
    much, little = (case["gain"] for case in found["cases"])
    assert much > 10.0 * little
    chart = Dominated(found).chart()
    assert [panel.title.split()[0] for panel in chart.panels] == ["before", "before", "after", "after"]


def test_what_is_left_below_the_frontier_is_a_density_and_its_entropy_is_the_gain() -> None:
    found = truncation(BRANIN, 0, 12)
    x, y = (np.array(axis) for axis in found["axes"])
    first = np.array(found["first_truncated"])
    assert np.trapezoid(first, x) == pytest.approx(1.0, abs=0.02)
    whole = np.array(found["truncated"])
    area = (x[1] - x[0]) * (y[1] - y[0])
    assert whole.sum() * area == pytest.approx(1.0, abs=0.05)

    def entropy(density: np.ndarray) -> np.ndarray:
        return -density * np.log(np.where(density > 0.0, density, 1.0))

    before = np.log(2 * np.pi * np.e * np.prod(found["std"]))
    assert before - entropy(whole).sum() * area == pytest.approx(found["gain"], abs=0.06)
    single = 0.5 * np.log(2 * np.pi * np.e * found["std"][0] ** 2)
    assert single - np.trapezoid(entropy(first), x) == pytest.approx(found["single_gains"][0], abs=0.03)
    assert len(found["cells"]) == len(found["frontier"])
    assert len(Truncation(found).chart().panels) == 4


def test_pictures_become_sections() -> None:
    lines = [finished(job("picture", {"name": name}, start=8)) for name in ("dominated", "truncation")]
    assert ["error" in line for line in lines] == [False, False]
    found = document(lines, "x")
    assert [section.title for section in found.sections[:2]] == ["how: Branin, seed 0"] * 2
    assert [picture.name.split("-")[0] for picture in found.pictures] == ["dominated", "truncation"]


def test_three_objectives_cannot_be_drawn() -> None:
    with pytest.raises(InvalidInput, match="wanted two"):
        dominated(problem_of(ProblemTable(name="vehicle_safety")), 0, 8)
