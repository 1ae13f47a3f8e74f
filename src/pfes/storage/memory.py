"""A place that lasts as long as the process: for studies of an afternoon, and for tests."""

import threading
import time
from dataclasses import dataclass, field

from pfes.errors import UnknownStudy
from pfes.ledger import Event
from pfes.storage.protocol import Decide, Entry, Lease, Listed, Written, checked_name, chosen, taken

__all__ = ["Memory"]


@dataclass
class _Shelf:
    entry: Entry
    events: list[Event] = field(default_factory=list)
    until: "_Until" = field(default_factory=dict)


_Until = dict[int, tuple[float, float]]  # trial -> (end of the lease, its length)


def _leases(ends: _Until) -> dict[int, Lease]:
    now = time.monotonic()
    return {trial: Lease(until - now, seconds) for trial, (until, seconds) in ends.items()}


@dataclass
class _Desk:
    shelf: _Shelf
    until: _Until  # takes the place of the shelf's when all has gone well

    def read(self, since: int) -> list[Event]:
        return self.shelf.events[since:]

    def leases(self) -> dict[int, Lease]:
        return _leases(self.until)

    def hold(self, trial: int, seconds: float) -> None:
        self.until[trial] = (time.monotonic() + seconds, seconds)

    def drop(self, trial: int) -> None:
        self.until.pop(trial, None)


class Memory:
    """Studies in the memory of this process, shared by its threads."""

    place = ""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._shelves: dict[int, _Shelf] = {}
        self._begun = 0

    def create(self, name: str, description: str) -> Entry:
        """Begin a study."""
        with self._lock:
            if checked_name(name) in self._names():
                raise taken(name, self.place)
            entry = Entry(self._begun, name, description, time.time())
            self._begun += 1
            self._shelves[entry.number] = _Shelf(entry)
            return entry

    def find(self, name: str | None = None) -> Entry:
        """A study by its name, or the only one."""
        with self._lock:
            return self._names()[chosen(name, list(self._names()), self.place)]

    def studies(self) -> list[Listed]:
        """All studies."""
        with self._lock:
            return [
                Listed(s.entry.name, s.entry.created, len(s.events), s.events[-1].time if s.events else None)
                for s in self._shelves.values()
            ]

    def delete(self, name: str) -> None:
        """Forget a study."""
        with self._lock:
            del self._shelves[self._names()[chosen(name, list(self._names()), self.place)].number]

    def read(self, number: int, since: int = 0) -> list[Event]:
        """The events from `since` on."""
        with self._lock:
            return self._shelf(number).events[since:]

    def write(self, number: int, decide: Decide) -> Written:
        """Append what is decided while nobody else writes."""
        with self._lock:
            shelf = self._shelf(number)
            desk = _Desk(shelf, dict(shelf.until))
            events = tuple(decide(desk))
            first = len(shelf.events)
            shelf.events.extend(events)
            shelf.until = desk.until
            return Written(first, events)

    def leases(self, number: int) -> dict[int, Lease]:
        """The leases by trial."""
        with self._lock:
            return _leases(self._shelf(number).until)

    def overdue(self, number: int) -> list[int]:
        """The trials whose leases have run out."""
        return [trial for trial, lease in self.leases(number).items() if lease.left < 0.0]

    def extend(self, number: int, trial: int, seconds: float | None = None) -> bool:
        """Reserve a trial for so long from now."""
        with self._lock:
            until = self._shelf(number).until
            if trial not in until:
                return False
            length = until[trial][1] if seconds is None else seconds
            until[trial] = (time.monotonic() + length, length)
            return True

    def check(self) -> list[str]:
        """Nothing can be wrong with it."""
        return []

    def _names(self) -> dict[str, Entry]:
        return {shelf.entry.name: shelf.entry for shelf in self._shelves.values()}

    def _shelf(self, number: int) -> _Shelf:
        if number not in self._shelves:
            raise UnknownStudy("study: it was deleted")
        return self._shelves[number]
