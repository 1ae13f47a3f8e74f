"""Small studies that need no model: their method is "sobol"."""

from typing import Any

from pfes.objectives import Objective
from pfes.space import Choice, Integer, Pool, Real, Space
from pfes.study import Study, create_study
from pfes.trials import Trial

SPACE = Space(x=Real(0, 1), t=Integer(300, 900), dopant=Choice(["Er", "Nb", ("W", 2)]))
OBJECTIVES = (Objective("power", "max", cost=5), Objective("waste", "min", cost=1))
POINT = {"x": 0.25, "t": 400, "dopant": "Er"}


def space_study(**options: Any) -> Study:
    return create_study(**({"space": SPACE, "objectives": OBJECTIVES, "method": "sobol"} | options))


def pool_study(rows: int = 6, **options: Any) -> Study:
    pool = Pool(
        {
            "name": [f"c{i}" for i in range(rows)],
            "a": [i / rows for i in range(rows)],
            "b": [i % 3 for i in range(rows)],
        },
        inputs=["a", "b"],
        ids="name",
    )
    return create_study(**({"space": pool, "objectives": OBJECTIVES, "method": "sobol"} | options))


def measured(trial: Trial) -> dict[str, float]:
    """A trade-off, at the trial's point, of the objectives that it asks for."""
    x = float(trial.params.get("x", trial.params.get("a", 0.0)))
    truth = {"power": x, "waste": x**2}
    return {name: truth[name] for name in trial.objectives}
