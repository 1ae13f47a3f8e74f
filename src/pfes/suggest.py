"""The whole chain as one readable function: observations -> belief -> acquisition -> maximum -> suggestion.

Same arguments and generator, same suggestion.
"""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from pfes.acquisition import Acquisition, Capacity, Situation, method_named
from pfes.belief import Belief, believe
from pfes.compiled import one_blas_thread
from pfes.design import designed, lacking
from pfes.errors import InvalidInput
from pfes.gp import Hyper
from pfes.maximise import Found, Target, maximise
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import Offer
from pfes.request import Request, offer_for
from pfes.space import Pool
from pfes.suggestion import Suggestion, Suggestions, from_model, from_nothing, without_model
from pfes.task import Task

__all__ = ["Request", "Suggestion", "Suggestions", "suggest"]

DESIGN = (0, 1)  # the stream of random numbers that first points come from: one sequence for the whole study
NOTHING = math.log(1e-12)  # a gain per cost as small as this is none
Hurry = Callable[[], bool]


def suggest(
    task: Task,
    observations: Observations,
    rng: np.random.Generator,
    request: Request | None = None,
    *,
    count: int = 1,
    hypers: tuple[Hyper, ...] | None = None,
) -> Suggestions:
    """Up to `count` measurements worth making next; hypers: those of an earlier suggestion, to start the fit from."""
    request = request or Request()
    method = method_named(task.settings.method)
    if request.decoupled and not method.decoupled and method.build is not None:
        raise InvalidInput(f"decoupled: method {method.name!r} cannot name single objectives; try method='pfes'")
    offer = offer_for(task, observations, request)
    if not offer.options:
        raise InvalidInput(
            f"estimator: {task.settings.estimator!r} weighs single objectives only, and all were asked for together; "
            "try decoupled=True, or estimator='matched'"
        )
    few = lacking(observations, task.objectives, task.settings.initial)
    plain = Suggestions((), None)
    if method.build is None or few:
        plain = _from_design(task, offer, few, count, rng)
        if method.build is None or not plain.ended:
            return plain
        for item in plain.items:  # what is lacking can be had nowhere else: a model must do with what there is
            offer = _without(offer, item)
    if isinstance(task.domain, Pool) and np.isinf(offer.row_costs()).all():
        return replace(plain, ended=from_nothing(offer))
    hurry = _deadline(request.timeout)
    with one_blas_thread() if _small(task, observations) else nullcontext():
        belief = believe(task, observations, rng, hypers)
        acquisition = _with_pending(method.build(_situation(belief, offer, rng)), offer.known, rng)
        return _chosen(belief, offer, acquisition, plain.items, count, rng, hurry)


def _small(task: Task, observations: Observations) -> bool:
    """Whether linear algebra is quicker on one thread."""
    rows = len(task.domain) if isinstance(task.domain, Pool) else 0
    return int(observations.counts(len(task.objectives)).max()) <= 300 and rows <= 20_000


def _deadline(timeout: float | None) -> Hurry:
    if timeout is None:
        return lambda: False
    end = time.monotonic() + timeout
    return lambda: time.monotonic() > end


def _from_design(task: Task, offer: Offer, few: tuple[int, ...], count: int, rng: np.random.Generator) -> Suggestions:
    """Points chosen without a model. In a decoupled study only what is lacking is measured, else everything."""
    even = task.settings.method != "random"
    wanted = few if few and not offer.whole else tuple(range(len(task.objectives)))
    items: list[Suggestion] = []
    for place in designed(offer, wanted, count, task.generator(*DESIGN) if even else rng, even=even):
        which = _payable(offer, place.which)
        if not which:
            break
        item = without_model(task, offer, replace(place, which=which), few)
        if which != place.which:
            paid = " and ".join(task.objectives.named(which))
            item = replace(item, reason=f"{item.reason} What is left of the budget pays for {paid} only.")
        items.append(item)
        offer = replace(offer, limit=offer.limit - items[-1].cost)
    return Suggestions(tuple(items), None, "" if len(items) == count else from_nothing(offer))


def _payable(offer: Offer, which: tuple[int, ...]) -> tuple[int, ...]:
    """As many of these objectives as the limit pays for, where they need not be measured together."""
    sets = [which] if offer.whole else [which, *(o.which for o in offer.options if set(o.which) < set(which))]
    payable = [members for members in sets if offer.objectives.cost(members) <= offer.limit]
    return max(payable, key=len, default=())


def _situation(belief: Belief, offer: Offer, rng: np.random.Generator) -> Situation:
    task, allowed = belief.task, None
    if isinstance(task.domain, Pool):
        allowed = np.ones(len(task.domain), dtype=bool)
        infeasible = belief.observations.only(State.INFEASIBLE).row
        allowed[infeasible[infeasible != NO_ROW]] = False
    return Situation(
        model=belief.model,
        domain=task.domain,
        observed=belief.observed,
        options=offer.options,
        thresholds=belief.thresholds,
        noise=belief.noise,
        resolution=belief.resolution,
        frontiers=task.settings.frontiers,
        estimator=task.settings.estimator,
        allowed=allowed,
        rng=rng,
    )


def _with_pending(acquisition: Acquisition, observations: Observations, rng: np.random.Generator) -> Acquisition:
    """The acquisition, knowing which measurements are under way; what failed is not to be tried nearby, either."""
    pending = observations.only(State.PENDING, State.FAILED)
    points, where = np.unique(pending.x, axis=0, return_inverse=True)
    for i, x in enumerate(points):
        acquisition = acquisition.given(x, sorted(set(pending.objective[where.ravel() == i].tolist())), rng)
    return acquisition


def _without(offer: Offer, item: Suggestion) -> Offer:
    """What is left on offer after a suggestion."""
    known = offer.known.with_pending(item.x, item.which, item.row)
    return replace(offer, known=known, limit=offer.limit - item.cost)


def _chosen(
    belief: Belief,
    offer: Offer,
    acquisition: Acquisition,
    before: tuple[Suggestion, ...],
    count: int,
    rng: np.random.Generator,
    hurry: Hurry,
) -> Suggestions:
    """One after the other, each knowing of those before it."""
    items = list(before)
    while len(items) < count:
        found, learns = _best(belief, offer, acquisition, rng, hurry)
        if found is None:
            return Suggestions(tuple(items), belief.hypers, from_nothing(offer))
        item = from_model(belief.task, offer, found, learns)
        items.append(item)
        offer = _without(offer, item)
        if len(items) < count:
            acquisition = acquisition.given(item.x, item.which, rng)
    return Suggestions(tuple(items), belief.hypers)


def _best(
    belief: Belief, offer: Offer, acquisition: Acquisition, rng: np.random.Generator, hurry: Hurry
) -> tuple[Found | None, bool]:
    """The maximum of the acquisition or, where no gain is positive, of what is least known; and which of the two."""
    settings = belief.task.settings.maximiser
    delta = np.maximum(acquisition.delta, 1e-3)
    offer = replace(offer, uncertain=lambda x: acquisition.model.predict(x).std > delta)
    found = maximise(Target(acquisition, offer, belief.feasibility), settings, rng, hurry)
    if found is None or found.value > NOTHING:
        return found, True
    doubt = Capacity(acquisition.model, offer.options, delta, acquisition.starts)
    return maximise(Target(doubt, offer, belief.feasibility), settings, rng, hurry), False
