"""From what a user gives, a path, a URL or nothing, to the place where studies are kept."""

import os
from typing import Any

from pfes.errors import InvalidInput
from pfes.storage.memory import Memory
from pfes.storage.protocol import Storage

__all__ = ["Place", "open_storage"]

Place = str | os.PathLike[str] | Storage | None


def open_storage(place: Place, *, create: bool = False) -> Storage:
    """A place by its path or URL; None: memory. create: a file, or tables, that are not there are made."""
    if place is None:
        return Memory()
    if isinstance(place, str | os.PathLike):
        if not os.fspath(place):
            raise InvalidInput("storage: got an empty path, wanted a file, a URL, or None for memory")
        from pfes.storage.database import Database  # noqa: PLC0415 - SQLAlchemy takes a while to load

        return Database(str(os.fspath(place)), create=create)
    if not _is_storage(place):
        raise InvalidInput(f"storage: got {place!r}, wanted a path, a URL, or None for memory")
    return place


def _is_storage(place: Any) -> bool:
    return all(callable(getattr(place, verb, None)) for verb in ("create", "find", "read", "write"))
