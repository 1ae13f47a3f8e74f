"""Searches by BoTorch's qLogNEHVI that docs/default.md compares with; they take hours, so each is kept as it is done.

    python benchmarks/default_rival.py                          10 seeds of every problem
    python benchmarks/default_rival.py --seeds 5 --problem zdt4

Kept in benchmarks/results/default-rival.jsonl, one line per search; a longer one takes the place of a shorter.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from default_parts.cases import CHECKED, POOLS, SPACES
from default_parts.rival import trace
from workers import append, in_processes, read

RESULTS = Path(__file__).resolve().parent / "results" / "default-rival.jsonl"
Job = tuple[str, int, int]  # problem, seed, evaluations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problem", action="append", choices=[*SPACES, *POOLS, *CHECKED])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--evaluations", type=int, help="start included; default 50, in pools 60")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    done = known()
    jobs = []
    for name in options.problem or [*SPACES, *POOLS, *CHECKED]:
        many = options.evaluations or (60 if name in POOLS else 50)
        jobs += [(name, seed, many) for seed in range(options.first, options.first + options.seeds)]
    jobs = [job for job in jobs if len(done.get(job[:2], {"held": []})["held"]) < job[2]]
    for number, (job, result) in enumerate(in_processes(run, jobs, options.processes), 1):
        if isinstance(result, BaseException):
            raise result
        append(RESULTS, result)
        print(f"{number}/{len(jobs)} {job}: held {result['held'][-1]:.3f}, {result['seconds']:.0f} s", file=sys.stderr)


def known() -> dict[tuple[str, int], dict[str, Any]]:
    """The longest search of each problem and seed."""
    longest: dict[tuple[str, int], dict[str, Any]] = {}
    for result in read(RESULTS):
        key = result["problem"], result["seed"]
        if key not in longest or len(result["held"]) > len(longest[key]["held"]):
            longest[key] = result
    return longest


def run(job: Job) -> dict[str, Any]:
    """One search, continued where it was left."""
    name, seed, evaluations = job
    begun = time.perf_counter()
    found = trace(name, seed, evaluations, known().get((name, seed)))
    return found | {"seconds": round(time.perf_counter() - begun, 1)}


if __name__ == "__main__":
    main()
