"""What can still be read of a damaged SQLite file, copied into a new one. The damaged file is left as it is.

Of each study the events up to the first one that cannot be read are kept: what came later may speak of what is lost.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

from pfes.errors import StorageError
from pfes.ledger import Event
from pfes.records import from_data
from pfes.storage.database import Database

__all__ = ["Salvaged", "salvage"]

MAGIC = b"SQLite format 3\x00"  # how its files begin
MISSING = 16  # a header that asks for more than so many times what is there is damaged itself


class Salvaged(NamedTuple):
    """A study, how many of its events were saved, and how many there seem to have been (None: not known)."""

    name: str
    saved: int
    there: int | None


def salvage(damaged: Path, target: Path) -> list[Salvaged]:
    """Copy what can be read into a new file; StorageError if not even the studies' names can be."""
    if target.exists():
        raise StorageError(f"{target}: it is there already; try to move it away first")
    with TemporaryDirectory() as folder:
        copy = _whole(damaged, Path(folder) / "copy.db")
        connection = sqlite3.connect(f"file:{quote(str(copy.absolute()))}?mode=ro", uri=True)
        try:
            query = "SELECT number, name, description FROM pfes_studies NOT INDEXED ORDER BY number"
            studies = connection.execute(query).fetchall()
            found = [(*study, list(_readable(connection, study[0]))) for study in studies]
            place = Database(str(target), create=True)
            return [_copied(connection, place, *study) for study in found]
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


def _copied(
    connection: sqlite3.Connection, place: Database, number: int, name: str, description: str, events: list[Event]
) -> Salvaged:
    entry = place.create(name, description)
    place.write(entry.number, lambda desk: events)
    return Salvaged(name, len(events), _count(connection, number))


def _readable(connection: sqlite3.Connection, number: int) -> Iterator[Event]:
    rows = {row[0]: row for row in _rows(connection, number)}
    for wanted in range(len(rows)):
        if wanted not in rows:
            return
        _, kind, trial, payload, time = rows[wanted]
        try:
            event = Event(kind, trial, from_data(json.loads(payload)), time)
        except (ValueError, TypeError, StorageError):
            return
        yield event


def _rows(connection: sqlite3.Connection, number: int) -> Iterator[Any]:
    """Rows one by one, by their place in the table: neither its index nor a bad page hides the others."""
    for place in range(1, _last(connection) + 1):
        try:
            row = connection.execute(
                "SELECT seq, kind, trial, payload, time FROM pfes_events WHERE rowid = ? AND +study = ?",
                (place, number),
            ).fetchone()
        except (sqlite3.DatabaseError, ValueError):  # ValueError: what was a text is none
            continue
        if row is not None:
            yield row


def _last(connection: sqlite3.Connection) -> int:
    """The last place that may hold a row: as the table says, or its index, whichever can be read."""
    known = [0]
    for query in ("SELECT max(rowid) FROM pfes_events", "SELECT count(*) FROM pfes_events"):
        try:
            known.append(connection.execute(query).fetchone()[0] or 0)
        except sqlite3.DatabaseError:
            continue
    return max(known)


def _count(connection: sqlite3.Connection, number: int) -> int | None:
    try:
        last = connection.execute("SELECT max(seq) FROM pfes_events WHERE study = ?", (number,)).fetchone()[0]
        return 0 if last is None else int(last) + 1
    except sqlite3.DatabaseError:
        return None
