"""What it is worth to believe objectives together: the cost to hold the front, and the time a suggestion takes.

    python benchmarks/correlated.py cost       studies of pools, one objective at a time, costs 10 : 1
    python benchmarks/correlated.py rough      the same where the parameters tell less of the objectives
    python benchmarks/correlated.py time       one suggestion over L and n, beside the independent model
    python benchmarks/correlated.py report     the section of docs/benchmarks.md, from what is kept

Finished runs are kept in benchmarks/results/correlated.jsonl and not repeated. Objectives of a pool of 300 random rows
of three parameters are mixed from random functions, so that their correlation is known; rough ones have half the length
scale. Every study begins with
five random rows measured in full, the same for all models, and ends when what it holds is 95 % of the hypervolume of
all rows, above a point a tenth of the range below the worst values. Costs are prices of one full row, start included.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from machine import describe
from pfes import Objective, Pool, Real, Space, create_study
from pfes.pareto import hypervolume
from tables import seconds, table, write_section
from workers import append, read

ROOT = Path(__file__).resolve().parent
RESULTS, PAGE = ROOT / "results" / "correlated.jsonl", ROOT.parent / "docs" / "benchmarks.md"
MODELS = ["independent", "coregional", "latent", "auto"]
RHOS = [0.9, 0.0, -0.9]
ROWS, WIDTH, START = 300, 3, 5
SCALES = {"cost": 0.3, "rough": 0.15}  # of the unit cube
COSTS = (10.0, 1.0)
ENOUGH, MOST = 0.95, 60.0  # share of the optimum, and prices after which a study is given up
SIZES = [(l, n) for l in (2, 3, 4) for n in (20, 50, 100)]
WORDS = {"cost": "", "rough": "rough, "}
Job = tuple[str, Any, ...]  # part, and what it is about


def surface(scale: float, rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    """A random function of unit variance with the Matern-5/2 kernel."""
    z = rng.normal(size=(300, WIDTH)) / np.sqrt(rng.chisquare(5, (300, 1)) / 5)
    phase, height = rng.uniform(0, 2 * np.pi, 300), rng.normal(size=300) * np.sqrt(2 / 300)
    return lambda x: np.cos(x @ z.T / scale + phase) @ height


def problem(rho: float, seed: int, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (P, D), their values (P, 2), both to be maximised, and the rows that a study begins with."""
    rng = np.random.default_rng([seed, round(100 * (1 + rho))])
    x = rng.random((ROWS, WIDTH))
    first, second = (surface(scale, rng)(x) for _ in range(2))
    y = np.column_stack([first, rho * first + (1.0 - rho**2) ** 0.5 * second])
    return x, y, rng.choice(ROWS, START, replace=False)


def searched(rho: float, seed: int, model: str, scale: float) -> dict[str, Any]:
    """One study: what was spent and held after each trial, and which model was used last."""
    x, y, begin = problem(rho, seed, scale)
    low = y.min(axis=0) - 0.1 * np.ptp(y, axis=0)
    optimum, price = hypervolume(y, low), sum(COSTS)
    known = np.zeros(y.shape, dtype=bool)
    known[begin] = True
    goals = [Objective(name, cost=cost) for name, cost in zip("ab", COSTS, strict=True)]
    pool = Pool({f"x{j}": x[:, j] for j in range(WIDTH)}, inputs=[f"x{j}" for j in range(WIDTH)])
    study = create_study(space=pool, objectives=goals, seed=seed, model=model)
    study.add([{"row": int(i), "a": y[i, 0], "b": y[i, 1]} for i in begin])
    costs, held, chosen = [float(START)], [hypervolume(y[begin], low) / optimum], []
    while held[-1] < ENOUGH and costs[-1] < MOST and (trials := study.ask(1, decoupled=True)):
        for trial in trials:
            row, which = trial.point.index, [study.objectives.index(name) for name in trial.objectives]
            study.tell(trial.id, {name: float(y[row, l]) for name, l in zip(trial.objectives, which, strict=True)})
            known[row, which] = True
            costs.append(round(costs[-1] + trial.cost / price, 6))
            held.append(round(hypervolume(y[known.all(axis=1)], low) / optimum, 6))
            chosen.append("" if study.learned_model is None else study.learned_model.kind[0])
    return {"costs": costs, "held": held, "chosen": "".join(chosen)}


def timed(objectives: int, n: int, seed: int = 0) -> dict[str, Any]:
    """Seconds of the processor for one suggestion of each model, the best of three, in turns."""
    rng = np.random.default_rng([seed, objectives, n])
    x = rng.random((n, WIDTH))
    common, found = surface(SCALES["cost"], rng), dict[str, list[float]]()
    y = np.column_stack([0.9 * common(x) + 0.44 * surface(SCALES["cost"], rng)(x) for _ in range(objectives)])
    for number in range(4):
        for model in MODELS:
            study = _measured(x, y, model, number)
            begun = time.process_time()
            study.ask()
            if number:  # the first compiles
                found.setdefault(model, []).append(time.process_time() - begun)
    return {"seconds": {model: min(times) for model, times in found.items()}}


def _measured(x: np.ndarray, y: np.ndarray, model: str, seed: int) -> Any:
    names = [f"f{l}" for l in range(y.shape[1])]
    space = Space({f"x{j}": Real(0, 1) for j in range(WIDTH)})
    study = create_study(space=space, objectives=[Objective(name) for name in names], seed=seed, model=model)
    rows = [
        {f"x{j}": float(p[j]) for j in range(WIDTH)} | dict(zip(names, v.tolist(), strict=True))
        for p, v in zip(x, y, strict=True)
    ]
    study.add(rows)
    return study


