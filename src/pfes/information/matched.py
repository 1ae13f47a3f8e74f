"""The moment-matched lower bound on what a measurement of finite resolution tells (theory 4).

y = f + e, e ~ N(0, delta^2): H[y | F] is at most the entropy of the normal with the covariance of y given F, so

    gain >= 1/2 log det(Sigma + D) - 1/2 log det(Cov[f | F] + D),    D = diag(delta^2)

It exceeds neither the truth nor the capacity 1/2 sum log(1 + std^2 / delta^2), so that a known point is worth
nothing. It is negative where two humps remain of f given F: far apart, and the more so the better they are known. As
the resolution tends to 0 it tends to its own limit, -1/2 log det Cov[z | F], not to Theorems 1 and 2: 1.012 against
1.386 for N(0, I) and the frontier {(0, 0)}.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.information import joint
from pfes.information.evaluate import Gradient, Kernels, ask, average, coupled_slopes, decoupled_slopes
from pfes.information.exact import DECOUPLED
from pfes.information.kernels.marginal import MATCHED
from pfes.information.kernels.matched import matched_near
from pfes.information.kernels.matched_far import matched_far
from pfes.information.prepared import Frontiers

__all__ = ["coupled", "coupled_gradient", "decoupled", "decoupled_gradient"]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers

COUPLED = Kernels(matched_near, matched_far)


def coupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Array:
    """Lower bound on the gain of measuring all objectives, nats (N,); arguments as in `pfes.information`."""
    question = ask(mean, spread, frontiers, resolution)
    return joint.values_of(question, joint.coupled_matched, lambda q: average(COUPLED, q, 1, q.delta)[:, 0])


def coupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Gradient:
    """`coupled` (N,) with its derivatives with respect to mean and spread, each of that argument's shape."""
    question = ask(mean, spread, frontiers, resolution)
    return joint.gradient_of(question, joint.coupled_matched, lambda q: coupled_slopes(COUPLED, q, q.delta))


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Array:
    """Lower bound on the gain of measuring one objective, nats (N, L)."""
    question = ask(mean, spread, frontiers, resolution)
    return joint.values_of(
        question, joint.decoupled_matched, lambda q: average(DECOUPLED, q, q.std.shape[1], MATCHED, q.delta)
    )


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Gradient:
    """`decoupled` (N, L) with its derivatives (N, L, ...): [n, l] is that of gain_l in mean_n or spread_n."""
    question = ask(mean, spread, frontiers, resolution)
    return joint.gradient_of(
        question, joint.decoupled_matched, lambda q: decoupled_slopes(DECOUPLED, q, MATCHED, q.delta)
    )
