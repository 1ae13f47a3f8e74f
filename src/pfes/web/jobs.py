"""Long work in the background: suggestions and models take seconds, and no request waits for them.

Two lanes, each with a thread of its own: what changes the study (asking), and what only looks at it. The threads are
no reason for the process to go on: what they have not written when it ends is not written at all.
"""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent import futures
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Literal

from pfes.errors import PfesError

__all__ = ["Job", "Jobs"]

logger = logging.getLogger("pfes")

KEPT = 200  # jobs whose results are remembered
Lane = Literal["ask", "look"]


def _end() -> "futures.Future[None]":
    """An end that is still to come; whoever stops waiting for it does not call it off."""
    made: futures.Future[None] = futures.Future()
    made.set_running_or_notify_cancel()
    return made


@dataclass
class Job:
    """A piece of work: what it is, how far it is, and what came of it."""

    number: int
    title: str
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    result: Any = None
    error: str = ""
    begun: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    end: "futures.Future[None]" = field(default_factory=_end, repr=False)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.end.done()

    @property
    def elapsed(self) -> float:
        """Seconds since it was asked for, until it was over."""
        return self.seconds if self.over else time.monotonic() - self.begun

    def wait(self, seconds: float) -> bool:
        """Wait for it to be over, so long at most; this takes a thread."""
        futures.wait([self.end], seconds)
        return self.over

    def run(self, work: Callable[[], Any]) -> None:
        """Do the work; whatever goes wrong is its outcome."""
        self.state = "running"
        try:
            self.result, self.state = work(), "done"
        except PfesError as error:
            self.error, self.state = str(error), "failed"
        except Exception as error:
            logger.exception("%s", self.title)
            self.error, self.state = f"a fault of pfes itself: {type(error).__name__}: {error}", "failed"
        finally:
            self.seconds = time.monotonic() - self.begun
            self.end.set_result(None)


class Jobs:
    """All jobs of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[int, Job] = OrderedDict()
        self._by_key: dict[Hashable, Job] = {}
        self._lanes: dict[str, SimpleQueue[tuple[Job, Callable[[], Any]]]] = {}
        self._next = 1
        self._closed = _end()

    async def outlast(self, job: Job, seconds: float) -> bool:
        """Wait for a job, so long at most and not beyond the server's end; any number may wait, none takes a thread."""
        ends = [asyncio.wrap_future(end) for end in (job.end, self._closed)]
        await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return job.over

    def close(self) -> None:
        """Let those go who wait: the server ends."""
        if not self._closed.done():
            self._closed.set_result(None)

    def start(self, lane: Lane, title: str, work: Callable[[], Any], key: Hashable = None) -> Job:
        """Have work done; with a key, work of the same key that is there already, unless it failed, will do."""
        with self._lock:
            if key is not None and key in self._by_key and self._by_key[key].state != "failed":
                return self._by_key[key]
            job = Job(self._next, title)
            self._next += 1
            self._jobs[job.number] = job
            if key is not None:
                self._by_key[key] = job
            self._forget()
            if lane not in self._lanes:
                self._lanes[lane] = SimpleQueue()
                threading.Thread(target=self._work, args=(self._lanes[lane],), name=f"pfes {lane}", daemon=True).start()
            self._lanes[lane].put((job, work))
        return job

    def find(self, number: int) -> Job | None:
        """A job by its number, if it is still remembered."""
        return self._jobs.get(number)

    def under_way(self) -> list[Job]:
        """What is not over yet."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.over]

    def _forget(self) -> None:
        over = [number for number, job in self._jobs.items() if job.over]
        for number in over[: max(len(self._jobs) - KEPT, 0)]:
            job = self._jobs.pop(number)
            self._by_key = {key: it for key, it in self._by_key.items() if it is not job}

    @staticmethod
    def _work(lane: "SimpleQueue[tuple[Job, Callable[[], Any]]]") -> None:
        while True:
            job, work = lane.get()
            job.run(work)
