"""What docs/paper.md says beyond its reports: of the benchmark figure, and of all pools of the materials design.

    python benchmarks/paper.py

Friedman's test asks whether 10, 30 and 50 frontiers hold differently much in the end, paired by seeds. Choices are
counted as repeated if they lie closer to a point that was measured before than a hundredth of the unit cube.

On pools methods are ranked by the cost to hold 95 % of the optimum, seed by seed; and how many pairs do those win that
measure one objective at a time? What is not reached counts as dearer than all that is.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata

from pfes.bench import read_results
from pfes.bench.summary.traces import cost_to
from tables import table

KEPT = Path(__file__).resolve().parent / "results" / "bench"
APART = ["PFES (decoupled)", "our default, one at a time"]
Runs = dict[str, dict[str, dict[int, dict[str, Any]]]]  # by problem, method, seed
FRONTIERS = ["PFES, 10 frontiers", "PFES, 30 frontiers", "PFES, 50 frontiers"]
CLOSE = 0.01


def main() -> None:
    print(frontiers(kept("paper-benchmark")))
    print()
    print(costs(kept("paper-materials", "tables-materials")))


def kept(*names: str) -> Runs:
    """What was run."""
    runs: Runs = defaultdict(lambda: defaultdict(dict))
    for line in read_results([KEPT / f"{name}.jsonl.gz" for name in names]):
        runs[line["problem"]][line["method"]][line["seed"]] = line
    return runs


def frontiers(runs: Runs) -> str:
    """Do 10, 30 and 50 frontiers differ, and how often is a point repeated?"""
    rows = []
    for problem, methods in runs.items():
        seeds = sorted(set.intersection(*(set(methods[name]) for name in FRONTIERS)))
        held = [[methods[name][seed]["held"][-1] for seed in seeds] for name in FRONTIERS]
        repeated = [repeats(line) for line in methods[FRONTIERS[0]].values()]
        ours = [repeats(line) for line in methods["our default"].values()]
        means = [f"{np.mean(values):.3f}" for values in held]
        p = f"{friedmanchisquare(*held).pvalue:.2f}"
        rows.append([problem, str(len(seeds)), *means, p, f"{np.median(repeated):.0f}", f"{np.median(ours):.0f}"])
    header = ["", "seeds", "10", "30", "50", "p", "repeated of 45, 10 frontiers", "our default"]
    return table(header, rows)


def costs(runs: Runs) -> str:
    """Mean ranks by the cost to hold 95 %, and the pairs that those win who measure one objective at a time."""
    methods = list(next(iter(runs.values())))
    spent = np.array(
        [
            [[cost_to(line) / line["price"] for _, line in sorted(by[name].items())] for name in methods]
            for by in runs.values()
        ]
    )
    ranks = rankdata(spent, axis=1).mean(axis=2).T  # (methods, problems)
    won = {name: pairs_won(spent, methods.index(name)) for name in APART}
    rows = [
        [name, *(f"{rank:.2f}" for rank in ranks[m]), f"{ranks[m].mean():.2f}"]
        + [f"{won[it][m]:g}" if it != name else "" for it in APART]
        for m, name in enumerate(methods)
    ]
    of = spent.shape[0] * spent.shape[2]
    return table(["", *runs, "all", *(f"pairs of {of} won against it by {it}" for it in APART)], rows)


def pairs_won(spent: np.ndarray, base: int) -> list[float]:
    """By method `base` of spent (problems, methods, seeds), against each; a tie counts one half."""
    mine = spent[:, base : base + 1]
    return [float(value) for value in ((spent > mine) + 0.5 * (spent == mine)).sum(axis=(0, 2))]


def repeats(line: dict[str, Any]) -> int:
    """Choices of a run that all but repeat a point."""
    first, chosen = np.array(line["first"]["at"]), np.array(line["at"])
    every = np.vstack([first, chosen])
    apart = np.linalg.norm(every[:, None] - every[None], axis=2)
    return sum(bool((apart[n, :n] < CLOSE).any()) for n in range(len(first), len(every)))


if __name__ == "__main__":
    main()
