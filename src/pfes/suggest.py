"""The whole chain as one readable function: observations -> belief -> acquisition -> maximum -> suggestion.

Same arguments and generator, same suggestion.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import Acquisition, Capacity, Ending, Situation, Worth, method_named
from pfes.acquisition.worth import TURN
from pfes.belief import Belief, believe, is_small
from pfes.compiled import one_blas_thread
from pfes.design import designed, lacking
from pfes.distinct import distinct
from pfes.errors import InvalidInput
from pfes.gp import Fitted
from pfes.maximise import Found, Target, maximise
from pfes.observations import Observations, State
from pfes.offer import Offer
from pfes.offered import offer_for
from pfes.request import Request
from pfes.space import Pool
from pfes.suggestion import (
    NO_PROMISE,
    Promise,
    Suggestion,
    Suggestions,
    capacity_promise,
    from_model,
    from_nothing,
    plain_promise,
    promise_of,
    untried_levels,
    without_model,
)
from pfes.task import Task

__all__ = ["Request", "Suggestion", "Suggestions", "situation_of", "suggest"]

DESIGN = (0, 1)  # the stream of random numbers that first points come from: one sequence for the whole study
NOTHING = 1e-12  # a gain as small as this is none
ENOUGH = 1e-5  # of the hypervolume of the front: less is not worth a measurement, unless the model errs
UNSURE = 0.25  # of the deviation of the data: how little is known of a level that is worth trying
AGAIN = 10.0  # measurements in vain after which levels are tried again that were tried in poor company
TIE = 1e-9  # scores, which are logarithms, that differ by less are the same
CAUTIONS = (2.0, 4.0, 8.0)  # how many times larger than believed the deviations may be
Array = NDArray[np.float64]
Hurry = Callable[[], bool]


def suggest(
    task: Task,
    observations: Observations,
    rng: np.random.Generator,
    request: Request | None = None,
    *,
    count: int = 1,
    hypers: Fitted | None = None,
) -> Suggestions:
    """Up to `count` measurements worth making next; hypers: those of an earlier suggestion, to start the fit from."""
    request = request or Request()
    found = _suggested(task, observations, rng, request, count, hypers)
    if found.ended and _passed_over(task, observations, request):
        # points that lack what the estimator cannot weigh are left: better weighed by another than not at all
        task = replace(task, settings=replace(task.settings, estimator="matched"))
        known = offer_for(task, observations, request)
        for item in found.items:
            known = _without(known, item)
        left = replace(request, limit=known.limit)
        rest = _suggested(task, known.known, rng, left, count - len(found.items), found.hypers or hypers)
        return replace(rest, items=found.items + rest.items)
    return found


def _passed_over(task: Task, observations: Observations, request: Request) -> bool:
    """Whether the estimator cannot weigh all that is on offer."""
    if request.confirm or task.settings.estimator == "matched":
        return False
    every = replace(task, settings=replace(task.settings, estimator="matched"))
    return len(offer_for(every, observations, request).options) > len(offer_for(task, observations, request).options)


def _suggested(
    task: Task,
    observations: Observations,
    rng: np.random.Generator,
    request: Request,
    count: int,
    hypers: Fitted | None,
) -> Suggestions:
    method = method_named(task.settings.method)
    if request.confirm:
        method = method_named("pfes")
    if request.decoupled and not method.decoupled and method.build is not None:
        raise InvalidInput(f"decoupled: method {method.name!r} cannot name single objectives; try method='pfes'")
    if count > 1 and not method.batch:
        raise InvalidInput(f"ask({count}): method {method.name!r} chooses one at a time; try ask(), or method='pfes'")
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
        if not plain.ended or not few:
            return plain
        for item in plain.items:  # what is lacking can be had nowhere else
            offer = _without(offer, item)
        if method.build is None:
            rest = _from_design(task, offer, (), count - len(plain.items), rng)
            return replace(rest, items=plain.items + rest.items)
        # a model must do with what there is
    if isinstance(task.domain, Pool) and np.isinf(offer.row_costs()).all():
        return replace(plain, ended=from_nothing(offer))
    hurry = _deadline(request.timeout)
    with one_blas_thread() if is_small(task, observations) else nullcontext():
        belief = believe(task, observations, rng, hypers)
        situation = situation_of(belief, offer, rng)
        if request.confirm:  # what half-measured points lack may be more than the estimator can weigh
            situation = replace(situation, estimator="matched")
        acquisition = method.build(situation)
        if request.confirm and isinstance(acquisition, Worth):
            acquisition = acquisition.trusting()
        acquisition = _with_pending(acquisition, offer.known, rng)
        return _chosen(belief, offer, acquisition, plain.items, count, rng, hurry)


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


def situation_of(belief: Belief, offer: Offer, rng: np.random.Generator) -> Situation:
    """All that a method may look at, of what is believed and what is on offer."""
    task = belief.task
    return Situation(
        model=belief.model,
        domain=task.domain,
        observed=belief.observed,
        held=belief.held,
        options=offer.options,
        thresholds=belief.thresholds,
        noise=belief.noise,
        resolution=belief.resolution,
        frontiers=task.settings.frontiers,
        estimator=task.settings.estimator,
        allowed=belief.allowed,
        rng=rng,
        stale=belief.stale,
        apart=not offer.whole and len(offer.objectives) > 1,
        left=offer.limit / offer.whole_cost,
        completing=offer.completing,
        recipe=task.settings.recipe,
        measured=belief.measured,
    )


def _with_pending(acquisition: Acquisition, observations: Observations, rng: np.random.Generator) -> Acquisition:
    """The acquisition, knowing which measurements are under way; what failed is not to be tried nearby, either."""
    pending = observations.only(State.PENDING, State.FAILED)
    points, _, where = distinct(pending.x)
    for i, x in enumerate(points):
        acquisition = acquisition.given(x, sorted(set(pending.objective[where == i].tolist())), rng)
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
    if isinstance(acquisition, Ending) and acquisition.ended:
        return Suggestions(before, belief.hypers, acquisition.ended)
    while len(items) < count:
        found, promise = _best(belief, offer, acquisition, rng, hurry)
        if found is None:
            return Suggestions(tuple(items), belief.hypers, promise.words or from_nothing(offer))
        item = from_model(offer, found._replace(x=offer.settled(found.x)), promise)
        items.append(item)
        offer = _without(offer, item)
        if len(items) < count:
            acquisition = acquisition.given(item.x, item.which, rng)
            if isinstance(acquisition, Worth):
                acquisition = replace(acquisition, completing=offer.completing)
    return Suggestions(tuple(items), belief.hypers)


def _best(
    belief: Belief, offer: Offer, acquisition: Acquisition, rng: np.random.Generator, hurry: Hurry
) -> tuple[Found | None, Promise]:
    """The best measurement and what it promises; where it promises nothing, the best of the ways to doubt it."""
    if isinstance(acquisition, Worth) and not offer.completes:
        acquisition = acquisition.learn  # nothing more can be held: what is left is spent on learning
    delta = np.maximum(acquisition.delta, 1e-3)
    offer = replace(offer, uncertain=lambda x: acquisition.model.predict(x).std > delta)

    def sought(way: Acquisition, among: Offer = offer) -> Found | None:
        found = maximise(Target(way, among, belief.feasibility), belief.task.settings.maximiser, rng, hurry)
        return _in_order(way, found) if found and isinstance(way, Worth) else found

    promises: list[tuple[Found, Promise]] = []
    if isinstance(acquisition, Worth):
        if offer.has_categories and acquisition.venture > 0.0 and offer.limit > TURN * offer.whole_cost:
            again = acquisition.venture >= AGAIN and bool(rng.random() < 0.5)  # what is found is made use of in between
            if tries := _untried(belief, acquisition, offer, sought, again):
                return _most_per_cost([*tries, *_as_good_as_held(acquisition, offer, sought)], offer)
        promises = list(_learn_or_confirm(acquisition, sought))
    elif found := sought(acquisition):
        promises = [(found, plain_promise(belief.task, acquisition, found))]
    if not promises:
        return None, NO_PROMISE
    signed = method_named(belief.task.settings.method).signed
    enough = ENOUGH * acquisition.whole if isinstance(acquisition, Worth) else -np.inf if signed else NOTHING
    if max(promise.hope for _, promise in promises) <= enough:
        if isinstance(acquisition, Ending):
            return None, NO_PROMISE._replace(words=acquisition.exhausted)
        return _doubting(acquisition, offer, delta, sought)
    return _most_per_cost(promises, offer)


def _most_per_cost(promises: list[tuple[Found, Promise]], offer: Offer) -> tuple[Found, Promise]:
    return max(promises, key=lambda pair: pair[1].worth / offer.options[pair[0].option].cost)


def _untried(
    belief: Belief, acquisition: Worth, offer: Offer, sought: Callable[..., Found | None], again: bool
) -> list[tuple[Found, Promise]]:
    """The best places to learn and to confirm where a category has a level never tried; else, tried long ago only."""
    unsure = replace(offer, untried=True, uncertain=lambda x: acquisition.model.predict(x).std > UNSURE)
    for among in [unsure, replace(unsure, early=belief.early)] if again else [unsure]:
        tries = list(_learn_or_confirm(acquisition, partial(sought, among=among))) if among.has_untried else []
        worthwhile = [(found, promise) for found, promise in tries if promise.hope > ENOUGH * acquisition.whole]
        if worthwhile:
            return [(found, promise._replace(untried=untried_levels(among, found))) for found, promise in worthwhile]
    return []


def _as_good_as_held(
    acquisition: Worth, offer: Offer, sought: Callable[[Acquisition], Found | None]
) -> list[tuple[Found, Promise]]:
    """The best place to confirm, if it completes a point that is all but sure to add to what is held.

    A level that was tried may have shown itself the best there is, and lack but an objective that costs little: whoever
    tries all other levels before that was measured holds nothing of it in the meantime.
    """
    way = acquisition.trusting()
    found = sought(way) if offer.begun else None
    if found is None or not offer.finishes(found.x, found.option):
        return []
    return [(found, promise_of(way, found))] if way.at_least(found.x) > ENOUGH * acquisition.whole else []


def _learn_or_confirm(
    acquisition: Worth, sought: Callable[[Acquisition], Found | None]
) -> Iterator[tuple[Found, Promise]]:
    """The best place to learn, unless only confirming was asked for, and the best to confirm."""
    ways = [acquisition] if acquisition.weight == 1.0 else [acquisition, acquisition.confirming()]
    for way in ways:
        if found := sought(way):
            yield found, promise_of(way, found)


def _in_order(way: Worth, found: Found) -> Found:
    """The same point; of what promises the same there per cost the dearest, and of equally dear what tells most.

    Improvement is that of completing a point: where costs add up, it does not say what comes first there. A dear
    objective that disappoints spares the others; what costs little is measured where one learns (docs/default.md).
    """
    alike = np.flatnonzero(found.here >= found.value - TIE)
    if len(alike) < 2:
        return found
    sets = {k: frozenset(way.options[k].which) for k in alike.tolist()}
    least = [k for k, which in sets.items() if not any(other < which for other in sets.values())]
    told = way.learn.scores(found.x[None])[0]
    return found._replace(option=max(least, key=lambda k: (way.options[k].cost, told[k])))


def _doubting(
    acquisition: Acquisition, offer: Offer, delta: Array, sought: Callable[[Acquisition], Found | None]
) -> tuple[Found | None, Promise]:
    """Where most would be gained if the model erred more than it thinks; at last, where it knows least."""
    if isinstance(acquisition, Worth):
        for caution in CAUTIONS:
            way = acquisition.doubting(caution)
            if (found := sought(way)) and (promise := promise_of(way, found)).worth > ENOUGH * acquisition.whole:
                return found, promise
    capacity = Capacity(acquisition.model, offer.options, delta, acquisition.starts)
    found = sought(capacity)
    return (None, NO_PROMISE) if found is None else (found, capacity_promise(capacity, found))
