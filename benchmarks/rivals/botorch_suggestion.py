"""A whole suggestion by BoTorch and pymoo: fit, ten sampled frontiers of 50 points, maximise the information.

Everything is BoTorch's own: one `SingleTaskGP` per objective, `fit_gpytorch_mll`, `get_matheron_path_model`,
`optimize_with_nsgaii` (its door to pymoo), `compute_sample_box_decomposition`,
`qLowerBoundMultiObjectiveMaxValueEntropySearch` (its estimator "LB" is the moment-matched bound, as ours),
`optimize_acqf`. Values are maximised.

torch is imported inside the functions: benchmarks run without it.
"""

import time
import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

__all__ = ["DEFAULT", "LEAST", "USUAL", "Effort", "Suggested", "suggestion"]


class Effort(NamedTuple):
    """How hard BoTorch looks."""

    population: int  # of NSGA-II
    generations: int | None  # of NSGA-II; None: until pymoo finds that it no longer pays
    raw_samples: int  # points scored before the climb
    restarts: int  # points that climb
    iterations: int  # of the climb, at most


# from the least that gives frontiers of 50 points, by pymoo's usual numbers, to the defaults of BoTorch's door to
# pymoo; the maximiser of the last two is that of BoTorch's tutorial on several objectives
LEAST = Effort(population=50, generations=100, raw_samples=512, restarts=4, iterations=40)
USUAL = Effort(population=100, generations=200, raw_samples=512, restarts=10, iterations=200)
DEFAULT = Effort(population=250, generations=None, raw_samples=512, restarts=10, iterations=200)


@dataclass
class Suggested:
    """The point, and what led to it."""

    x: np.ndarray  # (d,)
    model: Any
    frontiers: Any  # (R, S, L)
    acquisition: Any
    stages: dict[str, float] = field(default_factory=dict)  # s

    def gain(self, x: np.ndarray) -> np.ndarray:
        """BoTorch's estimate (N,) of the information at points (N, d)."""
        import torch

        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.acquisition(torch.as_tensor(x).unsqueeze(-2)).numpy()

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Predicted means (N, L) at points (N, d), in the units of the data."""
        import torch

        with torch.no_grad():
            return self.model.posterior(torch.as_tensor(x)).mean.numpy()


def suggestion(x: np.ndarray, y: np.ndarray, seed: int, effort: Effort, frontiers: int, points: int) -> Suggested:
    """The next point after values y (n, L) at points x (n, d) of the unit cube; by `frontiers` paths' `points` each."""
    import torch
    from botorch.acquisition.multi_objective.max_value_entropy_search import (
        qLowerBoundMultiObjectiveMaxValueEntropySearch,
    )
    from botorch.acquisition.multi_objective.utils import compute_sample_box_decomposition
    from botorch.optim import optimize_acqf

    clock = Clock()
    torch.manual_seed(seed)
    bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double).repeat(1, x.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(torch.as_tensor(x), torch.as_tensor(y))
        clock("fit")
        fronts = torch.stack([frontier(model, bounds, effort, points, seed + r) for r in range(frontiers)])
        clock("frontiers")
        acquisition = qLowerBoundMultiObjectiveMaxValueEntropySearch(
            model, compute_sample_box_decomposition(fronts), estimation_type="LB"
        )
        clock("cells")
        found, _ = optimize_acqf(
            acquisition, bounds, q=1, num_restarts=effort.restarts, raw_samples=effort.raw_samples,
            options={"maxiter": effort.iterations},
        )  # fmt: skip
        clock("maximise")
    return Suggested(found[0].numpy(), model, fronts.numpy(), acquisition, clock.stages)


class Clock:
    """Seconds between calls, by name."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = time.perf_counter()

    def __call__(self, stage: str) -> None:
        now = time.perf_counter()
        self.stages[stage] = now - self._last
        self._last = now


def fitted(x: Any, y: Any) -> Any:
    """BoTorch's default Gaussian processes, one per objective."""
    from botorch import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from gpytorch.mlls import SumMarginalLogLikelihood

    model = ModelListGP(*(SingleTaskGP(x, y[:, l : l + 1]) for l in range(y.shape[1])))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


def frontier(model: Any, bounds: Any, effort: Effort, points: int, seed: int) -> Any:
    """The frontier (S, L) of one sampled path, by NSGA-II."""
    from botorch.acquisition.multioutput_acquisition import MultiOutputPosteriorMean
    from botorch.sampling.pathwise import get_matheron_path_model
    from botorch.utils.multi_objective.optimize import optimize_with_nsgaii

    path = MultiOutputPosteriorMean(get_matheron_path_model(model))
    _, values = optimize_with_nsgaii(
        path, bounds, model.num_outputs, population_size=effort.population, max_gen=effort.generations, seed=seed
    )
    return values[spread_out(values.numpy(), points)]


def spread_out(values: np.ndarray, count: int) -> np.ndarray:
    """Rows of values (S, L): `count` of them, each the farthest from those before; repeated if there are fewer.

    BoTorch's own choice, by hypervolume (the argument q of `optimize_with_nsgaii`), takes minutes for four objectives.
    """
    scaled = (values - values.min(axis=0)) / np.maximum(np.ptp(values, axis=0), 1e-300)
    chosen = [int(np.argmax(scaled[:, 0]))]
    distance = np.full(len(values), np.inf)
    while len(chosen) < count:
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(distance)))
    return np.array(chosen)
