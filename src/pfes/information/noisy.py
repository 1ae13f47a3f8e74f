"""The exact information of a noisy measurement of one objective: the truth that `matched` and `power` bracket.

y_l = f_l + e, e ~ N(0, delta^2): gain = H[y_l] - H[y_l | F], by one-dimensional quadrature (theory 5). It tends to
Theorem 2 as the resolution tends to 0, and is Theorem 2 for an objective whose resolution is 0. It stays below
the capacity 1/2 log(1 + std^2 / delta^2), so that a known point is worth nothing, and can be negative where two humps
remain of f_l given F. It costs tens of times more than the bounds: see docs/benchmarks.md.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.information.evaluate import Gradient, Kernels, ask, average, decoupled_slopes, refuse_covariance
from pfes.information.kernels.noisy import noisy_far, noisy_near
from pfes.information.prepared import Frontiers

__all__ = ["decoupled", "decoupled_gradient"]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers

DECOUPLED = Kernels(noisy_near, noisy_far)


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Array:
    """Gain of measuring one objective with noise, nats (N, L); arguments as in `pfes.information`."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "noisy")
    return average(DECOUPLED, question, question.std.shape[1], question.delta)


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Gradient:
    """`decoupled` (N, L) with its derivatives (N, L, L): [n, l, k] is that of gain_l in mean_k or spread_k."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "noisy")
    return decoupled_slopes(DECOUPLED, question, question.delta)
