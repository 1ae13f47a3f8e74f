"""How time and memory of a suggestion grow with observations, parameters, objectives, frontiers and rows of a pool.

    python benchmarks/growth.py                                  to the terminal
    python benchmarks/growth.py --markdown docs/benchmarks.md    and into its section of that page
    python benchmarks/growth.py --axis n --axis rows             only these tables

Every cell is a process of its own, with compiled kernels in the cache: a small suggestion of the same kind first, then
the timed ones. Memory is the peak of the whole process, interpreter and compiled code included.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from known import cube, distances, from_arrays, objectives, pool
from machine import describe
from pfes.suggest import Request, suggest
from pfes.task import Settings, Task
from tables import megabytes, seconds, table, write_section
from timing import Taken, once

PACKAGES = ["pfes", "numpy", "scipy", "numba"]
BASE = {"n": 50, "d": 6, "L": 2, "R": 10, "rows": 0}  # rows = 0: a space
SMALL = 12  # observations of the suggestion that loads what is compiled
LIMIT = 1800.0  # s, then a cell is given up


class Axis(NamedTuple):
    letter: str
    title: str
    values: list[int]
    fixed: dict[str, int]


AXES = [
    Axis("n", "Observations", [10, 20, 50, 100, 200, 500, 1000, 2000, 3000], BASE),
    Axis("d", "Parameters", [1, 2, 4, 6, 10, 20, 30], BASE),
    Axis("L", "Objectives", [1, 2, 3, 4, 5, 6], BASE),
    Axis("R", "Sampled frontiers", [5, 10, 20, 30, 50], BASE),
    Axis("rows", "Rows of a pool", [100, 1000, 3000, 10_000, 100_000], BASE | {"d": 5}),
]
PROMISED = [
    ("a pool of 100,000 rows, d = 5, L = 2, n = 50", BASE | {"d": 5, "rows": 100_000}, "5 s and 1 GB"),
    ("n = 1,000, L = 6, d = 6", BASE | {"n": 1000, "L": 6}, "30 s and 1 GB"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'growth' is rewritten")
    parser.add_argument("--axis", action="append", choices=[*(axis.letter for axis in AXES), "promised"])
    parser.add_argument("--cell", help="measure one cell, given as JSON, and print the result; used by this program")
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(measured(**json.loads(options.cell))))
        return
    command = " ".join(["python benchmarks/growth.py", *sys.argv[1:]])
    parts = ["## How a suggestion grows", f"`{command}`: " + "; ".join(describe(PACKAGES)) + ".", WORDS]
    wanted = options.axis or [*(axis.letter for axis in AXES), "promised"]
    parts += [promised()] if "promised" in wanted else []
    parts += [grown(axis) for axis in AXES if axis.letter in wanted]
    text = "\n\n".join(parts)
    print(text)
    if options.markdown:
        write_section(options.markdown, "growth", text + "\n")


WORDS = (
    "One suggestion with the default settings: fit, sample frontiers, maximise. Objectives are closenesses to random "
    "places with a wave on top, at random points. Each cell is a process of its own, compiled kernels in the cache; "
    "median of three calls (of one, where it takes more than 5 s) after a small one. All: every objective is measured; "
    "one: any option may be chosen (decoupled), which weighs L + 1 of them. Memory is the peak of the whole process, "
    "interpreter and compiled code included."
)


def grown(axis: Axis) -> str:
    """One table."""
    rows = []
    for value in axis.values:
        cells = [cell(axis.fixed | {axis.letter: value}, decoupled) for decoupled in (False, True)]
        rows.append([f"{value:,}", *(text for found in cells for text in shown(found))])
    fixed = ", ".join(f"{k} = {v}" for k, v in axis.fixed.items() if k != axis.letter and v)
    return f"### {axis.title} ({fixed})\n\n" + table([axis.letter, *_columns()], rows)


def promised() -> str:
    """The sizes for which times and memory are promised."""
    rows = []
    for what, sizes, limit in PROMISED:
        cells = [cell(sizes, decoupled) for decoupled in (False, True)]
        rows.append([what, limit, *(text for found in cells for text in shown(found))])
    return "### What is promised\n\n" + table(["", "at most", *_columns()], rows)


def _columns() -> list[str]:
    return [f"{kind}: {what}" for kind in ("all", "one") for what in ("time", "processor", "memory")]


def shown(found: dict[str, Any]) -> list[str]:
    """A cell's three columns."""
    if "error" in found:
        return [found["error"], "-", "-"]
    return [seconds(found["wall"]), seconds(found["processor"]), megabytes(found["memory"])]


def cell(sizes: dict[str, int], decoupled: bool) -> dict[str, Any]:
    """Measure in a process of its own."""
    given = json.dumps(sizes | {"decoupled": decoupled})
    print(f"growth: {given}", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, "--cell", given]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"over {LIMIT:.0f} s"}
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {"error": done.stderr.strip().splitlines()[-1].split(":")[0]}
    return dict(json.loads(done.stdout))


def measured(n: int, d: int, L: int, R: int, rows: int, decoupled: bool) -> dict[str, Any]:
    """Time of a suggestion and peak memory of this process."""
    default = Settings()
    settings = replace(default, frontiers=replace(default.frontiers, count=R))
    prepared(SMALL, d, L, rows and 200, decoupled, settings)()
    runs: list[Taken] = []
    call = prepared(n, d, L, rows, decoupled, settings)
    while not runs or (len(runs) < 3 and runs[0].wall < 5.0):
        runs.append(once(call))
    return {
        "wall": statistics.median(run.wall for run in runs),
        "processor": statistics.median(run.processor for run in runs),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def prepared(n: int, d: int, L: int, rows: int, decoupled: bool, settings: Settings) -> Any:
    """A call that makes one suggestion after n observations."""
    domain = pool(rows, d, 0) if rows else cube(d)
    rng = np.random.default_rng(0)
    chosen = rng.choice(rows, min(n, rows // 2), replace=False) if rows else None
    x = domain.x[chosen] if rows else domain.sobol(n, rng)
    known = from_arrays(x, distances(x, L, 0), chosen)
    task = Task(domain, objectives(L), settings)
    return lambda: suggest(task, known, np.random.default_rng(1), Request(decoupled=decoupled))


if __name__ == "__main__":
    main()
