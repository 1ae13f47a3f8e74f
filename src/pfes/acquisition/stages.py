"""What a point's first objective is worth, if one may stop after it: go on only where it still pays.

    c, d     cost of the measurement, and of what the point lacks after it
    y        what the measurement brings, in V ways with weights w
    I(y)     improvement expected of the completed point, once y is known

Whoever measures one objective after the other need not complete what turns out to be poor. Of all rules when to go on,
the best is that which has most improvement per cost:

    rate = max over sets G of outcomes    sum_G w I / (c + d sum_G w)

Such a set holds the outcomes of largest I: sort, accumulate, take the best. To go on always is one of the rules, so
the rate is never below that of the whole point; a cheap objective that tells early whether the rest is worth its
price has a higher one. The nodes miss what lies far out, and sets break between them: rates are some percent off.
(Weitzman's index of a box, Econometrica 1979, as a rate: what is left over buys other points.)
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outcomes", "best_rate", "outcomes"]

Array = NDArray[np.float64]

WAYS = 12  # what one objective may bring: nodes of Gauss-Hermite quadrature
LEAST = 1e-9  # deviation of a level that is left after a measurement


class Outcomes(NamedTuple):
    """What will be predicted of N candidates after a measurement, in V ways."""

    mean: Array  # (V, N, L), or (V, R, N, L) where each of R frontiers has its own mean
    spread: Array  # (N, L): the same whatever is seen
    log_weight: Array  # (V,)


def outcomes(mean: Array, spread: Array, objective: int, delta: float) -> Outcomes:
    """Predictions, mean (N, L) or (R, N, L) and deviations (N, L), once the objective is seen with deviation delta."""
    ways, log_weight = _standard()
    told = np.zeros_like(spread)  # (N, L) what a deviation of the measurement moves
    total = np.hypot(spread[:, objective], delta)
    told[:, objective] = spread[:, objective] ** 2 / total
    left = spread.copy()
    left[:, objective] = np.maximum(spread[:, objective] * delta / total, LEAST)
    moved = ways[:, None, None] * told  # (V, N, L)
    return Outcomes(mean + (moved if mean.ndim == 2 else moved[:, None]), left, log_weight)


@lru_cache
def _standard() -> tuple[Array, Array]:
    """Values (V,) and log weights (V,) of a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(WAYS)
    return nodes, np.log(weights / weights.sum())


def best_rate(log_improvement: Array, log_weight: Array, cost: float, rest: Array) -> Array:
    """(N,) log of the best rate; log_improvement (V, N), log_weight (V,), rest (N,)."""
    order = np.argsort(-log_improvement, axis=0)
    weight = log_weight[order]
    gain = np.logaddexp.accumulate(np.take_along_axis(log_improvement, order, axis=0) + weight, axis=0)
    price = cost + rest * np.cumsum(np.exp(weight), axis=0)
    return np.asarray((gain - np.log(price)).max(axis=0))
