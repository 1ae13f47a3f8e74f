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

- phi itself, here: gain = rho2 sum_t pi_t alpha_t h_t / 2 + E_phi[psi(eps)], psi(e) = (1 + e) log(1 + e) - e and
  eps = q / phi - 1 from the smaller tails. Relative accuracy however small the gain; but alpha^2 cancels far above.
- the normal with the mean and variance of q, mixture_far: gain = the moment-matched bound of theory 4 + E_q[L].

Where w given F is as good as normal the bound is the gain (mixture_moments). Derivatives: d q_t / d alpha_t =
h_t (N(w; rho alpha_t, s2) - q_t), and de Bruijn's identity for rho2, so that

    d gain / d pi_t    = E_{q_t}[log q] + 1/2 log(2 pi e), up to a constant common to all t
    d gain / d alpha_t = pi_t h_t ( E_{N(rho alpha_t, s2)}[log q] - E_{q_t}[log q] )
    d gain / d rho2    = (E_q[(d log q / dw)^2] - 1) / (2 rho2) = (sum_t pi_t alpha_t h_t + E_q[L'^2] / rho2) / 2
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.information.kernels.mixture_far import against_matched
from pfes.information.kernels.mixture_moments import (
    CAP,
    NODES,
    REACH,
    UNIT_NODES,
    UNIT_WEIGHTS,
    Mixture,
    is_normal,
    matched,
    mix,
    next_panel,
    rebase,
)
from pfes.information.kernels.noise import capacity
from pfes.normal import FAR, density, smaller_tail, tails

__all__ = ["noisy_marginal"]

Array = NDArray[np.float64]

SHARP = 4.5  # width of a panel in units of s where some Phi(u_t) changes


@inline
def _psi(e: float, total: float, log_total: float) -> float:
    """(1 + e) log(1 + e) - e, given 1 + e and its logarithm."""
    if abs(e) > 1e-2:
        return total * log_total - e
    p = 1.0 / 15.0 - e * (1.0 / 21.0 - e / 28.0)
    return e * e * (0.5 - e * (1.0 / 6.0 - e * (1.0 / 12.0 - e * (1.0 / 20.0 - e * 0.5 * p))))


@inline
def _range(m: Mixture) -> tuple[float, float]:
    """The w that count: above, phi(w) down to e^-32 of the first-order gain pi phi(alpha); below, all of q."""
    low, best = -8.0, 64.0
    for t in range(m.weight.size):
        a = m.alpha[t]
        if a < 0.0:
            low = min(low, m.rho * (a - 74.0 / (math.sqrt(a * a + 74.0) - a)) - (REACH + 0.5) * m.s)
        if a <= CAP:
            size = max(a, 0.0) ** 2 - 2.0 * math.log(m.weight[t])
            best = min(best, size) if t > 0 else size
    return low, min(math.sqrt(max(best, 0.0) + 64.0), FAR)


@inline
def _tables(m: Mixture) -> Array:
    """Rows of (T + 1,): 1 / Phi(alpha), the smaller tail at alpha, and the sums of pi over the components before, of
    pi / Phi and of pi (1 / Phi - 1) over this one and those after it."""
    count = m.weight.size
    rows = np.zeros((5, count + 1))
    for t in range(count - 1, -1, -1):
        lower, upper, _ = tails(m.alpha[t])
        rows[0, t], rows[1, t] = 1.0 / lower, min(lower, upper)
        rows[3, t] = rows[3, t + 1] + m.weight[t] / lower
        rows[4, t] = rows[4, t + 1] + m.weight[t] * upper / lower
    for t in range(count):
        rows[2, t + 1] = rows[2, t] + m.weight[t]
    return rows


@inline
def _sharpness(m: Mixture, level: Array) -> float:
    """Width of the panels, in units of s, where some Phi(u_t) changes; level: pi / Phi summed from t on.

    Where level falls by a factor of more than 1e3 within s, but not to 0, log q has a bend, and narrower panels follow.
    """
    k = 0
    for t in range(m.weight.size):
        while k < m.weight.size and m.alpha[k] <= m.alpha[t] + m.s:
            k += 1
        if level[t] > 1e3 * level[k] > 1e-11:
            return 0.5 * SHARP
    return SHARP


@inline
def _densities(
    m: Mixture, rows: Array, reference: float, left: float, width: float, i: int, j: int, sums: Array, kept: Array
) -> None:
    """Fill sums with 1 + eps, eps and -s eps' / rho at the nodes, kept with Phi(u_t) and phi(u_t), t after t."""
    nodes = sums.shape[1]  # not the constant: LLVM unrolls known counts and then uses no vector instructions
    lower, phi, u, scaled = kept[0], kept[1], kept[2], sums[3]
    for k in range(nodes):
        sums[0, k], sums[1, k], sums[2, k] = rows[3, j], rows[4, j] - rows[2, i], 0.0
        scaled[k] = m.rho * (left + width * UNIT_NODES[k]) / m.s
    for t in range(i, j):
        a, start = ((m.alpha[t] - reference) + m.noise2 * reference) / m.s, (t - i) * nodes
        for k in range(nodes):
            u[start + k] = a - scaled[k]
    for n in range((j - i) * nodes):
        phi[n] = density(u[n])
    for n in range((j - i) * nodes):
        lower[n] = smaller_tail(u[n], phi[n])
    for t in range(i, j):
        begin, end = (t - i) * nodes, (t - i + 1) * nodes
        factor = m.weight[t] * rows[0, t]
        _add(u[begin:end], phi[begin:end], lower[begin:end], factor, m.alpha[t] < 0.0, rows[1, t], sums)


@inline
def _add(u: Array, phi: Array, lower: Array, factor: float, negative: bool, tail: float, sums: Array) -> None:
    """Add a component to sums; lower comes as the smaller tail at u and becomes Phi(u); tail: the smaller at alpha."""
    total, eps, slope = sums[0], sums[1], sums[2]
    if not negative:  # eps is a difference of the tails that are small at alpha
        for k in range(u.size):
            eps[k] += factor * (tail - (lower[k] if u[k] >= 0.0 else 1.0 - lower[k]))
    for k in range(u.size):
        lower[k] = lower[k] if u[k] < 0.0 else 1.0 - lower[k]
    if negative:
        for k in range(u.size):
            eps[k] += factor * (lower[k] - tail)
    for k in range(u.size):
        total[k] += factor * lower[k]
    for k in range(u.size):
        slope[k] += factor * phi[k]


@inline
def _panel(
    m: Mixture,
    rows: Array,
    reference: float,
    left: float,
    width: float,
    i: int,
    j: int,
    sums: Array,
    kept: Array,
    out: Array,
) -> tuple[float, float]:
    """One panel's part of E_phi[psi(eps)] and of s2 E_q[L'^2] / rho2; adds to out as _against_phi describes."""
    _densities(m, rows, reference, left, width, i, j, sums, kept)
    nodes, gain, fisher, all_told = sums.shape[1], 0.0, 0.0, 0.0
    for k in range(nodes):
        mass = width * UNIT_WEIGHTS[k] * density(m.rho * reference + left + width * UNIT_NODES[k])
        total, e = sums[0, k], sums[1, k]
        told = 0.0
        if total > 0.0:
            told = math.log1p(e) if e > -0.5 else math.log(total)
            fisher += mass * sums[2, k] * sums[2, k] / total
        gain += mass * _psi(e, total, told)
        sums[3, k] = mass * told
        all_told += mass * told
    if out.shape[1] > 0:
        out[2, j] += all_told
        for t in range(i, j):
            start, at_bound, below = (t - i) * nodes, 0.0, 0.0
            for k in range(nodes):
                below += sums[3, k] * kept[0, start + k]
                at_bound += sums[3, k] * kept[1, start + k]
            out[0, t] += below
            out[1, t] += at_bound
    return gain, fisher


@inline
def _against_phi(m: Mixture, d_weight: Array, d_alpha: Array) -> tuple[float, float]:
    """Gain and d gain / d rho2; fills in the other derivatives.

    out collects E_phi[Phi(u_t) L] and E_phi[phi(u_t) L] where component t is neither dead nor full, and E_phi[L] where
    the components from t on are full, those before not.
    """
    count = m.weight.size
    rows, sums, kept = _tables(m), np.empty((4, NODES)), np.empty((3, count * NODES))
    out = np.zeros((3, count + 1 if d_weight.size > 0 else 0))
    (left, high), sharp = _range(m), _sharpness(m, rows[3])
    gain = fisher = first = below = 0.0
    reference, near, i, j = 0.0, 0, 0, 0
    while left < high:
        right, near, i, j = next_panel(m, reference, left, high, sharp, near, i, j)
        if not right > left:
            break
        more, sharper = _panel(m, rows, reference, left, right - left, i, j, sums, kept, out)
        gain += more
        fisher += sharper
        reference, left, high = rebase(m, near, reference, right, high)
    for t in range(count):
        a, h = m.alpha[t], m.hazard[t]
        ah = a * h if h > 0.0 else 0.0  # alpha may be infinite
        first += m.weight[t] * ah
        if d_weight.size > 0:
            below += out[2, t]
            told = rows[0, t] * (out[0, t] + below)  # E_{q_t}[L]
            d_weight[t] = 0.5 * m.rho2 * ah + told
            d_alpha[t] = m.weight[t] * rows[0, t] * out[1, t] / m.s
            if h > 0.0:
                d_alpha[t] -= m.weight[t] * h * (0.5 * m.rho2 * (a * a + ah - 1.0) + told)
    return 0.5 * m.rho2 * first + gain, 0.5 * (first + fisher / m.noise2)


@inline
def noisy_marginal(
    weight: Array, alpha: Array, rho2: float, noise2: float, d_weight: Array, d_alpha: Array
) -> tuple[float, float]:
    """Gain (nats) of w given z <= alpha_t with probability weight_t, and d gain / d rho2 along noise2 = 1 - rho2.

    weight: (T,), sum 1; alpha: (T,) ascending, may end in +inf. d_weight and d_alpha, (T,) or both (0,) for the value
    alone, become the derivatives. Those in the weights hold for changes that keep their sum: a constant common to all
    is free, and such that sum_t weight_t d_weight_t = gain. A component too light to be seen gets d_weight = gain and
    d_alpha = 0. rho2 = 1 gives the limit, Theorem 2.
    """
    m = mix(weight, alpha, rho2, noise2)
    count = m.weight.size if d_weight.size > 0 else 0
    by_weight, by_alpha = np.empty(count), np.empty(count)
    low = 0.0  # weight of the components far above
    for t in range(m.weight.size):
        if m.alpha[t] < -6.0:
            low += m.weight[t] if m.alpha[t] >= -CAP else 1.0
    if is_normal(m):
        gain, d_rho2 = matched(m, by_weight, by_alpha)
    elif low > 1e-6:
        gain, d_rho2 = against_matched(m, by_weight, by_alpha)
    else:
        gain, d_rho2 = _against_phi(m, by_weight, by_alpha)
    gain = min(gain, capacity(rho2, noise2))  # quadrature may round 1e-14 above it
    for t in range(d_weight.size):
        d_weight[t], d_alpha[t] = gain, 0.0
    for t in range(count):
        d_weight[m.places[t]], d_alpha[m.places[t]] = by_weight[t], by_alpha[t]
    return gain, d_rho2
