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
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pfes.objectives import Objectives
from pfes.points import Domain, read
from pfes.trials import WHOLE, Trial, TrialState, settled

if TYPE_CHECKING:
    from pfes.gp import Fitted, Hyper, JointHyper

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
        self._hypers: Any = None  # of the last fit, as plain data
        self.reference: dict[str, float] | None = None
        self.inferred = False  # the reference point was chosen by the study, not by the user
        self._behind: set[int] = set()  # the trials it was chosen by
        self.ended = ""
        for event in events:
            self.append(event)

    def append(self, event: Event) -> None:
        """Write one event down and draw the conclusions; one that cannot be understood changes nothing."""
        _FOLD[event.kind](self, event)
        self.events.append(event)

    @property
    def hypers(self) -> "Fitted | None":
        """The hyper-parameters of the last fit, None before the first one."""
        return hypers_from_data(self._hypers)

    @property
    def choice(self) -> dict[str, Any] | None:
        """Which model of objectives together was last chosen and why, as plain data; None where there was no choice."""
        return self._hypers if isinstance(self._hypers, dict) else None

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
        if any(trial.values.get(name, value) != value for name, value in data["values"].items()):
            self._doubt(trial)
        self._put(replace(trial, values=trial.values | data["values"], noise=known | data["noise"]))

    def _closed(self, event: Event) -> None:
        trial, kind = self.trials[_number(event)], "released" if event.kind == "expired" else event.kind
        state = TrialState(kind)
        if state is TrialState.REJECTED:  # what it was charged for stays charged, its values are not used any more
            self._doubt(trial)
            before = trial.before if trial.state is state or trial.before in WHOLE else trial.state
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
        self._behind = {trial.id for trial in self.trials.values() if trial.usable and trial.values}

    def _doubt(self, trial: Trial) -> None:
        """A trial's values turned out wrong: a reference point that the study chose by them is to be chosen again.

        New values never move it, however bad, or hypervolumes looked up at different times could not be compared; a
        slip of the pen must not stay in it for ever.
        """
        if self.inferred and trial.id in self._behind:
            self.reference, self.inferred = None, False

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


def hypers_as_data(hypers: "Fitted | None") -> Any:
    """Hyper-parameters as plain data: a list, one for each objective; of a choice of model a dict."""
    if hypers is None:
        return None
    if isinstance(hypers, tuple | list):
        return [_fields(hyper) for hyper in hypers]
    return {
        "kind": hypers.kind,
        "reason": hypers.reason,
        "densities": {kind: value for kind, value in hypers.densities.items() if math.isfinite(value)},
        "correlation": hypers.hyper.correlation.tolist(),  # for those who look: models load slowly
        "joint": _fields(hypers.hyper),
        "singles": [_fields(hyper) for hyper in hypers.singles],
    }


def _fields(hyper: "Hyper | JointHyper") -> dict[str, Any]:
    return {field.name: _listed(getattr(hyper, field.name)) for field in dataclasses.fields(hyper)}


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def hypers_from_data(data: Any) -> "Fitted | None":
    """The inverse of `hypers_as_data`."""
    if data is None:
        return None
    from pfes.gp import Choice, Hyper, JointHyper  # noqa: PLC0415 - models load slowly, and a study can be told without

    def single(one: dict[str, Any]) -> Hyper:
        return Hyper(**{**one, "scales": np.array(one["scales"], dtype=np.float64)})

    if isinstance(data, list):
        return tuple(map(single, data))
    arrays: dict[str, Any] = {name: np.array(part) for name, part in data["joint"].items() if name != "kernel"}
    joint = JointHyper(data["joint"]["kernel"], **arrays | {"part": arrays["part"].astype(np.intp)})
    kind = data["kind"]
    return Choice(kind, joint, tuple(map(single, data["singles"])), data["reason"], data["densities"], {kind: joint})
