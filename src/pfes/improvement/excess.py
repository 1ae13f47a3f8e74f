"""The expected excess of a standard normal over a bound, h(a) = E[max(0, z + a)] = a Phi(a) + phi(a).

    letter   meaning                                                        name in code
    a        (mean - bound) / std: how far the mean lies above a bound      -alpha
    h(a)     a Phi(a) + phi(a) = integral of Phi up to a                    excess
    g(t)     h(-t) / phi(t) = 1 - t m(t), t >= 0, m the Mills ratio         shortfall

h(a) = a + h(-a), both terms positive, so that g alone decides the accuracy; and g itself, which a difference would lose
as 1 / t^2, is a polynomial (in `shortfall`) or a continued fraction (in pfes.normal.mills_moments).
"""

import math
from typing import NamedTuple

from pfes.compiled import inline
from pfes.normal import FAR, LOG_ROOT_2PI, mills_moments, tails

__all__ = ["HUGE", "Excess", "excess_at", "log_ratio", "shortfall"]

HUGE = 1e150  # the square of anything smaller is finite; finite bounds are kept within it


@inline
def shortfall(t: float) -> float:
    """g(t) = 1 - t m(t) for t >= 0 without branches (relative error below 5e-15).

    (t + 6)^2 g(t) is a smooth function of y = (t - 6) / (t + 6) on [-1, 1]; this is its Chebyshev series of degree 23,
    written as a polynomial in the way of pfes.normal.mills. `tests/test_improvement.py` compares it with mpmath.
    """
    u = 1.0 / (t + 6.0)
    y = 1.0 - 12.0 * u
    y2 = y * y
    even = 1.7422277628855295e-10
    even = even * y2 - 1.0381940434666584e-07
    even = even * y2 + 2.2964904947186973e-06
    even = even * y2 - 3.140633668219244e-05
    even = even * y2 + 0.0003231342464225744
    even = even * y2 - 0.002145042701796285
    even = even * y2 - 0.00409431842828893
    even = even * y2 + 0.27435756585500615
    even = even * y2 + 1.8626770205092278
    even = even * y2 + 5.272122040850335
    even = even * y2 + 7.3910878280539505
    even = even * y2 + 3.705700985106513
    odd = -2.315155480833632e-08
    odd = odd * y2 + 2.919430914262245e-07
    odd = odd * y2 - 2.2342415918025577e-06
    odd = odd * y2 + 1.359143129170012e-05
    odd = odd * y2 - 5.488457270950907e-05
    odd = odd * y2 - 0.00020079343461900298
    odd = odd * y2 + 0.007402959673392547
    odd = odd * y2 - 0.054255350368803267
    odd = odd * y2 - 0.822477599389468
    odd = odd * y2 - 3.4268438156810412
    odd = odd * y2 - 6.83685701030297
    odd = odd * y2 - 6.366725131905018
    return (even + y * odd) * u * u


class Excess(NamedTuple):
    """h at one bound, in logarithms, and what its derivatives are made of."""

    log_h: float
    cdf: float  # Phi(a) / h(a), the derivative of log h with respect to a
    pdf: float  # phi(a) / h(a)


@inline
def excess_at(a: float) -> Excess:
    """log h(a) and the ratios to it, accurate however far a lies from 0; -inf, inf, inf at a = -inf."""
    if a == -math.inf:
        return Excess(-math.inf, math.inf, math.inf)
    if a < 0.0:
        m, first, _ = mills_moments(-a)
        return Excess(math.log(m) + math.log(first) - 0.5 * a * a - LOG_ROOT_2PI, 1.0 / first, 1.0 / (m * first))
    lower, _, phi = tails(a)
    h = a + phi * shortfall(min(a, FAR))
    return Excess(math.log(h), lower / h, phi / h)


@inline
def log_ratio(a: float, b: float, width: float, log_a: float, log_b: float) -> float:
    """log h(b) - log h(a), given both and width = a - b as exactly as it is known.

    In the tail both logarithms are of size a^2 / 2 and their difference is not; there it is taken before squaring.
    """
    if a > -1.0 or b > -1.0 or min(a, b) <= -HUGE:
        return log_b - log_a
    m_a, first_a, _ = mills_moments(-a)
    m_b, first_b, _ = mills_moments(-b)
    return math.log((m_b / m_a) * (first_b / first_a)) + 0.5 * width * (a + b)
