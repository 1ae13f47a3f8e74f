"""Trying again where trying again helps: a file that is locked, a server that is being restarted."""

import logging
import random
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from pfes.errors import Busy, StorageError
from pfes.storage.rows import REPAIR

__all__ = ["PATIENCE", "is_passing", "patiently", "said"]

logger = logging.getLogger("pfes")

T = TypeVar("T")

PATIENCE = 120.0  # seconds
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 1.0  # seconds
WORD = 1.0  # seconds after which whoever waits is told why

# Of all that a driver calls an operational error, what waiting does not cure.
LASTING = (
    "authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "failed to resolve host",
    "unable to open database file",
    "readonly database",
    "disk is full",
    "disk image is malformed",
    "not a database",
    "permission denied",
)


def is_passing(error: DBAPIError) -> bool:
    """Whether the trouble may pass: locks, deadlocks, connections that were lost or refused."""
    text = str(error.orig).lower()
    if any(words in text for words in LASTING):
        return False
    kinds = {kind.__name__ for kind in type(error.orig).__mro__}
    return error.connection_invalidated or bool(kinds & {"OperationalError", "InterfaceError"})


def patiently(work: Callable[[int], T], place: str, seconds: float = PATIENCE) -> T:
    """work(attempt), attempts counted from 0, until it succeeds; StorageError if it cannot, Busy if not in time."""
    begun, attempt, silent = time.monotonic(), 0, True
    while True:
        try:
            return work(attempt)
        except DBAPIError as error:
            if not is_passing(error):
                hint = f"; {REPAIR}" if "malformed" in said(error) else ""
                raise StorageError(f"{place}: {said(error)}{hint}") from error
            waited = time.monotonic() - begun
            if waited > seconds:
                long = f"for {seconds:g} s" if seconds else "still"
                raise Busy(
                    f"{place}: {said(error)}, {long}; try again when others have finished, and see whether "
                    "the database is running"
                ) from error
            if waited > WORD and silent:
                logger.warning("%s: %s; trying again for %.0f s at most", place, said(error), seconds - waited)
                silent = False
        # by chance, lest those who wait for one another wake up together
        time.sleep(random.uniform(0.5, 1.0) * min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))
        attempt += 1


def said(error: DBAPIError) -> str:
    """What the database said, in one line."""
    return " ".join(str(error.orig).split()) or type(error.orig).__name__
