"""The probability of a box under three correlated normals: one numerical integral over bivariate boxes.

    P = integral over a_1 < x <= b_1 of phi(x) P(box of the other two | x)

The integrand is positive and varies on the scale of the deviation of x given the others. The variable that the others
determine least is integrated over.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.compiled import inline, kernel
from pfes.errors import InvalidInput
from pfes.normal.bivariate import bivariate_mass
from pfes.normal.panels import NODES, POINTS, WEIGHTS, panels
from pfes.normal.univariate import density

__all__ = ["trivariate_box"]

Array = NDArray[np.float64]

REACH = 9.0  # deviations: beyond them lies 1e-19
FINEST = 0.004  # the least deviation that panels are made for


@inline
def _determined(r: Array, i: int) -> float:
    """Variance of variable i given the other two, of correlations r (3, 3)."""
    j, k = (i + 1) % 3, (i + 2) % 3
    pair = (1.0 - r[j, k]) * (1.0 + r[j, k])
    if pair < 1e-12:  # the others are one
        return float((1.0 - r[i, j]) * (1.0 + r[i, j]))
    explained = r[i, j] ** 2 + r[i, k] ** 2 - 2.0 * r[i, j] * r[i, k] * r[j, k]
    return float(1.0 - explained / pair)


@inline
def _trivariate(lower: Array, upper: Array, r: Array) -> float:
    first = 0
    for i in range(1, 3):
        if _determined(r, i) > _determined(r, first):
            first = i
    j, k = (first + 1) % 3, (first + 2) % 3
    low, high = max(lower[first], -REACH), min(upper[first], REACH)
    if low >= high:
        return 0.0
    rj, rk = r[first, j], r[first, k]
    sj = math.sqrt(max((1.0 - rj) * (1.0 + rj), 1e-30))
    sk = math.sqrt(max((1.0 - rk) * (1.0 + rk), 1e-30))
    rho = min(max((r[j, k] - rj * rk) / (sj * sk), -1.0), 1.0)
    scale = max(math.sqrt(max(_determined(r, first), 0.0)), FINEST)
    count = panels(high - low, scale, 0.0)
    width, total = (high - low) / count, 0.0
    for p in range(count):
        for i in range(POINTS):
            x = low + width * (p + NODES[i])
            a, b = (lower[j] - rj * x) / sj, (upper[j] - rj * x) / sj
            inner = bivariate_mass(a, b, (lower[k] - rk * x) / sk, (upper[k] - rk * x) / sk, rho)
            total += WEIGHTS[i] * density(x) * inner
    return float(width * total)


@kernel
def _masses(lower: Array, upper: Array, correlation: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = _trivariate(lower[i], upper[i], correlation[i])


def trivariate_box(lower: ArrayLike, upper: ArrayLike, correlation: ArrayLike) -> Array:
    """P(lower < z <= upper) of three standard normals: (N,) for lower, upper (N, 3) and correlation (N, 3, 3).

    Any leading shape in the place of N; they are broadcast. Absolute error below 1e-10, and below 1e-13 unless the
    variables all but determine one another (deviations given the others under 0.004). About 0.2 milliseconds a box.
    """
    low, high, r = (np.asarray(v, dtype=np.float64) for v in (lower, upper, correlation))
    if low.shape[-1:] != (3,) or high.shape[-1:] != (3,) or r.shape[-2:] != (3, 3):
        raise InvalidInput(
            f"got bounds {low.shape}, {high.shape} and correlations {r.shape}; wanted (..., 3) and (..., 3, 3)"
        )
    if np.isnan(low).any() or np.isnan(high).any() or not (np.abs(r) <= 1.0 + 1e-12).all():
        raise InvalidInput("got nan among the bounds, or correlations outside [-1, 1]")
    shape = np.broadcast_shapes(low.shape[:-1], high.shape[:-1], r.shape[:-2])
    size = math.prod(shape)
    low, high = (np.array(np.broadcast_to(v, (*shape, 3))).reshape(size, 3) for v in (low, high))
    out = np.empty(size)
    _masses(low, high, np.array(np.broadcast_to(r, (*shape, 3, 3))).reshape(size, 3, 3), out)
    return out.reshape(shape)
