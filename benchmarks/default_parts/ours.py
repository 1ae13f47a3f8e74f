"""One study of pfes on a problem of the study behind the default, as a user would run it."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from default_parts.cases import problem, start
from pfes import Study, create_study
from pfes.problems import Problem
from pfes.space import Pool
from pfes.task import Settings
from pfes.trials import Trial

__all__ = ["TABLES", "Plan", "cost_to", "held_after", "search"]

TABLES = "reactions"
ROUNDING = 1e-4  # of costs, which are sums of rounded ones


class Plan(NamedTuple):
    """How a study is run."""

    problem: str
    seed: int
    budget: float  # in prices of one point with all its objectives, start included
    decoupled: bool = False
    batch: int = 1
    costs: tuple[float, ...] = ()  # of the objectives; empty: the problem's own

    def numbered(self, seed: int) -> "Plan":
        """The same from another seed; of tables of reactions, one search each, that of another table."""
        return self._replace(problem=f"{TABLES} {seed}") if self.problem == TABLES else self._replace(seed=seed)


def search(
    plan: Plan, settings: Settings, marks: tuple[int, ...] = (), *, free: tuple[str, int] | None = None
) -> dict[str, Any]:
    """Run it. Traces have one entry per trial, start first; recommended: after the trials that pass these marks.

    free: an objective of a pool, and of how many rows at random it is known for nothing.
    """
    found = problem(plan.problem, plan.costs)
    price = found.objectives.cost(range(len(found.objectives)))
    begin = start(plan.problem, plan.seed)
    study = create_study(
        space=found.space,
        objectives=found.objectives,
        seed=plan.seed,
        settings=settings,
        budget=(plan.budget - len(begin)) * price,
    )
    noise = np.random.default_rng([plan.seed, 7])
    study.add([_row(found, place) | _measured(found, place, noise) for place in begin])
    trace = _Trace(found, study, price, marks)
    if free is not None:
        study.add(_given(found, *free, without=set(begin)))
    while trials := study.ask(plan.batch, decoupled=plan.decoupled):
        trace.together(trials)
        for trial in trials:
            told = _measured(found, trial.point.index if isinstance(found.space, Pool) else trial.point.x, noise)
            study.tell(trial.id, {name: told[name] for name in trial.objectives})
            trace.after(trial)
    return trace.result


def cost_to(result: dict[str, Any], share: float) -> float:
    """What had been spent when a search held that share; inf: it never did."""
    return min(
        (spent for held, spent in zip(result["held"], result["cost"], strict=True) if held >= share), default=math.inf
    )


def held_after(result: dict[str, Any], spent: float) -> float:
    """What a search held when so much was spent."""
    return max(held for held, cost in zip(result["held"], result["cost"], strict=True) if cost <= spent + ROUNDING)


def _given(found: Problem, name: str, count: int, without: set[Any]) -> list[dict[str, Any]]:
    """True values of one objective in some rows of a pool."""
    assert isinstance(found.space, Pool)
    rows = [row for row in np.random.default_rng(1).permutation(len(found.space))[:count] if row not in without]
    values = found.values(rows)[:, found.names.index(name)]
    return [{"row": found.space.ids[row], name: float(value)} for row, value in zip(rows, values, strict=True)]


def _row(found: Problem, place: Any) -> dict[str, Any]:
    """A point as `add` understands it."""
    if isinstance(found.space, Pool):
        return {"row": found.space.ids[int(place)]}
    return found.space.decode(np.asarray(place)[None])[0]


def _measured(found: Problem, place: Any, noise: np.random.Generator) -> dict[str, float]:
    """All objectives of a point or row, with the problem's noise."""
    values = found.values([int(place)] if isinstance(found.space, Pool) else np.asarray(place)[None])[0]
    values = values + found.noise * noise.standard_normal(len(values))
    return dict(zip(found.names, values.tolist(), strict=True))


class _Trace:
    """What was held and spent after each trial; costs in prices of one full point, start included."""

    def __init__(self, found: Problem, study: Study, price: float, marks: tuple[int, ...]) -> None:
        self.found, self.study, self.price, self.marks = found, study, price, list(marks)
        count = len(study.trials())
        self.result: dict[str, Any] = {
            "held": [self._held()],
            "cost": [float(count)],
            "purpose": "b",
            "which": [""],
            "recommended": {},
            "closest": math.inf,
        }
        self._mark(count)

    def together(self, trials: list[Trial]) -> None:
        """Note how close two members of a batch came: distance in the unit cube."""
        for one, other in itertools.combinations(trials, 2):
            apart = float(np.linalg.norm(np.subtract(one.point.x, other.point.x)))
            self.result["closest"] = min(self.result["closest"], round(apart, 6))

    def after(self, trial: Trial) -> None:
        result = self.result
        result["held"].append(self._held())
        result["cost"].append(round(result["cost"][-1] + trial.cost / self.price, 6))
        result["purpose"] += trial.purpose[:1]
        result["which"].append("".join(str(self.found.names.index(name)) for name in trial.objectives))
        self._mark(result["cost"][-1])

    def _mark(self, spent: float) -> None:
        while self.marks and spent >= self.marks[0] - 1e-9:
            best, space = self.study.recommend(), self.found.space
            if isinstance(space, Pool):
                values = self.found.values([space.index_of(point.row) for point in best])
            else:
                values = self.found.values([point.params for point in best])
            self.result["recommended"][self.marks.pop(0)] = round(self.found.share(values), 5)

    def _held(self) -> float:
        """Share of the optimum that points with every objective measured hold, at their true values."""
        measured: dict[Any, set[str]] = {}
        for trial in self.study.trials():
            key = trial.point.index if isinstance(self.found.space, Pool) else trial.point.x
            measured.setdefault(key, set()).update(trial.values)
        whole = [key for key, names in measured.items() if len(names) == len(self.found.names)]
        if not whole:
            return 0.0
        return round(self.found.share(self.found.values(np.array(whole))), 5)
