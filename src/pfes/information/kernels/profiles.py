"""Sums over a profile (slices.py): moments of y = z - centre over a region, and what one objective alone tells.

A candidate whose mean lies in F is asked about the complement instead: turned upside down, f -> -f, that is again the
region below a frontier, and small masses stay small sums. `is_inside` says so; then g is the density of z_1 and not F,
and V = g / phi(z_1) the probability of not F given z_1.

    columns            meaning
    0 ... A - 1        moments of y, exponents in the order given
    A                  outside: sum of g log g;   inside: sum of phi(z_1) psi(V), psi(V) = (1 - V) log(1 - V) + V
    A + 1 ... A + 3    inside: sums of phi(z_1) log(1 - V) z_1^i, i = 0, 1, 2
    A + 4 ...          moments of degree <= 2 weighted by log g, or inside by log(1 - V)
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel
from pfes.information.kernels.slices import profile_of
from pfes.normal import LOG_ROOT_2PI

__all__ = ["add_alone", "add_node", "profile_sums"]

Array = NDArray[np.float64]


@inline
def _psi_over_v(v: float) -> float:
    """((1 - v) log(1 - v) + v) / v, whole for small v."""
    if v < 1e-3:
        return v * (0.5 + v * (1.0 / 6.0 + v * (1.0 / 12.0 + v * (0.05 + v / 30.0))))
    return (1.0 - v) * math.log1p(-v) / v + 1.0 if v < 1.0 else 1.0


@inline
def add_alone(t: float, weight: float, g: float, shift: float, is_inside: bool, out: Array) -> float:
    """Add one node to the four columns behind the moments; return what weights the rest, log g or log(1 - V)."""
    if not is_inside:
        told = math.log(g)
        out[0] += weight * g * told
        return told
    v = min(math.exp(math.log(g) - shift + 0.5 * t * t + LOG_ROOT_2PI), 1.0 - 1e-16)
    told = math.log1p(-v)
    out[0] += weight * g * _psi_over_v(v)
    power = weight * g * (told / v if v > 1e-300 else -1.0)
    for i in range(3):
        out[1 + i] += power
        power *= t
    return told


@inline
def add_node(y: float, weight: float, row: Array, exponents: NDArray[np.int64], out: Array) -> None:
    """out[a] += weight y^i row[column] for every (i, column) of the exponents."""
    for a in range(exponents.shape[0]):
        power = weight
        for _ in range(exponents[a, 0]):
            power *= y
        out[a] += power * row[exponents[a, 1]]


@kernel
def profile_sums(
    plan: Any,
    mean: Array,
    covariance: Array,
    exponents: NDArray[np.int64],
    degree: int,
    alone: int,
    is_inside: bool,
    roots: Array,
    centres: Array,
    stretches: Array,
    out: Array,
) -> None:
    """Fill out (N, columns), roots (N, L, L), centres (N, L), stretches (N,).

    degree: 2 or 4; alone: how many weighted moments are wanted, or 0.
    """
    count = exponents.shape[0]
    out.fill(0.0)
    for n in range(mean.shape[0]):
        nodes, weights, rows, stretches[n] = profile_of(plan, mean[n], covariance[n], degree, roots[n], centres[n])
        shift = 0.0
        for l in range(mean.shape[1]):
            shift += 0.5 * centres[n, l] ** 2
        for j in range(nodes.size):
            y = nodes[j] - centres[n, 0]
            add_node(y, weights[j], rows[j], exponents, out[n, :count])
            # profile_of keeps 1 / sqrt(2 pi) of z_1 in the weights
            g = rows[j, 0] * math.exp(-LOG_ROOT_2PI)
            if alone > 0 and g > 0.0:
                own = weights[j] * math.exp(LOG_ROOT_2PI)
                told = add_alone(nodes[j], own, g, shift, is_inside, out[n, count:])
                add_node(y, weights[j] * told, rows[j], exponents[:alone], out[n, count + 4 :])
