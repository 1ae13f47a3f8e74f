"""The one door to numba: how kernels are compiled and how they are spread over threads.

Kernels are serial, release the GIL and are cached on disk; parallelism is threads over independent pieces of work.
Where no cache directory can be written the same code runs, compiled anew in each process.
"""

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model
from threadpoolctl import ThreadpoolController

__all__ = [
    "WIDTH",
    "bits",
    "copied",
    "from_bits",
    "inline",
    "kernel",
    "one_blas_thread",
    "row_add_product",
    "row_at",
    "row_minus",
    "row_of",
    "row_plus",
    "row_put",
    "row_times",
    "spread",
    "spread_map",
    "threads",
]

F = TypeVar("F", bound=Callable[..., Any])
A = TypeVar("A")
B = TypeVar("B")

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


def copied(function: F) -> F:
    """As `inline`, but copied to every place that calls it: loops whose ends are constants there disappear."""
    return cast(F, numba.njit(forceinline=True, **_OPTIONS)(function))


def _bits(_typing: Any, _x: Any) -> Any:
    """The 64 bits of a float as an integer; usable in kernels only."""
    return types.int64(types.float64), lambda _, builder, __, args: builder.bitcast(args[0], ir.IntType(64))


def _from_bits(_typing: Any, _x: Any) -> Any:
    """The float that 64 bits stand for, the inverse of `bits`; usable in kernels only."""
    return types.float64(types.int64), lambda _, builder, __, args: builder.bitcast(args[0], ir.DoubleType())


bits: Callable[[float], int] = cast(Any, intrinsic(_bits))
from_bits: Callable[[int], float] = cast(Any, intrinsic(_from_bits))


# Rows: WIDTH numbers treated as one vector, read from and written to arrays (rows, WIDTH); in kernels only. A loop over
# so few numbers would spend its time on finding out whether the arrays overlap.
WIDTH = 8
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_FLAGS = tuple(_OPTIONS["fastmath"])


class _Row(types.Type):
    """The type of a row in kernels."""


_ROW = _Row(name="Row")


@register_model(_Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _place(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    """A pointer to row i of an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [builder.mul(i, i.type(WIDTH))]), _VECTOR.as_pointer())


def _row_at(_typing: Any, a: Any, _i: Any) -> Any:
    """Row i of an array."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *args), align=8)

    return _ROW(a, types.intp), code


def _row_of(_typing: Any, _x: Any) -> Any:
    """A row of equal numbers."""

    def code(_: Any, builder: Any, __: Any, args: Any) -> Any:
        one = builder.insert_element(_VECTOR(ir.Undefined), args[0], ir.IntType(32)(0))
        return builder.shuffle_vector(one, one, ir.VectorType(ir.IntType(32), WIDTH)(None))

    return _ROW(types.float64), code


def _row_put(_typing: Any, a: Any, _i: Any, _row: Any) -> Any:
    """a[i] = row."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, signature.args[0], *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(a, types.intp, _ROW), code


def _row_add_product(_typing: Any, a: Any, _i: Any, _u: Any, _v: Any) -> Any:
    """a[i] += u * v."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], *args[:2])
        product = builder.fmul(args[2], args[3], flags=_FLAGS)
        builder.store(builder.fadd(builder.load(place, align=8), product, flags=_FLAGS), place, align=8)
        return context.get_dummy_value()

    return types.void(a, types.intp, _ROW, _ROW), code


def _row_plus(_typing: Any, _u: Any, _v: Any) -> Any:
    """u + v, number by number."""
    return _ROW(_ROW, _ROW), lambda _, builder, __, args: builder.fadd(*args, flags=_FLAGS)


def _row_minus(_typing: Any, _u: Any, _v: Any) -> Any:
    """u - v, number by number."""
    return _ROW(_ROW, _ROW), lambda _, builder, __, args: builder.fsub(*args, flags=_FLAGS)


def _row_times(_typing: Any, _u: Any, _v: Any) -> Any:
    """u * v, number by number."""
    return _ROW(_ROW, _ROW), lambda _, builder, __, args: builder.fmul(*args, flags=_FLAGS)


row_at: Callable[..., Any] = cast(Any, intrinsic(_row_at))
row_of: Callable[[float], Any] = cast(Any, intrinsic(_row_of))
row_put: Callable[..., None] = cast(Any, intrinsic(_row_put))
row_add_product: Callable[..., None] = cast(Any, intrinsic(_row_add_product))
row_plus: Callable[..., Any] = cast(Any, intrinsic(_row_plus))
row_minus: Callable[..., Any] = cast(Any, intrinsic(_row_minus))
row_times: Callable[..., Any] = cast(Any, intrinsic(_row_times))


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
        # whatever failed, no piece may still write when this returns; who has not begun need not be waited for
        failures = [other.exception() for other in others if not other.cancel()]
    for failure in filter(None, failures):
        raise failure


def spread_map(work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
    """[work(piece) for piece in pieces], by `spread`."""
    results: dict[int, B] = {}

    def keep(i: int) -> None:
        results[i] = work(pieces[i])

    spread(keep, range(len(pieces)))
    return [results[i] for i in range(len(pieces))]


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
