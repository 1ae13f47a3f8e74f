"""Kernels and priors of the Gaussian processes by what they predict: with and without main effects, priors of scales.

    python benchmarks/kernels.py                                  to the terminal
    python benchmarks/kernels.py --markdown docs/benchmarks.md    and into its section of that page

From n random measurements each model predicts up to 1,000 others, objective by objective, in units of the data's
deviation. Loss is the mean of -log N(truth; mean, std) without its constant, std at least 1e-3: differences are nats
per prediction. z is the root mean square of (truth - mean) / std: 1 if uncertainty is what it says.
"""

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from default_parts.cases import POOLS, SPACES, problem
from known import from_arrays
from machine import describe
from pfes.belief import believe
from pfes.gp import LogNormal, Recipe
from pfes.space import Pool
from pfes.task import Settings, Task
from tables import table, write_section
from workers import in_processes

PROBLEMS = [name for name in [*SPACES, *POOLS] if name != "perovskite"]
SIZES = [10, 20, 40]
SHARES = {"w fitted": "fit", "w = 0": 0.0}
OURS = "1.2, alike 0.83"
PRIORS = {  # deviation of the length scales' prior, and how much they are believed alike
    "√3": (math.sqrt(3.0), 0.0),
    "1.4": (1.4, 0.0),
    "1.2": (1.2, 0.0),
    "1.0": (1.0, 0.0),
    "1.2, alike 0.5": (1.2, 0.5),
    OURS: (Recipe().scale_prior.scale, Recipe().alike),
    "1.2, alike 0.95": (1.2, 0.95),
}
SMALLEST = 1e-3  # deviation that a prediction may claim: less is decided by rounding
AT_MOST = 1000  # predictions


class Score(NamedTuple):
    """How well a model predicts, mean over the objectives."""

    loss: float
    z: float
    explained: float  # share of the variance
    share: float  # w


Job = tuple[str, int, int]  # problem, n, seed
Results = dict[Job, dict[tuple[str, str], Score]]


def single(deviation: float) -> LogNormal:
    """Length scales believed to be within that factor of the same mode, exp(sqrt(2) - 3)."""
    default = Recipe().scale_prior
    return LogNormal(math.sqrt(2.0) - 3.0 + deviation**2, deviation, default.low, default.high)


def variants() -> dict[tuple[str, str], Recipe]:
    """Recipes by the names of their share of main effects and of their length scales' prior."""
    return {
        (w, name): replace(Recipe(), additive=share, scale_prior=single(deviation), alike=alike)
        for w, share in SHARES.items()
        for name, (deviation, alike) in PRIORS.items()
    }


def run(job: Job) -> dict[tuple[str, str], Score]:
    """All variants on the same measurements."""
    name, n, seed = job
    found, rng = problem(name), np.random.default_rng([seed, n])
    domain = found.space
    if isinstance(domain, Pool):
        order = rng.permutation(len(domain))
        rows, others = order[:n], order[n : n + AT_MOST]
        x, new, y, truth = domain.x[rows], domain.x[others], found.values(rows), found.values(others)
    else:
        rows, x, new = None, domain.random(n, rng), domain.random(AT_MOST, rng)
        y, truth = found.values(x), found.values(new)
    scores = {}
    for key, recipe in variants().items():
        task = Task(domain, found.objectives, Settings(recipe=recipe))
        belief = believe(task, from_arrays(x, y, rows), np.random.default_rng(seed))
        mean, std = belief.model.predict(new)
        std = np.maximum(std, SMALLEST)
        level = np.column_stack([s.forward(truth[:, l]) for l, s in enumerate(belief.scalings)])
        z = (level - mean) / std
        explained = 1.0 - ((level - mean) ** 2).mean(axis=0) / level.var(axis=0)
        scores[key] = Score(
            float((0.5 * z**2 + np.log(std)).mean()),
            float(np.sqrt((z**2).mean(axis=0)).mean()),
            float(explained.mean()),
            float(np.mean([hyper.additive for hyper in belief.hypers])),
        )
    return scores


