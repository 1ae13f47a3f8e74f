"""Improvement of candidates whose objectives are predicted independently: pieces of candidates to the kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread
from pfes.improvement import kernels
from pfes.improvement.far import from_logarithms
from pfes.improvement.front import Front
from pfes.information import Gradient

__all__ = ["gradients", "values"]

Array = NDArray[np.float64]

PIECE = 200_000  # cells times objectives times candidates: what is less than this is not worth a thread


def values(mean: Array, std: Array, front: Front) -> Array:
    """(N,) logarithms of the expected improvement; mean and std (N, L), checked."""
    return _evaluate(kernels.values, mean, std, front, 1)[:, 0]


def gradients(mean: Array, std: Array, front: Front) -> Gradient:
    """The same with derivatives in mean and std (N, L)."""
    objectives = mean.shape[1]
    result = _evaluate(kernels.gradients, mean, std, front, 1 + 2 * objectives)
    return Gradient(result[:, 0], result[:, 1 : 1 + objectives], result[:, 1 + objectives :])


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
