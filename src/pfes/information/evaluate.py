"""From public arguments to kernels: check once, cut the work into pieces, spread them over threads, average.

A piece is one frontier and a run of candidates. Each writes its own part of an array, and frontiers are added up in
their order, so the result does not depend on the threads. Memory stays bounded: candidates come in blocks whose
results for all frontiers fit BLOCK_BYTES.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import spread, threads
from pfes.errors import InvalidInput
from pfes.information.prepared import Frontiers, prepare

__all__ = ["Kernels", "Question", "ask", "average", "each"]

Array = NDArray[np.float64]


class Kernels(NamedTuple):
    """How one quantity is computed: near(frontier, mean, std, *settings, out) counts what it left to far."""

    near: Callable[..., int]
    far: Callable[..., None]


BLOCK_BYTES = 64 * 2**20
PIECE = 256  # candidates; long enough to make the call's overhead vanish, short enough to share the work evenly


class Question(NamedTuple):
    """Checked arguments of every function in this package."""

    mean: Array  # (1 or R, N, L)
    std: Array  # (N, L)
    frontiers: Frontiers
    delta: Array  # (L,) deviation of the measurement


def ask(
    mean: ArrayLike, spread: ArrayLike, frontiers: Sequence[ArrayLike] | Frontiers, resolution: ArrayLike
) -> Question:
    """Check shapes and values; the messages say which argument, what was got and what was wanted."""
    ready = prepare(frontiers)
    means, std = np.asarray(mean, dtype=np.float64), np.asarray(spread, dtype=np.float64)
    objectives, count = ready.objectives, len(ready)
    if std.ndim != 2 or std.shape[1] != objectives:
        raise InvalidInput(
            f"spread: got shape {std.shape}, wanted (N, {objectives}), the standard deviation of each candidate in "
            f"each of the frontiers' {objectives} objectives; try np.sqrt of the variances"
        )
    if means.shape not in (std.shape, (count, *std.shape)):
        raise InvalidInput(
            f"mean: got shape {means.shape}, wanted {std.shape} as spread has, or {(count, *std.shape)}, one mean per "
            f"frontier"
        )
    if not np.isfinite(means).all():
        raise InvalidInput("mean: got nan or infinite values, wanted finite ones; try dropping those candidates")
    if not (np.isfinite(std).all() and (std > 0.0).all()):
        raise InvalidInput(
            "spread: got values that are nan, infinite, zero or negative, wanted standard deviations above 0; "
            "try np.maximum(spread, 1e-12)"
        )
    means = means if means.ndim == 3 else means[None]
    return Question(np.ascontiguousarray(means), np.ascontiguousarray(std), ready, _delta(resolution, objectives))


def _delta(resolution: ArrayLike, objectives: int) -> Array:
    delta = np.asarray(resolution, dtype=np.float64)
    if delta.shape not in ((), (objectives,)):
        raise InvalidInput(f"resolution: got shape {delta.shape}, wanted a number or one per objective ({objectives},)")
    if not (np.isfinite(delta).all() and (delta >= 0.0).all()):
        raise InvalidInput(f"resolution: got {resolution}, wanted finite deviations of at least 0")
    return np.array(np.broadcast_to(delta, (objectives,)))


def each(kernels: Kernels, question: Question, columns: int, *settings: Any) -> Array:
    """The kernels' results (R, N, columns) for every frontier and candidate."""
    count, candidates = len(question.frontiers), len(question.std)
    out = np.empty((count, candidates, columns))
    _fill(kernels, question, 0, out, settings)
    return out


def average(kernels: Kernels, question: Question, columns: int, *settings: Any) -> Array:
    """The kernels' results (N, columns), averaged over the frontiers, in bounded memory."""
    count, candidates = len(question.frontiers), len(question.std)
    block = max(PIECE, BLOCK_BYTES // (8 * count * columns))
    result = np.empty((candidates, columns))
    for begin in range(0, candidates, block):
        out = np.empty((count, min(block, candidates - begin), columns))
        _fill(kernels, question, begin, out, settings)
        result[begin : begin + block] = out.sum(axis=0) / count
    return result


def _fill(kernels: Kernels, question: Question, begin: int, out: Array, settings: tuple[Any, ...]) -> None:
    """Run the kernels on candidates begin.. of every frontier; out: (R, n, columns)."""
    mean, std, frontiers, _ = question
    count, candidates, _ = out.shape

    def work(piece: tuple[int, int, int]) -> None:
        r, low, high = piece
        which = slice(begin + low, begin + high)
        arguments = (frontiers[r], mean[r if len(mean) > 1 else 0, which], std[which], *settings, out[r, low:high])
        if kernels.near(*arguments):
            kernels.far(*arguments)

    # a few candidates and frontiers still make a piece for every thread
    size = max(16, min(PIECE, -(-candidates * count // (2 * threads()))))
    spread(work, [(r, low, min(low + size, candidates)) for r in range(count) for low in range(0, candidates, size)])
