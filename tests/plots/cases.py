"""Studies of every shape, with values that are known functions of their points; none asks a model unless told to."""

from typing import Any

import numpy as np

from pfes.objectives import Objective
from pfes.space import Choice, Integer, Pool, Real, Space
from pfes.study import Study, create_study

SPACE = Space(a=Real(0, 1, unit="mol"), t=Integer(1, 9), kind=Choice(["red", "blue"]))


def objectives(count: int, **options: Any) -> list[Objective]:
    return [Objective(f"f{l}", "max" if l % 2 == 0 else "min", cost=l + 1.0, unit="V", **options) for l in range(count)]


def truth(params: dict[str, Any], count: int) -> list[float]:
    a, t = float(params["a"]), float(params["t"]) / 9.0
    kind = 0.1 if params.get("kind") == "blue" else 0.0
    values = [a + kind, a**2 + t, 2.0 * t - a, np.sin(3.0 * a) + t, np.cos(4.0 * t) - a, a * t - kind]
    return [float(value) for value in values[:count]]


def rows(count: int, number: int, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    points = [
        {"a": float(a), "t": int(t), "kind": str(kind)}
        for a, t, kind in zip(
            rng.uniform(size=number), rng.integers(1, 10, number), rng.choice(["red", "blue"], number), strict=True
        )
    ]
    return [point | {f"f{l}": value for l, value in enumerate(truth(point, count))} for point in points]


def space_study(count: int = 2, number: int = 12, **options: Any) -> Study:
    given = options.pop("objectives", None) or objectives(count)
    study = create_study(**({"space": SPACE, "objectives": given, "method": "sobol"} | options))
    if number:
        study.add(rows(count, number))
    return study


def pool_study(count: int = 2, measured: int = 8, **options: Any) -> Study:
    table = {
        "name": [f"c{i}" for i in range(12)],
        "a": [i / 12 for i in range(12)],
        "t": [1 + i % 9 for i in range(12)],
    }
    pool = Pool(table, inputs=["a", "t"], ids="name")
    study = create_study(**({"space": pool, "objectives": objectives(count), "method": "sobol"} | options))
    for i in range(measured):
        values = truth({"a": table["a"][i], "t": table["t"][i]}, count)
        study.add([{"row": f"c{i}", **{f"f{l}": value for l, value in enumerate(values)}}])
    return study


def lively_study() -> Study:
    """Two objectives: half-measured, failed, infeasible, rejected, pending and replicated trials."""
    study = space_study(2, 10)
    trials = study.ask(8)
    for trial in trials[:3]:
        study.tell(trial.id, {"f0": truth(trial.params, 2)[0]})
    study.tell(trials[3].id, failed="tripped")
    study.tell(trials[4].id, infeasible="never")
    study.reject(trials[5].id, "no")
    study.tell(trials[6].id, dict(zip(("f0", "f1"), truth(trials[6].params, 2), strict=True)))
    study.add([rows(2, 10)[0]])
    study.add([{"a": 0.5, "t": 3, "kind": "red", "f1": 0.3}])
    return study
