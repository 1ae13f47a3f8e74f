"""Time and memory of one call.

Time is wall-clock time, beside it the processor time of all threads, which other programs disturb less; the caller
compiles and warms up first. Memory is the growth of the resident set's peak during
the call, as the kernel counts it: numpy's arrays, what compiled kernels allocate and thread stacks alike, which
tracemalloc would not see. Free heap is handed back before the call, so that memory used before is not reused unseen.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Cost", "Taken", "cost", "once", "peak_growth", "summary"]


class Taken(NamedTuple):
    wall: float  # s
    processor: float  # s, all threads together


class Cost(NamedTuple):
    best: float  # s
    median: float  # s
    processor: float  # s, best
    memory: int | None  # bytes; None where the system does not tell


def cost(call: Callable[[], object], seconds: float = 0.3, at_most: int = 15) -> Cost:
    """Time and memory of `call`: repeated for about `seconds`, at least three times unless one takes 3 s or more.

    The first call, in which memory is watched, counts for the time only if there is no other.
    """
    memory, first = peak_growth(call)
    runs: list[Taken] = []
    while first.wall < 3.0 and len(runs) < at_most and (len(runs) < 3 or sum(t.wall for t in runs) < seconds):
        runs.append(once(call))
    return summary(runs or [first], memory)


def summary(runs: list[Taken], memory: int | None) -> Cost:
    """Best, median, best of the processor."""
    walls = [taken.wall for taken in runs]
    return Cost(min(walls), statistics.median(walls), min(taken.processor for taken in runs), memory)


def once(call: Callable[[], object]) -> Taken:
    """What one call takes."""
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return Taken(time.perf_counter() - wall, time.process_time() - processor)


def peak_growth(call: Callable[[], object]) -> tuple[int | None, Taken]:
    """Growth of the peak resident set in bytes, and the time, of one call."""
    _trim()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # Linux: start a new peak from here
        before = _resident("VmRSS")
    except OSError:
        return None, once(call)
    taken = once(call)
    return max(0, _resident("VmHWM") - before), taken


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def _trim() -> None:
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return  # not the GNU library: the growth may then be understated
