"""Theorems 1 and 2: what knowing f itself, without noise, tells about the frontier.

This is the paper's criterion. It has no scale: halving an uncertainty of 1e-6 is worth as much as halving one of 1, so
a point that is all but known can look as informative as any other (theory 4). See `matched`, `power` and `noisy` for
what a measurement of finite resolution tells.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.information import joint
from pfes.information.evaluate import Gradient, Kernels, Question, ask, average, coupled_slopes, decoupled_slopes
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


def _ask(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Question:
    question = ask(mean, spread, frontiers, resolution)
    if question.delta.any():
        raise InvalidInput(
            f"resolution: got {question.delta}, wanted 0: the theorems know no noise; try matched, power or noisy"
        )
    return question


def coupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Array:
    """Theorem 1: H[f] - H[f | f in F], nats (N,), averaged over the frontiers; arguments as in `pfes.information`.

    resolution is there to have the arguments of the other estimators; it must be 0. The gain is not negative for
    L <= 2; for L >= 3 it can be (theory 2).
    """
    question = _ask(mean, spread, frontiers, resolution)
    return joint.values_of(question, joint.coupled, lambda q: average(COUPLED, q, 1)[:, 0])


def coupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Gradient:
    """`coupled` (N,) with its derivatives with respect to mean and spread, each of that argument's shape."""
    question = _ask(mean, spread, frontiers, resolution)
    return joint.gradient_of(question, joint.coupled, lambda q: coupled_slopes(COUPLED_SLOPES, q))


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Array:
    """Theorem 2: H[f_l] - H[f_l | f in F] in nats (N, L), averaged over the frontiers. It can be negative."""
    question = _ask(mean, spread, frontiers, resolution)
    return joint.values_of(question, joint.decoupled, lambda q: average(DECOUPLED, q, q.std.shape[1], EXACT, q.delta))


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Gradient:
    """`decoupled` (N, L) with its derivatives (N, L, ...): [n, l] is that of gain_l in mean_n or spread_n."""
    question = _ask(mean, spread, frontiers, resolution)
    return joint.gradient_of(question, joint.decoupled, lambda q: decoupled_slopes(DECOUPLED, q, EXACT, q.delta))
