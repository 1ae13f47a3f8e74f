"""What departures of the default do in ten pools of numbers cut out of spaces, which no search was tuned on as pools.

    python benchmarks/cuts.py                                  all searches; to the terminal
    python benchmarks/cuts.py --markdown docs/trials.md       and into its section of that page

Every pool (`default_parts/cuts.py`) is searched from the same 5 random rows by the default and by each departure. Means
of what is held over all pools and seeds; pairs that hold more or less by a ten-thousandth. Finished runs are kept in
benchmarks/results/cuts.jsonl and not repeated.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from default_parts.cuts import CUT
from default_parts.ours import Plan, held_after, search
from default_parts.report import chance, wins
from default_parts.variants import VARIANTS
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "cuts.jsonl"
DEPARTURES = ("amplitude 1", "BoTorch's recipe", "improvement only")
MARKS = (10.0, 20.0, 30.0)
Job = tuple[str, str, int]  # departure, pool, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    cases = [(name, seed) for seed in range(options.seeds) for name in CUT]
    jobs: list[Job] = [(way, *case) for case in cases for way in ("default", *DEPARTURES)]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{result['held'][-1]:.3f}")
    cells = [cell for mark in MARKS for cell in (f"held after {mark:g}", "default", "more", "p")]
    text = table(["", "pairs", *cells], [row(way, cases, found) for way in DEPARTURES])
    print(text)
    if options.markdown:
        write_section(options.markdown, "cuts", text)


def run(job: Job) -> dict[str, Any]:
    way, name, seed = job
    found = search(Plan(f"cut {name}", seed, MARKS[-1]), VARIANTS[way]())
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


def row(way: str, cases: list[tuple[str, int]], found: dict[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    cells = [way, str(len(cases))]
    for mark in MARKS:
        mine, other = (np.array([held_after(found[it, *case], mark) for case in cases]) for it in (way, "default"))
        ahead = (mine - other).tolist()
        cells += [f"{mine.mean():.4f}", f"{other.mean():.4f}", wins(ahead), chance(ahead)]
    return cells


if __name__ == "__main__":
    main()
