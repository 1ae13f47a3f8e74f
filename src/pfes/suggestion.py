"""What to measure next, and why, in words."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import FLOOR, Acquisition, Capacity, Ending, Worth, gain_of, method_named
from pfes.acquisition.worth import DOUBT
from pfes.design import Place
from pfes.gp import Fitted
from pfes.maximise import Found
from pfes.offer import Offer
from pfes.space import Pool
from pfes.task import Task

__all__ = [
    "NO_PROMISE",
    "Promise",
    "Suggestion",
    "Suggestions",
    "capacity_promise",
    "from_model",
    "from_nothing",
    "plain_promise",
    "promise_of",
    "untried_levels",
    "without_model",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Suggestion:
    """What to measure next, and why."""

    x: Array  # (D,) encoded
    row: int  # of the pool, NO_ROW in a space
    which: tuple[int, ...]  # objectives
    gain: float  # in the method's unit (PFES: nats about the frontier); nan for points chosen without a model
    cost: float
    reason: str
    purpose: str = "begin"  # "learn", "confirm", "doubt"; "begin": without a model


@dataclass(frozen=True)
class Suggestions:
    """Suggestions, the hyper-parameters behind them, and why there are fewer than asked for, if there are."""

    items: tuple[Suggestion, ...]
    hypers: Fitted | None
    ended: str = ""


class Promise(NamedTuple):
    """What a measurement is made for, and what is expected of it."""

    purpose: str  # "learn", "confirm" or "doubt"
    words: str  # "... is expected to {words}"
    gain: float  # nats about the frontier, or whatever the method's gain is
    worth: float  # what promises of one acquisition are compared by
    hope: float  # the same, were there time to make use of what is learned
    untried: str = ""  # which levels there are untried, in words, if it was chosen for that


NO_PROMISE = Promise("", "", np.nan, 0.0, 0.0)


def plain_promise(task: Task, acquisition: Acquisition, found: Found) -> Promise:
    """Of a method that looks for one thing only."""
    gain = float(gain_of(acquisition.scores(found.x[None]))[0, found.option])
    words = method_named(task.settings.method).promise.format(gain)
    if isinstance(acquisition, Ending):
        words = f"{words} ({acquisition.standing})"
    return Promise("learn", words, gain, gain, gain)


def capacity_promise(capacity: Capacity, found: Found) -> Promise:
    """Of the last resort."""
    nats = float(gain_of(capacity.scores(found.x[None]))[0, found.option])
    words = f"tell {nats:.3g} nats about the objectives, none being expected about the frontier"
    return Promise("doubt", words, 0.0, nats, nats)


def promise_of(acquisition: Worth, found: Found) -> Promise:
    """To learn, to confirm or to doubt, in shares of the front's hypervolume as it is thought to be."""
    now, later, nats = (float(part[0, found.option]) for part in acquisition.parts(found.x[None]))
    worth, hope = now + acquisition.time * later, now + later
    front = max(acquisition.whole, hope, 1e-300)
    added = f"add {now / front:.2g} of the front's hypervolume"
    told = f"tell {nats:.3g} nats about the Pareto frontier"
    caution = acquisition.expected.caution
    errs = f" if the model errs {caution:.2g} times as much as it thinks" if caution > 1.0 else ""
    if acquisition.staged and not acquisition.doubt and not acquisition.completes(found.x, found.option):
        share = f"its share of what that may add: {now / front:.2g} of the front's hypervolume{errs}"
        words = f"show whether the rest is worth measuring here ({share}), and to {told}"
        return Promise("learn", words, nats, worth, hope)
    if acquisition.weight < 1.0:
        words = f"{told}, worth {acquisition.time * later / front:.2g} of its hypervolume, and to {added} at once{errs}"
        return Promise("learn", words, nats, worth, hope)
    if not acquisition.doubt:
        early = acquisition.staged and caution <= DOUBT
        why = "less than nine tenths of what may be there is held" if early else "nothing better was found for long"
        vain = f", since {why}" if errs else ""
        return Promise("confirm", f"{added}{errs}{vain}, and to {told}", nats, worth, hope)
    return Promise("doubt", f"{added}{errs}; if not, little is left to learn or to gain", nats, now, now)


