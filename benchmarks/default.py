"""The study behind the default: ways of choosing that it was compared with, and the page with all tables.

    pfes bench run benchmarks/default-spaces.toml -o default-spaces.jsonl     and all others of default-*, rival-*
    python benchmarks/default.py screen           one departure from the default each, on cheap problems
    python benchmarks/default.py report           docs/default.md, from what is kept

Finished runs of `screen` are kept in benchmarks/results/screen.jsonl and not repeated; --fresh begins anew. Those of
`pfes bench` are read from benchmarks/results/bench, compressed.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from default_parts.ours import Plan, search
from default_parts.variants import VARIANTS
from workers import append, in_processes, read

RESULTS = Path(__file__).resolve().parent / "results" / "screen.jsonl"
SCREENED = ["branin_currin", "zdt4", "dtlz2", "bismuth_oxide", "arylation"]
Job = tuple[str, Plan]  # variant, plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["screen", "report"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--problem", action="append")
    parser.add_argument("--variant", action="append", choices=list(VARIANTS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs")
    options = parser.parse_args()
    if options.part == "report":
        from default_parts.report import write

        write(read(RESULTS))
        return
    if options.fresh:
        RESULTS.unlink(missing_ok=True)
    done = {_key(result) for result in read(RESULTS)}
    wanted = [
        job
        for job in screen(range(options.first, options.first + options.seeds))
        if (not options.problem or job[1].problem in options.problem)
        and (not options.variant or job[0] in options.variant)
        and json.dumps([job[0], *job[1]]) not in done
    ]
    for number, (job, result) in enumerate(in_processes(run, wanted, options.processes), 1):
        if isinstance(result, BaseException):
            raise result
        append(RESULTS, result)
        last = f"held {result['held'][-1]:.3f} at {result['cost'][-1]:.1f}, {result['seconds']:.0f} s"
        print(f"{number}/{len(wanted)} {job[0]}, {' '.join(map(str, job[1]))}: {last}", file=sys.stderr, flush=True)


def _key(result: dict[str, Any]) -> str:
    return json.dumps([result["variant"], *result["plan"]])


def run(job: Job) -> dict[str, Any]:
    """One study."""
    variant, plan = job
    begun = time.perf_counter()
    found = search(plan, VARIANTS[variant](), marks=(20, 40))
    seconds = round(time.perf_counter() - begun, 1)
    return {"variant": variant, "plan": list(plan), **found, "seconds": seconds}


def screen(seeds: range) -> Iterator[Job]:
    """Every variant on problems that take little time."""
    for seed in seeds:
        for name in SCREENED:
            for variant in VARIANTS:
                yield variant, Plan(name, seed, 40.0)


if __name__ == "__main__":
    main()
