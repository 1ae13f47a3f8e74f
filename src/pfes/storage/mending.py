"""What still makes sense of a study when some of its events are lost: as much as possible, and what was left out.

Events follow from one another. One that speaks of a trial whose beginning is lost has no point any more; what was told
then is named, so that a user can enter it again. Wishes are counted, so after a lost one the later ones have other
numbers: a trial that fulfilled a wish is given the one that has its point.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pfes.ledger import Event, Ledger
from pfes.records import from_data
from pfes.trials import TrialState

__all__ = ["Mended", "ledger_of", "mended"]

FIRST = ("asked", "added")  # the kinds that a trial begins with


class Mended(NamedTuple):
    """The events that are kept, what was left out and why, and the trials that are pending after all."""

    events: list[Event]
    left_out: list[str]
    pending: list[int]


def ledger_of(description: str) -> Ledger | None:
    """An empty ledger for a study of that description; None if it cannot be read.

    Constraints that are functions are not needed: they say what is suggested, not what has happened.
    """
    try:
        parts = json.loads(description)
        space = parts["space"].get("$space", {})
        space["constraints"] = [limit for limit in space.get("constraints", []) if "$function" not in limit]
        return Ledger(from_data(parts["space"]), from_data(parts["objectives"]))
    except Exception:  # whatever a spoilt text may lead to
        return None


def mended(events: Iterable[tuple[int, Event]], ledger: Ledger) -> Mended:
    """Fold numbered events into an empty ledger, without those that make no sense there."""
    left_out = []
    for number, event in events:
        if why := _taken(event, ledger):
            left_out.append(f"event {number} ({_words(event)}): {why}")
    pending = [trial.id for trial in ledger.trials.values() if trial.state is TrialState.PENDING]
    return Mended(ledger.events, left_out, pending)


def _taken(event: Event, ledger: Ledger) -> str:
    """Why an event cannot be taken; empty if it was."""
    if event.kind in FIRST and event.trial in ledger.trials:
        return "there is another trial of that number"
    if event.kind not in FIRST and event.trial is not None and event.trial not in ledger.trials:
        return "what was asked for in that trial is lost"
    try:
        ledger.objectives.checked(event.payload.get("values", {}))
        ledger.append(_of_its_wish(event, ledger))
    except Exception as error:  # whatever a spoilt event may lead to
        return f"it cannot be understood ({type(error).__name__}: {error})"
    return ""


def _of_its_wish(event: Event, ledger: Ledger) -> Event:
    if event.kind != "asked" or event.payload["queued"] is None:
        return event
    alike = [wish.number for wish in ledger.wishes.values() if wish.point == event.payload["point"]]
    return replace(event, payload={**event.payload, "queued": alike[0] if alike else None})


def _words(event: Event) -> str:
    whose = "" if event.trial is None else f" of trial {event.trial}"
    payload: dict[str, Any] = event.payload if isinstance(event.payload, dict) else {}
    said = {name: payload[name] for name in ("values", "message", "text", "point") if payload.get(name)}
    return f"{event.kind}{whose}{f': {said}' if said else ''}"
