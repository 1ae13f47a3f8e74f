"""Write reference.json: information gains and their gradients in many regimes, from exact.py.

    python -m oracles.make_reference [processes]        (from the folder tests)

A list of objects, one per line. Inputs: regime, mean (L,), std (L,), frontier (S, L) with "inf" for +inf, delta (L,) or null.
Outputs, correct to the last bit or so: coupled and decoupled (L,) with _d_mean and _d_std (for decoupled, row l is the gradient of
the gain of objective l); with a delta also coupled_matched, decoupled_matched, and for some cases decoupled_noisy and (two
objectives, about 8 digits, no gradient) coupled_noisy. A missing key was not computed; 0.0 stands for anything below 1e-300.
"""

from __future__ import annotations

import json
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from oracles import exact

TARGET = Path(__file__).with_name("reference.json")
SMALLEST = 1e-300


# ---------------------------------------------------------------------------------------------------------------------------
# cases


def front(rng: np.random.Generator, S: int, L: int) -> np.ndarray:
    """S mutually non-dominated points (S, L): concave, convex or linear by lot, in [0, 1]."""
    if L == 1:
        return rng.normal(size=(1, 1))
    weights = rng.dirichlet(np.ones(L), size=S)
    power = rng.choice([0.5, 1.0, 2.0])  # sum f^power = 1
    return weights ** (1 / power)


def case(regime: str, mean, std, frontier, delta=None, noisy: bool = False) -> dict:
    """One row of inputs; noisy asks for the integrals too."""
    L = len(mean)
    if delta is not None:
        delta = np.broadcast_to(np.asarray(delta, float), (L,)).tolist()
    points = [[float(v) for v in point] for point in frontier]
    row = {"regime": regime, "mean": np.asarray(mean, float).tolist(), "std": np.asarray(std, float).tolist()}
    return row | {"frontier": points, "delta": delta, "noisy": noisy}


def cases(seed: int = 20240607) -> list[dict]:
    """All inputs, from one seed."""
    rng = np.random.default_rng(seed)
    return [*ordinary(rng), *far(rng), *narrow(rng), *special(rng), *named()]


def sizes(rng: np.random.Generator, L: int) -> int:
    """How many points; fewer in many dimensions, where the naive grid is dear."""
    return {1: 1, 2: int(rng.integers(1, 9)), 3: int(rng.integers(1, 7)), 4: int(rng.integers(1, 4))}[L]


def some_delta(rng: np.random.Generator, L: int, i: int):
    """0.01, 0.1, 1, anisotropic, in turn."""
    return [0.01, 0.1, 1.0, 10.0 ** rng.uniform(-2, 0.5, size=L)][i % 4]


def ordinary(rng: np.random.Generator) -> list[dict]:
    """Means within a few deviations of the frontier."""
    out = []
    for L, count in ((1, 6), (2, 28), (3, 24), (4, 6)):
        for i in range(count):
            frontier = front(rng, sizes(rng, L), L)
            std = 10.0 ** rng.uniform(-1, 0.3, size=L)
            mean = frontier.mean(0) + std * rng.normal(size=L) * 1.5
            out.append(case("ordinary", mean, std, frontier, some_delta(rng, L, i), noisy=i % 3 == 0 and L < 4))
    for i in range(10):
        frontier = front(rng, sizes(rng, 2 + i % 2), 2 + i % 2)
        out.append(case("noiseless", frontier.mean(0) + rng.normal(size=2 + i % 2), np.ones(2 + i % 2), frontier))
    return out


def far(rng: np.random.Generator) -> list[dict]:
    """Means many deviations above every point, deep inside, or one of each; std from 0.3 to 3 per objective."""
    out = []
    for L, S in ((1, 1), (2, 1), (2, 4), (2, 8), (3, 1), (3, 4), (4, 2)):
        for i, t in enumerate((10.0, 30.0)):
            frontier, std = front(rng, S, L), 10.0 ** rng.uniform(-0.5, 0.5, size=L)
            noisy = L < 4 and (L, S) != (3, 1)
            out.append(case(f"above{t:.0f}", frontier.max(0) + t * std, std, frontier, some_delta(rng, L, i + S), noisy and t == 10))
        for i, t in enumerate((10.0, 20.0, 30.0)):
            frontier, std = front(rng, S, L), 10.0 ** rng.uniform(-0.5, 0.5, size=L)
            noisy = L < 4 and (L, S) != (3, 1)
            out.append(case(f"inside{t:.0f}", frontier.min(0) - t * std, std, frontier, some_delta(rng, L, i + S), noisy and t < 30))
    for i, (L, S) in enumerate(((2, 1), (2, 3), (2, 6), (3, 2), (3, 4))):
        for t in (3.0, 10.0, 25.0):
            frontier, std = front(rng, S, L), 10.0 ** rng.uniform(-0.5, 0.5, size=L)
            sign = np.where(np.arange(L) == i % L, 1.0, -1.0)
            edge = np.where(sign > 0, frontier.max(0), frontier.min(0))
            out.append(case(f"mixed{t:.0f}", edge + sign * t * std, std, frontier, some_delta(rng, L, i), noisy=t < 25 and L == 2))
    return out


