"""Nats about the Pareto set and its frontier together instead of the frontier alone: what that would do in pools.

    python benchmarks/where.py                                  all searches; to the terminal
    python benchmarks/where.py --markdown docs/trials.md       and into its section of that page

Every search is made twice from the same start: by the default, and with `OfTheSet` of default_parts/relatives.py where
it learns. Tables of reactions are made at random (`default_parts/reactions.py`), one search each. Cost is that to hold
95 % of the optimum, in prices of one point with all its objectives; a search that never does counts as dearer than all
others. Finished runs are kept in benchmarks/results/where.jsonl and not repeated.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from default_parts import paired
from default_parts.ours import TABLES, Plan, search
from default_parts.report import cost_of
from default_parts.variants import VARIANTS
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "where.jsonl"
WAYS = {"set": "nats about the set, too", "frontier": "default"}
MARKS = (20.0, 30.0, 60.0)
Job = tuple[str, int, str]  # case, seed or table, what the nats are about


class Case(NamedTuple):
    """Searches of one kind."""

    plan: Plan  # of seed 0
    seeds: range  # or tables


CASES = {
    "arylation, together": Case(Plan("arylation", 0, 60.0, costs=(1.0, 1.0)), range(4000, 4080)),
    "arylation, 10 : 1": Case(Plan("arylation", 0, 60.0, True, costs=(10.0, 1.0)), range(4000, 4040)),
    "tables of reactions, together": Case(Plan(TABLES, 0, 60.0, costs=(1.0, 1.0)), range(30)),
    "redoxmers, together": Case(Plan("redoxmers", 0, 60.0, costs=(1.0, 1.0, 1.0)), range(4000, 4030)),
    "bismuth_oxide, together": Case(Plan("bismuth_oxide", 0, 30.0, costs=(1.0, 1.0)), range(4000, 4040)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    jobs = [(name, seed, way) for name, case in CASES.items() for seed in case.seeds for way in WAYS]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost_of(result):.1f}")
    text = table(paired.header(MARKS), [row(name, found) for name in CASES])
    print(text)
    if options.markdown:
        write_section(options.markdown, "where", text)


def run(job: Job) -> dict[str, Any]:
    name, seed, way = job
    found = search(CASES[name].plan.numbered(seed), VARIANTS[WAYS[way]]())
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def row(name: str, found: dict[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    ours, default = ([found[name, seed, way] for seed in CASES[name].seeds] for way in WAYS)
    return paired.row(name, ours, default, MARKS)


if __name__ == "__main__":
    main()
