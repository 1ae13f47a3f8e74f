"""A file or a URL, as users write it, made into an engine of SQLAlchemy.

SQLite: rollback journal, since write-ahead logs can be corrupted by several writers before SQLite 3.51.3, and our
writes are few. synchronous=EXTRA is FULL and a sync of the directory after the journal is removed: what was committed
survives a power failure. Writers say BEGIN IMMEDIATE: a reader that becomes a writer is refused in spite of the busy
timeout. Connections are closed after use, so none is ever shared with a forked process.
"""

import functools
import math
import os
import random
import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from pfes.errors import InvalidInput, StorageError

__all__ = ["engine_for", "writing"]

BUSY = 10.0  # seconds that SQLite itself waits for a lock before we are asked
# PostgreSQL, unless the URL says otherwise: seconds until a host that does not answer is given up
REACH = {"connect_timeout": 10, "keepalives_idle": 30}
WRITES = "pfes_writes"


def engine_for(place: str, create: bool, patience: float = math.inf) -> tuple[Engine, str]:
    """An engine and the place's own name: the absolute path of a file, a URL without its password.

    create    a file that is not there is made
    patience  seconds that whoever uses it waits in all: SQLite itself waits for a small part of them
    """
    if "://" not in place:
        return _sqlite(Path(place), create, patience)
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        raise InvalidInput(f"storage: got {place!r}, wanted a path or a URL such as postgresql://host/name") from None
    family = url.get_backend_name()
    if family == "sqlite":
        if not url.database or url.database == ":memory:":
            raise InvalidInput(f"storage: got {place!r}, wanted a file; None keeps a study in memory")
        return _sqlite(Path(url.database), create, patience)
    if family in ("postgresql", "postgres"):
        return _postgresql(url)
    raise InvalidInput(f"storage: got a URL of {family!r}, wanted a file (SQLite) or postgresql://...")


def _sqlite(path: Path, create: bool, patience: float) -> tuple[Engine, str]:
    full = path.expanduser().absolute()
    if full.is_dir():
        raise StorageError(f"{full}: this is a directory, wanted a file; try {path}/study.db")
    if not full.exists():
        if not create:
            raise StorageError(f"{full}: there is no such file; try create_study to begin a study, or another path")
        if not full.parent.is_dir():
            raise StorageError(f"{full}: there is no directory {full.parent}; try to make it first")
        full.touch()
    busy = min(BUSY, patience / 10)
    address = f"file:{quote(os.fspath(full))}?mode=rw"  # never made anew behind the user's back

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, timeout=busy, isolation_level=None, check_same_thread=False, uri=True)

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", functools.partial(_begin, busy))
    return engine, str(full)


def _set_up(connection: sqlite3.Connection, _: Any) -> None:
    connection.execute("PRAGMA synchronous=EXTRA")


def _begin(busy: float, connection: Connection) -> None:
    if not connection.get_execution_options().get(WRITES):
        connection.exec_driver_sql("BEGIN")
        return
    # SQLite looks for a lock ten times a second only: among many writers some would wait for ever
    own: Any = connection.connection.driver_connection
    end = time.monotonic() + busy
    own.execute("PRAGMA busy_timeout=0")
    while not _has_begun(own) and time.monotonic() < end:
        time.sleep(random.uniform(0.001, 0.02))
    own.execute(f"PRAGMA busy_timeout={round(1000 * busy)}")
    if not own.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _has_begun(own: sqlite3.Connection) -> bool:
    try:
        own.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
    return own.in_transaction


def _postgresql(url: URL) -> tuple[Engine, str]:
    try:
        reach = {name: seconds for name, seconds in REACH.items() if name not in url.query}
        engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=reach)
    except ImportError:
        raise StorageError(
            "postgresql: the driver psycopg is not installed; try pip install 'pfes[postgres]'"
        ) from None
    return engine, url.set(drivername="postgresql").render_as_string(hide_password=True)


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write."""
    return engine.execution_options(**{WRITES: True})
