"""What docs/paper.md says of the benchmark figure beyond its report: whether frontiers matter, and why it stalls.

    python benchmarks/paper.py

Friedman's test asks whether 10, 30 and 50 frontiers hold differently much in the end, paired by seeds. Choices are
counted as repeated if they lie closer to a point that was measured before than a hundredth of the unit cube.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare

from pfes.bench import read_results
from tables import table

KEPT = Path(__file__).resolve().parent / "results" / "bench" / "paper-benchmark.jsonl.gz"
FRONTIERS = ["PFES, 10 frontiers", "PFES, 30 frontiers", "PFES, 50 frontiers"]
CLOSE = 0.01


def main() -> None:
    runs: dict[str, dict[str, dict[int, dict[str, Any]]]] = defaultdict(lambda: defaultdict(dict))
    for line in read_results([KEPT]):
        runs[line["problem"]][line["method"]][line["seed"]] = line
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
    print(table(header, rows))


def repeats(line: dict[str, Any]) -> int:
    """Choices of a run that all but repeat a point."""
    first, chosen = np.array(line["first"]["at"]), np.array(line["at"])
    every = np.vstack([first, chosen])
    apart = np.linalg.norm(every[:, None] - every[None], axis=2)
    return sum(bool((apart[n, :n] < CLOSE).any()) for n in range(len(first), len(every)))


if __name__ == "__main__":
    main()
