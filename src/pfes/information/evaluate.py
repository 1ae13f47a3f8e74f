"""From public arguments to kernels: check once, cut the work into pieces, spread them over threads, average.

A piece is one frontier and a run of candidates. Each writes its own part of an array, and frontiers are added up in
their order, so the result does not depend on the threads. Memory stays bounded: candidates come in blocks whose
results for all frontiers fit BLOCK_BYTES.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import spread, threads
from pfes.errors import InvalidInput
from pfes.information.prepared import Frontiers, prepare

__all__ = [
    "Gradient",
    "Kernels",
    "Question",
    "ask",
    "average",
    "blocks",
    "coupled_slopes",
    "decoupled_slopes",
    "each",
    "has_resolution",
    "refuse_covariance",
]

Array = NDArray[np.float64]

BLOCK_BYTES = 64 * 2**20
PIECE = 256  # candidates; long enough to make the call's overhead vanish, short enough to share the work evenly


class Gradient(NamedTuple):
    """A gain and its derivatives with respect to the arguments `mean` and `spread`."""

    gain: Array  # coupled (N,), decoupled (N, L)
    d_mean: Array  # coupled: shape of mean; decoupled: (..., N, L, L), [n, l, k] = d gain_l / d mean_k
    d_spread: Array  # coupled: shape of spread; decoupled (N, L, L) or, for covariances, (N, L, L, L), [n, l] of gain_l


class Kernels(NamedTuple):
    """How one quantity is computed: near(frontier, mean, std, *settings, out) counts what it left to far."""

    near: Callable[..., int]
    far: Callable[..., None]


class Question(NamedTuple):
    """Checked arguments of every function in this package."""

    mean: Array  # (1, N, L) or, one per frontier, (R, N, L)
    std: Array  # (N, L)
    frontiers: Frontiers
    delta: Array  # (L,) deviation of the measurement
    per_frontier: bool  # mean was given as (R, N, L)
    covariance: Array | None = None  # (N, L, L) if spread was given so; std then holds the roots of its diagonal

    def of(self, rows: NDArray[np.bool_]) -> "Question":
        """The same of some candidates, (N,)."""
        joint = None if self.covariance is None else self.covariance[rows]
        return self._replace(mean=np.ascontiguousarray(self.mean[:, rows]), std=self.std[rows], covariance=joint)


def ask(
    mean: ArrayLike, spread: ArrayLike, frontiers: Sequence[ArrayLike] | Frontiers, resolution: ArrayLike = 0.0
) -> Question:
    """Check shapes and values; the messages say which argument, what was got and what was wanted."""
    ready = prepare(frontiers)
    means, std = _numbers("mean", mean), _numbers("spread", spread)
    objectives, count = ready.objectives, len(ready)
    covariance = None
    if std.ndim == 3:
        covariance = _covariance(std, objectives)
        std = np.sqrt(np.einsum("nii->ni", covariance))
    if std.ndim != 2 or std.shape[1] != objectives:
        raise InvalidInput(
            f"spread: got shape {std.shape}, wanted (N, {objectives}), the standard deviation of each candidate in "
            f"each of the frontiers' {objectives} objectives, or their covariances (N, {objectives}, {objectives})"
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
    # writable, because a kernel is compiled once more for read-only arrays
    all_means = np.require(means if means.ndim == 3 else means[None], requirements=["C", "W"])
    std = np.require(std, requirements=["C", "W"])
    return Question(all_means, std, ready, _delta(resolution, objectives), means.ndim == 3, covariance)


def refuse_covariance(question: Question, estimator: str) -> Question:
    """Say which estimators know covariances, for those that do not."""
    if question.covariance is not None:
        raise InvalidInput(
            f"spread: got covariances, wanted standard deviations (N, {question.std.shape[1]}): {estimator} takes "
            "objectives as independent; try exact or matched, or np.sqrt of the diagonals"
        )
    return question


def _covariance(given: Array, objectives: int) -> Array:
    if given.shape[1:] != (objectives, objectives):
        raise InvalidInput(f"spread: got shape {given.shape}, wanted covariances (N, {objectives}, {objectives})")
    diagonal = np.einsum("nii->ni", given)
    if not (np.isfinite(given).all() and (diagonal > 0.0).all()):
        raise InvalidInput("spread: got covariances that are nan, infinite, or not above 0 on the diagonal")
    scale = np.sqrt(diagonal)
    correlation = given / scale[:, :, None] / scale[:, None, :]
    if (np.abs(correlation - np.swapaxes(correlation, 1, 2)) > 1e-6).any():
        raise InvalidInput("spread: got covariances that are not symmetric; try 0.5 * (c + np.swapaxes(c, 1, 2))")
    if (np.linalg.eigvalsh(correlation) < -1e-6).any():
        raise InvalidInput("spread: got covariances with negative eigenvalues; wanted positive semidefinite ones")
    return np.ascontiguousarray(0.5 * (given + np.swapaxes(given, 1, 2)))


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        if given is None:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: got {type(given).__name__} that is not an array of numbers") from None


def has_resolution(resolution: ArrayLike) -> bool:
    """Tell whether any objective's resolution is above 0; refuse what is no resolution at all."""
    delta = _numbers("resolution", resolution)
    if delta.ndim > 1 or delta.size == 0:
        raise InvalidInput(f"resolution: got shape {delta.shape}, wanted a number or one per objective (L,)")
    return bool(np.any(delta != 0.0))


