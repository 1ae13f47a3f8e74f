"""What a table of results would change, found out without changing anything."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pfes.ledger import Ledger
from pfes.points import Point, all_read
from pfes.storage import Lease
from pfes.study.journal import Draft
from pfes.trials import Trial

__all__ = ["Change", "Glass", "changes"]


class Change(NamedTuple):
    """One thing that a table would change.

    trial   its number, new: it is not there yet; kind: of the event, "told", "added", "failed", ...
    params  the point, row: its row of a pool
    what    the objective, empty where none is concerned; before, after: its values, or None; after may be a text
    outside the point is not of the space
    """

    trial: int
    new: bool
    kind: str
    params: dict[str, Any]
    row: Any
    what: str = ""
    before: float | None = None
    after: float | str | None = None
    outside: bool = False


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
    placed = {number: payload["point"] for _, number, payload in drafts if number is not None and "point" in payload}
    new = dict(zip(placed, all_read(ledger.domain, list(placed.values())), strict=True))
    found: list[Change] = []
    for kind, number, payload in drafts:
        if number is not None:
            there = new.get(number) or ledger.trials[number]
            found += _of_one(ledger, number, kind, payload, there)
    return tuple(found)


def _of_one(ledger: Ledger, number: int, kind: str, payload: dict[str, Any], at: Point | Trial) -> Iterable[Change]:
    there = ledger.trials.get(number)
    change = Change(number, there is None, kind, at.params, at.row, outside=at.outside)
    for name, value in payload.get("values", {}).items():
        before = there.values.get(name) if there is not None else None
        yield change._replace(what=name, before=before, after=value)
    if not payload.get("values"):
        yield change._replace(after=payload.get("message") or None)
