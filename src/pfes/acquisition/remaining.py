"""What is left of a candidate's variances once it may not dominate a known Pareto set: PESMO's last step (theory 9).

| symbol | meaning | shape | in code |
|---|---|---|---|
| k | prior covariances of a candidate with the Z points of `Propagated` | (L, N, Z) | ties |
| m, v | mean and variance of the candidate, the Pareto set given | (L, N) | mean, variance |
| c | its covariances with the Pareto set, likewise | (L, N, P) | shared |
| s | v + V_jj - 2 c_j, of d_j = f(x) - f(j) | (L, N, P) | spread |
| tau | the normal factor of "x does not dominate j", from one visit to each | (L, N, P) | tau |
| b, S | covariances of f(x), and of one another, of the d_j | | |
| v' | v - b^T (S + T^-1)^-1 b, T = diag(tau) | (L, N) | left |

With y = (S + T^-1)^-1 b and z = b - S y, a change of v, c and tau changes v' by

    (1 - sum y)^2 dv + 2 (1 - sum y) y . dc - z^2 . dtau

Factors that widen a difference have tau < 0. One alone is harmless; many may leave no normal. So all of a candidate are
weakened together until the sum of their |tau| s is at most MOST, which is enough: (1 - MOST) S^-1 is left.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.propagation import SOFT, Propagated
from pfes.acquisition.undominated import Tilt, tilt, tilt_back
from pfes.compiled import inline, kernel

__all__ = ["Remaining", "remaining", "remaining_back"]

Array = NDArray[np.float64]

MOST = 0.9
NOTHING = 1e-14  # a factor that takes less of the variance than this is left out
FLOOR = 1e-18  # variances below are rounding


class Remaining(NamedTuple):
    """v' and all that its derivatives are made of; (L, N) or (L, N, P) each."""

    left: Array  # (L, N)
    mean: Array  # (L, N)
    variance: Array  # (L, N)
    spread: Array
    a: Array
    tilted: Tilt
    whole: Array  # tau before it is weakened
    weak: Array  # (L, N) how much is left of the negative ones
    y: Array
    z: Array


class Back(NamedTuple):
    """Derivatives of one objective's v' in what is predicted of all L objectives."""

    d_mean: Array  # (L, N)
    d_variance: Array  # (L, N)
    d_ties: Array  # (L, N, Z)


def remaining(mean: Array, variance: Array, ties: Array, known: Propagated) -> Remaining:
    """From the prior mean and variance (L, N) and ties (L, N, Z) of N candidates."""
    size = known.size
    mean = mean + np.einsum("lnz,lz->ln", ties, known.weights)
    taken = np.einsum("lnz,lnz->ln", ties @ known.taken, ties)
    variance = np.maximum(variance - taken, FLOOR)
    shared = ties @ known.passed  # (L, N, P)
    own = np.einsum("lpp->lp", known.covariance[:, :size, :size])
    spread = np.maximum(variance[:, :, None] + own[:, None] - 2.0 * shared, 0.0)
    soft = spread + SOFT
    a = (mean[:, :, None] - known.mean[:, None, :size]) / np.sqrt(soft)
    tilted = tilt(a)
    whole = tilted.t / (SOFT + spread * (1.0 - tilted.t))
    widening = np.sum(np.maximum(-whole, 0.0) * spread, axis=2)
    weak = np.minimum(1.0, MOST / np.maximum(widening, MOST))
    tau = np.where(whole < 0.0, weak[:, :, None] * whole, whole)
    y, z = np.zeros_like(tau), np.zeros_like(tau)
    left = np.empty_like(variance)
    for l in range(len(left)):
        pareto = np.ascontiguousarray(known.covariance[l, :size, :size])
        _condition(variance[l], shared[l], tau[l], spread[l], pareto, left[l], y[l], z[l])
    return Remaining(np.maximum(left, FLOOR), mean, variance, spread, a, tilted, whole, weak, y, z)


