"""Write fixtures/botorch_entropy.json: BoTorch's max-value and joint entropy searches, for tests without torch.

    PYTHONPATH=benchmarks python tests/oracles/make_entropy_fixture.py     (where torch and botorch are installed)

Gaussian processes with given hyper-parameters: Matern 5/2, mean 0, one per objective, noise of variance `noise` in
every value, those at the Pareto sets included. Inputs are rounded to six decimals. Of each case: x (n, D), y (n, L),
scales (L, D), amplitude (L,), noise; candidates (N, D); sets (R, S, D) and fronts (R, S, L). Answers, in nats (N,):

    mesmo       qLowerBoundMultiObjectiveMaxValueEntropySearch "0", one cell below the largest values of each front
    jes_bound   qLowerBoundMultiObjectiveJointEntropySearch "LB"; it adds 1e-6 to variances of at least `noise`
    jes_exact   the same, "0": the truncation is free of noise, the variances outside it are not
    std, own    (N, L), (R, N, L): deviations of f before and after the Pareto sets are known
"""

import json
from pathlib import Path

import gpytorch
import numpy as np
import torch
from botorch.acquisition.multi_objective.joint_entropy_search import qLowerBoundMultiObjectiveJointEntropySearch as Jes
from botorch.acquisition.multi_objective.max_value_entropy_search import (
    qLowerBoundMultiObjectiveMaxValueEntropySearch as Mesmo,
)
from botorch.acquisition.multi_objective.utils import compute_sample_box_decomposition
from botorch.models import SingleTaskGP
from botorch.models.model_list_gp_regression import ModelListGP
from gpytorch.constraints import Positive
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import ZeroMean

from machine import versions

TARGET = Path(__file__).parents[1] / "fixtures" / "botorch_entropy.json"
BELOW = -1e10  # the lower end of a cell that has none


def inputs(objectives: int, noise: float, seed: int) -> dict[str, np.ndarray]:
    """Smooth data of two inputs, and fronts that lie a little above what the data show."""
    rng = np.random.default_rng(seed)
    x, sets = rng.random((10, 2)), rng.random((3, 4, 2))
    waves = rng.normal(size=(2, objectives))
    angles = np.abs(rng.normal(size=(3, 4, objectives)))
    return {
        "x": x.round(6),
        "y": np.sin(3.0 * x @ waves + np.arange(objectives)).round(6),
        "scales": rng.uniform(0.3, 0.9, (objectives, 2)).round(6),
        "amplitude": rng.uniform(0.7, 1.3, objectives).round(6),
        "noise": np.array(noise),
        "candidates": rng.random((40, 2)).round(6),
        "sets": sets.round(6),
        "fronts": (1.2 * angles / np.linalg.norm(angles, axis=-1, keepdims=True)).round(6),
    }


def model_of(given: dict[str, np.ndarray]) -> ModelListGP:
    """One process per objective."""
    models = []
    for l, (scales, amplitude) in enumerate(zip(given["scales"], given["amplitude"], strict=True)):
        kernel = ScaleKernel(MaternKernel(2.5, ard_num_dims=2))
        likelihood = GaussianLikelihood(noise_constraint=Positive())
        x, y = torch.tensor(given["x"]), torch.tensor(given["y"][:, [l]])
        one = SingleTaskGP(x, y, likelihood=likelihood, covar_module=kernel, mean_module=ZeroMean(),
                           outcome_transform=None)  # fmt: skip
        kernel.base_kernel.lengthscale, kernel.outputscale = torch.tensor(scales), torch.tensor(amplitude)
        likelihood.noise = torch.tensor(given["noise"])
        models.append(one)
    model = ModelListGP(*models)
    model.eval()
    return model


def answers(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    model, x = model_of(given), torch.tensor(given["candidates"])
    sets, fronts = torch.tensor(given["sets"]), torch.tensor(given["fronts"])
    high = fronts.amax(dim=1)[:, None, None]  # (R, 1, 1, L)
    box = torch.cat([torch.full_like(high, BELOW), high], dim=1)
    cells = compute_sample_box_decomposition(fronts)
    bound, exact = (Jes(model, sets, fronts, cells, estimation_type=kind) for kind in ("LB", "0"))
    with torch.no_grad():
        own = exact.conditional_model.posterior(x[:, None, None, :]).variance.sqrt()[:, :, 0]  # (N, R, L)
        found = {
            "mesmo": Mesmo(model, box, estimation_type="0")(x[:, None]),
            "jes_bound": bound(x[:, None]),
            "jes_exact": exact(x[:, None]),
            "std": model.posterior(x).variance.sqrt(),
            "own": own.swapaxes(0, 1),
        }
    return {key: value.numpy() for key, value in found.items()}


def case(objectives: int, noise: float) -> str:
    given = inputs(objectives, noise, seed=objectives)
    found = given | answers(given)
    lines = {"name": f"L = {objectives}, noise {noise:g}"} | {key: value.tolist() for key, value in found.items()}
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in lines.items()) + "\n}"


def main() -> None:
    torch.set_default_dtype(torch.float64)
    head = {
        "about": "BoTorch's lower-bound entropy searches on given Pareto sets and fronts; maximisation, nats",
        "command": "PYTHONPATH=benchmarks python tests/oracles/make_entropy_fixture.py",
        "versions": versions(["botorch", "gpytorch", "torch"]),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    with gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.cholesky_jitter(0.0, 0.0, 0.0):
        cases = [case(objectives, noise) for objectives in (2, 3) for noise in (0.04,)]
    TARGET.write_text("{\n" + ",\n".join(lines) + ',\n"cases": [\n' + ",\n".join(cases) + "\n]\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
