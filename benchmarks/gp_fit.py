"""Fits of a Gaussian process: BoTorch's default beside ours, the penalised likelihood reached and the time.

    python benchmarks/gp_fit.py                                    to the terminal; needs botorch and threadpoolctl
    python benchmarks/gp_fit.py --markdown docs/benchmarks.md      and into its section of that page

Both maximise the same thing: SingleTaskGP with Standardize (rbf, a length scale per column, constant mean, amplitude 1,
log-normal priors on scales and noise) against `Recipe.botorch()`. They must agree on its value at BoTorch's solution
before anything is compared. One thread each, because on matrices this small more of them only wait for one another; and
processor time, because then the machine may be busy.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from machine import describe
from pfes.gp import Hyper, Model, Posterior, Recipe, fit, log_posterior
from pfes.observations import Data
from tables import seconds, table, write_section
from timing import cost

PACKAGES = ["pfes", "numpy", "scipy", "torch", "gpytorch", "botorch"]
MISS = 1e-3  # nats
SETS = 50


class Race(NamedTuple):
    """One data set: penalised log likelihoods in nats, processor times in seconds."""

    kind: str
    ours: float
    theirs: float
    theirs_by_us: float  # our value of it at their solution
    our_time: float
    their_time: float


KINDS = {
    "waves": lambda x, rng: np.sin(x @ rng.uniform(1.0, 8.0, x.shape[1])) + np.cos(4.0 * x[:, 0]),
    "bowl": lambda x, rng: -((x - rng.random(x.shape[1])) ** 2).sum(axis=1),
    "few of many": lambda x, rng: np.sin(7.0 * x[:, 0]),
    "cliff": lambda x, rng: (x.mean(axis=1) > 0.5) + 0.2 * x[:, 0],
    "spike": lambda x, rng: np.exp(-((x - 0.4) ** 2).sum(axis=1) / 0.05),
    "noise only": lambda x, rng: np.zeros(len(x)),
}


def data_set(seed: int) -> tuple[str, Data]:
    """One of the kinds in 1 to 10 dimensions, 5 to 60 points, more or less noise."""
    rng = np.random.default_rng([7, seed])
    kind = list(KINDS)[seed % len(KINDS)]
    x = rng.random((int(rng.integers(5, 61)), int(rng.integers(1, 11))))
    y = KINDS[kind](x, rng)
    y = y + rng.choice([1e-3, 0.1, 0.5]) * max(float(y.std()), 0.1) * rng.normal(size=len(y))
    return kind, whole((y - y.mean()) / y.std(ddof=1), x)


def whole(y: np.ndarray, x: np.ndarray) -> Data:
    return Data(x, y, np.ones(len(y)), np.full(len(y), np.nan))


def theirs(data: Data) -> tuple[Hyper, float]:
    """BoTorch's fit: hyper-parameters and its own value of the penalised log likelihood."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(0)
    x, y = torch.as_tensor(data.x), torch.as_tensor(data.y)[:, None]
    model = SingleTaskGP(x, y, outcome_transform=Standardize(1))
    mll = ExactMarginalLogLikelihood(model.likelihood, model)
    fit_gpytorch_mll(mll)
    model.train()
    with torch.no_grad():
        value = float(mll(model(*model.train_inputs), model.train_targets)) * len(y)
        scales = model.covar_module.lengthscale.numpy().ravel().copy()
        noise, mean = float(model.likelihood.noise), float(model.mean_module.constant)
    return Hyper("rbf", scales, 1.0, noise, mean), value


def race(seed: int) -> Race:
    """Fit one data set twice."""
    recipe = Recipe.botorch()
    kind, data = data_set(seed)
    groups = np.arange(data.x.shape[1])
    begin = time.process_time()
    hyper = fit(data, groups, recipe, np.random.default_rng(seed))
    middle = time.process_time()
    other, value = theirs(data)
    end = time.process_time()
    by_us = log_posterior(data, groups, other, recipe).value
    return Race(kind, log_posterior(data, groups, hyper, recipe).value, value, by_us, middle - begin, end - middle)


