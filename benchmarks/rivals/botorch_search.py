"""A whole search by BoTorch's qLogNEHVI, one point at a time, as its tutorial on several objectives does it.

`SingleTaskGP` per objective with its default priors and standardised outcomes, `fit_gpytorch_mll`,
`qLogNoisyExpectedHypervolumeImprovement` with 128 quasi-random samples (32 for four objectives or more, where 128 take
a minute for each point) and a pruned baseline; over a space `optimize_acqf` with 10 restarts out of 512 raw samples and
at most 200 iterations, over a pool the best of all rows not yet measured. Values are maximised; inputs are of the unit
cube.

In pools of many columns `fit_gpytorch_mll` takes nine tenths of the time. There the same model with the same priors is
fitted by `pfes.gp.fit`, which finds the same maximum, or a higher one, in a fiftieth of it.

torch is imported inside the functions: benchmarks run without it.
"""

import warnings
from typing import Any

import numpy as np

from pfes.gp import Recipe, fit
from pfes.observations import Data

__all__ = ["fitted", "next_point", "next_row"]

SAMPLES, RESTARTS, RAW, ITERATIONS = 128, 10, 512, 200
SAMPLES_OF_MANY = 32  # of four objectives or more
BLOCK = 256  # rows of a pool scored at once


def next_point(x: np.ndarray, y: np.ndarray, reference: np.ndarray, seed: int) -> np.ndarray:
    """The next point (d,) of the unit cube after values y (n, L) at points x (n, d)."""
    import torch
    from botorch.optim import optimize_acqf

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        acquisition = _acquisition(x, y, reference, seed)
        bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double).repeat(1, x.shape[1])
        found, _ = optimize_acqf(
            acquisition, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW,
            options={"batch_limit": RESTARTS, "maxiter": ITERATIONS},
        )  # fmt: skip
    return found[0].numpy()


def next_row(x: np.ndarray, y: np.ndarray, reference: np.ndarray, seed: int, rows: np.ndarray) -> int:
    """The place in `rows` (P, d) of the best of them, after values y (n, L) at points x (n, d)."""
    import torch

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        with torch.enable_grad():
            acquisition = _acquisition(x, y, reference, seed, quick=True)
        blocks = torch.as_tensor(rows).unsqueeze(-2).split(BLOCK)
        return int(torch.cat([acquisition(block) for block in blocks]).argmax())


def _acquisition(x: np.ndarray, y: np.ndarray, reference: np.ndarray, seed: int, quick: bool = False) -> Any:
    import torch
    from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
    from botorch.models import ModelListGP
    from botorch.sampling import SobolQMCNormalSampler

    torch.manual_seed(seed)
    points = torch.as_tensor(x)
    model = ModelListGP(*(fitted(x, y[:, l], quick) for l in range(y.shape[1])))
    samples = SAMPLES if y.shape[1] < 4 else SAMPLES_OF_MANY
    return qLogNoisyExpectedHypervolumeImprovement(
        model, reference.tolist(), points, prune_baseline=True,
        sampler=SobolQMCNormalSampler(torch.Size([samples]), seed=seed),
    )  # fmt: skip


def fitted(x: np.ndarray, y: np.ndarray, quick: bool) -> Any:
    """A `SingleTaskGP` of values y (n,), fitted by BoTorch or (quick) by us."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    model = SingleTaskGP(torch.as_tensor(x), torch.as_tensor(y)[:, None])
    if not quick:
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
    scaled = (y - y.mean()) / y.std(ddof=1)
    data = Data(x, scaled, np.ones(len(y)), np.full(len(y), np.nan))
    found = fit(data, np.arange(x.shape[1]), Recipe.botorch(), np.random.default_rng(0))
    model.covar_module.lengthscale = torch.as_tensor(found.scales)
    model.likelihood.noise = found.noise
    model.mean_module.constant = found.mean
    return model.eval()
