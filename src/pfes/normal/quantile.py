"""Places in an interval under a standard normal: which point has the share w of the interval's mass below it.

The interval may lie anywhere and be as narrow as it likes: everything is done in the lower tail, by logarithms where
probabilities would vanish.
"""

import math

from pfes.compiled import inline
from pfes.normal.univariate import LOG_ROOT_2PI, mills, tails

__all__ = ["place_in", "upper_quantile"]

SLIGHT = 1e-3  # a density that changes by no more over an interval is a straight line there
LOG_HALF = -0.6931471805599453


@inline
def upper_quantile(log_p: float) -> float:
    """The t >= 0 with log P(z > t) = log_p, log_p <= log 1/2, to 1e-15 of max(t, 1).

    With s = sqrt(-2 log_p), s - t is almost a polynomial in (s - 4) / (s + 4): within 2e-5 for s < 40. A step of
    Halley's on the logarithm of the tail does the rest; further out, where s - t has a logarithm in it, several do.
    """
    s = math.sqrt(-2.0 * log_p)
    y = (s - 4.0) / (s + 4.0)
    less = 0.152030829 + y * (-0.146971213 + y * 0.0451067381)
    less = 0.158750768 + y * (-0.133636394 + y * less)
    less = 0.343500916 + y * (-0.260786333 + y * less)
    t = max(s - (0.59879813 + y * (-0.747180639 + y * less)), 0.0)
    for _ in range(1 if s < 40.0 else 3):
        m = mills(t)
        step = (math.log(m) - 0.5 * t * t - LOG_ROOT_2PI - log_p) * m
        t = max(t + step / (1.0 + 0.5 * step * (1.0 / m - t)), 0.0)
    return t


@inline
def _below(a: float, b: float, w: float) -> tuple[float, float]:
    """`place_in` of an interval in the lower tail, b <= 0."""
    t = -b
    low_mills, fall = mills(t), (b - a) * 0.5 * (t - a)
    edge = mills(-a) / low_mills * math.exp(-fall) if fall < 700.0 else 0.0  # P(z <= a) / P(z <= b)
    log_b = math.log(low_mills) - 0.5 * t * t - LOG_ROOT_2PI
    share = max(edge + w * (1.0 - edge), 1e-300)
    return log_b + math.log1p(-edge), -upper_quantile(min(log_b + math.log(share), LOG_HALF))


@inline
def _across(a: float, b: float, w: float) -> tuple[float, float]:
    """`place_in` of an interval with 0 < b <= -a."""
    below, above = tails(a)[0], tails(b)[1]
    mass = 1.0 - below - above
    p = below + w * mass
    if p <= 0.5:
        z = -upper_quantile(math.log(max(p, 1e-300)))
    else:
        z = upper_quantile(math.log(max(above + (1.0 - w) * mass, 1e-300)))
    return math.log1p(-below - above), z


@inline
def place_in(a: float, b: float, w: float) -> tuple[float, float]:
    """log P(a < z <= b) and the z in between with P(a < z' <= z) = w P(a < z' <= b); a < b, 0 < w < 1."""
    mirrored = a + b > 0.0
    if mirrored:
        a, b, w = -b, -a, 1.0 - w
    width, middle = b - a, 0.5 * (a + b)
    if width * (1.0 - middle) < SLIGHT:
        lean = -middle * width
        log_mass = math.log(width) - 0.5 * middle * middle - LOG_ROOT_2PI
        log_mass += (middle * middle - 1.0) * width * width / 24.0
        z = a + width * (w + 0.5 * lean * w * (1.0 - w))
    elif b <= 0.0:
        log_mass, z = _below(a, b, w)
    else:
        log_mass, z = _across(a, b, w)
    z = min(max(z, a), b)
    return log_mass, -z if mirrored else z
