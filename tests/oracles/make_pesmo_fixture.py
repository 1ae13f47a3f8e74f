"""Write fixtures/botorch_pesmo.json: BoTorch's predictive entropy search, for tests without torch.

    PYTHONPATH=benchmarks python tests/oracles/make_pesmo_fixture.py        (where torch and botorch are installed)

One input, RBF kernel of length 0.25 and amplitude 1, no mean, noise variance 1e-4; objectives maximised. Its jitter is
turned down to 1e-8 from 1e-4 and its EP runs until changes are below 1e-6, so that what differs is the method.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import torch
from botorch.acquisition.multi_objective.predictive_entropy_search import qMultiObjectivePredictiveEntropySearch
from botorch.models import ModelListGP, SingleTaskGP
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import ZeroMean

from machine import versions

TARGET = Path(__file__).parents[1] / "fixtures" / "botorch_pesmo.json"
LENGTH, NOISE, TIGHT = 0.25, 1e-4, 1e-8
AT = [0.07, 0.31, 0.52, 0.77, 0.93]


def data(seed: int, objectives: int) -> tuple[np.ndarray, np.ndarray]:
    """Three points (3, 1) and their values (3, L)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(3, 1)).round(6)
    y = np.column_stack([np.sin(5.0 * x[:, 0] + 2.0 * l) + 0.3 * rng.normal(size=3) for l in range(objectives)])
    return x, y.round(6)


def model_of(x: np.ndarray, y: np.ndarray) -> ModelListGP:
    models = []
    for column in y.T:
        kernel = ScaleKernel(RBFKernel())
        kernel.outputscale, kernel.base_kernel.lengthscale = 1.0, LENGTH
        noise = torch.full((len(x), 1), NOISE)
        target = torch.tensor(column)[:, None]
        one = SingleTaskGP(torch.tensor(x), target, noise, covar_module=kernel, mean_module=ZeroMean(),
                           outcome_transform=None)  # fmt: skip
        models.append(one.eval())
    return ModelListGP(*models)


def case(seed: int, objectives: int, pareto: list[float]) -> dict:
    x, y = data(seed, objectives)
    points = torch.tensor(pareto)[None, :, None]
    search = qMultiObjectivePredictiveEntropySearch(
        model_of(x, y), points, max_ep_iterations=500, ep_jitter=TIGHT, test_jitter=TIGHT, threshold=1e-6
    )
    with torch.no_grad():
        gains = search(torch.tensor(AT)[:, None, None])
    return {"x": x.tolist(), "y": y.tolist(), "pareto": pareto, "at": AT, "gains": gains.tolist()}


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_default_dtype(torch.float64)
    head = {
        "about": "qMultiObjectivePredictiveEntropySearch; maximisation",
        "command": "PYTHONPATH=benchmarks python tests/oracles/make_pesmo_fixture.py",
        "versions": versions(["botorch", "gpytorch", "torch"]),
    }
    cases = [
        case(0, 2, [0.4]),
        case(1, 1, [0.75]),
        case(2, 2, [0.15, 0.6]),
        case(3, 3, [0.2, 0.45, 0.8]),
        case(4, 2, [0.1, 0.35, 0.65, 0.9]),
    ]
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    lines.append('"cases": [\n' + ",\n".join(json.dumps(one) for one in cases) + "\n]")
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
