"""An event as a row of a table, and back."""

import json
from typing import Any

from pfes.errors import StorageError
from pfes.ledger import Event
from pfes.records import from_data, to_data

__all__ = ["REPAIR", "event_of", "payload_of"]

REPAIR = "`pfes doctor --repair` saves what can be read of a damaged file"


def payload_of(event: Event) -> str:
    """What an event says, as a text."""
    return json.dumps(to_data(event.payload), allow_nan=False, separators=(",", ":"))


def event_of(seq: int, kind: Any, trial: Any, payload: Any, time: Any) -> Event:
    """The event that a row is; ValueError if it is damaged."""
    try:
        found = Event(kind, trial, from_data(json.loads(payload)), float(time))
    except StorageError:  # written by a newer version
        raise
    except Exception as error:  # whatever a spoilt text may lead to
        raise ValueError(f"event {seq} cannot be read ({type(error).__name__}: {error})") from None
    if not isinstance(kind, str) or not isinstance(trial, int | None) or not isinstance(found.payload, dict):
        raise ValueError(f"event {seq} cannot be read")
    return found
