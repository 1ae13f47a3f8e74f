"""Write fixtures/botorch_ehvi.json: BoTorch's analytic improvements and gradients, for tests without torch.

    PYTHONPATH=benchmarks python tests/oracles/make_ehvi_fixture.py        (where torch and botorch are installed)

Inputs are rounded to six decimals. BoTorch's sums round to the machine's eps, so only candidates whose improvement is
above 1e-6 are kept; its cells are `FastNondominatedPartitioning`.
"""

import json
from pathlib import Path

import numpy as np

from information_parts.problem import problem
from machine import versions
from rivals.botorch_improvement import Improvement, partition

TARGET = Path(__file__).parents[1] / "fixtures" / "botorch_ehvi.json"
KEPT = 12


def case(objectives: int) -> dict:
    drawn = problem(L=objectives, S=10, R=1, N=60, seed=objectives)
    mean, std, points = drawn.mean.round(6), drawn.std.round(6), drawn.frontiers[0].round(6)
    reference = np.full(objectives, 0.05)
    improvement, d_mean, d_std = Improvement(mean, std, partition(points, reference)).gradient()
    kept = np.flatnonzero(improvement > 1e-6)[:KEPT]
    arrays = {"points": points, "reference": reference, "mean": mean[kept], "std": std[kept]}
    arrays |= {"improvement": improvement[kept], "d_mean": d_mean[kept], "d_std": d_std[kept]}
    return {"name": f"L = {objectives}"} | {key: array.tolist() for key, array in arrays.items()}


def one_key_per_line(thing: dict) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in thing.items()) + "\n}"


def main() -> None:
    head = {
        "about": "ExpectedHypervolumeImprovement; maximisation",
        "command": "PYTHONPATH=benchmarks python tests/oracles/make_ehvi_fixture.py",
        "versions": versions(["botorch", "gpytorch", "torch"]),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    lines.append('"cases": [\n' + ",\n".join(one_key_per_line(case(L)) for L in (2, 3, 4, 5)) + "\n]")
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