def narrow(rng: np.random.Generator) -> list[dict]:
    """Deviations of 1e-3 and 1e-12 (known points), above, in a notch between points, and a few deviations inside."""
    out = []
    for i, (L, S) in enumerate(((1, 1), (2, 1), (2, 3), (2, 8), (3, 3), (3, 5))):
        for tiny in (1e-3, 1e-12):
            frontier = front(rng, S, L)
            std = tiny * 10.0 ** rng.uniform(-0.3, 0.3, size=L)
            delta, noisy = some_delta(rng, L, i), L < 3 and tiny == 1e-3
            point = frontier[0]
            out.append(case(f"narrow{tiny:.0e}_above", frontier.max(0) + rng.uniform(0.1, 1, size=L), std, frontier, delta, noisy))
            out.append(case(f"narrow{tiny:.0e}_near", point + std * rng.normal(size=L), std, frontier, tiny, noisy))
            out.append(case(f"narrow{tiny:.0e}_inside", point - std * rng.uniform(5, 25, size=L), std, frontier, delta, noisy))
            if S > 1 and L == 2:
                pair = frontier[np.argsort(frontier[:, 0])][:2]  # neighbours; just inside their corner, which neither dominates
                notch = 0.9 * pair.max(0) + 0.1 * pair.min(0)
                out.append(case(f"narrow{tiny:.0e}_notch", notch, std, frontier, delta, noisy))
    return out


def special(rng: np.random.Generator) -> list[dict]:
    """Unequal deviations, near ties, ties, duplicates, dominated points, thresholds, very wide priors."""
    out = []
    for i in range(12):
        L = 2 + i % 2
        frontier, std = front(rng, 4, L), 10.0 ** rng.uniform(-4, 2, size=L)
        out.append(case("anisotropic", frontier.mean(0) + std * rng.normal(size=L), std, frontier, some_delta(rng, L, i), i < 4))
        frontier = front(rng, 3, L)
        gap = 1e-9 * np.where(np.arange(L) == 0, 1.0, -1.0)
        frontier = np.concatenate([frontier, frontier + gap])
        std = 10.0 ** rng.uniform(-1, 0.3, size=L)
        out.append(case("near_tied", frontier.mean(0) + std * rng.normal(size=L), std, frontier, some_delta(rng, L, i), i < 4))
        frontier = np.round(front(rng, 5, L), 1)
        frontier = np.concatenate([frontier, frontier[:1], frontier[:1] - 0.25])
        out.append(case("tied", frontier.mean(0) + std * rng.normal(size=L), std, frontier, some_delta(rng, L, i), i < 4))
        threshold = np.where(np.eye(L, dtype=bool), rng.uniform(-0.5, 0.3, size=L), np.inf)
        frontier = np.concatenate([front(rng, 3, L), threshold[: L if i % 3 else 1]])
        mean = rng.uniform(-1, 1.5, size=L) if i < 8 else rng.choice([-12.0, 12.0], size=L)
        out.append(case("threshold", mean, std, frontier, some_delta(rng, L, i), noisy=i < 8 and L == 2))
    for i, L in enumerate((1, 1, 2, 2, 3, 3)):
        out.append(case("one_point", rng.normal(size=L), np.ones(L), np.zeros((1, L)), some_delta(rng, L, i), noisy=True))
        frontier = front(rng, 1 if L == 1 else 4, L)
        out.append(case("wide", rng.normal(size=L) * 100, np.full(L, 1e3), frontier, some_delta(rng, L, i)))
    return out


def named() -> list[dict]:
    """The examples of theory.md."""
    pair = [(0.0, 1.0), (1.0, 0.0)]
    zeros, ones = (0.0, 0.0), (1.0, 1.0)
    return [
        case("theory2_above", (10.0, 10.0), ones, pair, 0.1, True),
        case("theory2_inside", (-20.0, -25.0), ones, pair, 0.1, True),
        case("theory2_negative", zeros, ones, [(-2.563, -0.875), (-1.543, -2.202), (3.794, -2.656)], 0.1, True),
        case("theory4_bimodal", zeros, ones, [(-2.0, 5.0), (5.0, -2.0)], 0.1, True),
        case("theory4_limit", zeros, ones, [zeros], 0.01, True),
        case("theory4_nan", (1.5, 1.5), (0.02, 0.02), pair, 0.02, True),
    ]


# ---------------------------------------------------------------------------------------------------------------------------
# values


def plain_gains(mean, std, row: dict) -> list:
    """All closed-form gains in one list: coupled, decoupled (L), and with a delta the two matched bounds."""
    r = exact.region(mean, std, row["frontier"])
    L, delta = len(row["mean"]), row["delta"]
    out = [exact.coupled_of(r), *(exact.decoupled_of(r, l) for l in range(L))]
    if delta is not None:
        out.append(exact.coupled_matched_of(r, delta))
        out += [exact.decoupled_matched_of(r, delta, l) for l in range(L)]
    return out


def evaluate(row: dict) -> dict:
    """The row with every output it can have."""
    mean, std, L = row["mean"], row["std"], len(row["mean"])
    flat = exact.settled(lambda: plain_gains(mean, std, row))
    d_mean, d_std = exact.gradients(lambda m, s: plain_gains(m, s, row), mean, std)
    out = {k: v for k, v in row.items() if k != "noisy"}
    for i, suffix in enumerate(("", "_matched") if row["delta"] is not None else ("",)):
        at = i * (L + 1)
        for name, part in (("", flat), ("_d_mean", d_mean), ("_d_std", d_std)):
            out[f"coupled{suffix}{name}"] = part[at]
            out[f"decoupled{suffix}{name}"] = part[at + 1 : at + 1 + L]
    return plain(out)


def plain(value):
    """Numbers for JSON: floats, "inf", and 0.0 below the smallest."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    if math.isinf(number):
        return "inf"
    return 0.0 if abs(number) < SMALLEST else number


def main() -> None:
    """Compute and write."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with ProcessPoolExecutor(processes) as pool:
        rows = list(pool.map(evaluate, cases(), chunksize=1))
    TARGET.write_text("[\n" + ",\n".join(json.dumps(row, allow_nan=False) for row in rows) + "\n]\n")
    print(f"{len(rows)} cases, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
