"""The entropy-power upper bound on what a measurement of finite resolution tells.

y = f + e, e ~ N(0, delta^2). The entropy power inequality exp(2 H[y]) >= exp(2 H[f]) + exp(2 H[e]), given F, turns the
noise-free gain g of one objective into a bound on the noisy one, in closed form:

    gain <= E(rho^2, g) = -1/2 log(1 - rho^2 (1 - exp(-2 g))),    rho^2 = std^2 / (std^2 + delta^2)

For all objectives the chain rule H[y | F] = H[y_l | F] + H[y_others | y_l, F] applies it step by step:
E(rho_l^2, g_l) for objective l by itself, g_l its Theorem 2, then E with what Theorem 1 leaves, g - g_l, in equal parts
for the others; averaged over the choice of l.

Its limits are those of the truth: as the resolution tends to 0 it tends to Theorems 1 and 2 themselves; it never
exceeds the capacity, so that a known point is worth nothing; deep inside the dominated region it tends to 0. It is an
upper bound for one objective and for L <= 2, and for L >= 3 if the others have equal rho; otherwise it is an estimate,
because Theorem 1 does not say how the remaining information divides among the others.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.information.evaluate import (
    Gradient,
    Question,
    ask,
    average,
    blocks,
    decoupled_slopes,
    each,
    refuse_covariance,
)
from pfes.information.exact import COUPLED, COUPLED_SLOPES, DECOUPLED
from pfes.information.kernels.marginal import EXACT, POWER
from pfes.information.prepared import Frontiers

__all__ = ["coupled", "coupled_gradient", "decoupled", "decoupled_gradient"]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Array:
    """Upper bound on the gain of measuring one objective, nats (N, L); arguments as in `pfes.information`."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "power")
    return average(DECOUPLED, question, question.std.shape[1], POWER, question.delta)


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Gradient:
    """`decoupled` (N, L) with its derivatives (N, L, L): [n, l, k] is that of gain_l in mean_k or spread_k."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "power")
    return decoupled_slopes(DECOUPLED, question, POWER, question.delta)


def coupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Array:
    """Upper bound (L <= 2) or estimate of the gain of measuring all objectives, nats (N,)."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "power")
    objectives = question.std.shape[1]
    gain = np.empty(len(question.std))
    for which, block in blocks(question, 1 + objectives):
        whole = each(COUPLED, block, 1)  # (R, n, 1)
        alone = each(DECOUPLED, block, objectives, EXACT, block.delta)  # (R, n, L)
        gain[which] = _chain(_channel(block), whole, alone).mean(axis=0)
    return gain


def coupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Gradient:
    """`coupled` (N,) with its derivatives with respect to mean and spread, each of that argument's shape."""
    question = refuse_covariance(ask(mean, spread, frontiers, resolution), "power")
    candidates, objectives = question.std.shape
    gain, d_spread = np.empty(candidates), np.empty((candidates, objectives))
    d_mean = np.empty(question.mean.shape if question.per_frontier else question.std.shape)
    for which, block in blocks(question, (1 + objectives) * (1 + 2 * objectives)):
        gains, by_mean, by_std = _chain_slopes(block)
        count = len(gains)
        gain[which] = gains.sum(axis=0) / count
        d_spread[which] = by_std.sum(axis=0) / count
        d_mean[..., which, :] = by_mean / count if question.per_frontier else by_mean.sum(axis=0) / count
    return Gradient(gain, d_mean, d_spread)


class Channel(NamedTuple):
    """Shares of a measurement's variance, (N, L) each: rho^2 that is signal, and noise^2 = 1 - rho^2."""

    rho2: Array
    noise2: Array

    def of(self, objectives: list[int]) -> "Channel":
        """The same for some objectives only."""
        return Channel(self.rho2[:, objectives], self.noise2[:, objectives])


def _channel(question: Question) -> Channel:
    total = np.hypot(question.std, question.delta)
    return Channel((question.std / total) ** 2, (question.delta / total) ** 2)


def _bound(channel: Channel, gain: Array) -> Array:
    """E(rho^2, gain), also where rho^2 (1 - exp(-2 gain)) is 1 but for rounding."""
    change = channel.rho2 * np.expm1(-2.0 * gain)
    inner = channel.noise2 + channel.rho2 * np.exp(-2.0 * gain)
    small = change > -0.5
    return np.asarray(-0.5 * np.where(small, np.log1p(np.where(small, change, 0.0)), np.log(inner)))


def _bound_parts(channel: Channel, gain: Array) -> tuple[Array, Array]:
    """Derivatives of _bound with respect to gain and rho^2."""
    left = np.exp(-2.0 * gain)
    inner = channel.noise2 + channel.rho2 * left
    return channel.rho2 * left / inner, -0.5 * np.expm1(-2.0 * gain) / inner


def _chain(channel: Channel, whole: Array, alone: Array) -> Array:
    """The chained bound (R, N) from Theorem 1 (R, N, 1) and Theorem 2 (R, N, L)."""
    objectives = alone.shape[2]
    total = _bound(channel, alone).sum(axis=2)
    if objectives > 1:
        left = (whole - alone) / (objectives - 1)  # what is left to each of the others when l came first
        for l in range(objectives):
            others = [k for k in range(objectives) if k != l]
            total += _bound(channel.of(others), left[:, :, [l]]).sum(axis=2)
    return np.asarray(total / objectives)


def _chain_slopes(question: Question) -> tuple[Array, Array, Array]:
    """The chained bound (R, N) and its derivatives in mean and std (R, N, L)."""
    objectives = question.std.shape[1]
    whole = each(COUPLED_SLOPES, question, 1 + 2 * objectives)
    alone = each(DECOUPLED, question, objectives + 2 * objectives**2, EXACT, question.delta)
    g, d_g = whole[..., :1], whole[..., 1:]
    g_l, d_gl = alone[..., :objectives], alone[..., objectives:].reshape(*alone.shape[:2], 2, objectives, objectives)
    channel = _channel(question)
    by_whole, by_alone, by_rho2 = _chain_parts(channel, g, g_l)
    d_g = by_whole[..., None] * d_g.reshape(*d_g.shape[:2], 2, objectives)
    total = d_g + np.einsum("rnl,rnplk->rnpk", by_alone, d_gl)
    d_rho2 = 2.0 * channel.rho2 * channel.noise2 / question.std
    return _chain(channel, g, g_l), total[:, :, 0], total[:, :, 1] + by_rho2 * d_rho2


def _chain_parts(channel: Channel, whole: Array, alone: Array) -> tuple[Array, Array, Array]:
    """Derivatives of _chain with respect to Theorem 1 (R, N, 1), Theorem 2 (R, N, L) and rho^2 (R, N, L)."""
    objectives = alone.shape[2]
    by_alone, by_rho2 = _bound_parts(channel, alone)
    by_whole = np.zeros(whole.shape)
    if objectives > 1:
        left = (whole - alone) / (objectives - 1)
        for l in range(objectives):
            others = [k for k in range(objectives) if k != l]
            by_left, by_others = _bound_parts(channel.of(others), left[:, :, [l]])
            share = by_left.sum(axis=2) / (objectives - 1)
            by_whole[:, :, 0] += share
            by_alone[:, :, l] -= share
            by_rho2[:, :, others] += by_others
    return by_whole / objectives, by_alone / objectives, by_rho2 / objectives
