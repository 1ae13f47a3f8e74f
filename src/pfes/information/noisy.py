"""What a noisy measurement of one objective tells, exactly (theory 5): a pure function of a mixture.

    letter    meaning                                                                    name in code
    z         (f - mean) / std, standard normal a priori
    w         (y - mean) / sqrt(std^2 + delta^2) = rho z + s noise, the measurement
    rho2, s2  std^2, delta^2 over their sum; neither is computed from the other          rho2, noise2
    T         components: given F, z is z <= alpha_t with probability pi_t               alpha, weight
    h         phi(alpha) / Phi(alpha)                                                    hazard
    mu, V     mean and variance of z given F; mu_t, V_t of component t
    u, x      (alpha - rho w) / s and (w - rho alpha) / s, so that phi(w) phi(u) = phi(alpha) phi(x)
    q         density of w given F, sum_t pi_t q_t,  q_t(w) = phi(w) Phi(u_t) / Phi(alpha_t)
    L         log(q / reference), the reference being a normal density in w

gain = H[w] - H[w | F] = 1/2 log(2 pi e) + integral of q log q. Measured against a normal reference the integrand is
small wherever q is nearly normal, and what is left outside the integral is closed form. Two references are needed:

- `_inside`: phi itself. gain = rho2 sum_t pi_t alpha_t h_t / 2 + E_phi[psi(eps)], eps = q / phi - 1 from upper tails,
  psi(e) = (1 + e) log(1 + e) - e. Relative accuracy however small the gain; but alpha^2 cancels for alpha << 0.
- `_above`: the normal g with the mean and variance of q. gain = -1/2 log(s2 + rho2 V) + E_q[log(q / g)]: the
  moment-matched bound of theory 4 and what it misses. All coordinates are relative to a bound nearby.

Derivatives: d q_t / d alpha_t = h_t (N(w; rho alpha_t, s2) - q_t), so that with any L = log q - log(reference)

    d gain / d pi_t    = E_{q_t}[log q] + 1/2 log(2 pi e)    up to a constant common to all t
    d gain / d alpha_t = pi_t h_t ( E_{N(rho alpha_t, s2)}[log q] - E_{q_t}[log q] )
    d gain / d rho2    = (E_q[(d log q / dw)^2] - 1) / (2 rho2)                      (de Bruijn)
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal import FAR, LOG_ROOT_2PI, density, mills, mills_moments, smaller_tail, tails

__all__ = ["noisy_marginal"]

Array = NDArray[np.float64]

NODES = 16
_X, _W = (0.5 * (_part + _shift) for _part, _shift in zip(np.polynomial.legendre.leggauss(NODES), (1.0, 0.0)))
PANEL = 3.0  # width of a panel in units of s where some Phi(u_t) changes, in units of w elsewhere
REACH = 7.5  # Phi(u) is 0 or 1 beyond, to 3e-14
CAP = 37.0  # alpha above it is as good as infinite, and its density is still a normal number


class Mixture(NamedTuple):
    """z given F, ready for the integrals; components that cannot matter have weight 0."""

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
    middle: float  # alpha_heavy - mu


@inline
def _moments(alpha: float) -> tuple[float, float, float, float]:
    """h, alpha - mu, V and dV/dalpha = h ((alpha - mu)^2 - V) of a normal given z <= alpha, without cancellation."""
    if alpha > FAR:
        return 0.0, 0.0, 1.0, 0.0
    if alpha > -4.0:
        lower, _, phi = tails(alpha)
        h = phi / lower if alpha >= 0.0 else 1.0 / mills(-alpha)
        gap = alpha + h
        return h, gap, 1.0 - h * gap, h * (gap * (gap + h) - 1.0)
    # continued fraction of the Mills ratio, c_k = k / (t + c_{k+1}): every difference below is written out in it
    t, c4 = -alpha, 0.0
    for k in range(24, 3, -1):
        c4 = k / (t + c4)
    c3 = 3.0 / (t + c4)
    c2 = 2.0 / (t + c3)
    gap = 1.0 / (t + c2)
    both = (t + c2) * (t + c3)
    c3_less_c2 = (t + 3.0 * c3 - 2.0 * c4) / ((t + c4) * (t + c3))
    return t + gap, gap, gap * (t + 2.0 * c2 - c3) / both, (t + gap) * gap * 2.0 * c3_less_c2 / both


@inline
def _relevant(weight: Array, alpha: Array, rho2: float, out: Array) -> None:
    """Copy the weights, 0 where a component cannot be seen in the gain.

    The gain is at least of the order of rho2 (pi_t phi(max(alpha_t, 0)))^2 for every t; what a light component below
    the others adds is of the order of its weight.
    """
    most = 0.0
    for t in range(weight.size):
        most = max(most, weight[t] * density(max(alpha[t], 0.0)))
    least = 1e-17 * min(rho2, 1.0) * most * most
    for t in range(weight.size):
        out[t] = weight[t] if alpha[t] >= -CAP else 0.0
        if alpha[t] < 0.0 and weight[t] < least:
            out[t] = 0.0
        elif -CAP > alpha[t] > -math.inf and weight[t] > 1e-18:
            out[t] = weight[t]


@inline
def _mixture(weight: Array, alpha: Array, rho2: float, noise2: float) -> Mixture:
    count = weight.size
    table = np.zeros((6, count))
    pi, hazard, gap, variance, bend, deviation = table[0], table[1], table[2], table[3], table[4], table[5]
    _relevant(weight, alpha, rho2, pi)
    heavy, lowest = 0, 0.0
    for t in range(count):
        if pi[t] > 0.0:
            hazard[t], gap[t], variance[t], bend[t] = _moments(alpha[t])
            lowest = min(lowest, alpha[t])
        if pi[t] > pi[heavy]:
            heavy = t
    offset = 0.0  # mu - mu_heavy: of deep components mu is -h, of far ones only differences of alpha are precise
    for t in range(count):
        if pi[t] > 0.0:
            if max(alpha[t], alpha[heavy]) < -2.0:
                deviation[t] = (alpha[t] - alpha[heavy]) - (gap[t] - gap[heavy])
            else:
                deviation[t] = hazard[heavy] - hazard[t]
            offset += pi[t] * deviation[t]
    less = whole = 0.0
    for t in range(count):
        if pi[t] > 0.0:
            deviation[t] -= offset
            less += pi[t] * (hazard[t] * gap[t] - deviation[t] * deviation[t])
            whole += pi[t] * (variance[t] + deviation[t] * deviation[t])
    # rho = 1 is the limit of Theorem 2; a transition 1e-12 of the scale of z given F wide has reached it
    floor = 1e-12 / (1.0 - lowest)
    noise2 = max(noise2, floor * floor)
    scale = 1.0 - rho2 * less if rho2 * less < 0.5 else noise2 + rho2 * whole
    middle = min(alpha[heavy], CAP) + hazard[heavy] if alpha[heavy] >= -2.0 else gap[heavy]
    return Mixture(
        pi, alpha, hazard, gap, variance, bend, deviation, rho2, noise2, math.sqrt(rho2), math.sqrt(noise2),
        less, whole, scale, heavy, middle - offset,
    )  # fmt: skip


@inline
def _matched(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """The moment-matched bound -1/2 log(s2 + rho2 V), its derivative in rho2, and the others filled in."""
    part = m.rho2 * m.less
    bound = -0.5 * (math.log1p(-part) if part < 0.5 else math.log(m.scale))
    ratio = 0.5 * m.rho2 / m.scale
    for t in range(d_weight.size):
        d_weight[t] = d_alpha[t] = 0.0
        if m.weight[t] > 0.0:
            if max(m.alpha[t], m.alpha[m.heavy]) < -2.0:
                change = m.whole - m.variance[t]
            else:
                change = m.hazard[t] * m.gap[t] - m.less
            d_weight[t] = bound + ratio * (change - m.deviation[t] * m.deviation[t])
            d_alpha[t] = -ratio * m.weight[t] * (m.bend[t] + 2.0 * m.deviation[t] * m.hazard[t] * m.gap[t])
    return bound, 0.5 * m.less / m.scale


@inline
def _is_normal(m: Mixture) -> bool:
    """Whether q is normal for every purpose.

    With r = rho2 Var / Var[w | F] the share of f in the spread of w, E_q[log(q / g)] = skew^2 r^3 / 12 + O(r^4), where
    the skewness of z given F is at most of order 1 if no component lies many deviations away; the bound is of order r
    or more. r < 1e-5 leaves a relative 1e-11.
    """
    widest = 0.0
    for t in range(m.weight.size):
        if m.weight[t] > 0.0:
            widest = max(widest, abs(m.deviation[t]) + math.sqrt(m.variance[t]))
    return m.rho2 * widest * widest <= 1e-5 * m.scale


@inline
def _panel_end(m: Mixture, t: int, reference: float, left: float, high: float) -> float:
    """Where the panel that begins at left ends; t is the first bound whose transition ends beyond left.

    Coordinates are w - rho reference. A transition reaches over the N(rho alpha, s2) of the derivative and over Phi(u).
    """
    begin = math.inf
    if t < m.alpha.size:
        begin = m.rho * (m.alpha[t] - reference) + min(0.0, m.alpha[t] * m.noise2 / m.rho) - REACH * m.s / m.rho
    if begin <= left:
        return min(left + PANEL * m.s, high)
    stop = min(begin, high)
    # elsewhere q is phi times a constant: its logarithm has slope |w|
    most = min(PANEL, 20.0 / (1.0 + abs(left + m.rho * reference)))
    return stop if stop - left <= most else left + (stop - left) / math.ceil((stop - left) / most)


@inline
def _transition_end(m: Mixture, t: int, reference: float) -> float:
    return m.rho * (m.alpha[t] - reference) + max(0.0, m.alpha[t] * m.noise2 / m.rho) + REACH * m.s / m.rho


@inline
def _is_dead(m: Mixture, t: int, reference: float, w: float) -> bool:
    """Whether neither q_t nor N(rho alpha_t, s2) has mass at w or above."""
    x = (w - m.rho * (m.alpha[t] - reference)) / m.s
    return x > REACH and m.s * m.alpha[t] - m.rho * x < -REACH


@inline
def _is_full(m: Mixture, t: int, reference: float, w: float) -> bool:
    """Whether Phi(u_t) is 1 and N(rho alpha_t, s2) has no mass at w or below."""
    x = (w - m.rho * (m.alpha[t] - reference)) / m.s
    return x < -REACH and m.s * m.alpha[t] - m.rho * x > REACH


@inline
def _psi(e: float, total: float, log_total: float) -> float:
    """(1 + e) log(1 + e) - e, given 1 + e and its logarithm."""
    if abs(e) > 1e-2:
        return total * log_total - e
    p = 1.0 / 15.0 - e * (1.0 / 21.0 - e / 28.0)
    return e * e * (0.5 - e * (1.0 / 6.0 - e * (1.0 / 12.0 - e * (1.0 / 20.0 - e * 0.5 * p))))


@inline
def _inside_ends(m: Mixture) -> tuple[int, float, float]:
    """First component with weight, and the range of w that counts.

    phi(w) is compared with the first-order gain pi phi(alpha): e^-40 of it is cut off.
    """
    low, best, bottom = -9.0, 80.0, m.weight.size
    for t in range(m.weight.size - 1, -1, -1):
        a = m.alpha[t]
        if m.weight[t] > 0.0 and a <= CAP:
            best = a * a - 2.0 * math.log(m.weight[t]) if bottom == m.weight.size else best
            best = min(best, max(a, 0.0) ** 2 - 2.0 * math.log(m.weight[t]))
            bottom = t
            if a < 0.0:
                low = min(low, m.rho * (a - 74.0 / (math.sqrt(a * a + 74.0) - a)) - (REACH + 0.5) * m.s)
    return bottom, low, min(math.sqrt(best + 80.0), FAR)


@inline
def _inside_panel(
    m: Mixture, sums: Array, left: float, width: float, i: int, j: int, work: Array, kept: Array, out: Array
) -> tuple[float, float]:
    """One panel against phi: E[psi(eps)] and the Fisher term; adds to out the sums for the derivatives.

    Components before i are dead, from j on full. sums: 1 / Phi(alpha), and cumulated from below pi, from above
    pi / Phi(alpha) and pi sf / Phi(alpha).
    """
    nodes = work.shape[1]  # not the constant: LLVM unrolls known counts instead of using vectors
    inverse, before, full, excess = sums[0], sums[1], sums[2], sums[3]
    total, eps, slope, u, small = work[0], work[1], work[2], work[3], work[4]
    for k in range(nodes):
        total[k], eps[k], slope[k] = full[j], excess[j] - before[i], 0.0
    for t in range(i, j):
        a, tail = m.alpha[t], sums[4, t]
        factor = m.weight[t] * inverse[t]
        phi, ratio = kept[0, t - i], kept[1, t - i]
        for k in range(nodes):
            u[k] = (a - m.rho * (left + width * _X[k])) / m.s
        for k in range(nodes):
            phi[k] = density(u[k])
        for k in range(nodes):
            small[k] = smaller_tail(u[k], phi[k])
        for k in range(nodes):
            ratio[k] = small[k] if u[k] < 0.0 else 1.0 - small[k]
        for k in range(nodes):
            total[k] += factor * ratio[k]
        for k in range(nodes):
            slope[k] += factor * phi[k]
        if a < 0.0:  # a difference of the tails that are small at alpha
            for k in range(nodes):
                eps[k] += factor * (ratio[k] - tail)
        else:
            for k in range(nodes):
                eps[k] += factor * (tail - (1.0 - small[k] if u[k] < 0.0 else small[k]))
    gain = fisher = 0.0
    for k in range(nodes):
        mass = width * _W[k] * density(left + width * _X[k])
        e, q = eps[k], total[k]
        told = (math.log1p(e) if e > -0.5 else math.log(q)) if q > 0.0 else 0.0
        gain += mass * _psi(e, q, told)
        fisher += mass * slope[k] * slope[k] / q if q > 0.0 else 0.0
        work[5, k] = mass * told
        out[2, j] += mass * told
    if out.shape[1] > 1:
        for t in range(i, j):
            phi, ratio = kept[0, t - i], kept[1, t - i]
            at_bound = below = 0.0
            for k in range(nodes):
                at_bound += work[5, k] * phi[k]
                below += work[5, k] * ratio[k]
            out[0, t] += at_bound
            out[1, t] += below
    return gain, fisher


@inline
def _inside(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """Gain and d/drho2 against the reference phi."""
    count, slopes = m.weight.size, d_weight.size > 0
    sums = np.zeros((5, count + 1))  # as _inside_panel; last row: the smaller tail at alpha
    for t in range(count - 1, -1, -1):
        lower, upper, _ = tails(m.alpha[t])
        sums[0, t] = 1.0 / lower if lower > 0.0 else 0.0
        sums[2, t] = sums[2, t + 1] + m.weight[t] * sums[0, t]
        sums[3, t] = sums[3, t + 1] + m.weight[t] * upper * sums[0, t]
        sums[4, t] = min(lower, upper)
    for t in range(count):
        sums[1, t + 1] = sums[1, t] + m.weight[t]
    work, kept = np.empty((6, NODES)), np.empty((2, count, NODES))
    out = np.zeros((3, count + 1))  # sums of L at the bound, below it, and where the components from j on are full
    bottom, left, high = _inside_ends(m)
    gain = fisher = 0.0
    i = j = near = bottom
    while left < high:
        while near < count and _transition_end(m, near, 0.0) <= left:
            near += 1
        right = _panel_end(m, near, 0.0, left, high)
        if not right > left:
            break
        while i < count and _is_dead(m, i, 0.0, left):
            i += 1
        j = max(i, j)
        while j < count and not _is_full(m, j, 0.0, right):
            j += 1
        more, sharper = _inside_panel(m, sums, left, right - left, i, j, work, kept, out)
        gain += more
        fisher += sharper
        left = right
    return _inside_result(m, sums, out, gain, fisher, d_weight, d_alpha)


@inline
def _inside_result(
    m: Mixture, sums: Array, out: Array, gain: float, fisher: float, d_weight: Array, d_alpha: Array
) -> tuple[float, float]:
    first = below = 0.0
    for t in range(m.weight.size):
        a, h = m.alpha[t], m.hazard[t]
        ah = a * h if h > 0.0 else 0.0
        first += m.weight[t] * ah
        if d_weight.size > 0:
            below += out[2, t]
            told = (out[1, t] + below) * sums[0, t]
            d_weight[t] = d_alpha[t] = 0.0
            if m.weight[t] > 0.0:
                d_weight[t] = 0.5 * m.rho2 * ah + told
                d_alpha[t] = m.weight[t] * (out[0, t] * sums[0, t] / m.s)
            if h > 0.0:
                d_alpha[t] -= m.weight[t] * h * (0.5 * m.rho2 * (a * a + ah - 1.0) + told)
    return 0.5 * m.rho2 * first + gain, 0.5 * (first + fisher / m.noise2)


@inline
def _ratio(a: float, b: float) -> float:
    """Phi(a) / Phi(b), a <= b."""
    if b < 0.0:
        return math.exp(-0.5 * (a - b) * (a + b)) * mills(-a) / mills(-b)
    return tails(a)[0] / tails(b)[0]


@inline
def _support(m: Mixture, t: int, reference: float) -> tuple[float, float]:
    """Where q_t has mass, to 1e-15, as w - rho reference: z may lie e^-37 down its tail, the noise REACH away."""
    a = m.alpha[t]
    if a >= 0.0:
        return -9.0 - m.rho * reference, min(9.0, (a + (REACH + 0.5) * m.s) / m.rho) - m.rho * reference
    centre, tail = m.rho * (a - reference), m.rho * 74.0 / (math.sqrt(a * a + 74.0) - a)
    return centre - tail - (REACH + 0.5) * m.s, centre + (REACH + 0.5) * m.s


@inline
def _component(m: Mixture, t: int, reference: float, w: float) -> tuple[float, float, float]:
    """q_t, the mean of alpha_t - z given w, and (log q_t)', at w + rho reference."""
    a = min(m.alpha[t], CAP)
    x = (w - m.rho * (a - reference)) / m.s
    y = m.rho * x - m.s * a  # -u
    if y >= 0.0:
        ratio, gap, _ = mills_moments(y)
        q = density(x) * ratio * m.hazard[t]
    else:
        phi = density(y)
        lower = 1.0 - smaller_tail(y, phi)
        gap = phi / lower - y
        d = m.s * (m.s * a / (1.0 + m.rho) - x)  # alpha - w
        q = math.exp(-0.5 * d * (d - 2.0 * a)) * m.hazard[t] * lower
    return q, m.s * gap, -(x + m.rho * gap) / m.s


