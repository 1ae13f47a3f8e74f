"""Situations to build methods in, and small studies to run them in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import pfes
from pfes.acquisition import Situation
from pfes.frontiers import FrontierSettings
from pfes.gp import Surrogate
from pfes.objectives import Objective, Objectives, Option
from pfes.space import Pool, Real, Space
from pfes.study import Study
from pfes.testing import example_model

CUBE = Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1))
NONE = np.zeros((0, 3))


def everything(order: Sequence[int]) -> tuple[Option, ...]:
    """All objectives at once, the only option, with objectives in this order."""
    return Objectives([Objective(f"y{l}") for l in order]).options(decoupled=False)


def situation(model: Surrogate | None = None, objectives: int = 2, count: int = 8, **changes: Any) -> Situation:
    """Of a model of three inputs that has been measured at `count` points."""
    model = model or example_model(objectives)
    size = len(model)
    points = np.random.default_rng(7).uniform(size=(count, 3))
    plain = Situation(
        model=model, domain=CUBE, observed=points, held=points, options=everything(range(size)),
        thresholds=np.full(size, -np.inf), noise=np.zeros(size), resolution=np.full(size, np.nan),
        frontiers=FrontierSettings(), estimator="matched", allowed=None, rng=np.random.default_rng(8),
    )  # fmt: skip
    return replace(plain, **changes)


def pooled(rows: int = 60, **changes: Any) -> Situation:
    """The same over a pool, none of it measured: what is sampled there can be had exactly, `values(pool.x)`."""
    x = np.random.default_rng(2).uniform(size=(rows, 3))
    pool = Pool({name: x[:, i] for i, name in enumerate("abc")}, inputs=["a", "b", "c"])
    return situation(domain=pool, **{"observed": NONE, "held": NONE, **changes})


def values(params: Mapping[str, Any], objectives: int = 2) -> dict[str, float]:
    """Objectives of two parameters that pull apart: near (0.2, 0.3), near (0.8, 0.6), near (0.5, 0.9), ..."""
    centres = [(0.2, 0.3), (0.8, 0.6), (0.5, 0.9), (0.1, 0.8)][:objectives]
    return {f"y{l}": -((params["a"] - u) ** 2) - (params["b"] - v) ** 2 for l, (u, v) in enumerate(centres)}


def study(
    method: str,
    objectives: int = 2,
    *,
    pool: int = 0,
    measured: int = 6,
    threshold: float | None = None,
    **settings: Any,
) -> Study:
    """A study of `values` with `measured` points in it, on a space or a pool of so many rows."""
    where: Space | Pool = Space(a=Real(0, 1), b=Real(0, 1))
    rng = np.random.default_rng(3)
    if pool:
        where = Pool({"a": rng.uniform(size=pool), "b": rng.uniform(size=pool)}, inputs=["a", "b"])
    goals = [Objective(f"y{l}", threshold=threshold) for l in range(objectives)]
    made = pfes.create_study(None, space=where, objectives=goals, method=method, seed=1, **settings)
    for row in range(measured):
        params = where.params(row) if isinstance(where, Pool) else dict(zip("ab", rng.uniform(size=2), strict=True))
        made.add([{**({"row": row} if pool else params), **values(params, objectives)}])
    return made


def followed(made: Study, steps: int, objectives: int = 2) -> list[Any]:
    """The trials of so many steps of ask and tell."""
    trials = []
    for _ in range(steps):
        trial = made.ask()
        trials.append(made.tell(trial.id, values(trial.params, objectives)))
    return trials
