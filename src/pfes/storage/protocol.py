"""What a study needs of the place it is kept in. Every place passes the contract in `pfes.testing`."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from pfes.errors import InvalidInput, StudyExists, UnknownStudy
from pfes.ledger import Event

__all__ = ["Desk", "Entry", "Lease", "Listed", "Storage", "Written", "checked_name", "chosen", "taken"]


class Entry(NamedTuple):
    """A study as it is kept: its number never changes and is never given to another; description is a text."""

    number: int
    name: str
    description: str
    created: float  # seconds since 1970


class Listed(NamedTuple):
    """A study in a list of studies; changed: when its last event was written, None before the first one."""

    name: str
    created: float  # seconds since 1970
    events: int
    changed: float | None


class Lease(NamedTuple):
    """How long a trial is still reserved for whoever asked for it, and for how long at a time; both in seconds."""

    left: float
    seconds: float


class Written(NamedTuple):
    """Events that were written, and the number of the first of them, or of the next one if there are none."""

    first: int
    events: tuple[Event, ...]


class Desk(Protocol):
    """What can be done while nobody else writes to the study. It takes effect at once, or not at all."""

    def read(self, since: int) -> list[Event]:
        """The events from number `since` on."""
        ...

    def leases(self) -> dict[int, Lease]:
        """The leases by trial, those that have run out too."""
        ...

    def hold(self, trial: int, seconds: float) -> None:
        """Reserve a trial for so long from now."""
        ...

    def drop(self, trial: int) -> None:
        """Forget the lease of a trial."""
        ...


Decide = Callable[[Desk], Sequence[Event]]


class Storage(Protocol):
    """A place where studies are kept. Every method may be called from any thread and any process."""

    @property
    def place(self) -> str:
        """A path or a URL that opens it again, without a password; empty if nothing does."""
        ...

    def create(self, name: str, description: str) -> Entry:
        """Begin a study; StudyExists if there is one of that name."""
        ...

    def find(self, name: str | None = None) -> Entry:
        """A study by its name, or the only one there is; UnknownStudy if there is none."""
        ...

    def studies(self) -> list[Listed]:
        """All studies, in the order they were begun."""
        ...

    def delete(self, name: str) -> None:
        """Forget a study and all that happened in it; UnknownStudy if there is none."""
        ...

    def read(self, number: int, since: int = 0) -> list[Event]:
        """The events of a study from number `since` on; every one that was written before the call."""
        ...

    def write(self, number: int, decide: Decide) -> Written:
        """Append what `decide` returns, durably; nobody else writes to the study meanwhile.

        `decide` must be quick, as others wait for it, and may be called again if the database has to be tried again.
        """
        ...

    def leases(self, number: int) -> dict[int, Lease]:
        """The leases of a study by trial, those that have run out too."""
        ...

    def overdue(self, number: int) -> list[int]:
        """The trials of a study whose leases have run out."""
        ...

    def extend(self, number: int, trial: int, seconds: float | None = None) -> bool:
        """Reserve a trial for so long from now, or as long as the last time; False if it has no lease."""
        ...

    def check(self) -> list[str]:
        """What is wrong with it, in words; nothing if all is well."""
        ...


def checked_name(name: object) -> str:
    """A study's name, if it can be one."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise InvalidInput(f"name: got {name!r}, wanted a printable text of 1 to 200 characters")
    return name


def chosen(name: str | None, names: Sequence[str], place: str) -> str:
    """The name itself if there is such a study, or that of the only one."""
    where = place or "memory"
    if name is not None and name in names:
        return name
    if not names:
        raise UnknownStudy(f"study: {where} holds no study; try create_study")
    if name is None and len(names) == 1:
        return names[0]
    shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    if name is None:
        raise UnknownStudy(f"study: {where} holds {len(names)} studies, wanted one of them by name=: {shown}")
    raise UnknownStudy(f"study: got {name!r}, wanted one that {where} holds: {shown}")


def taken(name: str, place: str) -> StudyExists:
    """What to raise where a study of that name is there already."""
    return StudyExists(
        f"study: {place or 'memory'} holds a study {name!r} already; try open_study to go on with it, exist_ok=True, "
        "or another name="
    )
