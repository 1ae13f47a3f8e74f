"""What can still be read of a damaged SQLite file, copied into a new one. The damaged file is left as it is.

Of each study the events up to the first one that cannot be read are kept: what came later may speak of what is lost.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from pfes.errors import StorageError
from pfes.ledger import Event
from pfes.records import from_data
from pfes.storage.database import Database

__all__ = ["Salvaged", "salvage"]


class Salvaged(NamedTuple):
    """A study, how many of its events were saved, and how many there seem to have been (None: not known)."""

    name: str
    saved: int
    there: int | None


def salvage(damaged: Path, target: Path) -> list[Salvaged]:
    """Copy what can be read into a new file; StorageError if not even the studies' names can be."""
    if target.exists():
        raise StorageError(f"{target}: it is there already; try to move it away first")
    connection = sqlite3.connect(f"file:{quote(str(damaged.absolute()))}?mode=ro", uri=True)
    try:
        studies = connection.execute("SELECT number, name, description FROM pfes_studies ORDER BY number").fetchall()
        place = Database(str(target), create=True)
        return [_copied(connection, place, *study) for study in studies]
    except sqlite3.DatabaseError as error:
        raise StorageError(f"{damaged}: nothing can be read of it ({error}); try a backup") from None
    finally:
        connection.close()


def _copied(connection: sqlite3.Connection, place: Database, number: int, name: str, description: str) -> Salvaged:
    entry = place.create(name, description)
    events = list(_readable(connection, number))
    place.write(entry.number, lambda desk: events)
    return Salvaged(name, len(events), _count(connection, number))


def _readable(connection: sqlite3.Connection, number: int) -> Iterator[Event]:
    rows = connection.execute(
        "SELECT seq, kind, trial, payload, time FROM pfes_events WHERE study = ? ORDER BY seq", (number,)
    )
    wanted = 0
    while (row := _next(rows)) is not None and row[0] == wanted:
        try:
            yield Event(row[1], row[2], from_data(json.loads(row[3])), row[4])
        except (ValueError, TypeError, StorageError):
            return
        wanted += 1


def _next(rows: sqlite3.Cursor) -> Any:
    try:
        return rows.fetchone()
    except sqlite3.DatabaseError:
        return None


def _count(connection: sqlite3.Connection, number: int) -> int | None:
    try:
        last = connection.execute("SELECT max(seq) FROM pfes_events WHERE study = ?", (number,)).fetchone()[0]
        return 0 if last is None else int(last) + 1
    except sqlite3.DatabaseError:
        return None
