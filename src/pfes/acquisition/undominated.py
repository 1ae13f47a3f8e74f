"""One factor of predictive entropy search: a point does not dominate another (theory 9, PESMO, step 4).

    d_l   f_l(point) - f_l(other), independent normals N(m_l, s_l)         a_l = m_l / sqrt(s_l)
    Z     P(not all d_l >= 0) = 1 - prod_l Phi(a_l)
    w_l   P(d_l < 0 and all others >= 0) / Z
    h_l   phi(a_l) / Phi(-a_l)
    r_l   d log Z / d a_l = -w_l h_l
    t_l   r_l (r_l + a_l): the share of its variance that d_l loses by the factor, below 1; negative where it gains

Given the factor, d_l has the mean m_l + sqrt(s_l) r_l and the variance s_l (1 - t_l). The factor looks at differences
only, so what a normal remembers of it is a normal factor of each d_l; two values and their covariance are not needed.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel
from pfes.normal import below_moments, log_cdf

__all__ = ["Tilt", "tilt", "tilt_back"]

Array = NDArray[np.float64]

NONE = -1e-200  # sums of logarithms above this have lost what Z is made of


class Tilt(NamedTuple):
    """What the factor does to every difference, (L, ...)."""

    r: Array
    t: Array
    w: Array


def tilt(a: Array) -> Tilt:
    """The factor of standardised differences a (L, ...)."""
    flat = np.ascontiguousarray(a.reshape(len(a), -1))
    parts = Tilt(*(np.empty_like(flat) for _ in range(3)))
    _tilt(flat, *parts)
    return Tilt(*(part.reshape(a.shape) for part in parts))


def tilt_back(a: Array, tilted: Tilt, d_t: Array) -> Array:
    """Derivatives (L, ...) in a of something whose derivatives in t are d_t (L, ...)."""
    count = len(a)
    flat, w, given = (np.ascontiguousarray(array.reshape(count, -1)) for array in (a, tilted.w, d_t))
    d_a = np.empty_like(flat)
    _tilt_back(flat, w, given, d_a)
    return d_a.reshape(a.shape)


@kernel
def _tilt(a: Any, r: Any, t: Any, w: Any) -> None:
    objectives, size = a.shape
    for i in range(size):
        total = 0.0
        for l in range(objectives):
            total += log_cdf(a[l, i])
        if total < NONE:
            log_z = math.log(-math.expm1(total))
        else:  # it is all but certain that the point dominates: Z is the sum of what may prevent it
            high = -math.inf
            for l in range(objectives):
                high = max(high, log_cdf(-a[l, i]))
            rest = 0.0
            for l in range(objectives):
                rest += math.exp(log_cdf(-a[l, i]) - high)
            log_z = high + math.log(rest)
        for l in range(objectives):
            log_w = log_cdf(-a[l, i]) - log_z
            for other in range(objectives):
                if other != l:
                    log_w += log_cdf(a[other, i])
            share = min(math.exp(log_w), 1.0)
            h, gap, _, _ = below_moments(-a[l, i])  # gap = h - a, without cancellation
            r[l, i] = -share * h
            t[l, i] = min(share * h * (gap - (1.0 - share) * h), 1.0)
            w[l, i] = share


@kernel
def _tilt_back(a: Any, w: Any, d_t: Any, d_a: Any) -> None:
    """By t = w (1 - V) - w (1 - w) h^2, V the variance of a normal above a: differences that cancel are in V alone."""
    objectives, size = a.shape
    for i in range(size):
        total = 0.0
        for l in range(objectives):
            h, _, variance, _ = below_moments(-a[l, i])
            own = d_t[l, i] * w[l, i] * (1.0 - variance - (1.0 - 2.0 * w[l, i]) * h * h)  # by log w
            d_a[l, i] = own
            total += own
        for l in range(objectives):
            share, own = w[l, i], d_a[l, i]
            h, gap, _, steep = below_moments(-a[l, i])
            below = below_moments(a[l, i])[0]  # phi / Phi: d log Phi(a) / d a
            direct = share * steep - 2.0 * share * (1.0 - share) * h * h * gap
            d_a[l, i] = d_t[l, i] * direct - own * h * (1.0 - share) + (below + share * h) * (total - own)
