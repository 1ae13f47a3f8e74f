"""Is what a study suggests valid and new? Worked out anew from its trials, apart from the code that suggested it."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from pfes.objectives import Objectives
from pfes.space import Pool, Space
from pfes.study import Study
from pfes.trials import Trial, TrialState

__all__ = ["faults", "left_over"]


def faults(study: Study, before: list[Trial], given: list[Trial], asked: dict[str, Any], left: float) -> list[str]:
    """What is wrong with the trials `given` for a request, after the trials `before`, `left` being the budget."""
    found: list[str] = []
    for trial in given:
        found += _place(study, trial, asked.get("fixed") or {})
        found += _objectives(study, before, trial, asked)
        found += _words(study, trial)
        left -= trial.cost
        before = [*before, trial]
    if left < -1e-9:
        found.append(f"the budget is overdrawn by {-left}")
    return found


def _place(study: Study, trial: Trial, fixed: dict[str, Any]) -> list[str]:
    domain = study.space
    if isinstance(domain, Pool):
        own = domain.params(domain.index_of(trial.row))
        good = own == trial.params
    else:
        good = domain.contains(trial.params) and domain.decode(domain.encode([trial.params]))[0] == trial.params
    wrong = [] if good else [f"{trial.params} is not a point of the domain"]
    wrong += [
        f"{name} is {trial.params[name]!r}, fixed at {v!r}" for name, v in fixed.items() if trial.params[name] != v
    ]
    return wrong


def _objectives(study: Study, before: list[Trial], trial: Trial, asked: dict[str, Any]) -> list[str]:
    names, wrong = study.objectives.names, []
    taken = _taken(study, before, trial, bool(asked.get("replicates")))
    if not trial.objectives or len(set(trial.objectives)) < len(trial.objectives):
        wrong.append(f"objectives {trial.objectives}")
    if again := taken & set(trial.objectives):
        wrong.append(f"{sorted(again)} of {trial.params} are measured, pending or impossible already")
    # without a model an ask for everything may complete a point: all that is not taken there
    if (asked["confirm"] or not asked["decoupled"]) and set(trial.objectives) != set(names) - taken:
        wrong.append(f"{trial.objectives} asked for where {sorted(set(names) - taken)} are open")
    return wrong


def _taken(study: Study, trials: Iterable[Trial], here: Trial, replicates: bool) -> set[str]:
    """The objectives that are not open at a trial's point."""
    names, taken = set(study.objectives.names), set()
    for trial in trials:
        if _same(study.space, trial, here):
            taken |= _spoken_for(trial, names, replicates)
    return taken


def _same(domain: Space | Pool, a: Trial, b: Trial) -> bool:
    if isinstance(domain, Pool):
        return a.row is not None and a.row == b.row
    x = domain.encode([a.params, b.params])
    return bool(np.abs(x[0] - x[1]).max() <= 1e-9)


def _spoken_for(trial: Trial, names: set[str], replicates: bool) -> set[str]:
    if not trial.usable:
        return set()
    measured = set() if replicates else set(trial.values)
    if trial.state is TrialState.INFEASIBLE or (trial.state is TrialState.REJECTED and not trial.values):
        return names
    waiting = trial.state in (TrialState.PENDING, TrialState.FAILED)
    return measured | (set(trial.missing) if waiting else set())


def _words(study: Study, trial: Trial) -> list[str]:
    wrong = []
    if not math.isclose(trial.cost, cheapest(study.objectives, frozenset(trial.objectives)), rel_tol=1e-9):
        wrong.append(f"cost {trial.cost} of {trial.objectives}")
    if len(trial.reason) < 20 or "nan" in trial.reason.split():
        wrong.append(f"reason {trial.reason!r}")
    if math.isinf(trial.gain):
        wrong.append(f"gain {trial.gain}")
    return wrong


def cheapest(objectives: Objectives, names: frozenset[str]) -> float:
    """The least cost of objectives: a bundle of just these, or the best way to put them together from bundles."""
    bundles = [(frozenset(bundle.objectives), bundle.cost) for bundle in objectives.bundles]
    exact = [cost for members, cost in bundles if members == names]
    if exact:
        return min(exact)
    alone = {item.name: item.cost for item in objectives}
    inside = [(members, cost) for members, cost in bundles if members < names]
    best = math.inf
    for size in range(len(inside) + 1):
        for picked in itertools.combinations(inside, size):
            members = [name for group, _ in picked for name in group]
            if len(members) == len(set(members)):
                best = min(best, sum(cost for _, cost in picked) + sum(alone[n] for n in names - set(members)))
    return best


def left_over(study: Study, asked: dict[str, Any]) -> str:
    """A point where something could still have been asked for, if the study has ended too early; else empty."""
    fixed, domain = asked.get("fixed") or {}, study.space
    trials = study.trials()
    if isinstance(domain, Space) and math.isinf(domain.fix(**fixed).size):
        return "infinitely many points"
    if isinstance(domain, Space) and domain.fix(**fixed).size > 3000:
        return ""
    for params, row in _points(domain, fixed):
        here = Trial(-1, params, (), row=row)
        taken = _taken(study, trials, here, bool(asked.get("replicates")))
        if taken != set(study.objectives.names):
            return f"{params}, where {sorted(taken)} are taken"
    return ""


def _points(domain: Space | Pool, fixed: dict[str, Any]) -> list[tuple[dict[str, Any], Any]]:
    if isinstance(domain, Pool):
        allowed = domain.where(**fixed) if fixed else [True] * len(domain)
        return [(domain.params(i), domain.ids[i]) for i in range(len(domain)) if allowed[i]]
    return [(params, None) for params in domain.decode(domain.fix(**fixed).grid())]
