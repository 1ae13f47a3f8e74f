"""Levels never tried come first when nothing better was found: what that does on tables nothing was chosen on.

    python benchmarks/levels.py                                  20 tables, two ways; to the terminal
    python benchmarks/levels.py --markdown docs/default.md       and into its section of that page

Each table of reactions (`default_parts/reactions.py`) is searched once with the rule and once without, from the same 5
random rows. Cost is that to hold 95 % of the optimum, in prices of one reaction, 60 if it is not reached. Finished runs
are kept in benchmarks/results/levels.jsonl and not repeated.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from default_parts.ours import Plan, cost_to, held_after, search
from default_parts.variants import VARIANTS
from pfes.bench.summary.pairs import signed_rank
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "levels.jsonl"
WAYS = {"together": False, "one at a time, 10 : 1": True}
RULES = {"with": "default", "without": "untried levels like others"}
BUDGET, ENOUGH = 60.0, 0.95
Job = tuple[int, str, str]  # table, way, rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    jobs = [(number, way, rule) for number in range(options.tables) for way in WAYS for rule in RULES]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost(result):.1f}")
    text = table(["", "tables", "with the rule", "without", "cheaper with it", "p", "held after 30", "without"], [
        row(way, [(found[n, way, "with"], found[n, way, "without"]) for n in range(options.tables)]) for way in WAYS
    ])  # fmt: skip
    print(text)
    if options.markdown:
        write_section(options.markdown, "levels", text)


def run(job: Job) -> dict[str, Any]:
    number, way, rule = job
    plan = Plan(f"reactions {number}", 0, BUDGET, decoupled=WAYS[way])
    found = search(plan, VARIANTS[RULES[rule]]())
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def cost(result: dict[str, Any]) -> float:
    """To hold enough."""
    return min(cost_to(result, ENOUGH), BUDGET)


def row(way: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    costs = np.array([[cost(one) for one in pair] for pair in pairs])
    held = np.array([[held_after(one, 30.0) for one in pair] for pair in pairs])
    apart = costs[:, 0] != costs[:, 1]
    p = signed_rank(costs[:, 0] - costs[:, 1])
    won = f"{(costs[:, 0] < costs[:, 1]).sum()} of {apart.sum()} that differ"
    medians, shares = np.median(costs, axis=0), np.median(held, axis=0)
    return [way, str(len(pairs)), *(f"{it:.1f}" for it in medians), won, f"{p:.2g}", *(f"{it:.3f}" for it in shares)]


if __name__ == "__main__":
    main()
