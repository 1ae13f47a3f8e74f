"""The one door to numba: how kernels are compiled and how they are spread over threads.

Kernels are serial, release the GIL and are cached on disk; parallelism is threads over independent pieces of work.
Where no cache directory can be written the same code runs, compiled anew in each process.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numba

__all__ = ["inline", "kernel", "spread", "threads"]

F = TypeVar("F", bound=Callable[..., Any])

# `contract` allows fused multiply-add and nothing else: no reassociation, nan and infinities keep their meaning.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


def kernel(function: F) -> F:
    """Compile `function` on first call: serial, without the GIL, cached where a cache can be written."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba finds no directory for its cache
        return numba.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def inline(function: F) -> F:
    """Compile a small function that kernels call; it is compiled into them, never called from Python alone."""
    return numba.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def threads() -> int:
    """How many threads kernels are spread over: the processors this process may use, or PFES_THREADS."""
    asked = os.environ.get("PFES_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[Any], None], pieces: Iterable[Any]) -> None:
    """Call work(piece) for every piece, on as many threads as `threads()` allows; errors are raised here."""
    todo = list(pieces)
    workers = min(threads(), len(todo))
    if workers <= 1:
        for piece in todo:
            work(piece)
        return
    # list() waits for all and re-raises the first error
    list(_pool(workers, os.getpid()).map(work, todo))


@cache
def _pool(workers: int, pid: int) -> ThreadPoolExecutor:
    # keyed by process: a forked child must not wait for threads that did not come along
    return ThreadPoolExecutor(workers, thread_name_prefix="pfes")
