"""From what a study knows to the trials it hands out: first what users want, then what is worth most, within budget."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pfes.gp import Fitted
from pfes.ledger import Wish, hypers_as_data
from pfes.observations import Observations
from pfes.points import read, suggested
from pfes.request import Request
from pfes.space import Pool
from pfes.study.snapshot import Answer, Snapshot, fits
from pfes.suggest import Suggestion, suggest
from pfes.task import Task
from pfes.trials import observations_of

__all__ = ["answer"]

WISHED = "Enqueued by the user."


def answer(task: Task, snapshot: Snapshot, request: Request, count: int) -> Answer:
    """Up to `count` trials to hand out; the same snapshot, seed and request give the same ones."""
    known = observations_of(snapshot.trials, task.objectives, task.domain.width)
    payloads: list[dict[str, Any]] = []
    left = request.limit
    for wish in snapshot.wishes:
        payload = _wished(task, wish, request, left)
        if payload is not None and len(payloads) < count:
            payloads.append(payload)
            left -= payload["cost"]
            known = _with(known, task, wish)
    found: list[Suggestion] = []
    hypers, ended = None, ""
    if len(payloads) < count:
        found, hypers, ended = _suggested(task, known, snapshot, replace(request, limit=left), count - len(payloads))
    payloads += [_payload(task, item) for item in found]
    common = {"ask": snapshot.ask, "read": snapshot.read, "hypers": None}
    payloads = [{**common, **payload} for payload in payloads]
    if payloads:
        payloads[0]["hypers"] = hypers_as_data(hypers)  # once is enough for all that one request gave
    return Answer(tuple(payloads), ended)


def _wished(task: Task, wish: Wish, request: Request, left: float) -> dict[str, Any] | None:
    """A wish as a payload, if it fits the budget and what is held fixed."""
    cost = task.objectives.cost(task.objectives.index(name) for name in wish.objectives)
    if not fits(cost, left) or not _agrees(task, wish, request.fixed or {}):
        return None
    names = list(wish.objectives)
    return {
        "point": wish.point,
        "objectives": names,
        "gain": None,
        "cost": cost,
        "reason": WISHED,
        "queued": wish.number,
    }


def _agrees(task: Task, wish: Wish, fixed: Mapping[str, Any]) -> bool:
    point = read(task.domain, wish.point)
    if isinstance(task.domain, Pool):
        return not fixed or bool(task.domain.where(**fixed)[point.index])
    return all(point.params.get(name) == value for name, value in fixed.items())


def _with(known: Observations, task: Task, wish: Wish) -> Observations:
    point = read(task.domain, wish.point)
    which = [task.objectives.index(name) for name in wish.objectives]
    return known.with_pending(np.array(point.x), which, point.index)


def _suggested(
    task: Task, known: Observations, snapshot: Snapshot, request: Request, count: int
) -> tuple[list[Suggestion], Fitted | None, str]:
    cheapest = min(option.cost for option in task.objectives.options(decoupled=True))  # coupled: half-measured points
    if not fits(cheapest, request.limit):
        return [], None, _spent(request.limit, cheapest)
    given = suggest(task, known, task.generator(snapshot.ask), request, count=count, hypers=snapshot.hypers)
    return list(given.items), given.hypers, given.ended


def _spent(left: float, cost: float) -> str:
    return f"the budget is spent: {max(left, 0.0):.6g} is left, the next measurement would cost {cost:.6g}"


def _payload(task: Task, item: Suggestion) -> dict[str, Any]:
    return {
        "point": suggested(task.domain, item.x, item.row),
        "objectives": list(task.objectives.named(item.which)),
        "gain": float(item.gain) if math.isfinite(item.gain) else None,
        "cost": float(item.cost),
        "reason": item.reason,
        "purpose": item.purpose,
        "queued": None,
    }
