"""Databases made ready: tables where there are none, steps upwards where they are older, a refusal where newer."""

from collections.abc import Callable

from sqlalchemy import Connection, Engine, func, insert, inspect, select, text, update

from pfes.errors import StorageError
from pfes.storage.patience import patiently
from pfes.storage.places import writing
from pfes.storage.tables import METADATA, SCHEMA, VERSION

__all__ = ["UPGRADES", "lock_everything", "made_ready", "set_out", "version_of"]

# version -> what makes a database of that version one of the next; applied one after the other in one transaction.
UPGRADES: dict[int, Callable[[Connection], None]] = {}

# The answer comes after the disk has it, however the server is set up. Nobody waits for ever: neither for a lock (we
# try again, and say so in the end) nor for a client whose host has vanished in the middle of a transaction.
CAREFUL = (
    "SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '10s'; "
    "SET LOCAL idle_in_transaction_session_timeout = '60s'"
)
LOCK = 0x70666573  # "pfes": the number of our advisory lock in PostgreSQL


def version_of(connection: Connection) -> int | None:
    """The version of the tables, None if there are none."""
    if not inspect(connection).has_table(SCHEMA.name):
        return None
    found: int | None = connection.execute(select(func.max(SCHEMA.c.version))).scalar()
    return found


def made_ready(engine: Engine, place: str, create: bool, patience: float) -> None:
    """See that the tables are there and of our version; create: make them if there are none."""

    def look(_: int) -> int | None:
        with engine.begin() as connection:
            return version_of(connection)

    def settle(_: int) -> None:
        with writing(engine).begin() as connection:
            lock_everything(connection)
            _settle(connection, place, create)

    found = patiently(look, place, patience)
    if found != VERSION:  # look first: most of the time there is nothing to do, and nobody has to wait
        patiently(settle, place, patience)


def set_out(connection: Connection) -> None:
    """Say how a transaction that writes is to be treated, where the database has to be told."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(CAREFUL)


def lock_everything(connection: Connection) -> None:
    """Let nobody else change the list of studies or the tables; SQLite's BEGIN IMMEDIATE has done it already."""
    set_out(connection)
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})


def _settle(connection: Connection, place: str, create: bool) -> None:
    version = version_of(connection)
    if version is None:
        if not create:
            raise StorageError(f"{place}: there are no studies in it; try create_study, or another path")
        METADATA.create_all(connection)
        connection.execute(insert(SCHEMA).values(version=VERSION))
        return
    if version > VERSION:
        raise StorageError(
            f"{place}: it was written by a newer pfes (layout {version}, this one knows up to {VERSION}); try "
            "pip install --upgrade pfes"
        )
    for step in range(version, VERSION):
        UPGRADES[step](connection)
    if version < VERSION:
        connection.execute(update(SCHEMA).values(version=VERSION))
