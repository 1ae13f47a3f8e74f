"""The whole chain as one readable function: observations -> belief -> acquisition -> maximum -> suggestion.

Same arguments and generator, same suggestion.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import FLOOR, Acquisition, Capacity, Situation, gain_of, method_named, weighable
from pfes.belief import Belief, believe
from pfes.compiled import one_blas_thread
from pfes.design import designed, lacking
from pfes.errors import InvalidInput
from pfes.gp import Hyper
from pfes.maximise import Found, Target, maximise
from pfes.objectives import Option
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import Offer
from pfes.space import Pool
from pfes.task import Task

__all__ = ["Suggestion", "Suggestions", "suggest"]

Array = NDArray[np.float64]

DESIGN = 1  # the stream of random numbers that first points come from: one sequence for the whole study


@dataclass(frozen=True)
class Suggestion:
    """What to measure next, and why."""

    x: Array  # (D,) encoded
    row: int  # of the pool, NO_ROW in a space
    which: tuple[int, ...]  # objectives
    gain: float  # in the method's unit (PFES: nats); nan for points chosen without a model
    cost: float
    reason: str


@dataclass(frozen=True)
class Suggestions:
    """Suggestions, the hyper-parameters behind them, and why there are fewer than asked for, if there are."""

    items: tuple[Suggestion, ...]
    hypers: tuple[Hyper, ...] | None
    ended: str = ""


@dataclass(frozen=True)
class Request:
    """How a suggestion is asked for.

    decoupled   single objectives and bundles may be named
    fixed       parameters held at given values for this request (pools: only such rows)
    replicates  points already measured may be suggested again
    timeout     seconds after which the best so far is returned
    """

    decoupled: bool = False
    fixed: Mapping[str, Any] | None = None
    replicates: bool = False
    timeout: float | None = None


def suggest(
    task: Task,
    observations: Observations,
    rng: np.random.Generator,
    count: int = 1,
    *,
    decoupled: bool = False,
    fixed: Mapping[str, Any] | None = None,
    replicates: bool = False,
    timeout: float | None = None,
    hypers: tuple[Hyper, ...] | None = None,
) -> Suggestions:
    """Up to `count` measurements worth making next; hypers: those of an earlier suggestion, to start the fit from."""
    request = Request(decoupled, fixed, replicates, timeout)
    method = method_named(task.settings.method)
    if decoupled and not method.decoupled and method.build is not None:
        raise InvalidInput(f"decoupled: method {method.name!r} cannot name single objectives; try method='pfes'")
    offer = _offer(task, observations, request)
    which = lacking(observations, task.objectives, task.settings.initial)
    if method.build is None or which:
        return _from_design(task, offer, which, count, rng, request)
    hurry = _deadline(timeout)
    with one_blas_thread() if _small(task, observations) else nullcontext():
        belief = believe(task, observations, rng, hypers)
        acquisition = _with_pending(method.build(_situation(belief, offer, rng)), observations, rng)
        return _chosen(belief, offer, acquisition, count, rng, hurry)


def _small(task: Task, observations: Observations) -> bool:
    """Whether linear algebra is quicker on one thread."""
    rows = len(task.domain) if isinstance(task.domain, Pool) else 0
    return int(observations.counts(len(task.objectives)).max()) <= 300 and rows <= 20_000


def _deadline(timeout: float | None) -> Callable[[], bool]:
    if timeout is None:
        return lambda: False
    end = time.monotonic() + timeout
    return lambda: time.monotonic() > end


def _offer(task: Task, observations: Observations, request: Request) -> Offer:
    domain, rows = task.domain, None
    if request.fixed:
        if isinstance(domain, Pool):
            rows = domain.where(**request.fixed)
        else:
            domain = domain.fix(**request.fixed)
    offer = Offer(domain, task.objectives, (), observations, not request.decoupled, rows, request.replicates)
    return replace(offer, options=_options(task, offer))


def _options(task: Task, offer: Offer) -> tuple[Option, ...]:
    """What can be weighed: everything at once and what half-measured points lack; or single objectives and bundles."""
    objectives, pool = task.objectives, isinstance(offer.domain, Pool)
    options = list(objectives.options(decoupled=not offer.whole))
    if offer.whole:
        masks = offer.row_masks() if pool else offer.masks(offer.known.x)
        lacks = [tuple(l for l in range(len(objectives)) if not mask >> l & 1) for mask in np.unique(masks).tolist()]
        options += [Option(which, objectives.cost(which)) for which in lacks if 0 < len(which) < len(objectives)]
    can = weighable(task.settings.estimator, len(objectives))
    return tuple(option for option in options if task.settings.method != "pfes" or can(option))


def _from_design(
    task: Task, offer: Offer, which: tuple[int, ...], count: int, rng: np.random.Generator, request: Request
) -> Suggestions:
    """Points chosen without a model. In a decoupled study only what is lacking is measured, else everything."""
    even = task.settings.method != "random"
    everything = tuple(range(len(task.objectives)))
    wanted = which if which and request.decoupled else everything
    places = designed(offer, wanted, count, task.generator(DESIGN) if even else rng, even=even)
    kind = "far from the others" if isinstance(task.domain, Pool) else "of a Sobol sequence"
    reason = f"A point {kind if even else 'drawn at random'}, chosen without a model"
    if which and method_named(task.settings.method).build is not None:
        counts = observations_of(offer, which)
        reason += f": {counts}, {task.settings.initial} are needed before a model is used"
    items = tuple(Suggestion(p.x, p.row, p.which, np.nan, task.objectives.cost(p.which), reason + ".") for p in places)
    return Suggestions(items, None, "" if len(items) == count else _ended(offer))


def observations_of(offer: Offer, which: tuple[int, ...]) -> str:
    """How many values the objectives `which` have, in words."""
    counts = offer.known.counts(len(offer.objectives))
    return ", ".join(f"{offer.objectives.names[l]} has {counts[l]} values" for l in which)


def _ended(offer: Offer) -> str:
    if isinstance(offer.domain, Pool):
        return "every row of the pool has been measured, is pending, or cannot be measured"
    return "every point of the space that could be found has been measured, is pending, or cannot be measured"


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
    """The acquisition, knowing which measurements are under way."""
    pending = observations.only(State.PENDING)
    points, where = np.unique(pending.x, axis=0, return_inverse=True)
    for i, x in enumerate(points):
        acquisition = acquisition.given(x, sorted(set(pending.objective[where.ravel() == i].tolist())), rng)
    return acquisition


def _chosen(
    belief: Belief,
    offer: Offer,
    acquisition: Acquisition,
    count: int,
    rng: np.random.Generator,
    hurry: Callable[[], bool],
) -> Suggestions:
    """One after the other, each knowing of those before it."""
    items: list[Suggestion] = []
    while len(items) < count:
        found, learns = _best(belief, offer, acquisition, rng, hurry)
        if found is None:
            return Suggestions(tuple(items), belief.hypers, _ended(offer))
        item = _worded(belief, offer, found, learns)
        items.append(item)
        offer = replace(offer, known=offer.known.with_pending(item.x, item.which, item.row))
        if len(items) < count:
            acquisition = acquisition.given(item.x, item.which, rng)
    return Suggestions(tuple(items), belief.hypers)


def _best(
    belief: Belief, offer: Offer, acquisition: Acquisition, rng: np.random.Generator, hurry: Callable[[], bool]
) -> tuple[Found | None, bool]:
    """The maximum of the acquisition or, where no gain is positive, of what is least known; and which of the two."""
    settings = belief.task.settings.maximiser
    model = getattr(acquisition, "model", belief.model)
    delta = np.maximum(acquisition.delta, 1e-3)
    offer = replace(offer, uncertain=lambda x: model.predict(x).std > delta)
    found = maximise(Target(acquisition, offer, belief.feasibility), settings, rng, hurry)
    if found is None or found.value > FLOOR:
        return found, True
    doubt = Capacity(model, offer.options, delta, acquisition.starts)
    return maximise(Target(doubt, offer, belief.feasibility), settings, rng, hurry), False


def _worded(belief: Belief, offer: Offer, found: Found, learns: bool) -> Suggestion:
    which, cost = offer.options[found.option]
    per_cost = gain_of(found.best)
    gain = float(per_cost[found.option] * cost)
    names = offer.objectives.named(which)
    promise = method_named(belief.task.settings.method).promise.format(gain)
    if not learns:
        promise = f"tell {gain:.3g} nats about the objectives, none being expected about the frontier"
    reason = f"Measuring {_listed(names)} here is expected to {promise}, {gain / cost:.3g} per unit of cost"
    return Suggestion(found.x, found.row, which, gain, cost, reason + _compared(offer, found, per_cost))


def _compared(offer: Offer, found: Found, per_cost: Array) -> str:
    """What the choice was compared with: how many points, and the best of every other option."""
    kind = "rows" if isinstance(offer.domain, Pool) else "points"
    others = [
        f"{_listed(offer.objectives.named(option.which))} {per_cost[k]:.3g}"
        for k, option in enumerate(offer.options)
        if k != found.option and np.isfinite(found.best[k])
    ]
    beside = f"; at best, per unit of cost: {', '.join(others)}" if others else ""
    return f": the best of {found.compared:,} {kind}{beside}."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
