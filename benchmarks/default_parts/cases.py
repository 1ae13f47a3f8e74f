"""The problems that the default is chosen on, and those it is checked on once: spaces and pools with a known optimum.

Held is the hypervolume of points with every objective measured, at their true values, as a share of the optimum; the
reference point is the problem's own or, for pools, the worst values less a tenth of the range. It is every method's
threshold, too. Two pools are public tables that lie beside the project (docs/default.md says where to get them).
"""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from zlib import crc32

import numpy as np

from default_parts.cuts import CUT, cut
from default_parts.reactions import reactions
from pfes.objectives import Objective, Objectives
from pfes.pareto import hypervolume
from pfes.problems import Problem, get
from pfes.space import Pool

__all__ = ["CHECKED", "POOLS", "SPACES", "START", "problem", "start"]

START = 5  # random points that every method begins with
SITES = ["r1", "r3", "r4", "r5"]  # of substituents
DATA = Path(os.environ.get("PFES_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))

SPACES: dict[str, Callable[[], Problem]] = {
    "branin_currin": partial(get, "branin_currin"),
    "ackley_sphere": partial(get, "ackley_sphere"),
    "zdt1": partial(get, "zdt1", d=4),
    "zdt4": partial(get, "zdt4", d=4),
    "dtlz2": partial(get, "dtlz2", d=6, L=2),
    "four_bar_truss": partial(get, "four_bar_truss"),
    "vehicle_safety": partial(get, "vehicle_safety"),
    "car_side_impact": partial(get, "car_side_impact"),
}
CHECKED: dict[str, Callable[[], Problem]] = {
    "zdt3": partial(get, "zdt3", d=4),
    "dtlz7": partial(get, "dtlz7", d=4, L=2),
    "hatch_cover": partial(get, "hatch_cover"),
    "rocket_injector": partial(get, "rocket_injector"),
}


def _arylation() -> Problem:
    inputs = ["base", "ligand", "solvent", "concentration", "temperature"]
    goals = [Objective("yield", goal="max", cost=10.0), Objective("cost", goal="min", cost=1.0)]
    return _table("arylation", inputs, goals)


def _redoxmers(*, described: bool = True, count: int = 3) -> Problem:
    """With the numbers that describe its substituents or without, and so many of its objectives."""
    header = (DATA / "redoxmers.csv").open(encoding="utf-8").readline().strip().split(",")
    goals = [
        Objective("abs_lam_diff", goal="min", cost=2.0),
        Objective("ered", goal="min", cost=1.0),
        Objective("gsol", goal="min", cost=1.0),
    ]
    inputs = header[: -len(goals)] if described else SITES
    return _table("redoxmers", inputs, goals[:count])


def _table(name: str, inputs: list[str], goals: list[Objective]) -> Problem:
    """A pool whose values stand in the same table."""
    path = DATA / f"{name}.csv"
    pool = Pool.from_csv(path, inputs=inputs)
    table = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")
    truth = np.column_stack([np.asarray(table[goal.name], dtype=np.float64) for goal in goals])
    reference = truth.mean(axis=0)  # not the one that counts: see `problem`
    return Problem(name, pool, Objectives(goals), lambda rows: truth[rows], reference, 1.0)


POOLS: dict[str, Callable[[], Problem]] = {
    "arylation": _arylation,
    "redoxmers": _redoxmers,
    "bismuth_oxide": partial(get, "bismuth_oxide", ratio=5.0),
    "perovskite": partial(get, "perovskite", ratio=10.0),
}
TABLES = {f"reactions {number}": partial(reactions, number) for number in range(100)}
TABLES |= {f"cut {name}": partial(cut, name) for name in CUT}
TABLES |= {
    "redoxmers undescribed": partial(_redoxmers, described=False),
    "redoxmers, two objectives": partial(_redoxmers, count=2),
}


@cache
def problem(name: str, costs: tuple[float, ...] = ()) -> Problem:
    """A problem by its name here, with the reference point as thresholds; costs: others than its own."""
    found = (SPACES | CHECKED | POOLS | TABLES)[name]()
    if isinstance(found.space, Pool):
        found = _as_pool(found)
    thresholds, prices = found.reference.tolist(), costs or [objective.cost for objective in found.objectives]
    wanted = [
        replace(objective, threshold=threshold, cost=cost)
        for objective, threshold, cost in zip(found.objectives, thresholds, prices, strict=True)
    ]
    return replace(found, objectives=Objectives(wanted), made=None)


def _as_pool(found: Problem) -> Problem:
    """The same pool, with the reference point a tenth of the range below the worst values."""
    assert isinstance(found.space, Pool)
    levels = found.objectives.inward(found.values(np.arange(len(found.space))))
    low = levels.min(axis=0) - 0.1 * np.ptp(levels, axis=0)
    return replace(found, reference=found.objectives.inward(low), optimum=hypervolume(levels, low), made=None)


def start(name: str, seed: int) -> np.ndarray:
    """The points that every method begins with: (5, D) of a space, (5,) rows of a pool."""
    rng = np.random.default_rng([seed, crc32(name.encode())])
    domain = problem(name).space
    if isinstance(domain, Pool):
        return np.sort(rng.choice(len(domain), START, replace=False))
    return domain.random(START, rng)
