"""What can still be read of a damaged SQLite file, copied into a new one. The damaged file is left as it is.

Of each study all events are kept that can be read and that make sense without those that cannot (`mending`). Trials
that are pending after that are reserved anew, for as long as they were.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

from pfes.errors import StorageError
from pfes.ledger import Event
from pfes.storage.database import Database
from pfes.storage.mending import Mended, ledger_of, mended
from pfes.storage.protocol import Desk
from pfes.storage.rows import event_of

__all__ = ["Salvaged", "salvage"]

MAGIC = b"SQLite format 3\x00"  # how its files begin
MISSING = 16  # a header that asks for more than so many times what is there is damaged itself
RESERVED = 30 * 24 * 3600.0  # seconds, where it cannot be read for how long a trial was reserved


class Salvaged(NamedTuple):
    """A study, how many of its events were saved, how many there seem to have been, and what was left out."""

    name: str
    saved: int
    there: int
    left_out: tuple[str, ...]


def salvage(damaged: Path, target: Path) -> list[Salvaged]:
    """Copy what can be read into a new file; StorageError if not even the studies' names can be."""
    if target.exists():
        raise StorageError(f"{target}: it is there already; try to move it away first")
    with TemporaryDirectory() as folder:
        copy = _whole(damaged, Path(folder) / "copy.db")
        connection = sqlite3.connect(f"file:{quote(str(copy.absolute()))}?mode=ro", uri=True)
        try:
            return _Wreck(connection).saved(target)
        except sqlite3.DatabaseError as error:
            raise StorageError(f"{damaged}: nothing can be read of it ({error}); try a backup") from None
        finally:
            connection.close()


def _whole(damaged: Path, copy: Path) -> Path:
    """The file itself; of one that was cut off, which SQLite reads nothing of, a copy as long as its header says."""
    with damaged.open("rb") as file:
        header = file.read(32)
    size = int.from_bytes(header[16:18], "big")
    wanted = (65536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
    there = damaged.stat().st_size
    if header[:16] != MAGIC or not there < wanted <= there * MISSING:
        return damaged
    shutil.copyfile(damaged, copy)
    os.truncate(copy, wanted)
    return copy


class _Wreck:
    """A damaged file, and what is found in it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def saved(self, target: Path) -> list[Salvaged]:
        query = "SELECT number, name, description FROM pfes_studies NOT INDEXED ORDER BY number"
        studies = self._connection.execute(query).fetchall()
        rows: dict[Any, dict[int, tuple[Any, ...]]] = {}
        for study, *row in self._rows("pfes_events", "study, seq, kind, trial, payload, time"):
            rows.setdefault(study, {})[row[0]] = tuple(row)
        leases = {(study, trial): length for study, trial, length in self._rows("pfes_leases", "study, trial, seconds")}
        place = Database(str(target), create=True)
        return [self._copied(place, study, rows.get(study[0], {}), leases) for study in studies]

    def _copied(
        self, place: Database, study: tuple[int, str, str], rows: dict[int, tuple[Any, ...]], leases: dict[Any, float]
    ) -> Salvaged:
        number, name, description = study
        readable, lost = _readable(rows)
        there = max(self._count(number), *rows, -1) + 1
        ledger = ledger_of(description)
        kept = mended(readable, ledger) if ledger else Mended([event for _, event in readable], [], [])
        unknown = [] if ledger else ["what the study is about: it cannot be opened"]
        gaps = _gaps([seq for seq in range(there) if seq not in rows])

        def decide(desk: Desk) -> Sequence[Event]:
            for trial in kept.pending:
                desk.hold(trial, leases.get((number, trial), RESERVED))
            return kept.events

        place.write(place.create(name, description).number, decide)
        return Salvaged(name, len(kept.events), there, (*unknown, *gaps, *lost, *kept.left_out))

    def _rows(self, table: str, columns: str) -> Iterator[Any]:
        """Rows one by one, by their place in the table: neither its index nor a bad page hides the others."""
        for place in range(1, self._last(table) + 1):
            try:
                row = self._connection.execute(f"SELECT {columns} FROM {table} WHERE rowid = ?", (place,)).fetchone()
            except (sqlite3.DatabaseError, ValueError):  # ValueError: what was a text is none
                continue
            if row is not None:
                yield row

    def _last(self, table: str) -> int:
        """The last place that may hold a row: as the table says, or its index, whichever can be read."""
        known = [0]
        for what in ("max(rowid)", "count(*)"):
            try:
                known.append(self._connection.execute(f"SELECT {what} FROM {table}").fetchone()[0] or 0)
            except sqlite3.DatabaseError:
                continue
        return max(known)

    def _count(self, number: int) -> int:
        """The number of a study's last event as the index says, -1 if it says nothing."""
        try:
            query = "SELECT max(seq) FROM pfes_events WHERE study = ?"
            last = self._connection.execute(query, (number,)).fetchone()[0]
        except sqlite3.DatabaseError:
            return -1
        return -1 if last is None else int(last)


def _readable(rows: dict[int, tuple[Any, ...]]) -> tuple[list[tuple[int, Event]], list[str]]:
    """The numbered events that rows are, in order, and what is to be said of those that are none."""
    found, lost = [], []
    for seq in sorted(rows):
        try:
            found.append((seq, event_of(*rows[seq])))
        except (StorageError, ValueError) as error:
            _, kind, trial, *_ = rows[seq]
            lost.append(f"{error}; it was {kind!r}{'' if trial is None else f' of trial {trial}'}")
    return found, lost


def _gaps(missing: Sequence[int]) -> list[str]:
    """Words for events that are not there, neighbours together."""
    runs = [[seq for _, seq in run] for _, run in groupby(enumerate(missing), lambda pair: pair[1] - pair[0])]
    return [f"events {run[0]} to {run[-1]} are lost" if len(run) > 1 else f"event {run[0]} is lost" for run in runs]
