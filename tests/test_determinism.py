"""Same data and seed, same suggestion, in any process; and a goal flipped together with its data changes nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfes import Choice, Integer, Objective, Pool, Real, Settings, Space, create_study
from pfes.frontiers import FrontierSettings
from pfes.maximise import MaximiserSettings
from pfes.search import SearchSettings
from pfes.space import Linear
from pfes.study import Study

LIGHT = Settings(
    frontiers=FrontierSettings(count=3, search=SearchSettings(population=12, generations=5)),
    maximiser=MaximiserSettings(scan=64, starts=3, iterations=5),
)
NAMES = ("a", "b", "c")


def cube() -> Space:
    return Space(x=Real(0.0, 1.0), y=Real(1e-3, 1e3, log=True), z=Real(-1.0, 1.0))


def mixed() -> Space:
    kinds = {"x": Real(0.0, 1.0), "k": Integer(1, 20), "s": Choice(["u", "v", "w"]), "t": Real(0.0, 1.0, step=0.1)}
    return Space(kinds, constraints=[Linear({"x": 1.0, "t": 1.0}, upper=1.5)])


def pool() -> Pool:
    rng = np.random.default_rng(0)
    return Pool({"x": rng.uniform(size=200), "y": rng.uniform(size=200), "s": rng.choice(["u", "v"], 200).tolist()})


def measured(domain: Space | Pool, x: np.ndarray) -> np.ndarray:
    """(n, 3) values at encoded points x (n, D)."""
    places = np.random.default_rng(1).uniform(size=(3, domain.width))
    return np.cos(3.0 * np.linalg.norm(x[:, None, :] - places, axis=2)) + x[:, :1]


def study_of(domain: Space | Pool, objectives: list[Objective], settings: Settings = LIGHT) -> Study:
    """A study that knows ten points, of which some lack an objective."""
    study = create_study(space=domain, objectives=objectives, settings=settings, seed=5)
    rng = np.random.default_rng(2)
    rows = np.arange(0, 100, 10)
    x = domain.x[rows] if isinstance(domain, Pool) else domain.sobol(10, rng)
    points: list[dict[str, Any]] = [{"row": int(r)} for r in rows] if isinstance(domain, Pool) else domain.decode(x)
    known = []
    for i, (point, values) in enumerate(zip(points, measured(domain, x).tolist(), strict=True)):
        told = {o.name: v if o.goal == "max" else -v for o, v in zip(objectives, values, strict=True)}
        known.append(point | {name: v for name, v in told.items() if name != "c" or i % 4})
    study.add(known)
    return study


def suggestions(
    domain: Space | Pool, objectives: list[Objective], settings: Settings = LIGHT, **asked: Any
) -> list[Any]:
    """Everything that three suggestions consist of, numbers bit by bit; two of them asked for together."""
    study = study_of(domain, objectives, settings)
    trials = [*study.ask(2, **asked), study.ask(**asked)]
    return [
        (
            [float(column).hex() for column in trial.point.x],
            trial.params,
            trial.row,
            trial.objectives,
            float(trial.gain).hex(),
            trial.reason,
        )
        for trial in trials
    ]


def goals(flipped: str = "", **thresholds: float) -> list[Objective]:
    found = []
    for name in NAMES:
        turned = name in flipped
        level = thresholds.get(name)
        threshold = None if level is None else -level if turned else level
        found.append(Objective(name, "min" if turned else "max", cost=1.0 + NAMES.index(name), threshold=threshold))
    return found


def everything() -> list[Any]:
    """What a fresh process is asked for."""
    return [
        suggestions(cube(), goals()),
        suggestions(pool(), goals(), decoupled=True),
        suggestions(mixed(), goals(), decoupled=True),
        suggestions(mixed(), goals(), Settings(method="ehvi", maximiser=LIGHT.maximiser)),
    ]


def test_two_processes_suggest_the_same(fresh_python: Callable[..., str]) -> None:
    here = str(Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r}); import test_determinism as t; print(t.everything())"
    one = fresh_python(code, PYTHONHASHSEED="1", PFES_THREADS="1")
    assert fresh_python(code, PYTHONHASHSEED="2", PFES_THREADS="2") == one


@pytest.mark.parametrize("flipped", ["b", "ac"])
@pytest.mark.parametrize("method", ["pfes", "ehvi"])
def test_flipping_a_goal_with_its_data_changes_nothing(method: str, flipped: str) -> None:
    settings = Settings(method=method, frontiers=LIGHT.frontiers, maximiser=LIGHT.maximiser)
    assert suggestions(cube(), goals(flipped), settings) == suggestions(cube(), goals(), settings)


@pytest.mark.parametrize("flipped", ["a", "abc"])
def test_flipping_a_goal_changes_nothing_for_single_objectives_and_thresholds(flipped: str) -> None:
    before = suggestions(pool(), goals(a=0.2, c=-0.5), decoupled=True)
    assert suggestions(pool(), goals(flipped, a=0.2, c=-0.5), decoupled=True) == before


def test_flipping_a_goal_changes_nothing_in_a_mixed_space() -> None:
    assert suggestions(mixed(), goals("bc"), decoupled=True) == suggestions(mixed(), goals(), decoupled=True)


def test_another_seed_suggests_something_else() -> None:
    # or the tests above would hold for a constant
    task = [create_study(space=cube(), objectives=goals(), settings=LIGHT, seed=seed) for seed in (0, 1)]
    assert task[0].ask().params != task[1].ask().params