def remaining_back(at: Remaining, ties: Array, known: Propagated, l: int) -> Back:
    """Derivatives of `left` of objective l."""
    over, y, z, spread = 1.0 - at.y[l].sum(axis=1), at.y[l], at.z[l], at.spread[l]
    d_variance, d_shared = np.zeros_like(at.variance), np.zeros_like(at.spread)
    d_variance[l], d_shared[l] = over**2, 2.0 * over[:, None] * y
    d_tau = -(z**2)
    # through the weakening of negative factors
    negative, whole, weak = at.whole[l] < 0.0, at.whole[l], at.weak[l][:, None]
    d_weak = np.sum(np.where(negative, d_tau * whole, 0.0), axis=1, keepdims=True)
    d_widening = np.where(weak < 1.0, -d_weak * weak**2 / MOST, 0.0)
    d_whole = np.where(negative, weak * d_tau - d_widening * spread, d_tau)
    d_spread = np.zeros_like(at.spread)
    d_spread[l] = np.where(negative, -whole * d_widening, 0.0)
    # tau = t / (SOFT + s (1 - t))
    t = at.tilted.t[l]
    rest = SOFT + spread * (1.0 - t)
    d_t = np.zeros_like(at.spread)
    d_t[l] = d_whole * (spread + SOFT) / rest**2
    d_spread[l] -= d_whole * t * (1.0 - t) / rest**2
    # a = (m - mu) / sqrt(s + SOFT)
    d_a = tilt_back(at.a, at.tilted, d_t)
    soft = at.spread + SOFT
    d_spread -= d_a * at.a / (2.0 * soft)
    d_spread *= at.spread > 0.0
    d_variance += d_spread.sum(axis=2)
    d_variance *= at.variance > FLOOR
    d_shared -= 2.0 * d_spread
    d_mean = np.sum(d_a / np.sqrt(soft), axis=2)
    d_ties = d_mean[:, :, None] * known.weights[:, None] + d_shared @ known.passed.swapaxes(1, 2)
    d_ties -= 2.0 * d_variance[:, :, None] * (ties @ known.taken)
    return Back(d_mean, d_variance, d_ties)


@inline
def _solve(matrix: Any, pivot: Any, right: Any, size: int) -> None:
    """Solve in place by L D L^T, over the lower triangle; pivot (size,) is filled with D."""
    for i in range(size):  # a row is that of L D until all of it is there
        for j in range(i):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total
        own, solved = matrix[i, i], right[i]
        for j in range(i):
            ratio = matrix[i, j] / pivot[j]
            own -= ratio * matrix[i, j]
            matrix[i, j] = ratio
            solved -= ratio * right[j]
        pivot[i], right[i] = own, solved
    for i in range(size - 1, -1, -1):
        right[i] /= pivot[i]
        for j in range(i + 1, size):
            right[i] -= matrix[j, i] * right[j]


@kernel
def _condition(variance: Any, shared: Any, tau: Any, spread: Any, pareto: Any, left: Any, y: Any, z: Any) -> None:
    """Fill left (N,), y and z (N, P) of one objective; variance (N,), pareto (P, P), the others (N, P).

    Positive factors first, then negative ones: then no pivot of sign(T) + |T|^1/2 S |T|^1/2 vanishes.
    """
    count, size = shared.shape
    which = np.empty(size, np.int64)
    root = np.empty(size)
    matrix = np.empty((size, size))
    pivot, right = np.empty(size), np.empty(size)
    for n in range(count):
        used = 0
        for sign in (1.0, -1.0):
            for j in range(size):
                if sign * tau[n, j] * spread[n, j] > NOTHING:
                    which[used] = j
                    root[used] = np.sqrt(abs(tau[n, j]))
                    pivot[used] = sign
                    used += 1
        v = variance[n]
        for i in range(used):
            at = which[i]
            for j in range(i + 1):
                to = which[j]
                matrix[i, j] = root[i] * root[j] * (v - shared[n, at] - shared[n, to] + pareto[at, to])
            matrix[i, i] += pivot[i]
            right[i] = root[i] * (v - shared[n, at])
        _solve(matrix, pivot, right, used)
        taken = 0.0
        for i in range(used):
            at = which[i]
            y[n, at] = root[i] * right[i]
            taken += (v - shared[n, at]) * y[n, at]
        left[n] = v - taken
        for j in range(size):
            total = v - shared[n, j]
            for i in range(used):
                at = which[i]
                total -= (v - shared[n, j] - shared[n, at] + pareto[j, at]) * y[n, at]
            z[n, j] = total
