"""Executors for functions that may crash or hang: processes that can be killed, threads that can be left alone.

The standard library's pool of processes is lost when one of them dies, and cannot end one that hangs. Here each process
has a thread of ours that hands it work, waits for the answer, and begins another process where one was lost.
"""

import os
import pickle
import queue
import signal
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from pfes.errors import InvalidInput, PfesError

__all__ = ["Strands", "WorkerDied", "Workers"]

Job = tuple[Future[Any], bytes]
BEGUN = b"begun"  # what a worker says before it calls the function: only then the time runs
TO_BEGIN = 120.0  # seconds for a new process to import what the function needs
SPAWN = get_context("spawn")  # forked threads and database connections would be broken ones


class WorkerDied(PfesError):
    """A worker process ended in the middle of an evaluation: it crashed, or the system killed it."""


class Workers(Executor):
    """So many processes that evaluate functions; one that crashes, or takes longer than time_limit, is replaced.

    with pfes.Workers(4, time_limit=3600) as workers: study.optimize(evaluate, 200, executor=workers)

    What is submitted must be a function of a module, not a lambda; a script that uses this needs the usual
    `if __name__ == "__main__":`.
    """

    def __init__(self, count: int, time_limit: float | None = None) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InvalidInput(f"workers: got {count!r}, wanted a whole number of 1 or more")
        self.count, self.time_limit = count, time_limit
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: set[BaseProcess] = set()
        self._closed = False
        self._last = weakref.finalize(self, _kill_all, self._children)  # when Python ends, at the latest

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called in one of the processes."""
        if self._closed:
            raise RuntimeError("these workers were shut down")
        try:
            job = pickle.dumps((fn, args, kwargs))
        except Exception as error:
            raise InvalidInput(
                f"{getattr(fn, '__name__', fn)!r} cannot be sent to another process ({error}); wanted a function that "
                "stands at the top of a module, not a lambda or one inside another"
            ) from None
        future: Future[Any] = Future()
        self._jobs.put((future, job))
        if len(self._threads) < self.count:
            serve = threading.Thread(
                target=_serve, args=(self._jobs, self._children, self.time_limit), name="pfes worker", daemon=True
            )
            self._threads.append(serve)
            serve.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: after their work if wait is True, at once otherwise."""
        self._closed = True
        if cancel_futures or not wait:
            self._cancel_all()
        for _ in self._threads:
            self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()
        _kill_all(self._children)

    def _cancel_all(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return
            if job is not None:
                job[0].cancel()


def _serve(jobs: "queue.SimpleQueue[Job | None]", children: set[BaseProcess], limit: float | None) -> None:
    """Hand work to one process, and to another after it is lost, until there is no more."""
    own: tuple[BaseProcess, Connection] | None = None
    while (job := jobs.get()) is not None:
        future, sent = job
        if not future.set_running_or_notify_cancel():
            continue
        try:
            own = own or _begin(children)
            answer = _asked(own, sent, limit)
        except BaseException as error:
            if own is not None:
                _end(own, children)
                own = None
            future.set_exception(error)
            continue
        good, value = answer
        if good:
            future.set_result(value)
        else:
            future.set_exception(value)
    if own is not None:
        _end(own, children)


def _begin(children: set[BaseProcess]) -> tuple[BaseProcess, Connection]:
    ours, theirs = SPAWN.Pipe()
    child = SPAWN.Process(target=_work, args=(theirs,), name="pfes worker")
    child.start()
    theirs.close()
    children.add(child)
    return child, ours


def _asked(own: tuple[BaseProcess, Connection], sent: bytes, limit: float | None) -> tuple[bool, Any]:
    child, pipe = own
    try:
        pipe.send_bytes(sent)
        if pipe.poll(None if limit is None else limit + TO_BEGIN) and pipe.recv_bytes() == BEGUN and pipe.poll(limit):
            received: tuple[bool, Any] = pickle.loads(pipe.recv_bytes())
            return received
        raise TimeoutError(f"took longer than {limit:g} s and was ended")
    except (EOFError, OSError) as error:
        if isinstance(error, TimeoutError):
            raise
        child.join(1.0)
        raise WorkerDied(f"the worker process ended with code {child.exitcode} in the middle of it") from None


def _end(own: tuple[BaseProcess, Connection], children: set[BaseProcess]) -> None:
    child, pipe = own
    pipe.close()
    children.discard(child)
    _kill(child)


def _kill_all(children: set[BaseProcess]) -> None:
    for child in list(children):
        children.discard(child)
        _kill(child)


def _kill(child: BaseProcess) -> None:
    """End a process and all that it has begun."""
    try:
        if child.pid is not None and hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # it is gone, or has not yet made a group of its own
        pass
    child.kill()
    child.join(5.0)


def _work(pipe: Connection) -> None:
    """What a worker process does: call what it is sent until nothing more comes."""
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C is for those who sent the work; and whatever it begins ends with it
    while True:
        try:
            sent = pipe.recv_bytes()
        except EOFError:
            return
        try:
            function, args, kwargs = pickle.loads(sent)  # which imports what it needs
        except Exception as error:
            function, args, kwargs = _fails, (error,), {}
        pipe.send_bytes(BEGUN)
        try:
            answer = True, function(*args, **kwargs)
        except Exception as error:
            answer = False, error
        pipe.send_bytes(_packed(answer))


def _fails(error: Exception) -> None:
    raise error


def _packed(answer: tuple[bool, Any]) -> bytes:
    try:
        packed = pickle.dumps(answer)
        pickle.loads(packed)  # some exceptions can be sent and not received
        return packed
    except Exception as error:
        good, value = answer
        what = f"the result cannot be sent back: {error}" if good else f"{type(value).__name__}: {value}"
        return pickle.dumps((False, RuntimeError(what)))


class Strands(Executor):
    """A thread of its own for each call, which nobody waits for when Python ends."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called in a new thread."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, name="pfes evaluation", daemon=True).start()
        return future
