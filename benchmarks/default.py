"""The study behind the default: what is held and known, by the default, by its variants and by a rival.

    python benchmarks/default.py continuous       budgets of 30 and 50 evaluations, beside qLogNEHVI
    python benchmarks/default.py pools            all objectives together, at the price of up to 60 evaluations
    python benchmarks/default.py decoupled        one objective at a time: cost to hold 95 % of the optimum
    python benchmarks/default.py batches          four at a time
    python benchmarks/default.py screen           one departure from the default each, on cheap problems
    python benchmarks/default.py check            problems that were not used before
    python benchmarks/default.py report           docs/default.md, from what is kept

Finished runs are kept in benchmarks/results/default.jsonl and not repeated; --fresh begins a part anew. The rival's are
runs of benchmarks/rival-spaces.toml and rival-pools.toml.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from default_parts.cases import CHECKED, POOLS, SPACES
from default_parts.ours import Plan, search
from default_parts.variants import VARIANTS
from workers import append, in_processes, read

RESULTS = Path(__file__).resolve().parent / "results" / "default.jsonl"
SCREENED = ["branin_currin", "ackley_sphere", "zdt4", "dtlz2", "four_bar_truss", "bismuth_oxide", "arylation"]
COSTS: dict[str, list[tuple[float, ...]]] = {
    "arylation": [(10.0, 1.0), (1.0, 1.0)],
    "redoxmers": [(2.0, 1.0, 1.0), (1.0, 1.0, 1.0)],
    "bismuth_oxide": [(5.0, 1.0), (10.0, 1.0), (1.0, 1.0)],
}
IN_POOLS = [name for name in POOLS if name != "perovskite"]
Job = tuple[str, str, Plan]  # part, variant, plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*PARTS, "report"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--problem", action="append")
    parser.add_argument("--variant", action="append", choices=list(VARIANTS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs of this part")
    options = parser.parse_args()
    if options.part == "report":
        from default_parts.report import write

        write(read(RESULTS))
        return
    if options.fresh:
        kept = [result for result in read(RESULTS) if result["part"] != options.part]
        RESULTS.write_text("".join(json.dumps(result) + "\n" for result in kept), encoding="utf-8")
    done = {_key(result) for result in read(RESULTS)}
    wanted = [
        job
        for job in PARTS[options.part](range(options.first, options.first + options.seeds))
        if (not options.problem or job[2].problem in options.problem)
        and (not options.variant or job[1] in options.variant)
        and json.dumps([job[0], job[1], *job[2]]) not in done
    ]
    for number, (job, result) in enumerate(in_processes(run, wanted, options.processes), 1):
        if isinstance(result, BaseException):
            raise result
        append(RESULTS, result)
        last = f"held {result['held'][-1]:.3f} at {result['cost'][-1]:.1f}, {result['seconds']:.0f} s"
        print(f"{number}/{len(wanted)} {job[1]}, {' '.join(map(str, job[2]))}: {last}", file=sys.stderr, flush=True)


def _key(result: dict[str, Any]) -> str:
    return json.dumps([result["part"], result["variant"], *result["plan"]])


def run(job: Job) -> dict[str, Any]:
    """One study."""
    part, variant, plan = job
    begun = time.perf_counter()
    found = search(plan, VARIANTS[variant](), marks=(10, 20, 30, 40, 50, 60) if plan.problem in POOLS else (20, 30, 50))
    seconds = round(time.perf_counter() - begun, 1)
    return {"part": part, "variant": variant, "plan": list(plan), **found, "seconds": seconds}


def continuous(seeds: range) -> Iterator[Job]:
    """Budgets of 30 and of 50, known from the start."""
    for seed in seeds:
        for name in SPACES:
            for budget in (30.0, 50.0):
                yield "continuous", "default", Plan(name, seed, budget)


def pools(seeds: range) -> Iterator[Job]:
    """All objectives together."""
    for seed in seeds:
        for name in IN_POOLS:
            for budget in (30.0, 60.0):
                yield "pools", "default", Plan(name, seed, budget)


def decoupled(seeds: range) -> Iterator[Job]:
    """One objective at a time; together, costs do not matter, and `pools` has the runs."""
    for seed in seeds:
        for name, each in COSTS.items():
            for costs in each:
                yield "decoupled", "default", Plan(name, seed, 60.0, True, 1, costs)


def batches(seeds: range) -> Iterator[Job]:
    """Four at a time; `continuous` and `pools` have the runs one by one."""
    for seed in seeds:
        for name in [*SPACES, *IN_POOLS]:
            yield "batches", "default", Plan(name, seed, 60.0 if name in POOLS else 50.0, False, 4)


def screen(seeds: range) -> Iterator[Job]:
    """Every variant on problems that take little time."""
    for seed in seeds:
        for name in SCREENED:
            for variant in VARIANTS:
                yield "screen", variant, Plan(name, seed, 40.0)


def check(seeds: range) -> Iterator[Job]:
    """Problems that nothing was chosen on."""
    for seed in seeds:
        for name in CHECKED:
            for budget in (30.0, 50.0):
                yield "check", "default", Plan(name, seed, budget)


PARTS = {
    "continuous": continuous,
    "pools": pools,
    "decoupled": decoupled,
    "batches": batches,
    "screen": screen,
    "check": check,
}

if __name__ == "__main__":
    main()
