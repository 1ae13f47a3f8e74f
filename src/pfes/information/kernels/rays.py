"""Moments of a standard normal below a bound, or between two, scaled so that they neither under- nor overflow.

A ray is {z : z <= a}. What is wanted are the integrals of (z - c)^n phi(z) over it, n <= 4, times exp(shift); the shift
is large where phi(a) is small. With u = a - z the integrals E_n of u^n obey E_{n+1} = a E_n + n E_{n-1}: good for
a > -4; below it their ratios E_n / E_{n-1} = n / (|a| + E_{n+1} / E_n) are a continued fraction.

An interval is a ray less another where the second has little of the first, the centre of the normal, or so narrow that
Gauss-Legendre nodes see all of it.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline
from pfes.normal import INV_ROOT_2PI, LOG_ROOT_2PI, mills, tails
from pfes.normal.panels import NODES, POINTS, WEIGHTS

__all__ = ["interval_moments", "ray_moments"]

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


@inline
def _between(a: float, b: float, work: Array) -> None:
    """work[n] = integral of z^n phi(z) over (a, b], n <= 4, where that has a good part of the centre."""
    low, _, phi_a = tails(a)
    high, _, phi_b = tails(b)
    x, y = (a if phi_a > 0.0 else 0.0), (b if phi_b > 0.0 else 0.0)
    work[0] = high - low
    work[1] = phi_a - phi_b
    work[2] = work[0] + x * phi_a - y * phi_b
    work[3] = 2.0 * work[1] + x * x * phi_a - y * y * phi_b
    work[4] = 3.0 * work[2] + x * x * x * phi_a - y * y * y * phi_b


@inline
def _nodes_below(t: float, width: float, work: Array) -> None:
    """work[n] = integral of u^n exp(-t u - u^2 / 2) over 0 < u < width, n <= 4, by nodes."""
    work[:] = 0.0
    for i in range(POINTS):
        u = width * NODES[i]
        power = width * WEIGHTS[i] * math.exp(-u * (t + 0.5 * u))
        for n in range(5):
            work[n] += power
            power *= u


@inline
def _rays_below(t: float, width: float, fall: float, work: Array, other: Array) -> None:
    """The same as a ray less another: that from width on has e^-fall of the density."""
    _tail_ratios(t, work)
    if fall < 40.0:
        edge = math.exp(-fall)
        _tail_ratios(t + width, other)
        w2 = width * width
        work[0] -= edge * other[0]
        work[1] -= edge * (other[1] + width * other[0])
        work[2] -= edge * (other[2] + 2.0 * width * other[1] + w2 * other[0])
        work[3] -= edge * (other[3] + 3.0 * width * other[2] + 3.0 * w2 * other[1] + w2 * width * other[0])
        work[4] -= edge * (
            other[4] + 4.0 * width * other[3] + 6.0 * w2 * other[2] + 4.0 * w2 * width * other[1] + w2 * w2 * other[0]
        )


@inline
def interval_moments(a: float, b: float, c: float, degree: int, work: Array, out: Array) -> float:
    """out[n] = E[(z - c)^n | a < z <= b], n <= degree (2 or 4), a < b; returns log P(a < z <= b); work: (10,)."""
    sign = 1.0
    if a + b > 0.0:
        a, b, sign = -b, -a, -1.0
    t, width = -b, b - a
    if t < 0.5 and width > 1.0:
        _between(a, b, work)
        _shifted(work, -sign * c, 1.0, 1.0 / work[0], degree, out)
        log_mass = math.log(work[0])
    else:
        fall = width * (t + 0.5 * width)
        if fall < 3.0 or t < 0.5:
            _nodes_below(t, width, work[:5])
        else:
            _rays_below(t, width, fall, work[:5], work[5:])
        _shifted(work, b - sign * c, -1.0, 1.0 / work[0], degree, out)
        log_mass = math.log(work[0]) - 0.5 * t * t - LOG_ROOT_2PI
    if sign < 0.0:
        out[1] = -out[1]
        if degree > 2:
            out[3] = -out[3]
    return log_mass