@inline
def _above_panel(
    m: Mixture, full: Array, reference: float, left: float, width: float, i: int, j: int, kept: Array, out: Array
) -> tuple[float, float]:
    """One panel against g: its part of E_q[log(q / g)] - mass and of E_q[L'^2]; adds to out as _above describes."""
    count, gain, fisher = m.weight.size, 0.0, 0.0
    middle = reference - min(m.alpha[m.heavy], CAP) + m.middle  # reference - mu
    last = min(j, count - 1)  # stands for all that are full, if j < count
    for k in range(NODES):
        w, mass = left + width * _X[k], width * _W[k]
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
            push = kept[1, t] * told + m.rho * (steeper - (kept[2, t] - kept[2, i]))
            out[row + 1, t] += mass * kept[0, t] * push
    return gain, fisher


@inline
def _above_cluster(
    m: Mixture, full: Array, bottom: int, reference: float, left: float, high: float, kept: Array, out: Array
) -> tuple[float, float]:
    """The sums of _above_panel over left < w - rho reference < high, where component bottom is the lowest."""
    count = m.weight.size
    gain = fisher = 0.0
    i = j = near = bottom
    while left < high:
        while near < count and _transition_end(m, near, reference) <= left:
            near += 1
        right = _panel_end(m, near, reference, left, high)
        if not right > left:
            break
        while i < count and _is_dead(m, i, reference, left):
            i += 1
        j = max(i, j)
        while j < count and not _is_full(m, j, reference, right):
            j += 1
        more, sharper = _above_panel(m, full, reference, left, right - left, i, j, kept, out)
        gain += more
        fisher += sharper
        left = right
    return gain, fisher


