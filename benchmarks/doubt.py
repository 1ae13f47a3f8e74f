"""One objective at a time: improvement alone, trusted or in doubt, and the default, instead of nats from the first.

    python benchmarks/doubt.py                                  all searches; to the terminal
    python benchmarks/doubt.py --markdown docs/trials.md       and into its section of that page

Nats from the first: information and improvement, as the default weighs them once most is held. In doubt deviations
are taken to be twice as large or more: from the first choice on; or only while the price of one full measurement or
more was spent in vain, or while less is held than 0.95 of the hypervolume of the sampled frontiers, else nats. The
default adds to doubt that one may stop halfway, and ends it at 0.9. Every search is paired with that by nats from the
same start: on the seeds of `fresh.py`, at which nothing of doubt was looked at before (one at a time with searches
together and the rival's, too), on those of the page (`redoxmers`), and on tables of reactions made at random
(`default_parts/reactions.py`), one search each. What is peculiar to `redoxmers` is taken from it in turn: the numbers
that describe its substituents; or one of its three objectives, and the rest cost what those of `arylation` do. Cost
is that to hold 95 % of the optimum, in prices of one point with all its objectives; a search that never does counts
as dearer than all others. Finished runs are kept in benchmarks/results/doubt.jsonl and not repeated.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from default_parts import paired, report
from default_parts.ours import TABLES, Plan, search
from default_parts.report import cost_of
from default_parts.variants import VARIANTS
from fresh import APART, RIVAL, TOGETHER
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "doubt.jsonl"
TRUSTED, START, VAIN, LITTLE = (
    "improvement trusted",
    "improvement in doubt",
    "improvement in doubt, once in vain",
    "improvement in doubt, while little is held",
)
NATS, DEFAULT = "nats from the first", "default"
MARKS = (10.0, 15.0, 20.0, 30.0, 60.0)
Job = tuple[str, int, str]  # case, seed or table, way
Found = dict[tuple[Any, ...], dict[str, Any]]


class Case(NamedTuple):
    """Searches of one kind."""

    plan: Plan  # of seed 0
    seeds: range  # or tables
    ways: tuple[str, ...]
    kept: str = ""  # the experiment that has the default's searches; empty: they are made here
    rivals: bool = False  # has it searches together and the rival's to pair with, too?


CASES = {
    "arylation, 10 : 1": Case(
        Plan("arylation", 0, 60.0, True, costs=(10.0, 1.0)),
        range(3000, 3100),
        (TRUSTED, START, VAIN, LITTLE, DEFAULT),
        "fresh-arylation",
        rivals=True,
    ),
    "redoxmers, 2 : 1 : 1": Case(
        Plan("redoxmers", 0, 60.0, True, costs=(2.0, 1.0, 1.0)), range(10), (TRUSTED, LITTLE, DEFAULT), "default-apart"
    ),
    "redoxmers undescribed, 2 : 1 : 1": Case(
        Plan("redoxmers undescribed", 0, 60.0, True, costs=(2.0, 1.0, 1.0)), range(10), (TRUSTED, LITTLE)
    ),
    "redoxmers, two objectives, 10 : 1": Case(
        Plan("redoxmers, two objectives", 0, 60.0, True, costs=(10.0, 1.0)), range(10), (TRUSTED, LITTLE, DEFAULT)
    ),
    "tables of reactions, 10 : 1": Case(
        Plan(TABLES, 0, 60.0, True, costs=(10.0, 1.0)), range(30), (TRUSTED, START, LITTLE, DEFAULT)
    ),
    "bismuth_oxide, together": Case(Plan("bismuth_oxide", 0, 30.0, costs=(1.0, 1.0)), range(3000, 3100), (START,)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    ways = {name: [way for way in case.ways if not (case.kept and way == DEFAULT)] for name, case in CASES.items()}
    jobs = [(name, seed, way) for name, case in CASES.items() for way in (*ways[name], NATS) for seed in case.seeds]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost_of(result):.1f}")
    rows = [row for name, case in CASES.items() for way in case.ways for row in compared(name, case, way, found)]
    text = table([cell.replace("default", "other") for cell in paired.header(MARKS)], rows)
    print(text)
    if options.markdown:
        write_section(options.markdown, "doubt", text)


def run(job: Job) -> dict[str, Any]:
    name, seed, way = job
    found = search(CASES[name].plan.numbered(seed), VARIANTS[way]())
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def compared(name: str, case: Case, way: str, found: Found) -> list[list[str]]:
    """A row of pairs with nats from the first, and where there are any one with each of the rivals."""
    kept_elsewhere = case.kept and way == DEFAULT
    ours = earlier(case, APART) if kept_elsewhere else {seed: found[name, seed, way] for seed in case.seeds}
    others = {"nats": {seed: found[name, seed, NATS] for seed in case.seeds}}
    if case.rivals:
        others |= {"together": earlier(case, TOGETHER), "qLogNEHVI": earlier(case, RIVAL)}
    return [
        paired.row(
            f"{name}, {way.removeprefix('improvement ')}, and {words}",
            [ours[seed] for seed in case.seeds],
            [other[seed] for seed in case.seeds],
            MARKS,
        )
        for words, other in others.items()
    ]


def earlier(case: Case, method: str) -> dict[int, dict[str, Any]]:
    """Searches that `pfes bench` kept of the same problem, by seed; costs count where objectives are apart."""
    plan = case.plan
    runs = [run for run in report.kept(case.kept) if run.name == plan.problem and run.line["method"] == method]
    return {
        run.seed: {"held": run.line["held"], "cost": run.cost}
        for run in runs
        if run.costs == plan.costs or not run.apart
    }


if __name__ == "__main__":
    main()
