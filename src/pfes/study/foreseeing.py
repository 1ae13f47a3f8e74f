"""What a table of results would change, found out without changing anything."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pfes.ledger import Ledger
from pfes.points import read
from pfes.storage import Lease
from pfes.study.journal import Draft

__all__ = ["Change", "Glass", "changes"]


class Change(NamedTuple):
    """One thing that a table would change.

    trial   its number, new: it is not there yet; kind: of the event, "told", "added", "failed", ...
    params  the point, row: its row of a pool
    what    the objective, empty where none is concerned; before, after: its values, or None; after may be a text
    """

    trial: int
    new: bool
    kind: str
    params: dict[str, Any]
    row: Any
    what: str = ""
    before: float | None = None
    after: float | str | None = None


class Glass:
    """A desk at which everything can be looked at and nothing done; see `pfes.storage.Desk`."""

    def read(self, since: int) -> list[Any]:
        """No events: the ledger has them."""
        return []

    def leases(self) -> dict[int, Lease]:
        """No leases."""
        return {}

    def hold(self, trial: int, seconds: float) -> None:
        """Do nothing."""

    def drop(self, trial: int) -> None:
        """Do nothing."""


def changes(ledger: Ledger, drafts: Sequence[Draft]) -> tuple[Change, ...]:
    """Events that would be written, in words that a person can check."""
    points: dict[int, tuple[dict[str, Any], Any]] = {}
    found: list[Change] = []
    for kind, number, payload in drafts:
        if number is None:
            continue
        if "point" in payload:
            point = read(ledger.domain, payload["point"])
            points[number] = (point.params, point.row)
        elif number not in points:
            points[number] = (ledger.trials[number].params, ledger.trials[number].row)
        found += _of_one(ledger, number, kind, payload, points[number])
    return tuple(found)


def _of_one(
    ledger: Ledger, number: int, kind: str, payload: dict[str, Any], where: tuple[dict[str, Any], Any]
) -> Iterable[Change]:
    there = ledger.trials.get(number)
    for name, value in payload.get("values", {}).items():
        before = there.values.get(name) if there is not None else None
        yield Change(number, there is None, kind, *where, name, before, value)
    if not payload.get("values"):
        yield Change(number, there is None, kind, *where, after=payload.get("message") or None)
