"""What is on offer to a request."""

from dataclasses import replace

import numpy as np

from pfes.acquisition import method_named, weighable
from pfes.objectives import Option
from pfes.observations import Observations
from pfes.offer import Offer
from pfes.request import Request
from pfes.space import Pool
from pfes.task import Task

__all__ = ["offer_for"]


def offer_for(task: Task, observations: Observations, request: Request) -> Offer:
    """What may be asked for at all: where, in which combinations, at what cost."""
    domain, rows = task.domain, None
    if request.fixed:
        if isinstance(domain, Pool):
            rows = domain.where(**request.fixed)
        else:
            domain = domain.fix(**request.fixed)
    offer = Offer(
        domain,
        task.objectives,
        (),
        observations,
        whole=request.confirm or not request.decoupled,
        rows=rows,
        limit=request.limit * (1.0 + 1e-9),  # sums of decimal fractions are inexact
        replicates=request.replicates,
    )
    options = _options(task, offer)
    return replace(offer, options=options if request.confirm else _weighable(task, options))


def _options(task: Task, offer: Offer) -> tuple[Option, ...]:
    """What can be weighed: everything at once and what half-measured points lack; or single objectives and bundles."""
    objectives = task.objectives
    options = list(objectives.options(decoupled=not offer.whole))
    if offer.whole:
        masks = offer.row_masks() if isinstance(offer.domain, Pool) else offer.masks(offer.known.x)
        lacks = [tuple(l for l in range(len(objectives)) if not mask >> l & 1) for mask in np.unique(masks).tolist()]
        options += [Option(which, objectives.cost(which)) for which in lacks if 0 < len(which) < len(objectives)]
    return tuple(options)


def _weighable(task: Task, options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Those that the method's estimator of the information can weigh, if it has one."""
    if not method_named(task.settings.method).informed:
        return options
    return tuple(filter(weighable(task.settings.estimator, len(task.objectives)), options))
