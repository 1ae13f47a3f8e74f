"""One objective at a time, nats count down to the grain of the stakes: what that does, on seeds nothing was chosen on.

    python benchmarks/grain.py                                  all searches; to the terminal
    python benchmarks/grain.py --markdown docs/default.md       and into its section of that page

Every search is made twice from the same start: with nats at the grain (`pfes.acquisition.worth`) and at the resolution.
Tables of reactions are made at random (`default_parts/reactions.py`), one search each. Cost is that to hold 95 % of the
optimum, in prices of one point with all its objectives; a search that never does counts as dearer than all others.
Finished runs are kept in benchmarks/results/grain.jsonl and not repeated.
"""

import argparse
import statistics
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from default_parts.ours import Plan, cost_to, held_after, search
from default_parts.report import DEAREST, ENOUGH, chance, wins
from default_parts.variants import VARIANTS
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "grain.jsonl"
WAYS = {"with": "nats at the grain of the stakes", "without": "nats at the resolution"}
TABLES = "reactions"
Job = tuple[str, int, str]  # case, seed or table, with or without


class Case(NamedTuple):
    """Searches of one kind."""

    problem: str
    costs: tuple[float, ...]
    budget: float
    first: int
    count: int


CASES = {
    "arylation, 1 : 1": Case("arylation", (1.0, 1.0), 60.0, 540, 40),
    "arylation, 10 : 1": Case("arylation", (10.0, 1.0), 60.0, 540, 40),
    "tables of reactions, 1 : 1": Case(TABLES, (1.0, 1.0), 60.0, 20, 30),
    "redoxmers, 1 : 1 : 1": Case("redoxmers", (1.0, 1.0, 1.0), 60.0, 500, 6),
    "bismuth_oxide, 10 : 1": Case("bismuth_oxide", (10.0, 1.0), 40.0, 700, 40),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--case", action="append", choices=list(CASES), help="this alone")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    cases = {name: CASES[name] for name in options.case or CASES}
    jobs = [(name, seed, way) for name, case in cases.items() for seed in seeds(case) for way in WAYS]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost(result):.1f}")
    header = ["", "pairs", "cost", "without", "ratio", "cheaper", "p"]
    header += ["held after 30", "without", "at the end", "without"]
    text = table(header, [row(name, found) for name in cases])
    print(text)
    if options.markdown:
        write_section(options.markdown, "grain", text)


def seeds(case: Case) -> range:
    return range(case.first, case.first + case.count)


def run(job: Job) -> dict[str, Any]:
    name, seed, way = job
    case = CASES[name]
    problem, start = (f"{TABLES} {seed}", 0) if case.problem == TABLES else (case.problem, seed)
    found = search(Plan(problem, start, case.budget, decoupled=True, costs=case.costs), VARIANTS[WAYS[way]]())
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def row(name: str, found: dict[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    results = [[found[name, seed, way] for seed in seeds(CASES[name])] for way in WAYS]
    costs = np.array([[cost(result) for result in each] for each in results])
    cheaper = np.log(costs[1] / costs[0]).tolist()
    cells = [name, str(len(cheaper)), *(f"{it:.1f}" for it in np.median(costs, axis=1))]
    cells += [f"{np.exp(-statistics.median(cheaper)):.2f}", wins(cheaper), chance(cheaper)]
    for mark in (30.0, CASES[name].budget):
        cells += [f"{statistics.fmean(held_after(result, mark) for result in each):.3f}" for each in results]
    return cells


def cost(result: dict[str, Any]) -> float:
    """Never counts as dearer than all others."""
    return min(cost_to(result, ENOUGH), DEAREST)


if __name__ == "__main__":
    main()