def _delta(resolution: ArrayLike, objectives: int) -> Array:
    delta = _numbers("resolution", resolution)
    if delta.shape not in ((), (objectives,)):
        raise InvalidInput(f"resolution: got shape {delta.shape}, wanted a number or one per objective ({objectives},)")
    if not (np.isfinite(delta).all() and (delta >= 0.0).all()):
        raise InvalidInput(f"resolution: got {delta}, wanted finite deviations of at least 0")
    return np.array(np.broadcast_to(delta, (objectives,)))


def blocks(question: Question, columns: int) -> Iterator[tuple[slice, Question]]:
    """Cut the candidates so that results (R, n, columns) of a block fit BLOCK_BYTES."""
    size = max(PIECE, BLOCK_BYTES // (8 * len(question.frontiers) * columns))
    for begin in range(0, len(question.std), size):
        which = slice(begin, min(begin + size, len(question.std)))
        yield which, question._replace(mean=question.mean[:, which], std=question.std[which])


def each(kernels: Kernels, question: Question, columns: int, *settings: Any) -> Array:
    """The kernels' results (R, N, columns) for every frontier and candidate."""
    mean, std, frontiers = question.mean, question.std, question.frontiers
    count, candidates = len(frontiers), len(std)
    out = np.empty((count, candidates, columns))

    def work(piece: tuple[int, slice]) -> None:
        r, which = piece
        arguments = (frontiers[r], mean[r if len(mean) > 1 else 0, which], std[which], *settings, out[r, which])
        if kernels.near(*arguments):
            kernels.far(*arguments)

    # few candidates and frontiers still make a piece for every thread
    size = max(16, min(PIECE, -(-candidates * count // (2 * threads()))))
    starts = range(0, candidates, size)
    spread(work, [(r, slice(low, min(low + size, candidates))) for r in range(count) for low in starts])
    return out


def average(kernels: Kernels, question: Question, columns: int, *settings: Any) -> Array:
    """The kernels' results (N, columns), averaged over the frontiers, in bounded memory."""
    result = np.empty((len(question.std), columns))
    for which, block in blocks(question, columns):
        result[which] = each(kernels, block, columns, *settings).sum(axis=0) / len(question.frontiers)
    return result


def coupled_slopes(kernels: Kernels, question: Question, *settings: Any) -> Gradient:
    """Gradient of one gain per candidate, from kernels that give 1 + 2 L columns."""
    objectives = question.std.shape[1]
    gain, d_mean, d_spread = _slopes(kernels, question, 1, objectives, settings)
    return Gradient(gain[:, 0], d_mean, d_spread)


def decoupled_slopes(kernels: Kernels, question: Question, *settings: Any) -> Gradient:
    """Gradient of L gains per candidate, from kernels that give L + 2 L^2 columns."""
    objectives = question.std.shape[1]
    gain, d_mean, d_spread = _slopes(kernels, question, objectives, objectives**2, settings)
    square = (objectives, objectives)
    return Gradient(gain, d_mean.reshape(*d_mean.shape[:-1], *square), d_spread.reshape(len(gain), *square))


def _slopes(
    kernels: Kernels, question: Question, gains: int, slopes: int, settings: tuple[Any, ...]
) -> tuple[Array, Array, Array]:
    columns, count = gains + 2 * slopes, len(question.frontiers)
    if not question.per_frontier:
        result = average(kernels, question, columns, *settings)
        gain, d_mean, d_spread = np.split(result, (gains, gains + slopes), axis=1)
        return gain, d_mean, d_spread
    # with one mean per frontier each has its own derivative, so all of them are kept
    gain, d_mean, d_spread = np.split(each(kernels, question, columns, *settings), (gains, gains + slopes), axis=2)
    return gain.sum(axis=0) / count, d_mean / count, d_spread.sum(axis=0) / count
