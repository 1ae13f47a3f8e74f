"""Write reference.json: information gains and their gradients in many regimes, from exact.py.

    python -m oracles.make_reference [processes]        (from the folder tests)

A list of objects, one per line. Inputs: regime, mean (L,), std (L,), frontier (S, L) with "inf" for +inf, delta (L,) or
null. Outputs, each with _d_mean and _d_std (for the decoupled ones row l is the gradient of the gain of objective l):

    coupled, decoupled (L,)                    always
    coupled_matched, decoupled_matched (L,)    with a delta
    decoupled_noisy (L,)                       with a delta, some cases
    coupled_noisy                              the same, two objectives, no gradient; 8 digits

All but the last are right to the last digit of a double. A missing key was not computed. 0.0 stands for anything below
1e-300, and in the gradients of decoupled_noisy for entries that rounding hides, below 1e-30 of the largest one.
"""

from __future__ import annotations

import json
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from oracles import exact
from oracles.grid import region
from oracles.noisy import decoupled_noisy_all
from oracles.precision import gradients, settled

TARGET = Path(__file__).with_name("reference.json")
SMALLEST = 1e-300


# ----------------------------------------------------------------------------------------------------
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


def powers_of_ten(exponents: np.ndarray) -> np.ndarray:
    """One by one: numpy's power of arrays has other last digits on processors with other vector instructions."""
    return np.array([10.0**exponent for exponent in exponents.tolist()])


def some_delta(rng: np.random.Generator, L: int, i: int):
    """0.01, 0.1, 1, anisotropic, in turn."""
    return [0.01, 0.1, 1.0, powers_of_ten(rng.uniform(-2, 0.5, size=L))][i % 4]


def ordinary(rng: np.random.Generator) -> list[dict]:
    """Means within a few deviations of the frontier."""
    out = []
    for L, count in ((1, 6), (2, 28), (3, 24), (4, 6)):
        for i in range(count):
            frontier = front(rng, sizes(rng, L), L)
            std = powers_of_ten(rng.uniform(-1, 0.3, size=L))
            mean = frontier.mean(0) + std * rng.normal(size=L) * 1.5
            noisy = i % (3 if L < 3 else 8) == 0 and L < 4
            out.append(case("ordinary", mean, std, frontier, some_delta(rng, L, i), noisy))
    for i in range(10):
        frontier = front(rng, sizes(rng, 2 + i % 2), 2 + i % 2)
        out.append(case("noiseless", frontier.mean(0) + rng.normal(size=2 + i % 2), np.ones(2 + i % 2), frontier))
    return out


def far(rng: np.random.Generator) -> list[dict]:
    """Means many deviations above every point, deep inside, or one of each; std from 0.3 to 3 per objective."""
    out = []

    def add(regime: str, S: int, steps: np.ndarray, noisy: bool) -> None:
        L = len(steps)
        frontier, std = front(rng, S, L), powers_of_ten(rng.uniform(-0.5, 0.5, size=L))
        edge = np.where(steps > 0, frontier.max(0), frontier.min(0))
        mean = np.where(steps == 0, frontier.mean(0) + std / 3, edge + steps * std)
        out.append(case(regime, mean, std, frontier, some_delta(rng, L, len(out)), noisy))

    for L, S in ((1, 1), (2, 1), (2, 4), (2, 8), (3, 1), (3, 4), (4, 2)):
        for t in (10.0, 30.0):
            add(f"above{t:.0f}", S, np.full(L, t), noisy=L < 3)
        for t in (10.0, 20.0, 30.0):
            add(f"inside{t:.0f}", S, np.full(L, -t), noisy=L < 3 and t < 30)
    for i, (L, S) in enumerate(((2, 1), (2, 3), (2, 6), (3, 2), (3, 4))):
        one = np.arange(L) == i % L
        for t in (3.0, 10.0, 25.0):
            add(f"mixed{t:.0f}", S, np.where(one, t, -t), noisy=t < 25 and L == 2)  # above in one, inside in the others
            add(f"shelf{t:.0f}", S, np.where(one, 0, -t), noisy=t < 25 and L == 2)  # at the frontier's heart in one
    return out


def narrow(rng: np.random.Generator) -> list[dict]:
    """Deviations of 1e-3 and 1e-12 (known points), above, in a notch between points, and a few deviations inside."""
    out = []
    for i, (L, S) in enumerate(((1, 1), (2, 1), (2, 3), (2, 8), (3, 3), (3, 5))):
        for tiny in (1e-3, 1e-12):
            frontier = front(rng, S, L)
            std = tiny * powers_of_ten(rng.uniform(-0.3, 0.3, size=L))
            delta, noisy = some_delta(rng, L, i), L < 3
            name, point, top = f"narrow{tiny:.0e}", frontier[0], frontier.max(0)
            out.append(case(f"{name}_above", top + rng.uniform(0.1, 1, size=L), std, frontier, delta, noisy))
            out.append(case(f"{name}_near", point + std * rng.normal(size=L), std, frontier, tiny, noisy))
            out.append(case(f"{name}_inside", point - std * rng.uniform(5, 25, L), std, frontier, delta, noisy))
            if S > 1 and L == 2:
                pair = frontier[np.argsort(frontier[:, 0])][:2]  # near their corner, which neither dominates
                notch = 0.9 * pair.max(0) + 0.1 * pair.min(0)
                out.append(case(f"{name}_notch", notch, std, frontier, delta, noisy))
    return out


