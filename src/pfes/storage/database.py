"""SQLite and PostgreSQL, by the same code: short transactions, events appended under the study's lock.

The lock is SQLite's BEGIN IMMEDIATE, or the row of the study in PostgreSQL. Events are numbered 0, 1, 2, ... under it,
so a reader that has seen number n has seen all before it. Whether a commit came through when the connection broke
cannot be known at that moment; events therefore carry the name of their batch, by which the next attempt finds them.
"""

import math
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, delete, func, insert, select, text, update

from pfes.errors import Busy, StorageError, UnknownStudy
from pfes.ledger import Event
from pfes.storage.patience import PATIENCE, patiently
from pfes.storage.places import engine_for, writing
from pfes.storage.protocol import Decide, Entry, Lease, Listed, Written, checked_name, chosen, taken
from pfes.storage.rows import REPAIR, event_of, payload_of
from pfes.storage.tables import EVENTS, LEASES, STUDIES
from pfes.storage.upgrades import lock_everything, made_ready, set_out

__all__ = ["Database"]

T = TypeVar("T")

RECENT = 1.0  # seconds
FIRST_CONTACT = 30.0  # seconds to wait for a database that is to be opened: it may be that the address is wrong


class Database:
    """A file or a server that holds studies."""

    def __init__(self, place: str, *, create: bool = False, patience: float = PATIENCE) -> None:
        self._engine, self._place = engine_for(place, create, patience)
        self._address = place if self._engine.dialect.name == "postgresql" else self._place  # with its password
        self._patience, self._in_vain = patience, -math.inf  # when somebody has last waited in vain
        try:
            made_ready(self._engine, self._place, create, min(FIRST_CONTACT, patience))
        except (OSError, UnicodeError) as error:  # hosts that cannot be one, files that may not be opened
            raise StorageError(f"{self._place}: {error}") from error

    @property
    def place(self) -> str:
        """A path or a URL that opens it again, without a password."""
        return self._place

    def __reduce__(self) -> tuple[Any, ...]:
        return Database, (self._address,)

    def _patiently(self, work: Callable[[int], T]) -> T:
        """Do it as soon as it can be done; those who queued behind one who waited in vain do not wait as long again."""
        hopeless = time.monotonic() - self._in_vain < RECENT
        try:
            return patiently(work, self._place, 0.0 if hopeless else self._patience)
        except Busy:
            self._in_vain = time.monotonic()
            raise

    # Studies

    def create(self, name: str, description: str) -> Entry:
        """Begin a study."""
        begun = time.time()
        row = {"name": checked_name(name), "description": description, "created": begun}

        def work(attempt: int) -> Entry:
            with writing(self._engine).begin() as connection:
                lock_everything(connection)
                found = connection.execute(select(STUDIES).where(STUDIES.c.name == name)).one_or_none()
                if found is None:
                    number = connection.execute(insert(STUDIES).values(row)).inserted_primary_key
                    assert number is not None
                    return Entry(number[0], name, description, begun)
                if attempt and found.created == begun:  # an earlier attempt came through after all
                    return Entry(**found._mapping)
                raise taken(name, self._place)

        return self._patiently(work)

    def find(self, name: str | None = None) -> Entry:
        """A study by its name, or the only one."""

        def work(_: int) -> Entry:
            with self._engine.begin() as connection:
                own = chosen(name, _names(connection), self._place)
                return Entry(**connection.execute(select(STUDIES).where(STUDIES.c.name == own)).one()._mapping)

        return self._patiently(work)

    def studies(self) -> list[Listed]:
        """All studies."""
        counted = (
            select(STUDIES.c.name, STUDIES.c.created, func.count(EVENTS.c.seq), func.max(EVENTS.c.time))
            .join_from(STUDIES, EVENTS, isouter=True)
            .group_by(STUDIES.c.number, STUDIES.c.name, STUDIES.c.created)
            .order_by(STUDIES.c.number)
        )

        def work(_: int) -> list[Listed]:
            with self._engine.begin() as connection:
                return [Listed(*row) for row in connection.execute(counted)]

        return self._patiently(work)

    def delete(self, name: str) -> None:
        """Forget a study."""

        def work(attempt: int) -> None:
            with writing(self._engine).begin() as connection:
                lock_everything(connection)
                if attempt and name not in _names(connection):
                    return  # an earlier attempt came through after all
                own = chosen(name, _names(connection), self._place)
                number = connection.execute(
                    select(STUDIES.c.number).where(STUDIES.c.name == own).with_for_update()
                ).scalar_one()
                for table in (LEASES, EVENTS):
                    connection.execute(delete(table).where(table.c.study == number))
                connection.execute(delete(STUDIES).where(STUDIES.c.number == number))

        self._patiently(work)

    # Events

    def read(self, number: int, since: int = 0) -> list[Event]:
        """The events from `since` on."""

        def work(_: int) -> list[Event]:
            with self._engine.begin() as connection:
                found = _read(connection, number, since)
                if not found:
                    _see(connection, number)
                return found

        return self._patiently(work)

    def write(self, number: int, decide: Decide) -> Written:
        """Append what is decided under the study's lock; durable on return."""
        batch = uuid.uuid4().hex

        def work(attempt: int) -> Written:
            with writing(self._engine).begin() as connection:
                _lock(connection, number)
                if attempt and (before := _batch(connection, number, batch)):
                    return before  # an earlier attempt came through after all
                events = tuple(decide(_Desk(connection, number)))
                return _append(connection, number, events, batch)

        return self._patiently(work)

    # Leases

    def leases(self, number: int) -> dict[int, Lease]:
        """The leases by trial."""

        def work(_: int) -> dict[int, Lease]:
            with self._engine.begin() as connection:
                return _Desk(connection, number).leases()

        return self._patiently(work)

    def overdue(self, number: int) -> list[int]:
        """The trials whose leases have run out."""

        def work(_: int) -> list[int]:
            with self._engine.begin() as connection:
                late = LEASES.c.study == number, LEASES.c.until < _now(connection)
                return list(connection.execute(select(LEASES.c.trial).where(*late).order_by(LEASES.c.trial)).scalars())

        return self._patiently(work)

    def extend(self, number: int, trial: int, seconds: float | None = None) -> bool:
        """Reserve a trial for so long from now."""

        def work(_: int) -> bool:
            with writing(self._engine).begin() as connection:
                length = LEASES.c.seconds if seconds is None else seconds
                mine = update(LEASES).where(LEASES.c.study == number, LEASES.c.trial == trial)
                done = connection.execute(mine.values(until=_now(connection) + length, seconds=length))
                return bool(done.rowcount)

        return self._patiently(work)

    # Health

    def check(self) -> list[str]:
        """What is wrong with the database: damage that SQLite finds, numbers of events that are missing."""

        def work(_: int) -> list[str]:
            with self._engine.begin() as connection:
                return [*_damage(connection), *_gaps(connection)]

        return self._patiently(work)


