"""One objective at a time, nats that count down to the grain of the stakes only: what that would do.

    python benchmarks/grain.py                                  all searches; to the terminal
    python benchmarks/grain.py --markdown docs/trials.md       and into its section of that page

Every search is made twice from the same start: by the default, and with nats at the grain (`Coarse` of
default_parts/relatives.py). Tables of reactions are made at random (`default_parts/reactions.py`), one search each.
Cost is that to hold 95 % of the optimum, in prices of one point with all its objectives; a search that never does
counts as dearer than all others. Finished runs are kept in benchmarks/results/grain.jsonl and not repeated.
"""

import argparse
import statistics
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from default_parts.ours import Plan, held_after, search
from default_parts.report import chance, cost_of, wins
from default_parts.variants import VARIANTS
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "grain.jsonl"
WAYS = {"with": "nats at the grain of the stakes", "without": "default"}
TABLES = "reactions"
EARLY = 20.0  # evaluations
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
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    jobs = [(name, seed, way) for name, case in CASES.items() for seed in seeds(case) for way in WAYS]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost_of(result):.1f}")
    header = ["", "pairs", "cost", "without", "ratio", "cheaper", "p"]
    header += ["held after 20", "without", "more", "p", "at the end", "without"]
    text = table(header, [row(name, found) for name in CASES])
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
    costs = np.array([[cost_of(result) for result in each] for each in results])
    cheaper = np.log(costs[1] / costs[0]).tolist()
    cells = [name, str(len(cheaper)), *(f"{it:.1f}" for it in np.median(costs, axis=1))]
    cells += [f"{np.exp(-statistics.median(cheaper)):.2f}", wins(cheaper), chance(cheaper)]
    early, late = (
        np.array([[held_after(result, mark) for result in each] for each in results])
        for mark in (EARLY, CASES[name].budget)
    )
    ahead = (early[0] - early[1]).tolist()
    cells += [*_means(early), wins(ahead), chance(ahead), *_means(late)]
    return cells


def _means(held: np.ndarray) -> list[str]:
    return [f"{mean:.3f}" for mean in held.mean(axis=1)]


if __name__ == "__main__":
    main()
