"""BoTorch's hypervolume knowledge gradient, one objective at a time, as its tutorial on decoupled objectives does it.

`SingleTaskGP` per objective, of the points where that objective was measured; `qHypervolumeKnowledgeGradient` with 8
fantasies and 10 points of the front, divided by the cost of the objective, above the largest hypervolume that 10 points
of the posterior mean have now; for every objective one start out of 512 raw samples, and the best of all objectives.
The reference point is the problem's: it cannot do without. A suggestion takes some twenty seconds.
"""

import warnings
from typing import Any

import numpy as np

from pfes.bench.methods.botorch_search import fitted
from pfes.bench.methods.protocol import Choose, Record, Start, Wish

__all__ = ["hvkg"]

FANTASIES, FRONT = 8, 10
RESTARTS, RAW = 1, 512
RESTARTS_NOW, RAW_NOW = 20, 1024  # of the largest hypervolume now


def hvkg(start: Start, fantasies: int = FANTASIES, front: int = FRONT) -> Choose:
    """Begin a search; fewer fantasies or points of the front are quicker than the tutorial's."""
    import torch  # noqa: PLC0415 - optional

    torch.set_num_threads(1)

    def choose(record: Record) -> Wish:
        torch.manual_seed(1000 * start.seed + len(record))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _best(start, _acquisition(start, record, fantasies, front))

    return choose


def _acquisition(start: Start, record: Record, fantasies: int, front: int) -> Any:
    import torch  # noqa: PLC0415 - optional
    from botorch.acquisition.cost_aware import InverseCostWeightedUtility  # noqa: PLC0415
    from botorch.acquisition.multi_objective.hypervolume_knowledge_gradient import (  # noqa: PLC0415
        _get_hv_value_function,
        qHypervolumeKnowledgeGradient,
    )
    from botorch.models import ModelListGP  # noqa: PLC0415
    from botorch.models.cost import FixedCostModel  # noqa: PLC0415
    from botorch.optim import optimize_acqf  # noqa: PLC0415

    levels = record.levels
    known = ~np.isnan(levels)
    model = ModelListGP(*(fitted(record.x[at], levels[at, l], "botorch") for l, at in enumerate(known.T)))
    reference = torch.as_tensor(start.reference)
    now = _get_hv_value_function(model=model, ref_point=reference, use_posterior_mean=True)
    _, largest = optimize_acqf(now, _cube(start), q=front, num_restarts=RESTARTS_NOW, raw_samples=RAW_NOW)
    prices = torch.tensor([objective.cost for objective in start.problem.objectives], dtype=torch.double)
    return qHypervolumeKnowledgeGradient(
        model,
        reference,
        num_fantasies=fantasies,
        num_pareto=front,
        current_value=largest,
        cost_aware_utility=InverseCostWeightedUtility(cost_model=FixedCostModel(fixed_cost=prices)),
    )


def _best(start: Start, acquisition: Any) -> Wish:
    """The point and the objective that promise most per cost."""
    import torch  # noqa: PLC0415 - optional
    from botorch.optim import optimize_acqf  # noqa: PLC0415

    count, found = len(start.problem.objectives), []
    for number in range(count):
        acquisition.X_evaluation_mask = torch.arange(count)[None] == number
        x, value = optimize_acqf(acquisition, _cube(start), q=1, num_restarts=RESTARTS, raw_samples=RAW)
        found.append(Wish(np.asarray(x[0].numpy(), dtype=np.float64), (number,), float(value)))
    return max(found, key=lambda wish: wish.gain)


def _cube(start: Start) -> Any:
    import torch  # noqa: PLC0415 - optional

    return torch.tensor([[0.0], [1.0]], dtype=torch.double).repeat(1, start.space.width)
