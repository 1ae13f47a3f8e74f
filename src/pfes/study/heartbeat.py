"""Signs of life: a thread that extends the leases of the trials that a worker is busy with."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType

from pfes.errors import PfesError

__all__ = ["Heartbeat"]

logger = logging.getLogger("pfes")

BEATS = 3  # in the time that a lease lasts: one may be lost


class Heartbeat:
    """While it is open, the trials that were added keep their leases.

    with study.heartbeat(600) as beat: beat.add(trial.id); ...; beat.drop(trial.id)
    """

    def __init__(self, extend: Callable[[int], object], seconds: float) -> None:
        self._extend, self._pause = extend, seconds / BEATS
        self._trials: set[int] = set()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pfes heartbeat", daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def add(self, trial: int) -> None:
        """Keep the lease of a trial from now on."""
        with self._lock:
            self._trials.add(trial)

    def drop(self, trial: int) -> None:
        """Leave it to itself."""
        with self._lock:
            self._trials.discard(trial)

    def _beat(self) -> None:
        while not self._over.wait(self._pause):
            with self._lock:
                busy = sorted(self._trials)
            for trial in busy:
                try:
                    self._extend(trial)
                except PfesError as error:  # the next beat may come through; a late tell is accepted anyway
                    logger.warning("the lease of trial %d could not be extended: %s", trial, error)