def special(rng: np.random.Generator) -> list[dict]:
    """Unequal deviations, near ties, ties, duplicates, dominated points, thresholds, very wide priors."""
    out = []
    for i in range(12):
        L = 2 + i % 2
        delta, noisy = some_delta(rng, L, i), i < 4
        frontier, std = front(rng, 4, L), powers_of_ten(rng.uniform(-4, 2, size=L))
        out.append(case("anisotropic", frontier.mean(0) + std * rng.normal(size=L), std, frontier, delta, noisy))

        std = powers_of_ten(rng.uniform(-1, 0.3, size=L))
        frontier = front(rng, 3, L)
        gap = 1e-9 * np.where(np.arange(L) == 0, 1.0, -1.0)
        frontier = np.concatenate([frontier, frontier + gap])
        mean = frontier.mean(0) + std * (rng.normal(size=L) if i < 8 else (-12.0, 12.0)[i % 2])
        out.append(case("near_tied", mean, std, frontier, delta, noisy))
        if i < 4:
            mean = frontier[0] + 1e-9 * rng.normal(size=L)
            out.append(case("near_tied_narrow", mean, np.full(L, 1e-9), frontier, 1e-9, noisy=L == 2))

        frontier = np.round(front(rng, 5, L), 1)
        frontier = np.concatenate([frontier, frontier[:1], frontier[:1] - 0.25])
        out.append(case("tied", frontier.mean(0) + std * rng.normal(size=L), std, frontier, delta, noisy))

        threshold = np.where(np.eye(L, dtype=bool), rng.uniform(-0.5, 0.3, size=L), np.inf)
        frontier = np.concatenate([front(rng, 3, L), threshold[: L if i % 3 else 1]])
        mean = rng.uniform(-1, 1.5, size=L) if i < 8 else frontier[0] + std * rng.choice([-9.0, 12.0], size=L)
        out.append(case("threshold", mean, std, frontier, delta, noisy=L == 2))
    for i, L in enumerate((1, 1, 2, 2, 3, 3)):
        delta = some_delta(rng, L, i)
        out.append(case("one_point", rng.normal(size=L), np.ones(L), np.zeros((1, L)), delta, noisy=True))
        frontier = front(rng, 1 if L == 1 else 4, L)
        out.append(case("wide", rng.normal(size=L) * 100, np.full(L, 1e3), frontier, delta))
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


# ----------------------------------------------------------------------------------------------------
# values


def plain_gains(mean, std, row: dict) -> list:
    """All closed-form gains in one list: coupled, decoupled (L), and with a delta the two matched bounds."""
    r = region(mean, std, row["frontier"])
    L, delta = len(row["mean"]), row["delta"]
    out = [exact.coupled_of(r), *(exact.decoupled_of(r, l) for l in range(L))]
    if delta is not None:
        out.append(exact.coupled_matched_of(r, delta))
        out += [exact.decoupled_matched_of(r, delta, l) for l in range(L)]
    return out


def evaluate(row: dict) -> dict:
    """The row with every output it can have."""
    mean, std, L = row["mean"], row["std"], len(row["mean"])
    flat = settled(lambda: plain_gains(mean, std, row))
    d_mean, d_std = gradients(lambda m, s: plain_gains(m, s, row), mean, std)
    out = {k: v for k, v in row.items() if k != "noisy"}
    for i, suffix in enumerate(("", "_matched") if row["delta"] is not None else ("",)):
        at = i * (L + 1)
        for name, part in (("", flat), ("_d_mean", d_mean), ("_d_std", d_std)):
            out[f"coupled{suffix}{name}"] = part[at]
            out[f"decoupled{suffix}{name}"] = part[at + 1 : at + 1 + L]
    if row["noisy"]:
        out |= noisy_gains(mean, std, row["frontier"], row["delta"])
    return plain(out)


def noisy_gains(mean, std, frontier, delta) -> dict:
    """The integrals; coupled_noisy only where two rules agree."""
    L = len(mean)
    flat = [decoupled_noisy_all(mean, std, frontier, delta, l) for l in range(L)]
    out = {
        "decoupled_noisy": [row[0] for row in flat],
        "decoupled_noisy_d_mean": [row[1 : 1 + L] for row in flat],
        "decoupled_noisy_d_std": [row[1 + L :] for row in flat],
    }
    if L == 2 and min(std) > 5e-4:  # double precision
        coarse, fine = (exact.coupled_noisy(mean, std, frontier, delta, n) for n in (12, 17))
        if abs(coarse - fine) < 1e-8 * abs(fine):
            out["coupled_noisy"] = fine
    return out


def plain(value):
    """Numbers for JSON: floats, "inf", and 0.0 below the smallest."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    if math.isnan(number):
        raise ArithmeticError("nan among the results")
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
