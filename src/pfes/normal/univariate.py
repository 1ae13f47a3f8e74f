"""The standard normal, stable in both tails.

    letter   meaning                                              name in code
    Phi      lower tail P(z <= x), upper tail P(z > x)            cdf, sf
    phi      density; x phi(x) is 0 at the infinities             pdf, x_pdf
    m(t)     Mills ratio P(z > t) / phi(t), t >= 0                mills
    a, b     bounds of an interval (a, b], either may be infinite
    Z        P(a < z <= b)                                        log_interval gives log Z
    h        hazard: density at a bound over Z                    hazard_a, hazard_b
    g        H[z] - H[z | a < z <= b]: what a truncation tells    deficit

The scalar functions in the first half are compiled into the kernels of other modules; `density`, `smaller_tail` and
`tails` have no branches, so that loops over them become vector instructions. `truncated` is the careful one: it keeps
its accuracy for intervals that are 1e12 deviations away, 1e-12 wide, or both. The last part offers the same to Python,
for arrays.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import bits, from_bits, inline, kernel

__all__ = [
    "Truncated",
    "below_moments",
    "cdf",
    "density",
    "exp_negative",
    "log_cdf",
    "log_interval",
    "mills",
    "mills_and_gap",
    "mills_moments",
    "pdf",
    "sf",
    "smaller_tail",
    "tails",
    "truncate",
    "truncated",
    "x_pdf",
]

LOG_ROOT_2PI = 0.9189385332046727
INV_ROOT_2PI = 0.3989422804014327
FAR = 37.5  # phi(37.5) is the last density well inside double precision; beyond it phi and the tail count as 0
_SHIFT = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer that stands in the low bits


@inline
def exp_negative(x: float) -> float:
    """exp(x) for -708 <= x <= 0 without branches (relative error below 1e-15)."""
    shifted = x * 1.4426950408889634 + _SHIFT
    n = shifted - _SHIFT
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10  # ln 2 in two parts
    r2 = r * r
    even = 2.08767569878681e-09
    even = even * r2 + 2.755731922398589e-07
    even = even * r2 + 2.48015873015873e-05
    even = even * r2 + 0.001388888888888889
    even = even * r2 + 0.041666666666666664
    even = even * r2 + 0.5
    even = even * r2 + 1.0
    odd = 2.505210838544172e-08
    odd = odd * r2 + 2.7557319223985893e-06
    odd = odd * r2 + 0.0001984126984126984
    odd = odd * r2 + 0.008333333333333333
    odd = odd * r2 + 0.16666666666666666
    odd = odd * r2 + 1.0
    p = even + r * odd
    return from_bits(bits(p) + (bits(shifted) << 52))


@inline
def mills(t: float) -> float:
    """Mills ratio m(t) = P(z > t) / phi(t) for t >= 0 (relative error below 1e-15).

    (t + 6) m(t) is a smooth function of y = (t - 6) / (t + 6) on [-1, 1]; this is its Chebyshev series of degree 23,
    written as a polynomial, even and odd powers apart so that neither waits for the other. A test computes it
    again.
    """
    u = 1.0 / (t + 6.0)
    y = 1.0 - 12.0 * u
    y2 = y * y
    even = -9.037209862696747e-10
    even = even * y2 + 7.087974401694241e-09
    even = even * y2 + 1.7164141509358077e-08
    even = even * y2 - 1.0766450945374237e-06
    even = even * y2 + 1.703681897539653e-05
    even = even * y2 - 0.00016230983181152883
    even = even * y2 + 8.239314429257288e-05
    even = even * y2 + 0.025141031962779743
    even = even * y2 + 0.1884280492787981
    even = even * y2 + 0.6717118214993473
    even = even * y2 + 1.4261935116084092
    even = even * y2 + 1.9485319307624096
    odd = -8.530934596657191e-10
    odd = odd * y2 + 1.1697091589014398e-08
    odd = odd * y2 - 1.02867119335198e-07
    odd = odd * y2 + 7.695942346028983e-07
    odd = odd * y2 - 4.504397378030869e-06
    odd = odd * y2 + 2.692830676208548e-06
    odd = odd * y2 + 0.00045460414842582507
    odd = odd * y2 - 0.005343142079528957
    odd = odd * y2 - 0.07766866792804299
    odd = odd * y2 - 0.3827125866714499
    odd = odd * y2 - 1.0375024310762127
    odd = odd * y2 - 1.7571690543441036
    return (even + y * odd) * u


@inline
def density(x: float) -> float:
    """phi(x) without branches; 0 beyond FAR."""
    t = min(abs(x), FAR)
    value = exp_negative(-0.5 * t * t) * INV_ROOT_2PI
    return value if abs(x) <= FAR else 0.0


@inline
def smaller_tail(x: float, phi: float) -> float:
    """P(z > |x|) without branches, given phi(x)."""
    return phi * mills(min(abs(x), FAR))


@inline
def tails(x: float) -> tuple[float, float, float]:
    """Lower tail, upper tail and density at x, without branches; beyond FAR the small ones are 0."""
    phi = density(x)
    small = smaller_tail(x, phi)
    return (small if x < 0.0 else 1.0 - small), (1.0 - small if x < 0.0 else small), phi


@inline
def mills_moments(t: float) -> tuple[float, float, float]:
    """m(t) and, for s = z - t given z > t, the moments E[s] = 1/m - t and E[s^2] = 1 - t E[s], for t >= 0.

    Both differences cancel for large t; there the continued fraction m = 1/(t + 1/(t + 2/(t + ...))) gives them whole.
    """
    if t < 4.0:
        m = mills(t)
        first = 1.0 / m - t
        return m, first, 1.0 - t * first
    tail = 0.0
    for k in range(24, 1, -1):
        tail = k / (t + tail)
    first = 1.0 / (t + tail)
    return 1.0 / (t + first), first, tail * first


@inline
def mills_and_gap(y: float) -> tuple[float, float]:
    """m(y) and 1 / m(y) - y, y >= 0: two of mills_moments for less time, to 1e-13."""
    if y < 30.0:
        m = mills(y)
        return m, 1.0 / m - y
    gap = 0.0
    for k in range(7, 0, -1):
        gap = k / (y + gap)
    return 1.0 / (y + gap), gap


@inline
def below_moments(alpha: float) -> tuple[float, float, float, float]:
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
def log_cdf(x: float) -> float:
    """log Phi(x), relative accuracy in both tails."""
    if x >= 0.0:
        return math.log1p(-0.5 * math.erfc(x * 0.7071067811865476))
    return math.log(mills(-x)) - 0.5 * x * x - LOG_ROOT_2PI if x > -math.inf else -math.inf


# Gauss-Legendre nodes and weights on (0, 1), for intervals too narrow for differences of tails
_ROOTS, _MASSES = np.polynomial.legendre.leggauss(10)
_NODES, _WEIGHTS = 0.5 * (_ROOTS + 1.0), 0.5 * _MASSES


@inline
def _narrow(t: float, width: float) -> tuple[float, float, float]:
    """Integral of exp(-(t s + s^2/2)) over 0 < s < width, and the moments E[s], E[s^2] under it."""
    total = first = second = 0.0
    for i in range(10):
        s = width * _NODES[i]
        weight = _WEIGHTS[i] * math.exp(-s * (t + 0.5 * s))
        total += weight
        first += weight * s
        second += weight * s * s
    return width * total, first / total, second / total


class Truncated(NamedTuple):
    """A standard normal given a < z <= b. As arrays: all of the same shape."""

    log_z: Any  # log P(a < z <= b)
    deficit: Any  # H[z] - H[z | a < z <= b], nats
    mean: Any
    variance: Any
    gap_a: Any  # mean - a
    gap_b: Any  # b - mean
    hazard_a: Any  # phi(a) / Z
    hazard_b: Any
    deficit_a: Any  # derivative of the deficit with respect to a
    deficit_b: Any


@inline
def _central(a: float, b: float) -> Truncated:
    """Truncated normal on an interval that holds a good part of the centre: plain differences are safe."""
    cdf_a, _, pdf_a = tails(a)
    cdf_b, sf_b, pdf_b = tails(b)
    outside = cdf_a + sf_b
    z = cdf_b - cdf_a
    xpdf_a = a * pdf_a if pdf_a > 0.0 else 0.0
    xpdf_b = b * pdf_b if pdf_b > 0.0 else 0.0
    ratio = (xpdf_a - xpdf_b) / z
    log_z = math.log1p(-outside) if outside < 0.5 else math.log(z)
    mean = (pdf_a - pdf_b) / z
    hazard_a, hazard_b = pdf_a / z, pdf_b / z
    return Truncated(
        log_z,
        -log_z - 0.5 * ratio,
        mean,
        1.0 + ratio - mean * mean,
        mean - a,
        b - mean,
        hazard_a,
        hazard_b,
        0.5 * (hazard_a * (1.0 - ratio) + a * (xpdf_a / z)) if pdf_a > 0.0 else 0.0,
        -0.5 * (hazard_b * (1.0 - ratio) + b * (xpdf_b / z)) if pdf_b > 0.0 else 0.0,
    )


@inline
def _lower(a: float, b: float) -> Truncated:
    """Truncated normal on an interval that is narrow or lies in the lower tail.

    With t = -b and s = b - z the density is proportional to exp(-(t s + s^2/2)) on 0 < s < width, so that the large
    t^2/2 stands in log Z alone: deficit = log sqrt(2 pi) + 1/2 - log D - (t E[s] + E[s^2]/2), D the integral.
    """
    t, width = -b, b - a
    fall = width * (t + 0.5 * width)
    edge = math.exp(-fall) if fall < 700.0 else 0.0  # phi(a) / phi(b)
    if fall < 3.0 or t < 0.5:
        integral, first, second = _narrow(t, width)
        rest = 2.0 - 2.0 * t * first - second
    else:
        m, first, second = mills_moments(t)
        integral, rest = m, second
        if edge > 0.0:
            m_a, first_a, second_a = mills_moments(t + width)
            cut = edge * m_a
            integral = m - cut
            rest = (m * second - cut * (second_a - 2.0 * fall)) / integral
            first = (m * first - cut * (width + first_a)) / integral
            second = (m * second - cut * (width * width + 2.0 * width * first_a + second_a)) / integral
    log_integral = math.log(integral)
    hazard_a, hazard_b = edge / integral, 1.0 / integral
    return Truncated(
        log_integral - 0.5 * t * t - LOG_ROOT_2PI,
        LOG_ROOT_2PI + 0.5 - log_integral - (t * first + 0.5 * second),
        b - first,
        second - first * first,
        width - first,
        first,
        hazard_a,
        hazard_b,
        0.5 * hazard_a * (rest + 2.0 * fall) if edge > 0.0 else 0.0,
        -0.5 * hazard_b * rest,
    )


@inline
def truncated(a: float, b: float) -> Truncated:
    """Everything about a standard normal given a < z <= b (a < b), accurate wherever the interval lies."""
    mirrored = a + b > 0.0
    low, high = (-b, -a) if mirrored else (a, b)
    r = _central(low, high) if high > -0.5 and high - low > 1.0 else _lower(low, high)
    if not mirrored:
        return r
    return Truncated(
        r.log_z, r.deficit, -r.mean, r.variance, r.gap_b, r.gap_a, r.hazard_b, r.hazard_a, -r.deficit_b, -r.deficit_a
    )


Array = NDArray[np.float64]


@kernel
def _tails_of(x: Array, lower: Array, upper: Array, density: Array) -> None:
    for i in range(x.size):
        lower[i], upper[i], density[i] = tails(x[i])


@kernel
def _truncated_of(a: Array, b: Array, out: Array) -> None:
    for i in range(a.size):
        r = truncated(a[i], b[i])
        for j in range(10):
            out[j, i] = r[j]


def _three(x: ArrayLike) -> tuple[Array, Array, Array]:
    values = np.asarray(x, dtype=np.float64)
    results = tuple(np.empty(values.size) for _ in range(3))
    _tails_of(np.ascontiguousarray(values).ravel(), *results)
    lower, upper, density = (r.reshape(values.shape) for r in results)
    return lower, upper, density


def cdf(x: ArrayLike) -> Array:
    """Lower tail P(z <= x) of a standard normal, elementwise; keeps relative accuracy down to x = -37.5, then 0."""
    return _three(x)[0]


def sf(x: ArrayLike) -> Array:
    """Upper tail P(z > x) of a standard normal, elementwise; keeps relative accuracy up to x = 37.5, then 0."""
    return _three(x)[1]


def pdf(x: ArrayLike) -> Array:
    """Density of a standard normal, elementwise."""
    return _three(x)[2]


def x_pdf(x: ArrayLike) -> Array:
    """x times the density of a standard normal, elementwise; 0 at the infinities."""
    density = _three(x)[2]
    return np.where(density > 0.0, np.asarray(x, dtype=np.float64), 0.0) * density


def truncate(a: ArrayLike, b: ArrayLike) -> Truncated:
    """A standard normal given a < z <= b, elementwise; a and b are broadcast, either may be infinite, a < b."""
    low, high = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    out = np.empty((10, low.size))
    _truncated_of(np.ascontiguousarray(low).ravel(), np.ascontiguousarray(high).ravel(), out)
    return Truncated(*(row.reshape(low.shape) for row in out))


def log_interval(a: ArrayLike, b: ArrayLike) -> Array:
    """log P(a < z <= b) for a standard normal, elementwise, without cancellation; either bound may be infinite."""
    result: Array = truncate(a, b).log_z
    return result
