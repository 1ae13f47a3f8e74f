"""Theorems 1 and 2: what knowing f itself, without noise, tells about the frontier.

This is the paper's criterion. It has no scale: halving an uncertainty of 1e-6 is worth as much as halving one of 1, so
a point that is all but known can look as informative as any other (theory 4). See `matched`, `power` and `noisy` for
what a measurement of finite resolution tells.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.information.evaluate import Gradient, Kernels, ask, average, coupled_slopes, decoupled_slopes
from pfes.information.kernels.marginal import EXACT, decoupled_near
from pfes.information.kernels.marginal_far import decoupled_far
from pfes.information.kernels.tails import coupled_far
from pfes.information.kernels.truncation import coupled_gradients, coupled_values
from pfes.information.prepared import Frontiers

__all__ = ["coupled", "coupled_gradient", "decoupled", "decoupled_gradient"]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers

COUPLED = Kernels(coupled_values, coupled_far)
COUPLED_SLOPES = Kernels(coupled_gradients, coupled_far)
DECOUPLED = Kernels(decoupled_near, decoupled_far)


def coupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given) -> Array:
    """Theorem 1: H[f] - H[f | f in F] in nats (N,), averaged over the frontiers; arguments as in `pfes.information`.

    Not negative for L <= 2; for L >= 3 it can be (theory 2).
    """
    return average(COUPLED, ask(mean, spread, frontiers), 1)[:, 0]


def coupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given) -> Gradient:
    """`coupled` (N,) with its derivatives with respect to mean and spread, each of that argument's shape."""
    return coupled_slopes(COUPLED_SLOPES, ask(mean, spread, frontiers))


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given) -> Array:
    """Theorem 2: H[f_l] - H[f_l | f in F] in nats (N, L), averaged over the frontiers. It can be negative."""
    question = ask(mean, spread, frontiers)
    return average(DECOUPLED, question, question.std.shape[1], EXACT, question.delta)


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given) -> Gradient:
    """`decoupled` (N, L) with its derivatives (N, L, L): [n, l, k] is that of gain_l in mean_k or spread_k."""
    question = ask(mean, spread, frontiers)
    return decoupled_slopes(DECOUPLED, question, EXACT, question.delta)
