"""BoTorch's qLogNEHVI, one point at a time, as its tutorial on several objectives does it.

`SingleTaskGP` per objective with its default priors and standardised outcomes, `fit_gpytorch_mll`,
`qLogNoisyExpectedHypervolumeImprovement` with 128 quasi-random samples and a pruned baseline; over a space
`optimize_acqf` with 10 restarts out of 512 raw samples, over a pool the best of all rows not yet measured. The
reference point is the problem's: it cannot do without.

Two things can be changed, since they decide about hours: samples (32 for four objectives or more, where 128 take a
minute for each point), and fits="pfes": in pools of many columns its own fits take nine tenths of the time, and
pfes.gp.fit finds the same maximum of the same likelihood and priors, or a higher one, in a fiftieth of it.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.bench.methods.protocol import Choose, Record, Start
from pfes.errors import InvalidInput
from pfes.gp import Recipe, fit
from pfes.observations import Data

__all__ = ["fitted", "qlognehvi"]

Array = NDArray[np.float64]

RESTARTS, RAW, ITERATIONS = 10, 512, 200
BLOCK = 256  # rows of a pool scored at once


def qlognehvi(start: Start, samples: int | None = None, fits: str = "botorch") -> Choose:
    """Begin a search; see the module for the arguments."""
    import torch  # noqa: PLC0415 - optional

    if fits not in ("botorch", "pfes"):
        raise InvalidInput(f"fits: got {fits!r}, wanted 'botorch' or 'pfes'")
    torch.set_num_threads(1)
    count = samples or (128 if len(start.problem.objectives) < 4 else 32)

    def choose(record: Record) -> Any:
        seed = 1000 * start.seed + len(record)
        torch.manual_seed(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            acquisition = _acquisition(record, start.reference, count, seed, fits)
            return _best_row(start, record, acquisition) if start.pooled else _best_point(start, acquisition)

    return choose


def _acquisition(record: Record, reference: Array, samples: int, seed: int, fits: str) -> Any:
    import torch  # noqa: PLC0415 - optional
    from botorch.acquisition.multi_objective.logei import (  # noqa: PLC0415
        qLogNoisyExpectedHypervolumeImprovement,
    )
    from botorch.models import ModelListGP  # noqa: PLC0415
    from botorch.sampling import SobolQMCNormalSampler  # noqa: PLC0415

    x, levels = record.x, record.levels
    model = ModelListGP(*(fitted(x, levels[:, l], fits) for l in range(levels.shape[1])))
    return qLogNoisyExpectedHypervolumeImprovement(
        model,
        reference.tolist(),
        torch.as_tensor(x),
        prune_baseline=True,
        sampler=SobolQMCNormalSampler(torch.Size([samples]), seed=seed),
    )


def _best_point(start: Start, acquisition: Any) -> Array:
    import torch  # noqa: PLC0415 - optional
    from botorch.optim import optimize_acqf  # noqa: PLC0415

    bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double).repeat(1, start.space.width)
    found, _ = optimize_acqf(
        acquisition,
        bounds,
        q=1,
        num_restarts=RESTARTS,
        raw_samples=RAW,
        options={"batch_limit": RESTARTS, "maxiter": ITERATIONS},
    )
    return np.asarray(found[0].numpy(), dtype=np.float64)


def _best_row(start: Start, record: Record, acquisition: Any) -> int | None:
    import torch  # noqa: PLC0415 - optional

    left = np.setdiff1d(np.arange(int(start.space.size)), record.rows)
    if not len(left):
        return None
    with torch.no_grad():
        blocks = torch.as_tensor(start.space.x[left]).unsqueeze(-2).split(BLOCK)  # type: ignore[union-attr]
        return int(left[int(torch.cat([acquisition(block) for block in blocks]).argmax())])


def fitted(x: Array, y: Array, fits: str) -> Any:
    """A `SingleTaskGP` of values y (n,) at x (n, d), fitted by BoTorch or by us."""
    import torch  # noqa: PLC0415 - optional
    from botorch import fit_gpytorch_mll  # noqa: PLC0415
    from botorch.models import SingleTaskGP  # noqa: PLC0415
    from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: PLC0415

    model = SingleTaskGP(torch.as_tensor(x), torch.as_tensor(y)[:, None])
    if fits == "botorch":
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
    scaled = (y - y.mean()) / y.std(ddof=1)
    data = Data(x, scaled, np.ones(len(y)), np.full(len(y), np.nan))
    found = fit(data, np.arange(x.shape[1]), Recipe.botorch(), np.random.default_rng(0))
    model.covar_module.lengthscale = torch.as_tensor(found.scales)
    model.likelihood.noise = found.noise
    model.mean_module.constant = found.mean
    return model.eval()
