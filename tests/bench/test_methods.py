"""Methods of other packages, where they are installed; where they are not, what to install is said."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pfes.bench.cases import problem_of
from pfes.bench.experiment import MethodTable, ProblemTable
from pfes.bench.methods import OUTSIDE, Record, Start, begun, missing_packages, obstacle
from pfes.bench.methods.own import settings_of, wanted_of
from pfes.bench.race import search
from pfes.errors import InvalidInput
from pfes.gp import Recipe
from pfes.space import Pool
from pfes.task import Settings
from test_layers import optional_packages

SPACE = problem_of(ProblemTable(name="branin_currin"))
POOL = problem_of(ProblemTable(name="bismuth_oxide"))


@pytest.mark.parametrize("name", OUTSIDE)
def test_another_packages_method_searches_or_says_what_to_install(name: str) -> None:
    outside = OUTSIDE[name]
    entry = MethodTable(name=name, decoupled=outside.decoupled)
    if missing := missing_packages(entry):
        assert missing == f"pip install {' '.join(map(repr, outside.install.split()))}"  # each in quotation marks
        with pytest.raises(ImportError):
            _imported(outside.packages)
        return
    for problem in [SPACE] * outside.spaces + [POOL] * outside.pools:
        price = problem.objectives.cost(range(2))
        runs = [search(problem, entry, seed, name="x", budget=12 * price) for seed in (0, 0, 1)]
        assert [run["spent"][-1] for run in runs] == [12 * price] * 3
        assert {len(which) for run in runs for which in run["which"]} == {1 if outside.decoupled else 2}
        assert runs[0]["at"] == runs[1]["at"]
        assert runs[0]["at"] != runs[2]["at"]
        if isinstance(problem.space, Pool):
            assert len(set(runs[0]["first"]["at"]) | set(runs[0]["at"])) == 12  # no row twice


def _imported(packages: tuple[str, ...]) -> None:
    for package in packages:
        __import__(package)


@pytest.mark.parametrize("name", [name for name, it in OUTSIDE.items() if not (it.pools and it.spaces)])
def test_what_a_method_cannot_search_it_refuses(name: str) -> None:
    outside = OUTSIDE[name]
    problem = POOL if not outside.pools else SPACE
    with pytest.raises(InvalidInput, match=f"{name} searches {'pools' if outside.pools else 'spaces'} only"):
        begun(Start(problem, 0, 10.0), MethodTable(name=name, decoupled=outside.decoupled))


def test_methods_that_measure_everything_refuse_to_name_single_objectives() -> None:
    with pytest.raises(InvalidInput, match="qlognehvi measures all objectives"):
        begun(Start(SPACE, 0, 10.0, decoupled=True), MethodTable(name="qlognehvi", decoupled=True))
    assert obstacle(MethodTable(name="hvkg"), SPACE) == "hvkg names one objective at a time; say decoupled = true"
    assert obstacle(MethodTable(name="hvkg", decoupled=True), SPACE) == ""
    assert obstacle(MethodTable(name="ehvi", decoupled=True), SPACE) == "ehvi cannot name single objectives"
    assert obstacle(MethodTable(name="pfes", decoupled=True), POOL) == ""


def test_the_packages_of_other_methods_are_extras() -> None:
    assert {package for outside in OUTSIDE.values() for package in outside.packages} <= optional_packages()


def test_comparing_loads_no_package_that_is_not_compared(fresh_python: Callable[..., str]) -> None:
    code = "import sys, pfes, pfes.bench; print(*sys.modules)"
    loaded = set(fresh_python(code).split())
    assert loaded & {"torch", "botorch", "optuna", "pymoo", "physbo", "matplotlib"} == set()
    assert "pfes.bench" not in fresh_python("import sys, pfes; print(*sys.modules)").split()


# Ours


def test_the_papers_recipe_is_the_papers_settings() -> None:
    entry = MethodTable(
        name="information", recipe="paper", sampling="paper", estimator="exact", maximiser="direct", frontiers=10
    )
    assert settings_of(entry) == Settings.paper()


def test_every_setting_has_its_effect() -> None:
    assert settings_of(MethodTable(name="pfes")) == Settings()
    found = settings_of(MethodTable(name="pfes", recipe="botorch", noise="fit", frontiers=30, points=20, model="auto"))
    assert found.recipe == Recipe.botorch()
    assert (found.frontiers.count, found.frontiers.points, found.model) == (30, 20, "auto")
    assert settings_of(MethodTable(name="pfes", recipe="paper", noise="fit")).recipe.noise == "fit"
    told = wanted_of(SPACE, MethodTable(name="pfes", resolution=[0.5, 0.1]), thresholds=True)
    assert [item.resolution for item in told] == [0.5, 0.1]
    assert [item.threshold for item in told] == [18.0, 6.0]
    assert [item.threshold for item in wanted_of(SPACE, MethodTable(name="pfes"), thresholds=False)] == [None, None]


def test_hyper_parameters_fitted_once_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    from pfes.bench.methods import own

    asked = own.Asked(Start(POOL, 0, 100.0), MethodTable(name="ehvi", fitted_on=30))
    fixed = asked._study._task.settings.hypers
    assert len(fixed) == 2
    record = Record(POOL, 100.0)
    for row in range(0, 300, 50):
        record.add(row, POOL.values(np.array([row]))[0])
    monkeypatch.setattr("pfes.belief.fit", None)  # nothing may be fitted any more
    wishes = asked(record)
    assert [wish.which for wish in wishes] == [(0, 1)]


def test_a_record_keeps_points_values_and_levels(tmp_path: Path) -> None:
    record = Record(SPACE, 5.0)
    record.add(np.array([0.1, 0.2]), np.array([3.0, np.nan]))
    assert record.x.tolist() == [[0.1, 0.2]]
    assert record.levels[0, 0] == -3.0
    assert np.isnan(record.levels[0, 1])
    assert len(record) == 1
