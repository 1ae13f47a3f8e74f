"""A mixture of truncated normals and a noisy measurement of it: moments, the moment-matched bound, panels.

Notation of noisy_marginal's module. What is here serves both of its integrals: the mixture without the components that
cannot matter, its moments without cancellation, the closed-form part of the gain, and how the w axis is cut.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal import below_moments, density

__all__ = [
    "CAP",
    "NODES",
    "REACH",
    "UNIT_NODES",
    "UNIT_WEIGHTS",
    "Mixture",
    "is_normal",
    "matched",
    "mix",
    "next_panel",
]

Array = NDArray[np.float64]

NODES = 24
UNIT_NODES = 0.5 + 0.5 * np.polynomial.legendre.leggauss(NODES)[0]  # Gauss-Legendre on (0, 1)
UNIT_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(NODES)[1]
REACH = 7.5  # Phi(u) is 0 or 1 beyond, to 3e-14
CAP = 37.0  # alpha above it is as good as infinite; its density is still a normal number
SMOOTH = 3.0  # width of a panel where q is phi times a constant


class Mixture(NamedTuple):
    """z given F, ready for the integrals: (T,) arrays of the components that matter."""

    places: NDArray[np.int64]  # where they stand in the caller's arrays
    weight: Array
    alpha: Array
    hazard: Array
    gap: Array  # alpha_t - mu_t
    variance: Array  # V_t
    bend: Array  # d V_t / d alpha_t
    deviation: Array  # mu_t - mu
    rho2: float
    noise2: float
    rho: float
    s: float
    less: float  # 1 - V
    whole: float  # V
    scale: float  # variance of w given F, s2 + rho2 V
    heavy: int  # the component of largest weight
    middle: float  # alpha_heavy (at most CAP) - mu


@inline
def _select(weight: Array, alpha: Array, rho2: float) -> NDArray[np.int64]:
    """The components that can be seen in the gain.

    The gain is at least of the order of rho2 (pi_t phi(max(alpha_t, 0)))^2 for every t; what a light component below
    the others adds is of the order of its weight. Beyond CAP below, light components are not worth logarithms.
    """
    most = 0.0
    for t in range(weight.size):
        most = max(most, weight[t] * density(max(alpha[t], 0.0)))
    least = 1e-17 * rho2 * most * most
    index, count = np.empty(weight.size, np.int64), 0
    for t in range(weight.size):
        needed = 0.0 if alpha[t] >= 0.0 else least
        if alpha[t] < -CAP:
            needed = 1e-18 if alpha[t] > -math.inf else math.inf
        if weight[t] > needed:
            index[count] = t
            count += 1
    return index[:count]


@inline
def mix(weight: Array, alpha: Array, rho2: float, noise2: float) -> Mixture:
    """The mixture without what cannot be seen, and its moments."""
    index = _select(weight, alpha, rho2)
    count, heavy = index.size, 0
    table = np.empty((7, count))
    pi, a, h, gap, deviation = table[0], table[1], table[2], table[3], table[6]
    for t in range(count):
        pi[t], a[t] = weight[index[t]], alpha[index[t]]
        h[t], gap[t], table[4, t], table[5, t] = below_moments(a[t])
        heavy = t if pi[t] > pi[heavy] else heavy
    offset = 0.0  # mu - mu_heavy; deep inside mu is -h, far above only differences of alpha are precise
    for t in range(count):
        far = max(a[t], a[heavy]) < -2.0
        deviation[t] = (a[t] - a[heavy]) - (gap[t] - gap[heavy]) if far else h[heavy] - h[t]
        offset += pi[t] * deviation[t]
    less = whole = 0.0
    for t in range(count):
        deviation[t] -= offset
        less += pi[t] * (h[t] * gap[t] - deviation[t] * deviation[t])
        whole += pi[t] * (table[4, t] + deviation[t] * deviation[t])
    # rho = 1 is the limit of Theorem 2: a transition as wide as 1e-12 of the scale of z given F has reached it
    floor = 1e-12 / (1.0 + max(-a[0], 0.0)) if count > 0 else 1.0
    noise2 = max(noise2, floor * floor)
    scale = 1.0 - rho2 * less if rho2 * less < 0.5 else noise2 + rho2 * whole
    middle = (min(a[heavy], CAP) + h[heavy] if a[heavy] > -4.0 else gap[heavy]) - offset if count > 0 else 0.0
    rho, s = math.sqrt(rho2), math.sqrt(noise2)
    moments = (h, gap, table[4], table[5], deviation)
    return Mixture(index, pi, a, *moments, rho2, noise2, rho, s, less, whole, scale, heavy, middle)


@inline
def matched(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """The moment-matched bound -1/2 log(s2 + rho2 V) and its derivative in rho2; fills in the others."""
    part = m.rho2 * m.less
    bound = -0.5 * (math.log1p(-part) if part < 0.5 else math.log(m.scale))
    ratio = 0.5 * m.rho2 / m.scale
    for t in range(d_weight.size):
        far = max(m.alpha[t], m.alpha[m.heavy]) < -2.0
        change = m.whole - m.variance[t] if far else m.hazard[t] * m.gap[t] - m.less  # V - V_t
        d_weight[t] = bound + ratio * (change - m.deviation[t] * m.deviation[t])
        d_alpha[t] = -ratio * m.weight[t] * (m.bend[t] + 2.0 * m.deviation[t] * m.hazard[t] * m.gap[t])
    return bound, 0.5 * m.less / m.scale


@inline
def is_normal(m: Mixture) -> bool:
    """Whether w given F is normal for every purpose, so that the bound is the gain.

    With r = rho2 V / Var[w | F] the share of z in the spread of w, E_q[log(q / g)] = skew^2 r^3 / 12 + O(r^4), where
    the skewness of z given F is of order 1 if no component lies many deviations away; the bound is of order r or more.
    So r < 1e-5 leaves a relative 1e-11, while the integrals, good to 1e-16, would leave 1e-16 / r.
    """
    widest = 0.0
    for t in range(m.weight.size):
        widest = max(widest, abs(m.deviation[t]) + math.sqrt(m.variance[t]))
    return m.rho2 * widest * widest <= 1e-5 * m.scale


@inline
def _begin(m: Mixture, t: int, reference: float) -> float:
    """Where the transition of bound t begins: from there Phi(u_t) is not 1, or N(rho alpha_t, s2) not 0."""
    if t == m.alpha.size:
        return math.inf
    a = float(m.alpha[t])
    return m.rho * (a - reference) + min(0.0, a * m.noise2 / m.rho) - REACH * m.s / m.rho


@inline
def _end(m: Mixture, near: int, reference: float, left: float, high: float, sharp: float) -> float:
    """Where the panel that begins at left ends; near is the first bound whose transition ends beyond left."""
    begin = _begin(m, near, reference)
    if begin <= left:
        return min(left + sharp * m.s, high)
    stop = min(begin, high)
    most = min(SMOOTH, 20.0 / (1.0 + abs(left + m.rho * reference)))  # log phi has slope |w|
    return stop if stop - left <= most else left + (stop - left) / math.ceil((stop - left) / most)


@inline
def rebase(m: Mixture, near: int, reference: float, left: float, high: float) -> tuple[float, float, float]:
    """reference, left and high, relative to bound near if left is where its transition begins: s may be 1e-12."""
    if near == m.alpha.size or left != _begin(m, near, reference):
        return reference, left, high
    return m.alpha[near], _begin(m, near, m.alpha[near]), high - m.rho * (m.alpha[near] - reference)


@inline
def next_panel(
    m: Mixture, reference: float, left: float, high: float, sharp: float, near: int, i: int, j: int
) -> tuple[float, int, int, int]:
    """The end of the panel that begins at left, and the indices moved on: near as in _end, i and j.

    On the panel components before i are dead (q_t and N(rho alpha_t, s2) vanish), those from j on are full (Phi(u_t) is
    1, N(rho alpha_t, s2) vanishes); where one is neither, panels are sharp * s wide. Coordinates: w - rho reference.
    """
    count = m.alpha.size
    while near < count:
        a = m.alpha[near]
        if m.rho * (a - reference) + max(0.0, a * m.noise2 / m.rho) + REACH * m.s / m.rho > left:
            break
        near += 1
    right = _end(m, near, reference, left, high, sharp)
    while i < count:
        x = (left - m.rho * (m.alpha[i] - reference)) / m.s
        if not (x > REACH and m.s * m.alpha[i] - m.rho * x < -REACH):
            break
        i += 1
    j = max(i, j)
    while j < count:
        x = (right - m.rho * (m.alpha[j] - reference)) / m.s
        if x < -REACH and m.s * m.alpha[j] - m.rho * x > REACH:
            break
        j += 1
    return right, near, i, j
