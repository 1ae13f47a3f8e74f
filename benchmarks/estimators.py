"""How close the bounds on a noisy measurement's information are to the truth, and how they rank candidates.

    python benchmarks/estimators.py                                  to the terminal
    python benchmarks/estimators.py --markdown docs/benchmarks.md    and into its section of that page

One objective alone: against the exact noisy gain (`noisy.decoupled`), candidates around dense fronts. All objectives:
against the two-dimensional integral that the tests' reference holds (tests/oracles/reference.json, L = 2).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from machine import describe
from pfes.information import exact, matched, noisy, power, prepare
from tables import table, write_section

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "tests" / "oracles" / "reference.json"
WORTH = 0.01  # nats; smaller gains are compared by nobody


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'estimators' is rewritten")
    options = parser.parse_args()
    rows = one_objective(0.01) + one_objective(0.1) + all_objectives()
    header = ["", "candidates", "smallest", "10 %", "median", "90 %", "largest", "rank correlation"]
    command = " ".join(["python benchmarks/estimators.py", *sys.argv[1:]])
    text = "\n\n".join(
        [
            "## Estimators of a noisy measurement",
            f"`{command}`: " + "; ".join(describe(["pfes", "numpy"])) + ".",
            f"Ratio of each estimate to the truth over candidates that are worth more than {WORTH} nats.",
            table(header, rows),
        ]
    )
    print(text)
    if options.markdown:
        write_section(options.markdown, "estimators", text + "\n")


def one_objective(resolution: float) -> list[list[str]]:
    """L = 2 and 4, ten fronts of 100 and 50 points, 200 candidates each, deviations 0.02 to 0.5."""
    rows = []
    for objectives, points in ((2, 100), (4, 50)):
        rng = np.random.default_rng(objectives)
        fronts = np.abs(rng.normal(size=(10, points, objectives)))
        fronts *= np.exp(0.1 * rng.normal(size=(10, 1, 1))) / np.linalg.norm(fronts, axis=2, keepdims=True)
        ready = prepare(list(fronts))
        mean = rng.uniform(-0.3, 1.1, (200, objectives))
        std = np.exp(rng.uniform(np.log(0.02), np.log(0.5), (200, objectives)))
        truth = noisy.decoupled(mean, std, ready, resolution)
        name = f"one objective of {objectives}, resolution {resolution:g}: "
        rows += [
            compared(name + "matched", matched.decoupled(mean, std, ready, resolution), truth),
            compared(name + "power", power.decoupled(mean, std, ready, resolution), truth),
            compared(name + "noise-free", exact.decoupled(mean, std, ready), truth),
        ]
    return rows


def all_objectives() -> list[list[str]]:
    """The reference's cases of two objectives."""
    cases = [case for case in json.loads(REFERENCE.read_text()) if "coupled_noisy" in case]
    estimates = []
    for case in cases:
        mean, std = np.array([case["mean"]], float), np.array([case["std"]], float)
        front, delta = [np.array(case["frontier"], float)], np.array(case["delta"], float)
        bounds = [e.coupled(mean, std, front, delta)[0] for e in (matched, power)]
        estimates.append([*bounds, exact.coupled(mean, std, front)[0]])
    truth = np.array([case["coupled_noisy"] for case in cases])
    columns = np.array(estimates).T
    names = ("matched", "power", "noise-free")
    return [compared(f"both objectives: {n}", c, truth) for n, c in zip(names, columns, strict=True)]


def compared(name: str, estimate: np.ndarray, truth: np.ndarray) -> list[str]:
    worth = truth > WORTH
    ratio = estimate[worth] / truth[worth]
    quantiles = np.quantile(ratio, [0, 0.1, 0.5, 0.9, 1])
    rank = spearmanr(estimate[worth], truth[worth]).statistic
    return [name, str(worth.sum()), *(f"{q:.3f}" for q in quantiles), f"{rank:.3f}"]


if __name__ == "__main__":
    main()