def over_problems(results: Results) -> str:
    """Every variant, averaged over the problems."""
    header = ["main effects", "deviation", *(f"loss, n = {n}" for n in SIZES), "**mean loss**", "of medians"]
    header += ["explained", "w", *(f"z, n = {n}" for n in SIZES), "largest z"]
    rows = []
    for key in variants():
        middle, mean = _over_seeds(results, key, np.median), _over_seeds(results, key, np.mean)
        losses = [np.mean([score.loss for (_, m), score in mean.items() if m == n]) for n in SIZES]
        zs = [np.mean([score.z for (_, m), score in middle.items() if m == n]) for n in SIZES]
        whole = Score(*np.mean(list(middle.values()), axis=0))
        (name, n), worst = max(middle.items(), key=lambda item: item[1].z)
        rows.append(
            [
                *key,
                *(f"{loss:.3f}" for loss in losses),
                f"**{np.mean(losses):.3f}**",
                f"{whole.loss:.3f}",
                f"{whole.explained:.3f}",
                f"{whole.share:.2f}",
                *(f"{z:.2f}" for z in zs),
                f"{worst.z:.2f} ({name}, {n})",
            ]
        )
    return table(header, rows)


def by_problem(results: Results, prior: str) -> str:
    """One prior: medians of the loss without and with main effects."""
    header = ["problem", *(f"n = {n}: {what}" for n in SIZES for what in ("w = 0", "w fitted", "w"))]
    plain, mixed = (_over_seeds(results, (w, prior), np.median) for w in ("w = 0", "w fitted"))
    rows = []
    for name in dict.fromkeys(job[0] for job in results):
        cells = [(plain[name, n].loss, mixed[name, n].loss, mixed[name, n].share) for n in SIZES]
        rows.append([name, *(f"{number:.2f}" for numbers in cells for number in numbers)])
    return table(header, rows)


def _over_seeds(results: Results, key: tuple[str, str], over: Callable[..., Any]) -> dict[tuple[str, int], Score]:
    """Means or medians of one variant by problem and n."""
    seeds = defaultdict(list)
    for (name, n, _), scores in results.items():
        seeds[name, n].append(scores[key])
    return {at: Score(*over(np.array(scores), axis=0).tolist()) for at, scores in seeds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'kernels' is rewritten")
    parser.add_argument("--problem", action="append", choices=PROBLEMS)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    machine = "; ".join(describe(["pfes", "numpy", "scipy"]))
    jobs = [(name, n, seed) for name in options.problem or PROBLEMS for n in SIZES for seed in range(options.seeds)]
    results = {}
    for job, result in in_processes(run, jobs, options.processes):
        if isinstance(result, BaseException):
            raise result
        results[job] = result
    text = "\n\n".join(
        [
            "## Kernels: main effects beside interactions",
            f"`{' '.join(['python benchmarks/kernels.py', *sys.argv[1:]])}`: {machine}.",
            f"{options.seeds} random sets of n measurements of each problem, up to {AT_MOST:,} predictions of each. "
            "Loss: mean of -log N(truth; mean, std) without its constant, nats per prediction, less is better; z: root "
            "mean square of (truth - mean) / std, 1 is honest; explained: share of the variance. Losses are means over "
            "all sets, what is right of them is made of medians over the sets of each problem. Deviation: of the "
            "length scales' log-normal prior, that of a single one kept; alike: correlation of their logarithms "
            "between parameters (`Recipe.alike`); w: share of main effects.",
            over_problems(results),
            f"Problem by problem, medians of the loss, deviation {OURS}, the default:",
            by_problem(results, OURS),
        ]
    )
    print(text)
    if options.markdown:
        write_section(options.markdown, "kernels", text)


if __name__ == "__main__":
    main()
