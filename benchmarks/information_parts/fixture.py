"""BoTorch's gains and gradients at a few candidates, kept for tests that run without torch.

Inputs are rounded to six decimals. The clamp matters only where `clamped` says so: there it makes more than all of Z.
"""

import json
from pathlib import Path

import numpy as np

from information_parts.problem import Problem, problem
from machine import versions
from rivals import botorch_information, plain_information

__all__ = ["FIXTURE", "RIVAL_PACKAGES", "write_fixture"]

FIXTURE = Path("tests/fixtures/botorch_information.json")
RIVAL_PACKAGES = ["botorch", "gpytorch", "torch"]


def write_fixture(path: Path) -> None:
    """Overwrite the fixture; git shows what changed."""
    far = Problem(np.full((1, 2), 10.0), np.ones((1, 2)), [np.array([[0.0, 1.0], [1.0, 0.0]])])
    cases = [_ordinary(2), _ordinary(4), _case("ten deviations above (theory 2): truly 4.688", far, np.array([True]))]
    content = {
        "about": 'qLowerBoundMultiObjectiveMaxValueEntropySearch, estimation_type="0", no noise; maximisation, nats',
        "command": "python benchmarks/information.py --write-fixture",
        "versions": versions(RIVAL_PACKAGES),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    lines.append('"cases": [\n' + ",\n".join(_one_key_per_line(case) for case in cases) + "\n]")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _ordinary(L: int, ordinary: int = 20, clamped: int = 4) -> dict[str, object]:
    drawn = problem(L=L, S=8, R=2, N=2000, seed=L)
    many = Problem(drawn.mean.round(6), drawn.std.round(6), [points.round(6) for points in drawn.frontiers])
    regions = botorch_information.regions(botorch_information.partition(many.frontiers))
    share = plain_information.share_of_clamp(many.mean, many.std, regions, botorch_information.CLAMP)
    gain = plain_information.gain(many.mean, many.std, regions)
    good = np.flatnonzero(share < 1e-12 * np.abs(gain))[:ordinary]
    bad = np.flatnonzero((share > 1) & np.isfinite(share))[:clamped]
    chosen = np.concatenate([good, bad])
    picked = Problem(many.mean[chosen], many.std[chosen], many.frontiers)
    return _case(f"L = {L}", picked, np.isin(chosen, bad))


def _case(name: str, given: Problem, clamped: np.ndarray) -> dict[str, object]:
    cells = botorch_information.partition(given.frontiers)
    gain, d_mean, d_std = botorch_information.Search(given.mean, given.std, cells).gradient()
    arrays = {"mean": given.mean, "std": given.std, "gain": gain, "d_mean": d_mean, "d_std": d_std, "clamped": clamped}
    frontiers = [points.tolist() for points in given.frontiers]
    return {"name": name, "frontiers": frontiers} | {key: array.tolist() for key, array in arrays.items()}


def _one_key_per_line(case: dict[str, object]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()) + "\n}"
