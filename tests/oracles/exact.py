"""Information gains in high precision, straight from their definitions (theory 1 to 5).

Everything is maximised. One candidate, independent objectives, one sampled frontier:

    mean, std      (L,)    posterior of f at the candidate
    frontier       (S, L)  points; a coordinate +inf is a threshold (theory 4)
    delta          (L,)    deviation of a measurement's error, or one number for all objectives

Floats are taken as the exact binary numbers they are. Precision is raised until two results agree to 20 digits, so that
no tail needs a form of its own; a result below 1e-330 counts as 0. What is returned are mpmath numbers (float() them).
F and its moments are in grid.py; the integrals for noisy measurements, with fewer digits, in noisy.py.
"""

from __future__ import annotations

import itertools

from mpmath import mp

from oracles.grid import Region, errors, exact, region
from oracles.noisy import coupled_noisy, decoupled_noisy, decoupled_noisy_gradient
from oracles.precision import gradients, settled

__all__ = [
    "capacity",
    "coupled",
    "coupled_gradient",
    "coupled_matched",
    "coupled_matched_gradient",
    "coupled_noisy",
    "decoupled",
    "decoupled_gradient",
    "decoupled_matched",
    "decoupled_matched_gradient",
    "decoupled_noisy",
    "decoupled_noisy_gradient",
    "mass",
    "moments",
]


def coupled_of(r: Region):
    """H[f] - H[f | F]; -log density given F is log Z + sum_l (log sigma_l + log(2 pi)/2 + z_l^2 / 2). Theorem 1."""
    L, mass = len(r.mean), r.mass
    scale = sum(mp.log(s) for s in r.std) + L * mp.log(2 * mp.pi) / 2
    square = sum(r.total(l, "z") + r.total(l, "x") for l in range(L)) / mass  # E[sum_l z_l^2 | F]
    before = L * mp.mpf(1) / 2 + scale
    after = mp.log(mass) + scale + square / 2
    return before - after


def decoupled_of(r: Region, l: int):
    """H[f_l] - H[f_l | F]; the density of f_l given F is N(f_l; mu_l, sigma_l^2) W_s / Z on interval s. Theorem 2."""
    mass, scale = r.mass, mp.log(r.std[l]) + mp.log(2 * mp.pi) / 2
    before = mp.mpf(1) / 2 + scale
    after = mp.zero
    for w, i in zip(r.others[l], r.intervals[l], strict=True):
        if w > 0:
            after += w / mass * ((mp.log(mass) + scale - mp.log(w)) * i.z + (i.z + i.x) / 2)
    return before - after


def moments_of(r: Region):
    """Mean (list) and covariance (mp.matrix) of z = (f - mu) / sigma given F."""
    L, mass = len(r.mean), r.mass
    first = [r.total(l, "p") / mass for l in range(L)]
    covariance = mp.matrix(L, L)
    for l, k in itertools.product(range(L), repeat=2):
        second = (r.total(l, "z") + r.total(l, "x") if l == k else r.cross[l][k]) / mass
        covariance[l, k] = second - first[l] * first[k]
    return first, covariance


def coupled_matched_of(r: Region, delta):
    """1/2 log det(Sigma + D) - 1/2 log det(Cov[f | F] + D). Theory 4."""
    L, noise = len(r.mean), errors(delta, len(r.mean))
    _, covariance = moments_of(r)
    before, after = mp.matrix(L, L), mp.matrix(L, L)
    for l, k in itertools.product(range(L), repeat=2):
        after[l, k] = covariance[l, k] * r.std[l] * r.std[k]
    for l in range(L):
        before[l, l] = r.std[l] ** 2 + noise[l] ** 2
        after[l, l] += noise[l] ** 2
    return (mp.log(determinant(before)) - mp.log(determinant(after))) / 2


def decoupled_matched_of(r: Region, delta, l: int):
    """1/2 log(sigma_l^2 + delta_l^2) - 1/2 log(Var[f_l | F] + delta_l^2)."""
    noise = errors(delta, len(r.mean))[l] ** 2
    first, mass = r.total(l, "p") / r.mass, r.mass
    variance = (r.total(l, "z") + r.total(l, "x")) / mass - first**2
    return (mp.log(r.std[l] ** 2 + noise) - mp.log(variance * r.std[l] ** 2 + noise)) / 2


def determinant(matrix):
    """By Laplace expansion: L is at most 4, and no pivot can vanish."""
    if matrix.rows == 1:
        return matrix[0, 0]
    total = mp.zero
    for k in range(matrix.rows):
        minor = mp.matrix([[matrix[i, j] for j in range(matrix.rows) if j != k] for i in range(1, matrix.rows)])
        total += (-1) ** k * matrix[0, k] * determinant(minor)
    return total


# ----------------------------------------------------------------------------------------------------
# the oracles


def mass(mean, std, frontier):
    """Z = P(f in F)."""
    return settled(lambda: [region(mean, std, frontier).mass])[0]


def coupled(mean, std, frontier):
    """H[f] - H[f | f in F] (Theorem 1)."""
    return settled(lambda: [coupled_of(region(mean, std, frontier))])[0]


def decoupled(mean, std, frontier, l: int):
    """H[f_l] - H[f_l | f in F] (Theorem 2)."""
    return settled(lambda: [decoupled_of(region(mean, std, frontier), l)])[0]


def moments(mean, std, frontier):
    """Mean (L,) and covariance (L, L), as nested lists, of z = (f - mean) / std given f in F."""
    L = len(mean)

    def evaluate() -> list:
        first, covariance = moments_of(region(mean, std, frontier))
        return [*first, *covariance]

    flat = settled(evaluate)
    return flat[:L], [flat[L + l * L : L + (l + 1) * L] for l in range(L)]


def coupled_matched(mean, std, frontier, delta):
    """The moment-matched lower bound on the information of a measurement of all objectives (theory 4)."""
    return settled(lambda: [coupled_matched_of(region(mean, std, frontier), delta)])[0]


def decoupled_matched(mean, std, frontier, delta, l: int):
    """The moment-matched lower bound on the information of a measurement of objective l."""
    return settled(lambda: [decoupled_matched_of(region(mean, std, frontier), delta, l)])[0]


def capacity(std, delta):
    """1/2 sum_l log(1 + sigma_l^2 / delta_l^2): no measurement can tell more (theory 4)."""
    with mp.workdps(60):
        pairs = zip(std, errors(delta, len(std)), strict=True)
        return sum(mp.log1p((exact(s) / d) ** 2) for s, d in pairs) / 2


def coupled_gradient(mean, std, frontier):
    """d coupled / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [coupled_of(region(m, s, frontier))], mean, std)
    return d_mean[0], d_std[0]


def decoupled_gradient(mean, std, frontier, l: int):
    """d decoupled_l / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [decoupled_of(region(m, s, frontier), l)], mean, std)
    return d_mean[0], d_std[0]


def coupled_matched_gradient(mean, std, frontier, delta):
    """d coupled_matched / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [coupled_matched_of(region(m, s, frontier), delta)], mean, std)
    return d_mean[0], d_std[0]


def decoupled_matched_gradient(mean, std, frontier, delta, l: int):
    """d decoupled_matched_l / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [decoupled_matched_of(region(m, s, frontier), delta, l)], mean, std)
    return d_mean[0], d_std[0]