def from_model(offer: Offer, found: Found, promise: Promise) -> Suggestion:
    """The maximum that was found, and what it promises."""
    which, cost = offer.options[found.option]
    what = _listed(offer.objectives.named(which))
    aim = {"learn": "To learn", "confirm": "To confirm", "doubt": "In doubt"}[promise.purpose]
    real = promise.purpose != "doubt" and promise.gain > 0.0
    gained = f"; {promise.gain / cost:.3g} per unit of cost" if real else ""
    among = (
        f" Nothing better was found for some time, so this comes first: {promise.untried}." if promise.untried else ""
    )
    reason = f"{aim}: measuring {what} here is expected to {promise.words}{gained}{_compared(offer, found)}{among}"
    return Suggestion(found.x, found.row, which, promise.gain, cost, reason, promise.purpose)


def untried_levels(offer: Offer, found: Found) -> str:
    """The levels at a point that are untried, and for which objectives."""
    domain, which = offer.domain, offer.options[found.option].which
    params = domain.params(found.row) if isinstance(domain, Pool) else domain.decode(found.x[None])[0]
    levels = tuple(f"{name} = {params[name]}" for name in offer.untried_at(found.x, which))
    new = offer.objectives.named([l for l in which if offer.untried_at(found.x, (l,))])
    return f"{_listed(levels)}, not tried for {_listed(new)} since most of what is held was found"


def _compared(offer: Offer, found: Found) -> str:
    """What the choice was compared with: how many points, and the best of every other option, as shares of this one."""
    kind = "rows" if isinstance(offer.domain, Pool) else "points"
    others = [
        f"{_listed(offer.objectives.named(option.which))} {_ratio(found.best[k], found.value):.2g}"
        for k, option in enumerate(offer.options)
        if k != found.option and np.isfinite(found.best[k])
    ]
    beside = f"; for other objectives, as shares of this: {', '.join(others)}" if others else ""
    return f"; the best of {found.compared:,} {kind}{beside}."


def _ratio(value: float, best: float) -> float:
    """Of two scores, as gains; 0 where one of them is no gain."""
    return float(np.exp(value - best)) if min(value, best) > FLOOR else 0.0


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def without_model(task: Task, offer: Offer, place: Place, lacking: tuple[int, ...]) -> Suggestion:
    """A place of a design; lacking: the objectives that have too few values for a model."""
    kind = "far from the others" if isinstance(task.domain, Pool) else "of a Sobol sequence"
    kind = "drawn at random" if task.settings.method == "random" else kind
    reason = f"A point {kind}, chosen without a model"
    if lacking and method_named(task.settings.method).build is not None:
        counts = offer.known.counts(len(offer.objectives))
        have = ", ".join(f"{offer.objectives.names[l]} has {counts[l]} values" for l in lacking)
        reason += f": {have}, {task.settings.initial} are needed before a model is used"
    return Suggestion(place.x, place.row, place.which, np.nan, task.objectives.cost(place.which), reason + ".")


def from_nothing(offer: Offer) -> str:
    """Why nothing is suggested."""
    if np.isfinite(offer.limit) and offer.limit < max(option.cost for option in offer.options):
        dearer = min(option.cost for option in offer.options if option.cost > offer.limit)
        return f"the budget is spent: {max(offer.limit, 0.0):.6g} is left, the next measurement would cost {dearer:.6g}"
    if isinstance(offer.domain, Pool):
        which = "every row of the pool" if offer.rows is None else "every row with the fixed values"
    else:
        which = "every point of the space that could be found" + (" with the fixed values" if offer.domain.held else "")
    return f"{which} has been measured, is pending, or cannot be measured"
