"""A study's ledger and the place it is kept in: read up to now, write under the study's lock.

Others may write to the same study at any time, from other threads, processes and hosts. What is read is everything
that had been written when reading began; what is written is decided on everything that was written before it.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pfes.errors import StorageError
from pfes.ledger import Event, Ledger
from pfes.storage import Desk, Entry, Lease, Storage
from pfes.storage.rows import REPAIR

__all__ = ["Draft", "Journal"]

Draft = tuple[str, int | None, dict[str, Any]]  # kind, trial and payload of an event to be
Decide = Callable[[Ledger, Desk], Sequence[Draft]]

FRESH = 1.0  # seconds


class Journal:
    """The one thing that changes while a study runs. Its threads take turns."""

    def __init__(self, storage: Storage, entry: Entry, ledger: Ledger) -> None:
        self.storage, self.entry = storage, entry
        self._ledger = ledger
        self._lock = threading.RLock()
        self._reading = 0  # how many `now` are open, one inside the other
        self._read = -math.inf  # when the ledger was last up to date

    @contextmanager
    def now(self) -> Iterator[Ledger]:
        """The ledger with all that has been written; inside, it changes only by what this thread writes."""
        with self._lock:
            if not self._reading:
                self._catch_up()
            self._reading += 1
            try:
                yield self._ledger
            finally:
                self._reading -= 1

    def write(self, decide: Decide) -> tuple[Event, ...]:
        """Append what decide(ledger, desk) returns; durable on return. Nobody else writes in the meantime.

        `decide` must not fit models: others wait. It may be called again, so it must not change anything itself.
        """

        def decided(desk: Desk) -> list[Event]:
            self._fold(desk.read(len(self._ledger.events)))
            return [Event(kind, trial, payload, time.time()) for kind, trial, payload in decide(self._ledger, desk)]

        with self._lock:
            if time.monotonic() - self._read > FRESH:  # there may be much to read: not while others wait
                self._catch_up()
            written = self.storage.write(self.entry.number, decided)
            if written.first == len(self._ledger.events):
                self._fold(written.events)
            elif written.events:  # they were written by an attempt that seemed to have failed: others came after it
                self._catch_up()
            return written.events

    def _catch_up(self) -> None:
        self._fold(self.storage.read(self.entry.number, len(self._ledger.events)))

    def _fold(self, events: Sequence[Event]) -> None:
        for event in events:
            try:
                self._ledger.append(event)
            except Exception as error:
                number = len(self._ledger.events)
                raise StorageError(
                    f"event {number} ({event.kind!r}) does not fit those before it ({type(error).__name__}: {error}); "
                    f"{REPAIR}"
                ) from error
        self._read = time.monotonic()

    def leases(self) -> dict[int, Lease]:
        """The leases by trial, those that have run out too."""
        return self.storage.leases(self.entry.number)

    def overdue(self) -> list[int]:
        """The trials whose leases have run out."""
        return self.storage.overdue(self.entry.number)

    def extend(self, trial: int, seconds: float | None = None) -> bool:
        """Reserve a trial for so long from now, or as long as before; False if it has no lease."""
        return self.storage.extend(self.entry.number, trial, seconds)
