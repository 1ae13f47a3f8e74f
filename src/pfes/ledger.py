"""What happened in a study: events, only ever appended, and the trials that follow from them.

An event is plain data, so that it can be kept in a file or a database as it is; folding the same events again gives
the same trials. Whether something may happen is decided before its event is written: a ledger trusts its events.

kind        trial   payload
asked       id      point, objectives, gain (or None), cost, reason, ask (number of the request), read (events it saw),
                    tries (how often others were quicker), queued (number of the wish it fulfils, or None), hypers (of
                    the fit behind it, or None)
added       id      point, values, noise, objectives (where more was tried for than the values)
told        id      values, noise
failed, infeasible, abandoned, released, rejected, expired
            id      message; expired: its lease ran out, it is released
noted       id      text
enqueued    None    point, objectives
reference   None    values, inferred
ended       None    reason
"""

import dataclasses
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pfes.objectives import Objectives
from pfes.points import Domain, read
from pfes.trials import Trial, TrialState, settled

if TYPE_CHECKING:
    from pfes.gp import Hyper

__all__ = ["VERDICTS", "Event", "Ledger", "Wish", "hypers_as_data", "hypers_from_data"]

VERDICTS = ("failed", "infeasible", "abandoned", "released", "rejected", "expired")


@dataclass(frozen=True)
class Event:
    """One thing that happened; time in seconds since 1970."""

    kind: str
    trial: int | None
    payload: dict[str, Any]
    time: float = field(default=0.0, compare=False)

    def to_json(self) -> str:
        """As one line of text."""
        return json.dumps(dataclasses.asdict(self), allow_nan=False, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> "Event":
        """The inverse of `to_json`."""
        return Event(**json.loads(text))


@dataclass(frozen=True)
class Wish:
    """A point that a user wants measured before any other."""

    number: int
    point: dict[str, Any]  # plain data
    objectives: tuple[str, ...]


class Ledger:
    """Events and what follows from them: trials, wishes not yet fulfilled, and what a study has settled on."""

    def __init__(self, domain: Domain, objectives: Objectives, events: Iterable[Event] = ()) -> None:
        self.domain, self.objectives = domain, objectives
        self.events: list[Event] = []
        self.trials: dict[int, Trial] = {}
        self.next_id = 0  # the number of the next trial; numbers before it may be missing, none is given twice
        self.wishes: dict[int, Wish] = {}
        self.enqueued = 0  # wishes ever made
        self.asks = 0  # requests so far that were given anything
        self._hypers: list[dict[str, Any]] | None = None  # of the last fit
        self.reference: dict[str, float] | None = None
        self.inferred = False  # the reference point was chosen by the study, not by the user
        self.ended = ""
        for event in events:
            self.append(event)

    def append(self, event: Event) -> None:
        """Write one event down and draw the conclusions; one that cannot be understood changes nothing."""
        _FOLD[event.kind](self, event)
        self.events.append(event)

    @property
    def hypers(self) -> "tuple[Hyper, ...] | None":
        """The hyper-parameters of the last fit, None before the first one."""
        return hypers_from_data(self._hypers)

    def _put(self, trial: Trial) -> None:
        self.trials[trial.id] = settled(trial, self.objectives)
        self.next_id = max(self.next_id, trial.id + 1)

    def _asked(self, event: Event) -> None:
        data, point = event.payload, read(self.domain, event.payload["point"])
        hypers, wish = data["hypers"], data["queued"]
        asks = max(self.asks, data["ask"] + 1)  # one made at the same time as others may be written after them
        self._put(
            Trial(
                id=_number(event),
                params=point.params,
                objectives=tuple(data["objectives"]),
                row=point.row,
                gain=math.nan if data["gain"] is None else data["gain"],
                cost=data["cost"],
                reason=data["reason"],
                purpose=data.get("purpose", ""),
                outside=point.outside,
                point=point,
            )
        )
        self.asks, self._hypers, self.ended = asks, hypers or self._hypers, ""
        if wish is not None:
            del self.wishes[wish]

    def _added(self, event: Event) -> None:
        data, point = event.payload, read(self.domain, event.payload["point"])
        tried = data.get("objectives", data["values"])
        names = tuple(name for name in self.objectives.names if name in tried)
        self._put(
            Trial(
                id=_number(event),
                params=point.params,
                objectives=names,
                row=point.row,
                reason="Data from before the study.",
                values=dict(data["values"]),
                noise=dict(data["noise"]),
                outside=point.outside,
                added=True,
                point=point,
            )
        )

    def _told(self, event: Event) -> None:
        trial, data = self.trials[_number(event)], event.payload
        known = {name: dev for name, dev in trial.noise.items() if name not in data["values"]}
        self._put(replace(trial, values=trial.values | data["values"], noise=known | data["noise"]))

    def _closed(self, event: Event) -> None:
        trial, kind = self.trials[_number(event)], "released" if event.kind == "expired" else event.kind
        state = TrialState(kind)
        if state is TrialState.REJECTED:  # what it was charged for stays charged, its values are not used any more
            before = trial.before if trial.state is state else trial.state
            trial = replace(trial, before=before, usable=trial.usable and not trial.values)
        self._put(replace(trial, state=state, message=event.payload["message"]))

    def _noted(self, event: Event) -> None:
        trial = self.trials[_number(event)]
        self._put(replace(trial, notes=(*trial.notes, event.payload["text"])))

    def _enqueued(self, event: Event) -> None:
        wish = Wish(self.enqueued, event.payload["point"], tuple(event.payload["objectives"]))
        self.wishes[self.enqueued] = wish
        self.enqueued += 1

    def _reference(self, event: Event) -> None:
        self.reference, self.inferred = dict(event.payload["values"]), event.payload["inferred"]

    def _ended(self, event: Event) -> None:
        self.ended = event.payload["reason"]


def _number(event: Event) -> int:
    assert event.trial is not None
    return event.trial


_FOLD = {
    "asked": Ledger._asked,
    "added": Ledger._added,
    "told": Ledger._told,
    "noted": Ledger._noted,
    "enqueued": Ledger._enqueued,
    "reference": Ledger._reference,
    "ended": Ledger._ended,
    **dict.fromkeys(VERDICTS, Ledger._closed),
}


def hypers_as_data(hypers: "Sequence[Hyper] | None") -> list[dict[str, Any]] | None:
    """Hyper-parameters as plain data."""
    if hypers is None:
        return None
    return [{name: _listed(value) for name, value in vars(hyper).items()} for hyper in hypers]


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def hypers_from_data(data: Sequence[dict[str, Any]] | None) -> "tuple[Hyper, ...] | None":
    """The inverse of `hypers_as_data`."""
    if data is None:
        return None
    from pfes.gp import Hyper  # noqa: PLC0415 - models load slowly, and a study can be told and looked at without

    return tuple(Hyper(**{**one, "scales": np.array(one["scales"], dtype=np.float64)}) for one in data)
