"""What the acquisition of every method takes, beside the paper's tables 2 to 5.

pfes bench run all-times -o all-times.jsonl
python benchmarks/times.py all-times.jsonl                                  to the terminal
python benchmarks/times.py all-times.jsonl --markdown docs/benchmarks.md    and into its section of that page
"""

import argparse
import statistics
from pathlib import Path
from typing import Any

from pfes.bench.results import read_results
from tables import table, write_section

SIZES = (50, 100, 200)
# Suzuki et al., tables 2 to 5: seconds after 50, 100 and 200 training points; EHI ran out of memory once
PAPER = {
    "Ackley/Sphere": {
        "parego": (0.44, 0.67, 1.32),
        "smsego": (0.20, 0.35, 0.62),
        "ehvi": (0.10, 0.13, 0.13),
        "mesmo": (48.35, 48.41, 48.22),
        "information": (39.42, 41.20, 43.81),
    },
    "ZDT4": {
        "parego": (0.40, 0.55, 1.23),
        "smsego": (0.24, 0.37, 0.71),
        "ehvi": (0.11, 0.11, 0.13),
        "mesmo": (51.33, 48.40, 44.17),
        "information": (51.59, 48.71, 51.89),
    },
    "DTLZ3": {
        "parego": (0.51, 0.68, 1.35),
        "smsego": (1.58, 2.36, 2.75),
        "ehvi": (6.26, 21.19, 20.21),
        "mesmo": (62.88, 49.38, 62.25),
        "information": (65.36, 57.73, 64.97),
    },
    "DTLZ4": {
        "parego": (0.53, 0.64, 1.44),
        "smsego": (6.32, 11.83, 19.86),
        "ehvi": (317.55, 796.10, "out of memory"),
        "mesmo": (59.90, 62.89, 65.30),
        "information": (62.36, 60.97, 67.85),
    },
}
COMMAND = (
    "`pfes bench run all-times`, "
    "`python benchmarks/times.py benchmarks/results/bench/all-times.jsonl.gz --markdown docs/benchmarks.md`"
)
ABOUT = """Processor seconds that a method's acquisition takes at 100 random points after so many random measurements,
one thread, mean ± deviation of {runs} runs: everything from the model on, functions and frontiers drawn anew; the fit
of the model and the search for the best point are left out, as in the paper. Its figures are of its authors' Python
code on their machine, so they tell of orders of magnitude. `information` is its PFES, by our settings; `parego` fits a
model of its own, which is part of its time. `pal` and `epal` choose from pools only."""


def spoken(value: float | str) -> str:
    """A figure of the paper's, as it has it."""
    return value if isinstance(value, str) else f"{value:.2f}"


def cell(lines: list[dict[str, Any]]) -> str:
    """Mean ± deviation of the runs."""
    whole = [line["parts"]["whole"] for line in lines]
    return f"{statistics.fmean(whole):.3f} ± {statistics.stdev(whole):.3f}" if len(whole) > 1 else ""


def section(lines: list[dict[str, Any]]) -> str:
    """All tables, in Markdown."""
    lines = [line for line in lines if "parts" in line]
    loads = [line["load"] for line in lines]
    parts = [
        "## What the acquisition of each method takes",
        f"{COMMAND}: {lines[0]['machine']['processor']}, load average {min(loads):.0f} to {max(loads):.0f}.",
        ABOUT.format(runs=len({line["seed"] for line in lines})).replace("\n", " "),
    ]
    for problem, paper in PAPER.items():
        mine = [line for line in lines if line["problem"] == problem]
        heads = [problem, *(f"{size}" for size in SIZES), *(f"paper, {size}" for size in SIZES)]
        rows = []
        for method in dict.fromkeys(line["method"] for line in mine):
            runs = [line for line in mine if line["method"] == method]
            own = [cell([line for line in runs if line["settings"]["train"] == size]) for size in SIZES]
            rows.append([method, *own, *map(spoken, paper.get(method, ("", "", "")))])
        parts.append(table(heads, rows))
    return "\n\n".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--markdown", type=Path, help="page whose section 'times' is rewritten")
    given = parser.parse_args()
    text = section(read_results([given.results]))
    print(text)
    if given.markdown:
        write_section(given.markdown, "times", text)