class _Desk:
    """What can be done under the lock of a study."""

    def __init__(self, connection: Connection, number: int) -> None:
        self._connection, self._number = connection, number

    def read(self, since: int) -> list[Event]:
        return _read(self._connection, self._number, since)

    def leases(self) -> dict[int, Lease]:
        rows = self._connection.execute(select(LEASES).where(LEASES.c.study == self._number)).all()
        now = _now(self._connection) if rows else 0.0
        return {row.trial: Lease(row.until - now, row.seconds) for row in rows}

    def hold(self, trial: int, seconds: float) -> None:
        self.drop(trial)
        until = _now(self._connection) + seconds
        row = {"study": self._number, "trial": trial, "until": until, "seconds": seconds}
        self._connection.execute(insert(LEASES).values(row))

    def drop(self, trial: int) -> None:
        mine = delete(LEASES).where(LEASES.c.study == self._number, LEASES.c.trial == trial)
        self._connection.execute(mine)


def _now(connection: Connection) -> float:
    """Seconds since 1970 by the clock that all users of the database share."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())


def _names(connection: Connection) -> Sequence[str]:
    return connection.execute(select(STUDIES.c.name).order_by(STUDIES.c.number)).scalars().all()


def _see(connection: Connection, number: int, lock: bool = False) -> None:
    """UnknownStudy if the study is not there any more; lock: keep others from writing to it."""
    wanted = select(STUDIES.c.number).where(STUDIES.c.number == number)
    if connection.execute(wanted.with_for_update() if lock else wanted).one_or_none() is None:
        raise UnknownStudy("study: it was deleted")


def _lock(connection: Connection, number: int) -> None:
    set_out(connection)
    _see(connection, number, lock=True)


def _read(connection: Connection, number: int, since: int) -> list[Event]:
    mine = select(EVENTS).where(EVENTS.c.study == number, EVENTS.c.seq >= since).order_by(EVENTS.c.seq)
    rows = connection.execute(mine).all()
    for expected, row in enumerate(rows, since):
        if row.seq != expected:
            raise StorageError(f"event {expected} is lost; {REPAIR}")
    return [_event(row) for row in rows]


def _event(row: Row[Any]) -> Event:
    try:
        return event_of(row.seq, row.kind, row.trial, row.payload, row.time)
    except ValueError as error:
        raise StorageError(f"{error}; {REPAIR}") from None


def _batch(connection: Connection, number: int, batch: str) -> Written | None:
    mine = select(EVENTS).where(EVENTS.c.study == number, EVENTS.c.batch == batch).order_by(EVENTS.c.seq)
    rows = connection.execute(mine).all()
    return Written(rows[0].seq, tuple(map(_event, rows))) if rows else None


def _append(connection: Connection, number: int, events: tuple[Event, ...], batch: str) -> Written:
    last = connection.execute(select(func.max(EVENTS.c.seq)).where(EVENTS.c.study == number)).scalar()
    first = 0 if last is None else last + 1
    rows = [
        {
            "study": number,
            "seq": seq,
            "kind": event.kind,
            "trial": event.trial,
            "payload": payload_of(event),
            "time": event.time,
            "batch": batch,
        }
        for seq, event in enumerate(events, first)
    ]
    if rows:
        connection.execute(insert(EVENTS), rows)
    return Written(first, events)


def _damage(connection: Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    return [f"SQLite says: {line}" for line in found if line != "ok"]


def _gaps(connection: Connection) -> list[str]:
    counted = (
        select(STUDIES.c.name, func.count(EVENTS.c.seq), func.max(EVENTS.c.seq))
        .join_from(STUDIES, EVENTS)
        .group_by(STUDIES.c.name)
    )
    rows = connection.execute(counted).all()
    return [f"study {name!r} lacks {last + 1 - count} of its events" for name, count, last in rows if count != last + 1]
