"""Moments of a standard normal below a bound, scaled so that they neither under- nor overflow.

A ray is {z : z <= a}. What is wanted are the integrals of (z - c)^n phi(z) over it, n <= 4, times exp(shift); the shift
is large where phi(a) is small. With u = a - z the integrals E_n of u^n obey E_{n+1} = a E_n + n E_{n-1}: good for
a > -4; below it their ratios E_n / E_{n-1} = n / (|a| + E_{n+1} / E_n) are a continued fraction.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal import INV_ROOT_2PI, mills, tails

__all__ = ["ray_moments"]

Array = NDArray[np.float64]


@inline
def _tail_ratios(t: float, u: Array) -> None:
    """u[n] = E_n / phi(a), a = -t < 0, n <= 4."""
    if t < 4.0:
        u[0] = mills(t)
        u[1] = 1.0 - t * u[0]
        u[2] = u[0] - t * u[1]
        u[3] = 2.0 * u[1] - t * u[2]
        u[4] = 3.0 * u[2] - t * u[3]
        return
    ratio = 0.0
    for k in range(26, 4, -1):
        ratio = k / (t + ratio)
    r4 = 4.0 / (t + ratio)
    r3 = 3.0 / (t + r4)
    r2 = 2.0 / (t + r3)
    r1 = 1.0 / (t + r2)
    u[0] = 1.0 / (t + r1)
    u[1] = u[0] * r1
    u[2] = u[1] * r2
    u[3] = u[2] * r3
    u[4] = u[3] * r4


@inline
def _shifted(raw: Array, by: float, sign: float, factor: float, degree: int, out: Array) -> None:
    """out[n] = factor * integral of (by + sign w)^n, from the integrals raw[n] of w^n."""
    out[0] = factor * raw[0]
    out[1] = factor * (by * raw[0] + sign * raw[1])
    out[2] = factor * (by * (by * raw[0] + 2.0 * sign * raw[1]) + raw[2])
    if degree > 2:
        b2 = by * by
        out[3] = factor * (b2 * (by * raw[0] + 3.0 * sign * raw[1]) + 3.0 * by * raw[2] + sign * raw[3])
        out[4] = factor * (
            b2 * (b2 * raw[0] + 4.0 * sign * by * raw[1] + 6.0 * raw[2]) + 4.0 * sign * by * raw[3] + raw[4]
        )


@inline
def ray_moments(a: float, c: float, shift: float, degree: int, work: Array, out: Array) -> None:
    """out[n] = exp(shift) * integral over z <= a of (z - c)^n phi(z), n <= degree (2 or 4); work: (5,)."""
    if a < 0.0:
        _tail_ratios(-a, work)
        factor = math.exp(shift - 0.5 * a * a) * INV_ROOT_2PI
        _shifted(work, a - c, -1.0, factor, degree, out)
        return
    low, _, phi = tails(a)
    x = a if phi > 0.0 else 0.0
    work[0] = low
    work[1] = -phi
    work[2] = low - x * phi
    work[3] = -(x * x + 2.0) * phi
    work[4] = 3.0 * low - (x * x + 3.0) * x * phi
    _shifted(work, -c, 1.0, math.exp(shift), degree, out)
