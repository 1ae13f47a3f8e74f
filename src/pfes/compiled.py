"""The one door to numba: how kernels are compiled and how they are spread over threads.

Kernels are serial, release the GIL and are cached on disk; parallelism is threads over independent pieces of work.
Where no cache directory can be written the same code runs, compiled anew in each process.
"""

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from threadpoolctl import ThreadpoolController

__all__ = ["bits", "from_bits", "inline", "kernel", "one_blas_thread", "spread", "threads"]

F = TypeVar("F", bound=Callable[..., Any])

# `contract` allows fused multiply-add and nothing else: no reassociation, nan and infinities keep their meaning.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


def kernel(function: F) -> F:
    """Compile `function` on first call: serial, without the GIL, cached where a cache can be written."""
    # numba's cache looks at the kernel's own file only, not at what it inlines from others: name all of it
    function.__qualname__ = f"{function.__name__}-{_fingerprint(function)}"
    try:
        return cast(F, numba.njit(cache=True, **_OPTIONS)(function))
    except RuntimeError:  # numba finds no directory for its cache
        return cast(F, numba.njit(**_OPTIONS)(function))


def inline(function: F) -> F:
    """Compile a small function that kernels call; it is compiled into them, never called from Python alone."""
    return cast(F, numba.njit(**_OPTIONS)(function))


def _bits(_typing: Any, _x: Any) -> Any:
    """The 64 bits of a float as an integer; usable in kernels only."""
    return types.int64(types.float64), lambda _, builder, __, args: builder.bitcast(args[0], ir.IntType(64))


def _from_bits(_typing: Any, _x: Any) -> Any:
    """The float that 64 bits stand for, the inverse of `bits`; usable in kernels only."""
    return types.float64(types.int64), lambda _, builder, __, args: builder.bitcast(args[0], ir.DoubleType())


bits: Callable[[float], int] = cast(Any, intrinsic(_bits))
from_bits: Callable[[int], float] = cast(Any, intrinsic(_from_bits))


def threads() -> int:
    """How many threads kernels are spread over: the processors this process may use, or PFES_THREADS."""
    asked = os.environ.get("PFES_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[Any], None], pieces: Iterable[Any]) -> None:
    """Call work(piece) for every piece, on as many threads as `threads()` allows; errors are raised here."""
    todo = list(pieces)
    queue = iter(todo)  # shared: next() on a list iterator is atomic, so whoever is free takes the next piece

    def drain() -> None:
        for piece in queue:
            work(piece)

    helpers = min(threads(), len(todo)) - 1
    others = [_pool(helpers, os.getpid()).submit(drain) for _ in range(helpers)]
    try:
        drain()
    finally:
        wait(others)  # whatever failed, no piece may still write when this returns
    for other in others:
        other.result()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra on one thread: on small matrices several wait for one another, and for other programs."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through the loaded libraries, which takes a millisecond or more


def _fingerprint(function: Callable[..., Any]) -> str:
    """Short digest of all that `function` is compiled from: its code, what it calls, the constants it reads."""
    digest = hashlib.blake2b(_options_and_door(), digest_size=6)
    todo, seen = [function], {function}
    while todo:
        current = todo.pop()
        code, within = current.__code__, inspect.getclosurevars(current)
        digest.update(re.sub(" at 0x[0-9a-f]+", "", repr((code.co_code, code.co_consts))).encode())
        for name, value in sorted({**within.globals, **within.nonlocals}.items()):
            called = getattr(value, "py_func", value)
            if not isinstance(called, FunctionType):
                digest.update(f"{name}={value!r}".encode())
            elif called not in seen:
                seen.add(called)
                todo.append(called)
    return digest.hexdigest()


@cache
def _options_and_door() -> bytes:
    return repr(_OPTIONS).encode() + Path(__file__).read_bytes()


@cache
def _pool(workers: int, pid: int) -> ThreadPoolExecutor:
    # keyed by process: a forked child must not wait for threads that did not come along
    return ThreadPoolExecutor(workers, thread_name_prefix="pfes")
