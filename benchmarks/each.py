"""A length scale for each level of a category where the data speak for it: what that would do.

    python benchmarks/each.py                                  all searches; to the terminal
    python benchmarks/each.py --markdown docs/trials.md       and into its section of that page

Every search is made twice from the same start: by the default, and with `Recipe(levels="auto")`. Cost is that to hold
95 % of the optimum, in prices of one point with all its objectives; a search that never does counts as dearer than all
others. Finished runs are kept in benchmarks/results/each.jsonl and not repeated.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from default_parts import paired
from default_parts.ours import Plan, search
from default_parts.report import cost_of
from pfes.gp import Recipe
from pfes.task import Settings
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "each.jsonl"
WAYS = {"auto": Recipe(levels="auto"), "one": Recipe()}
MARKS = (20.0, 30.0, 60.0)
Job = tuple[str, int, str]  # case, seed, levels


class Case(NamedTuple):
    """Searches of one kind."""

    problem: str
    costs: tuple[float, ...]  # of objectives measured one at a time; none: together
    first: int
    count: int


CASES = {
    "arylation, together": Case("arylation", (), 1300, 60),
    "arylation, 10 : 1": Case("arylation", (10.0, 1.0), 1300, 20),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    jobs = [(name, seed, way) for name, case in CASES.items() for seed in seeds(case) for way in WAYS]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost_of(result):.1f}")
    text = table(paired.header(MARKS), [row(name, found) for name in CASES])
    print(text)
    if options.markdown:
        write_section(options.markdown, "each", text)


def seeds(case: Case) -> range:
    return range(case.first, case.first + case.count)


def run(job: Job) -> dict[str, Any]:
    name, seed, levels = job
    case = CASES[name]
    plan = Plan(case.problem, seed, MARKS[-1], decoupled=bool(case.costs), costs=case.costs)
    found = search(plan, Settings(recipe=WAYS[levels]))
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def row(name: str, found: dict[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    auto, one = ([found[name, seed, way] for seed in seeds(CASES[name])] for way in WAYS)
    return paired.row(name, auto, one, MARKS)


if __name__ == "__main__":
    main()
