"""The gain of a noisy measurement, for mixtures with components far above: against the matched normal.

With g the normal of the mean and variance of q, and L = log(q / g),

    gain = -1/2 log(s2 + rho2 V) + E_q[L]
    d gain / d rho2 = ((1 - V) / (s2 + rho2 V) + E_q[L'^2] / rho2) / 2

in which alpha^2 does not appear. Coordinates are w - rho reference, the reference a bound nearby; q_t(w) =
phi(x) M(-u) h_t with the Mills ratio M, or phi(w) Phi(u) / Phi(alpha) where u > 0.

With G_t = E[alpha_t - z | w, z <= alpha_t] the derivative of q_t in alpha_t is -rho q_t' + q_t (G_t - E_{q_t}[G_t]): a
shift, which changes no entropy where all move together, and a change of shape, so that

    d gain / d alpha_t = pi_t ( E_{q_t}[(G_t - E_{q_t}[G_t]) log q] + rho E_{q_t}[(log q)' - (log q_t)'] )

keeps its accuracy when it is 1 / alpha while h_t is alpha.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.information.kernels.mixture_moments import (
    CAP,
    NODES,
    REACH,
    UNIT_NODES,
    UNIT_WEIGHTS,
    Mixture,
    matched,
    next_panel,
    rebase,
)
from pfes.normal import LOG_ROOT_2PI, density, mills, mills_and_gap, smaller_tail, tails

__all__ = ["against_matched"]

Array = NDArray[np.float64]

SHARP = 2.3  # panels in units of s; log q bends sharply where two components far apart are equally likely


@inline
def _ratio(a: float, b: float) -> float:
    """Phi(a) / Phi(b), a <= b."""
    if b < 0.0:
        return math.exp(-0.5 * (a - b) * (a + b)) * mills(-a) / mills(-b)
    return tails(a)[0] / tails(b)[0]


@inline
def _support(m: Mixture, t: int, reference: float) -> tuple[float, float]:
    """Where q_t has mass, to 1e-15, as w - rho reference: z may lie e^-37 down its tail, the noise REACH away."""
    a, reach = m.alpha[t], (REACH + 0.5) * m.s
    if a >= 0.0:
        return -9.0 - m.rho * reference, min(9.0, (a + reach) / m.rho) - m.rho * reference
    centre, tail = m.rho * (a - reference), m.rho * 74.0 / (math.sqrt(a * a + 74.0) - a)
    return centre - tail - reach, centre + reach


@inline
def _component(m: Mixture, t: int, reference: float, w: float) -> tuple[float, float, float]:
    """q_t, G_t and (log q_t)' at w + rho reference."""
    a = min(m.alpha[t], CAP)
    h = m.hazard[t] if m.alpha[t] <= CAP else density(CAP)
    x = (w - m.rho * (a - reference)) / m.s
    y = m.rho * x - m.s * a  # -u
    if y >= 0.0:
        ratio, gap = mills_and_gap(y)
        q = density(x) * ratio * h
    else:
        phi = density(y)
        lower = 1.0 - smaller_tail(y, phi)
        gap = phi / lower - y
        d = m.s * (m.s * a / (1.0 + m.rho) - x)  # alpha - w
        q = math.exp(-0.5 * d * (d - 2.0 * a)) * h * lower
    return q, m.s * gap, -(x + m.rho * gap) / m.s


