"""Expected hypervolume improvement, exactly, for independent normal predictions: pure functions of (mean, std, front).

    mean        (N, L) predicted mean of N candidates in L objectives, all maximised
    std         (N, L) predicted standard deviation, above 0
    front       `prepare_front(points, reference)`: what is held already, and above what improvements count

The improvement is in units of volume, the product of those of the objectives. Maximise its logarithm: the improvement
itself is 0 in floating point wherever a candidate looks hopeless, its logarithm and gradient still tell the way. With
std -> 0 it becomes the improvement that a known outcome brings; with one objective it is the expected improvement.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import spread
from pfes.errors import InvalidInput
from pfes.improvement import kernels
from pfes.improvement.far import from_logarithms
from pfes.improvement.front import Front, prepare_front
from pfes.information import Gradient

__all__ = [
    "Front",
    "expected_improvement",
    "log_expected_improvement",
    "log_expected_improvement_gradient",
    "prepare_front",
]

Array = NDArray[np.float64]

PIECE = 200_000  # cells times objectives times candidates: what is less than this is not worth a thread


def expected_improvement(mean: ArrayLike, std: ArrayLike, front: Front) -> Array:
    """Expected growth of the hypervolume if a candidate were measured: (N,), for mean and std (N, L).

    0 where it is below the smallest double; see `log_expected_improvement`.
    """
    with np.errstate(over="ignore"):  # a volume beyond the largest double is inf
        return np.exp(log_expected_improvement(mean, std, front))


def log_expected_improvement(mean: ArrayLike, std: ArrayLike, front: Front) -> Array:
    """Natural logarithm of `expected_improvement`, (N,), finite however hopeless a candidate; mean and std (N, L)."""
    return _evaluate(kernels.values, *_ask(mean, std, front), front, 1)[:, 0]


def log_expected_improvement_gradient(mean: ArrayLike, std: ArrayLike, front: Front) -> Gradient:
    """`log_expected_improvement` (N,) as `gain`, with its derivatives d_mean and d_spread (in std), both (N, L)."""
    means, stds = _ask(mean, std, front)
    objectives = means.shape[1]
    result = _evaluate(kernels.gradients, means, stds, front, 1 + 2 * objectives)
    return Gradient(result[:, 0], result[:, 1 : 1 + objectives], result[:, 1 + objectives :])


def _ask(mean: ArrayLike, std: ArrayLike, front: Front) -> tuple[Array, Array]:
    """Check the arguments' shapes and values; both arrays come back ready for the kernels."""
    if not isinstance(front, Front):
        raise InvalidInput(
            f"front: got {type(front).__name__}, wanted a prepared front; try prepare_front(points, reference)"
        )
    means, stds = _numbers("mean", mean), _numbers("std", std)
    objectives = len(front.reference)
    if means.ndim != 2 or means.shape[1] != objectives:
        raise InvalidInput(f"mean: got shape {means.shape}, wanted (N, {objectives}), as many columns as the front has")
    if stds.shape != means.shape:
        raise InvalidInput(f"std: got shape {stds.shape}, wanted {means.shape} as mean has")
    if not np.isfinite(means).all():
        raise InvalidInput("mean: got nan or infinite values, wanted finite ones; try dropping those candidates")
    if not (np.isfinite(stds).all() and (stds > 0.0).all()):
        raise InvalidInput(
            "std: got values that are nan, infinite, zero or negative, wanted standard deviations above 0; "
            "try np.maximum(std, 1e-12)"
        )
    return means, stds


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        # writable, because a kernel is compiled once more for read-only arrays
        return np.require(given, dtype=np.float64, requirements=["C", "W"])
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: got {type(given).__name__} that is not an array of numbers") from None


def _evaluate(near: Callable[..., int], mean: Array, std: Array, front: Front, columns: int) -> Array:
    """The kernels' results (N, columns); each piece of candidates writes its own rows."""
    out = np.empty((len(mean), columns))

    def work(which: slice) -> None:
        arguments: tuple[Any, ...] = (front, mean[which], std[which], out[which])
        if near(*arguments):
            from_logarithms(*arguments)

    size = max(kernels.LANES, PIECE // front.low.size // kernels.LANES * kernels.LANES)
    spread(work, [slice(begin, begin + size) for begin in range(0, len(mean), size)])
    return out
