"""A random study: its domain, objectives, settings, data from before, and what will be asked of it.

Everything follows from one seed. Extremes are frequent on purpose: constants, duplicates, scales of 1e-12 and 1e12,
missing values, objectives never measured, thresholds and noises beyond reason, spaces with few points.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pfes.frontiers import FrontierSettings
from pfes.gp import Recipe
from pfes.maximise import MaximiserSettings
from pfes.objectives import Bundle, Objective
from pfes.search import SearchSettings
from pfes.space import Choice, Integer, Linear, Pool, Real, Space
from pfes.task import Settings

__all__ = ["Plan", "drawn"]

Rng = np.random.Generator
PATTERNS = ["smooth", "smooth", "smooth", "constant", "two values", "noise", "tails", "steps", "offset"]
POWERS = [0, 0, 0, -12, 12, -6, 6, -100, 100]
OUTCOMES = ["told", "told", "told", "partly", "pending", "failed", "infeasible", "abandoned", "released", "rejected"]


@dataclass(frozen=True)
class Plan:
    """One random study, not yet begun."""

    seed: int
    domain: Space | Pool
    objectives: list[Objective]
    bundles: list[Bundle]
    settings: Settings
    budget: float | None
    patterns: list[str]
    powers: list[int]
    rows: list[dict[str, Any]]  # data from before
    noise: float | None  # of the data from before
    outcomes: list[str]  # of what is asked for
    asks: list[dict[str, Any]]  # arguments of `ask`, one of each outcome but the last, which is only looked at
    kind: str

    def values(self, params: dict[str, Any], rng: Rng) -> dict[str, float]:
        """What a measurement gives."""
        x = self.domain.encode([{name: params[name] for name in self.domain.names}])[0]
        return {o.name: self._value(l, o, x, rng) for l, o in enumerate(self.objectives)}

    def _value(self, l: int, objective: Objective, x: np.ndarray, rng: Rng) -> float:
        place = np.random.default_rng([self.seed, 9, l]).uniform(size=len(x))
        level = float(1.0 - np.sqrt(np.mean((x - place) ** 2)) * 2.0) if len(x) else 0.0
        shaped = {
            "smooth": level,
            "constant": 1.0,
            "two values": float(np.sign(level)),
            "noise": float(rng.standard_normal()),
            "tails": float(np.sinh(15.0 * np.clip(level, -1.0, 1.0))),
            "steps": round(level, 1),
            "offset": 1e12 + level,
        }[self.patterns[l]]
        size = 10.0 ** self.powers[l]
        return float(np.exp(np.clip(shaped, -30.0, 30.0)) * size) if objective.transform == "log" else shaped * size


def drawn(seed: int) -> Plan:
    """The random study of that seed."""
    rng = np.random.default_rng([seed, 7])
    kind = str(rng.choice(["reals", "mixed", "finite", "pool"], p=[0.35, 0.3, 0.15, 0.2]))
    domain = _pool(rng) if kind == "pool" else _space(rng, kind)
    objectives = [
        _objective(rng, l) for l in range(int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.15, 0.4, 0.2, 0.1, 0.08, 0.07])))
    ]
    bundles = _bundles(rng, objectives)
    settings = _settings(rng, bundles, len(objectives))
    outcomes = _outcomes(rng)
    plan = Plan(
        seed=seed,
        domain=domain,
        objectives=objectives,
        bundles=bundles,
        settings=settings,
        budget=float(rng.uniform(0.0, 30.0)) if rng.random() < 0.1 else None,
        patterns=[str(rng.choice(PATTERNS)) for _ in objectives],
        powers=[int(rng.choice(POWERS)) for _ in objectives],
        rows=[],
        noise=float(rng.choice([0.0, 1e-9, 1.0, 1e9])) if rng.random() < 0.1 else None,
        outcomes=outcomes,
        asks=[_ask(rng, domain, settings) for _ in range(len(outcomes) + 1)],
        kind=kind,
    )
    return replace(plan, rows=_rows(rng, plan))


# Domains


def _space(rng: Rng, kind: str) -> Space:
    if kind == "finite":
        parameters = [_discrete(rng, most=4) for _ in range(int(rng.integers(1, 4)))]
    else:
        d = int(rng.choice([1, 2, 3, 5, 8, 12, 20, 30], p=[0.15, 0.2, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05]))
        share = 0.0 if kind == "reals" else 0.5
        parameters = [_discrete(rng, most=8) if rng.random() < share else _real(rng) for _ in range(d)]
    named = {f"p{i}": parameter for i, parameter in enumerate(parameters)}
    space = Space(named)
    return Space(named, constraints=_constraints(rng, space)) if rng.random() < 0.2 else space


def _real(rng: Rng) -> Real:
    if rng.random() < 0.2:
        return Real(10.0 ** float(rng.choice([-12, -3, 0])), 10.0 ** float(rng.choice([1, 3, 12])), log=True)
    low = float(rng.choice([0.0, -1.0, 300.0, -1e12, 1e-12]))
    # a range that its bounds' digits can resolve
    return Real(low, low + max(float(rng.choice([1.0, 1e-3, 1e6, abs(low) or 1.0])), 1e-5 * abs(low)))


def _discrete(rng: Rng, most: int) -> Integer | Choice | Real:
    kind = rng.integers(4)
    count = int(rng.integers(1, most + 1))
    if kind == 0:
        low = int(rng.choice([0, -3, 100]))
        return Integer(low, low + count - 1)
    if kind == 1:
        return Real(0.0, 0.1 * max(count - 1, 1), step=0.1)
    if kind == 2:
        return Choice([float(value) for value in np.sort(rng.uniform(0, 100, count)).tolist()], ordered=True)
    return Choice([f"v{i}" for i in range(count)])


def _constraints(rng: Rng, space: Space) -> list[Any]:
    """Constraints that a point of the space keeps with room to spare."""
    inside = space.decode(space.random(1, rng))[0]
    numbers = {n: p for n, p in space.parameters.items() if isinstance(p, Real | Integer) and p.high > p.low}
    if not numbers:
        return []
    weights = {name: float(rng.standard_normal()) / float(p.high - p.low) for name, p in numbers.items()}
    level = sum(weight * inside[name] for name, weight in weights.items())
    slack = 0.2 * float(np.sqrt(len(weights)))
    linear = Linear(weights, upper=level + slack)
    return [linear] if rng.random() < 0.7 else [Judged(weights, level + slack)]


@dataclass(frozen=True)
class Judged:
    """The same as a function of the parameters."""

    weights: dict[str, float]
    upper: float

    def __call__(self, params: dict[str, Any]) -> bool:
        return sum(weight * params[name] for name, weight in self.weights.items()) <= self.upper


def _pool(rng: Rng) -> Pool:
    rows, d = int(rng.choice([1, 2, 5, 10, 50, 300])), int(rng.integers(1, 7))
    table: dict[str, Any] = {
        f"p{i}": rng.uniform(size=rows) * 10.0 ** float(rng.choice([0, -12, 12])) for i in range(d)
    }
    if rng.random() < 0.4:
        table["q"] = [f"v{i}" for i in rng.integers(0, 3, rows)]
    if rng.random() < 0.3:  # the same in every row, and rows that are twins
        table["c"] = np.ones(rows)
        twins = rng.integers(0, rows, rows)
        table = {name: [column[i] for i in twins] for name, column in table.items()}
    return Pool(table, ids=[f"r{i}" for i in range(rows)] if rng.random() < 0.5 else None)


# Objectives and settings


def _objective(rng: Rng, l: int) -> Objective:
    transform = str(rng.choice(["none", "log", "power"], p=[0.7, 0.15, 0.15]))
    threshold = None
    if rng.random() < 0.2:
        size = float(rng.choice([0.1, 1.0, 1e6, 1e30]))
        threshold = size if transform == "log" else float(rng.choice([-1, 1])) * size
    return Objective(
        f"y{l}",
        "max" if rng.random() < 0.5 else "min",
        cost=float(rng.choice([1.0, 1.0, 0.1, 10.0, 1e6])),
        threshold=threshold,
        resolution=float(rng.choice([0.0, 1e-12, 0.01, 1e12])) if rng.random() < 0.1 else None,
        noise=float(rng.choice([0.0, 1e-12, 0.1, 1e12])) if rng.random() < 0.15 else None,
        transform=transform,  # type: ignore[arg-type]
    )


def _bundles(rng: Rng, objectives: list[Objective]) -> list[Bundle]:
    if len(objectives) < 2 or rng.random() > 0.25:
        return []
    size = int(rng.integers(2, len(objectives) + 1))
    members = rng.choice(len(objectives), size, replace=False)
    return [Bundle([objectives[l].name for l in members], float(rng.choice([0.5, 3.0, 100.0])))]


def _settings(rng: Rng, bundles: list[Bundle], count: int) -> Settings:
    method = str(rng.choice(["pfes", "information", "ehvi", "sobol", "random"], p=[0.65, 0.15, 0.1, 0.05, 0.05]))
    estimator = str(rng.choice(["matched", "power", "exact"], p=[0.8, 0.1, 0.1]))
    if estimator == "exact" and any(len(bundle.objectives) < count for bundle in bundles):
        estimator = "matched"  # the exact form cannot weigh bundles against others, and says so
    initial = int(rng.choice([5, 0, 1, 2], p=[0.55, 0.15, 0.15, 0.15]))
    common: dict[str, Any] = {"method": method, "estimator": estimator, "initial": initial}
    if rng.random() < 0.01:
        return Settings(**common)
    search = SearchSettings(
        population=int(rng.integers(4, 20)),
        generations=int(rng.integers(0, 8)),
        climbs=int(rng.integers(0, 4)),
        archive=60,
    )
    return Settings(
        **common,
        recipe=Recipe(starts=1, kernel="rbf" if rng.random() < 0.2 else "matern52"),
        refit="once" if rng.random() < 0.1 else "always",
        frontiers=FrontierSettings(
            count=int(rng.integers(1, 5)),
            kind="features" if rng.random() < 0.15 else "pathwise",
            features=100,
            search=search,
            scouts=int(rng.integers(0, 100)),
            climb=bool(rng.random() < 0.8),
            observed=bool(rng.random() < 0.85),
            points=20,
            exact_rows=int(rng.choice([3000, 0])),
        ),
        maximiser=MaximiserSettings(
            kind="direct" if rng.random() < 0.01 else "gradient",
            scan=int(rng.integers(16, 128)),
            starts=int(rng.integers(2, 8)),
            iterations=int(rng.integers(1, 10)),
        ),
    )


# Data and requests


def _rows(rng: Rng, plan: Plan) -> list[dict[str, Any]]:
    n = int(rng.choice([0, 1, 2, 3, 5, 6, 8, 12, 20, 40]))
    if not n:
        return []
    missing = rng.choice([0.0, 0.3, 0.9], size=len(plan.objectives), p=[0.7, 0.2, 0.1])
    if rng.random() < 0.1:
        missing[int(rng.integers(len(missing)))] = 1.0  # never measured
    again, outside = 0.4 * (rng.random() < 0.3), 0.3 * (rng.random() < 0.15)
    points = _points(rng, plan.domain, n)
    rows = []
    for i in range(n):
        point = points[int(rng.integers(n))] if rng.random() < again else points[i]
        place = _moved(rng, plan.domain, point) if rng.random() < outside else point
        params = plan.domain.params(plan.domain.index_of(place["row"])) if "row" in place else place
        values = plan.values(params, rng)
        rows.append(
            place | {name: v for (name, v), gap in zip(values.items(), missing, strict=True) if rng.random() >= gap}
        )
    return rows


def _points(rng: Rng, domain: Space | Pool, count: int) -> list[dict[str, Any]]:
    if isinstance(domain, Pool):
        return [{"row": domain.ids[i]} for i in rng.integers(0, len(domain), count)]
    return domain.decode(domain.random(count, rng))


def _moved(rng: Rng, domain: Space | Pool, point: dict[str, Any]) -> dict[str, Any]:
    """A point outside the domain, if one parameter allows that."""
    params = domain.params(domain.index_of(point["row"])) if isinstance(domain, Pool) else point
    numbers = [
        name for name, value in params.items() if isinstance(value, float | np.floating) and _may_leave(domain, name)
    ]
    if not numbers:
        return point
    name = str(rng.choice(numbers))
    return {**params, name: float(abs(params[name])) * 1.7 + 0.3}


def _may_leave(domain: Space | Pool, name: str) -> bool:
    """Whether data may have other values: those of a choice are all there are, and of a constant nothing is known."""
    if isinstance(domain, Space):
        return not isinstance(domain.parameters[name], Choice)
    return len(set(domain.columns[name])) > 1


def _outcomes(rng: Rng) -> list[str]:
    count = int(rng.choice([0, 1, 2, 4, 8], p=[0.35, 0.25, 0.2, 0.15, 0.05]))
    if rng.random() < 0.1:  # nothing works
        return [str(rng.choice(["failed", "infeasible"]))] * count
    return [str(rng.choice(OUTCOMES)) for _ in range(count)]


def _ask(rng: Rng, domain: Space | Pool, settings: Settings) -> dict[str, Any]:
    asked: dict[str, Any] = {"decoupled": bool(rng.random() < 0.4) and settings.method != "ehvi"}
    asked["confirm"] = bool(rng.random() < 0.1)
    if rng.random() < 0.25:
        asked["n"] = int(rng.integers(1, 5))
    if rng.random() < 0.1:
        asked["replicates"] = True
    if rng.random() < 0.1:
        asked["timeout"] = float(rng.choice([0.0, 0.01, 10.0]))
    if rng.random() < 0.15:
        inside = _points(rng, domain, 1)[0]
        params = domain.params(domain.index_of(inside["row"])) if isinstance(domain, Pool) else inside
        name = str(rng.choice(list(params)))
        asked["fixed"] = {name: params[name]}
    return asked