@inline
def _panel(
    m: Mixture, full: Array, reference: float, left: float, width: float, i: int, j: int, kept: Array, out: Array
) -> tuple[float, float]:
    """One panel's part of E_q[L] - 1 and of E_q[L'^2]; adds to out as against_matched describes."""
    count, gain, fisher = m.weight.size, 0.0, 0.0
    middle = reference - min(m.alpha[m.heavy], CAP) + m.middle  # reference - mu
    last = min(j, count - 1)  # component j, if there is one, stands for all that are full
    for k in range(NODES):
        w, mass = left + width * UNIT_NODES[k], width * UNIT_WEIGHTS[k]
        q = steeper = 0.0
        for t in range(i, last + 1):
            kept[0, t], kept[1, t], kept[2, t] = _component(m, t, reference, w)
            share = (m.weight[t] if t < j else full[j]) * kept[0, t]
            q += share
            steeper += share * (kept[2, t] - kept[2, i])
        if not q > 0.0:
            continue
        steeper /= q  # (log q)' - (log q_i)': exactly 0 for one component, whose shift must not move the gain
        away = w + m.rho * middle  # w - its mean
        told = math.log(q) + LOG_ROOT_2PI + 0.5 * (math.log(m.scale) + away * away / m.scale)
        gain += mass * q * (told - 1.0)
        fisher += mass * q * (steeper + kept[2, i] + away / m.scale) ** 2
        if out.shape[1] == 0:
            continue
        for t in range(i, last + 1):
            row = 0 if t < j else 2
            out[row, t] += mass * kept[0, t] * told
            push = (kept[1, t] - m.gap[t]) * told + m.rho * (steeper - (kept[2, t] - kept[2, i]))
            out[row + 1, t] += mass * kept[0, t] * push
    return gain, fisher


@inline
def _cluster(m: Mixture, full: Array, top: int, kept: Array, out: Array) -> tuple[float, float, int]:
    """The sums of _panel over the supports of component top and of those below that overlap; the lowest of them."""
    reference, bottom = min(m.alpha[top], CAP), top
    left, high = _support(m, top, reference)
    for t in range(top - 1, -1, -1):
        begin, end = _support(m, t, reference)
        if end < left:
            break
        left, high, bottom = min(left, begin), max(high, end), t
    gain = fisher = 0.0
    near = i = j = bottom
    while left < high:
        right, near, i, j = next_panel(m, reference, left, high, SHARP, near, i, j)
        if not right > left:
            break
        if i < m.weight.size:
            more, sharper = _panel(m, full, reference, left, right - left, i, j, kept, out)
            gain += more
            fisher += sharper
        reference, left, high = rebase(m, near, reference, right, high)
    return gain, fisher, bottom


@inline
def against_matched(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """Gain and d gain / d rho2; fills in the other derivatives.

    out collects E_{q_t}[L] and E_{q_t}[(G_t - E_{q_t}[G_t]) L + rho ((log q)' - (log q_t)')]; in two more rows the same
    from where components are full, for the first such one: for the next q_t is in the ratio of Phi, and G_t less its
    mean larger by the difference of mu.
    """
    count = m.weight.size
    kept, out = np.empty((3, count)), np.zeros((4, d_weight.size))
    full = m.weight.copy()  # sum over t' >= t of pi_t' Phi(alpha_t) / Phi(alpha_t')
    for t in range(count - 2, -1, -1):
        full[t] += full[t + 1] * _ratio(m.alpha[t], m.alpha[t + 1])
    gain, d_rho2 = matched(m, d_weight, d_alpha)
    gain += 1.0
    top = count - 1
    while top >= 0:
        more, fisher, bottom = _cluster(m, full, top, kept, out)
        gain += more
        d_rho2 += 0.5 * fisher / m.rho2
        top = bottom - 1
    told = push = 0.0
    for t in range(d_weight.size):
        if t > 0:
            ratio = _ratio(m.alpha[t - 1], m.alpha[t])
            push = ratio * (push + (m.deviation[t] - m.deviation[t - 1]) * told)
            told = ratio * told
        told += out[2, t]
        push += out[3, t]
        d_weight[t] += out[0, t] + told
        shape = m.bend[t] - 2.0 * m.deviation[t] * m.variance[t]  # what matched has, less the shift
        d_alpha[t] = m.weight[t] * (out[1, t] + push - 0.5 * m.rho2 / m.scale * shape) if m.alpha[t] <= CAP else 0.0
    return gain, d_rho2