def run(job: Job) -> dict[str, Any]:
    part, *about = job
    begun = time.perf_counter()
    found = timed(*about) if part == "time" else searched(*about, SCALES[part])
    return {"job": list(job), **found, "wall": round(time.perf_counter() - begun, 1)}


def jobs(part: str, seeds: range) -> Iterator[Job]:
    if part == "time":
        yield from (("time", *size) for size in SIZES)
        return
    for models in (["independent", "auto"], ["coregional", "latent"]):  # what matters most first
        yield from ((part, rho, seed, model) for rho in RHOS for seed in seeds for model in models)


def spent(result: dict[str, Any]) -> float:
    """The cost at which enough was held; that of giving up if it never was."""
    return next((c for c, h in zip(result["costs"], result["held"], strict=True) if h >= ENOUGH), MOST)


def saving(mine: np.ndarray, base: np.ndarray) -> tuple[float, float, float]:
    """The part of the costs (n,) that is saved, of all pools together, with a bootstrap interval of 95 % over them."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(base), (10_000, len(base)))
    low, high = np.quantile(1.0 - mine[drawn].sum(axis=1) / base[drawn].sum(axis=1), [0.025, 0.975])
    return 1.0 - float(mine.sum() / base.sum()), float(low), float(high)


def _saved(mine: np.ndarray, base: np.ndarray) -> str:
    middle, low, high = saving(mine, base)
    return f"{middle:+.0%} ({low:+.0%} to {high:+.0%})"


def cost_rows(kept: list[dict[str, Any]], part: str, seeds: range) -> list[list[str]]:
    """A line per correlation and model."""
    costs = {tuple(r["job"][1:]): spent(r) for r in kept if r["job"][0] == part}
    chosen = {tuple(r["job"][1:]): r["chosen"] for r in kept if r["job"][0] == part}
    lines = []
    for rho in RHOS:
        for model in MODELS:
            there = [s for s in seeds if (rho, s, model) in costs and (rho, s, "independent") in costs]
            if len(there) < 2:
                continue
            base, mine = (np.array([costs[rho, seed, kind] for seed in there]) for kind in ("independent", model))
            used = "".join(chosen[rho, seed, model] for seed in there)
            shares = [f"{used.count(kind) / max(len(used), 1):.0%}" for kind in "icl"]
            lines.append(
                [
                    f"{rho:+.1f}, {WORDS[part]}{model}",
                    str(len(there)),
                    f"{np.median(mine):.1f}",
                    f"{mine.mean():.1f}",
                    str(int((mine >= MOST).sum())),
                    *(_saved(mine - paid, base - paid) if model != "independent" else "" for paid in (0, START)),
                    " / ".join(shares) if model == "auto" else "",
                ]
            )
    return lines


def time_rows(kept: list[dict[str, Any]]) -> list[list[str]]:
    """A line per L and n."""
    lines = []
    for result in sorted((r for r in kept if r["job"][0] == "time"), key=lambda r: r["job"]):
        taken = result["seconds"]
        ratios = [f"{taken[model] / taken['independent']:.1f}" for model in MODELS[1:]]
        lines.append([f"L = {result['job'][1]}, n = {result['job'][2]}", seconds(taken["independent"]), *ratios])
    return lines


def report(kept: list[dict[str, Any]], seeds: range) -> str:
    """The section, with the tables that there are results for."""
    described = "; ".join(describe(["pfes", "numpy", "scipy"]))
    text = ["## Correlated objectives", f"`python benchmarks/correlated.py report`: {described}."]
    if costs := [row for part in SCALES for row in cost_rows(kept, part, seeds)]:
        header = ["correlation, model", "pools", "median", "mean", "given up", "saved", "saved after the start", "used"]
        text += [
            f"Studies of random pools ({ROWS} rows, {WIDTH} parameters, two objectives, costs 10 : 1, one objective at "
            f"a time, {START} rows to begin with): the price of how many full rows is paid until {ENOUGH:.0%} of the "
            f"optimal hypervolume is held, at most {MOST:g}. Saved: part of what the independent model paid for the "
            "same pools, with a bootstrap interval of 95 % over pools; then without the rows that studies begin with, "
            "which are the same for all. Rough: functions of half the length scale, 0.15 of the range of a parameter "
            "instead of 0.3. Used: independent / coregional / latent. Aimed at were 20 % at a correlation of 0.9. "
            "The rough pools were searched before the reference point of studies without thresholds was lowered "
            "(docs/default.md).",
            table(header, costs),
        ]
    if times := time_rows(kept):
        text += [
            f"One suggestion, {WIDTH} continuous parameters, n points with every objective measured, correlations "
            "about 0.8: processor time of the independent model, and that of the others as multiples of it.",
            table(["", "independent", *MODELS[1:]], times),
        ]
    return "\n\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["cost", "rough", "time", "report"])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--rho", type=float, action="append", help="only these correlations")
    options = parser.parse_args()
    seeds, kept = range(options.first, options.first + options.seeds), read(options.results)
    if options.part == "report":
        text = report(kept, seeds)
        print(text)
        write_section(PAGE, "correlated", text)
        return
    done = {json.dumps(result["job"]) for result in kept}
    wanted = [job for job in jobs(options.part, seeds) if json.dumps(job) not in done]
    wanted = [job for job in wanted if not options.rho or job[0] == "time" or job[1] in options.rho]
    for number, job in enumerate(wanted, 1):
        result = run(job)
        append(options.results, result)
        last = json.dumps(result["seconds"]) if job[0] == "time" else f"{spent(result):.1f}"
        print(
            f"{number}/{len(wanted)} {' '.join(map(str, job))}: {last}, {result['wall']} s", file=sys.stderr, flush=True
        )


if __name__ == "__main__":
    main()
