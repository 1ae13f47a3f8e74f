"""Joint models of several objectives against independent ones, by what they predict.

    python benchmarks/joint.py                                  to the terminal
    python benchmarks/joint.py --markdown docs/benchmarks.md    and into its section of that page

Objectives are mixed from random smooth functions, so that their correlation is known. Each is measured at random
points, with noise; models predict all of them at other points. The score is the mean log density of the true values at
a point, all objectives together (a deviation of 1e-3 is added): differences are nats per point.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

from machine import describe
from pfes.compiled import one_blas_thread
from pfes.gp import Hyper, Recipe
from pfes.gp.multitask import JointHyper, JointModel, Start, choose, fit_joint
from pfes.observations import Data
from tables import table, write_section
from workers import append, read

KINDS = ["independent", "coregional", "latent"]
OTHERS = ["unshared", "coregional", "latent", "auto"]
WIDTH, FEATURES, HELD_OUT = 3, 300, 300
NOISE, SMALLEST = 0.02, 1e-3  # deviations


@dataclass(frozen=True)
class Problem:
    """Objectives mixed from functions of these length scales; sizes: how many points of each, in units of n."""

    mixing: list[list[float]]  # (L, J)
    scales: list[float]  # (J,)
    sizes: list[int]  # (L,)
    together: bool = True  # all at the same points, as far as they go


def related(rho: float) -> list[list[float]]:
    return [[1.0, 0.0], [rho, (1.0 - rho**2) ** 0.5]]


THREE = [[1.0, 0.0, 0.0], [0.9, 0.436, 0.0], [-0.8, 0.0, 0.6]]
PROBLEMS = {
    "0.9, alike": Problem(related(0.9), [0.5, 0.5], [1, 1]),
    "0.9, alike, the second at 4 n points of its own": Problem(related(0.9), [0.5, 0.5], [1, 4], False),
    "-0.9, what differs is rougher": Problem(related(-0.9), [0.7, 0.3], [1, 1]),
    "-0.9, the same, the second at 4 n points": Problem(related(-0.9), [0.7, 0.3], [1, 4]),
    "three objectives, 0.9, -0.8, -0.72": Problem(THREE, [0.5, 0.4, 0.8], [1, 2, 4]),
    "0, alike": Problem(related(0.0), [0.5, 0.5], [1, 1]),
    "0, one rougher": Problem(related(0.0), [0.7, 0.25], [1, 1]),
    "0, alike, the second at 4 n points of its own": Problem(related(0.0), [0.5, 0.5], [1, 4], False),
    "four objectives, 0": Problem(np.eye(4).tolist(), [0.4, 0.5, 0.6, 0.8], [1, 1, 1, 1]),
}
SIZES = [10, 20]
FIRST = 100  # seed: the priors were set on the first eight

Job = tuple[str, int, int]  # problem, n, seed
Results = dict[Job, tuple[dict[str, float], str]]  # score by kind, and the kind chosen


def surface(scale: float, rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    """A random function of unit variance with the Matern-5/2 kernel."""
    z = rng.normal(size=(FEATURES, WIDTH)) / np.sqrt(rng.chisquare(5, (FEATURES, 1)) / 5)
    phase, height = rng.uniform(0, 2 * np.pi, FEATURES), rng.normal(size=FEATURES) * np.sqrt(2 / FEATURES)
    return lambda x: np.cos(x @ z.T / scale + phase) @ height


def measured(problem: Problem, n: int, rng: np.random.Generator) -> tuple[list[Data], np.ndarray, np.ndarray]:
    """Data of every objective, standardised; other points (N, D) and the true values (N, L) there."""
    functions = [surface(scale, rng) for scale in problem.scales]
    mixing = np.array(problem.mixing)
    points = rng.random((n * max(problem.sizes), WIDTH))
    new = rng.random((HELD_OUT, WIDTH))
    data, truth = [], []
    for row, size in zip(mixing, problem.sizes, strict=True):
        x = points[: n * size] if problem.together else rng.random((n * size, WIDTH))
        y, wanted = (sum(a * f(at) for a, f in zip(row, functions, strict=True)) for at in (x, new))
        y = y + NOISE * rng.normal(size=len(y))
        data.append(Data(x, (y - y.mean()) / y.std(), np.ones(len(y)), np.full(len(y), np.nan)))
        truth.append((wanted - y.mean()) / y.std())
    return data, new, np.column_stack(truth)


def score(model: JointModel, x: np.ndarray, truth: np.ndarray) -> float:
    """Mean log density of the true values, all objectives of a point together."""
    mean, covariance = model.predict_joint(x)
    lower = np.linalg.cholesky(covariance + SMALLEST**2 * np.eye(truth.shape[1]))
    z = np.linalg.solve(lower, (truth - mean)[:, :, None])[:, :, 0]
    return float(
        np.mean(-0.5 * (z**2 + np.log(2 * np.pi)).sum(axis=1) - np.log(np.einsum("nll->nl", lower)).sum(axis=1))
    )


def unshared(data: list[Data], singles: tuple[Hyper, ...], seed: int) -> JointHyper:
    """The latent model with every loading held at 0: the priors of joint models without their correlations."""
    with mock.patch("pfes.gp.multitask.fit.LARGEST", 0.0):
        return fit_joint(data, np.arange(WIDTH), Recipe(), "latent", np.random.default_rng(seed), Start(singles))


def run(job: Job) -> tuple[dict[str, float], str]:
    """Scores of all models on the same data, and the kind that "auto" chose."""
    name, n, seed = job
    data, new, truth = measured(PROBLEMS[name], n, np.random.default_rng([seed, n]))
    groups, found = np.arange(WIDTH), dict[str, float]()
    with one_blas_thread():
        auto = choose(data, groups, Recipe(), "auto", np.random.default_rng(seed))
        hypers = auto.fits | {"unshared": unshared(data, auto.singles, seed)}
        for kind, hyper in hypers.items():
            found[kind] = score(JointModel.of(data, groups, hyper), new, truth)
    return found | {"auto": found[auto.kind]}, auto.kind


def rows(results: Results) -> list[list[str]]:
    """A line per problem and size: the independent score, differences of the others, what was chosen."""
    lines = []
    for name, n in dict.fromkeys((job[0], job[1]) for job in results):
        mine = [result for job, result in results.items() if job[:2] == (name, n)]
        base = np.array([scores["independent"] for scores, _ in mine])
        cells = [f"{np.mean(base):.2f}"]
        for kind in OTHERS:
            gain = np.array([scores[kind] for scores, _ in mine]) - base
            cells.append(f"{gain.mean():+.2f} ± {gain.std(ddof=1) / len(gain) ** 0.5:.2f} ({np.median(gain):+.2f})")
        chosen = [kind for _, kind in mine]
        lines.append([name, str(n), *cells, " / ".join(str(chosen.count(kind)) for kind in KINDS)])
    return lines


def done(path: Path | None, jobs: list[Job]) -> Results:
    """The results of all jobs; those found in the file are not repeated, new ones are added to it."""
    results: Results = {}
    for line in read(path) if path else []:
        results[line["problem"], line["n"], line["seed"]] = (line["scores"], line["chosen"])
    for name, n, seed in jobs:
        if (name, n, seed) not in results:
            scores, chosen = results[name, n, seed] = run((name, n, seed))
            if path:
                append(path, {"problem": name, "n": n, "seed": seed, "scores": scores, "chosen": chosen})
    return {job: results[job] for job in jobs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'joint' is rewritten")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--results", type=Path, help="file of results, a line each: what is there is not run again")
    options = parser.parse_args()
    jobs = [(name, n, FIRST + seed) for seed in range(options.seeds) for name in PROBLEMS for n in SIZES]
    results = done(options.results, jobs)
    header = ["correlation", "n", "independent", *OTHERS, "chosen: " + " / ".join(KINDS)]
    command = " ".join(["python benchmarks/joint.py", *sys.argv[1:]])
    text = "\n\n".join(
        [
            "## Joint models of several objectives",
            f"`{command}`: {'; '.join(describe(['pfes', 'numpy', 'scipy']))}.",
            f"{options.seeds} random problems each: objectives of {WIDTH} parameters mixed from random Matérn "
            f"functions, n noisy values of each or what is said, {HELD_OUT} predictions. Score: mean log density of "
            "the true values at a point, all objectives together, in nats; of the joint models the difference from the "
            "independent one, mean ± standard error (median). Unshared: the latent model with every loading held at 0, "
            "so that what it gains is due to the priors of length scales, which are tied; what the others gain beyond "
            "it is due to correlation. The priors of joint models were set on other seeds.",
            table(header, rows(results)),
        ]
    )
    print(text)
    if options.markdown:
        write_section(options.markdown, "joint", text)


if __name__ == "__main__":
    main()