@inline
def _above(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """Gain and d/drho2 against the matched normal, cluster by cluster of overlapping components.

    With G_t = E[alpha_t - z | w, z <= alpha_t], d q_t / d alpha_t = -rho q_t' + q_t (G_t - E_{q_t}[G_t]): a shift, which
    changes no entropy if all move together, and a change of shape; their difference never appears. out collects
    E_{q_t}[L] and E_{q_t}[G_t L + rho L'], and in two more rows the same from where components are full, for the first
    such component: for the next ones q_t is in the ratio of Phi, and G_t larger by the difference of alpha.
    """
    count = m.weight.size
    full = np.zeros(count + 1)  # sum over t' >= t of pi Phi(alpha_t) / Phi(alpha_t')
    kept, out = np.empty((3, count)), np.zeros((4, d_weight.size))
    for t in range(count - 1, -1, -1):
        if m.alpha[t] > -math.inf:
            full[t] = m.weight[t] + (full[t + 1] * _ratio(m.alpha[t], m.alpha[t + 1]) if full[t + 1] > 0.0 else 0.0)
    gain, d_rho2 = _matched(m, d_weight, d_alpha)
    gain += 1.0
    top = count - 1
    while top >= 0:
        if m.weight[top] > 0.0:
            reference = min(m.alpha[top], CAP)
            low, high = _support(m, top, reference)
            bottom = top
            for t in range(top - 1, -1, -1):
                if m.weight[t] > 0.0:
                    begin, end = _support(m, t, reference)
                    if end < low:
                        break
                    low, high, bottom = min(low, begin), max(high, end), t
            more, fisher = _above_cluster(m, full, bottom, reference, low, high, kept, out)
            gain += more
            d_rho2 += 0.5 * fisher / m.rho2
            top = bottom
        top -= 1
    told = push = 0.0
    for t in range(d_weight.size):
        if told != 0.0 or push != 0.0:
            ratio = _ratio(m.alpha[t - 1], m.alpha[t])
            push = ratio * (push + (min(m.alpha[t], CAP) - min(m.alpha[t - 1], CAP)) * told)
            told *= ratio
        told += out[2, t]
        push += out[3, t]
        if m.weight[t] > 0.0:
            whole = out[0, t] + told
            d_weight[t] += whole
            if m.alpha[t] <= CAP:
                shift = m.rho2 * m.deviation[t] / m.scale  # -rho E_{q_t}[(log g)']
                d_alpha[t] += m.weight[t] * (out[1, t] + push - m.gap[t] * whole + shift)
    return gain, d_rho2


@inline
def noisy_marginal(
    weight: Array, alpha: Array, rho2: float, noise2: float, d_weight: Array, d_alpha: Array
) -> tuple[float, float]:
    """Gain in nats and d gain / d rho2 (with noise2 = 1 - rho2), of w given z <= alpha_t with probability weight_t."""
    m = _mixture(weight, alpha, rho2, noise2)
    if _is_normal(m):
        return _matched(m, d_weight, d_alpha)
    low = 0.0
    for t in range(alpha.size):
        low += m.weight[t] if alpha[t] < -6.0 else 0.0
        low += 1.0 if alpha[t] < -CAP and m.weight[t] > 0.0 else 0.0
    return _above(m, d_weight, d_alpha) if low > 1e-6 else _inside(m, d_weight, d_alpha)