def outcome(races: list[Race]) -> str:
    """Agreement, misses and times."""
    gaps = np.array([r.ours - r.theirs_by_us for r in races])
    disagreement = max(abs(r.theirs - r.theirs_by_us) for r in races)
    times = np.array([(r.our_time, r.their_time) for r in races])
    misses = -gaps[gaps < -MISS]
    gains = gaps[gaps > MISS]
    rows = [
        [
            "the two values of the penalised likelihood at BoTorch's solution differ by at most",
            f"{disagreement:.1e} nats",
        ],
        [f"data sets where ours ends lower by more than {MISS} nats", f"{len(misses)} of {len(races)}"],
        ["the largest of these misses", f"{misses.max(initial=0.0):.3g} nats"],
        [f"data sets where ours ends higher by more than {MISS} nats", f"{len(gains)} of {len(races)}"],
        ["the largest of these gains", f"{gains.max(initial=0.0):.3g} nats"],
        [
            "processor time of a fit, ours, median and longest",
            f"{seconds(np.median(times[:, 0]))}, {seconds(times[:, 0].max())}",
        ],
        [
            "processor time of a fit, BoTorch, median and longest",
            f"{seconds(np.median(times[:, 1]))}, {seconds(times[:, 1].max())}",
        ],
        ["ratio of the times, median", f"{np.median(times[:, 1] / times[:, 0]):.0f}"],
    ]
    return table([f"{len(races)} data sets, d = 1 to 10, n = 5 to 60", ""], rows)


def growth(sizes: list[int]) -> str:
    """Times of the default recipe's fit and of what is done with it as the data grow; d = 6."""
    names = [
        "`fit`",
        "`predict_gradient`, N = 20",
        "of 4 objectives",
        "`predict`, N = 10,000",
        "`given` 10 x 20 values",
    ]
    return table(["n (d = 6)", *names], [[str(n), *map(seconds, times_at(n))] for n in sizes])


def times_at(n: int) -> list[float]:
    """Seconds of each column of the table."""
    rng = np.random.default_rng(n)
    x, few, many = rng.random((n, 6)), rng.random((20, 6)), rng.random((10_000, 6))
    y = np.sin(5.0 * x[:, 0]) + x[:, 1] ** 2 + 0.3 * np.cos(6.0 * x[:, 2] * x[:, 3]) + 0.05 * rng.normal(size=n)
    data, groups = whole((y - y.mean()) / y.std(), x), np.arange(6)
    posterior = Posterior.of(data, groups, fit(data, groups, Recipe(), np.random.default_rng(0)))
    model = Model((posterior,) * 4)
    work = [
        lambda: fit(data, groups, Recipe(), np.random.default_rng(0)),
        lambda: posterior.predict_gradient(few),
        lambda: model.predict_gradient(few),
        lambda: posterior.predict(many),
        lambda: posterior.given(few, np.zeros((10, 20))),
    ]
    return [cost(call).best for call in work]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'gp-fit' is rewritten")
    parser.add_argument("--sets", type=int, default=SETS, help="data sets")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 50, 100, 200, 500, 1000], help="n of the growth")
    options = parser.parse_args()
    machine = describe(PACKAGES)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BoTorch's, on data that are hard to fit
        race(0)  # imports and first calls
        races = [race(seed) for seed in range(options.sets)]
        text = (
            "\n\n".join(
                [
                    "## Fits of a Gaussian process",
                    "`python benchmarks/gp_fit.py`: " + "; ".join(machine) + ". One thread.",
                    outcome(races),
                    "The default recipe (Matérn 5/2, amplitude fitted), the shortest of some rounds by the clock:",
                    growth(options.sizes),
                ]
            )
            + "\n"
        )
    print(text)
    for r in races:
        if r.ours < r.theirs_by_us - MISS:
            print(r)
    if options.markdown:
        write_section(options.markdown, "gp-fit", text)


if __name__ == "__main__":
    main()
