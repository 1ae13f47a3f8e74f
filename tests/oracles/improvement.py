"""Expected hypervolume improvement of one candidate, slowly: in high precision on a grid, and by sampling.

On the grid of the reference and all points' distinct values every cell above the reference is tested for dominance
against every point. A cell that no point dominates adds the product over objectives of

    EI(low) - EI(high),    EI(t) = std phi(a) + (mean - t) Phi(a),    a = (mean - t) / std

as it stands: the precision is raised until the digits settle, so nothing needs care.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from mpmath import mp

from oracles.grid import Vector, exact
from oracles.precision import gradients, settled
from pfes.pareto import hypervolume

__all__ = ["by_sampling", "log_gradient", "log_improvement", "one_objective"]


def one_objective(mean, std, bound):
    """EI(t) at the precision in force; 0 at +inf."""
    if mp.isinf(bound):
        return mp.zero
    a = (mean - bound) / std
    return std * mp.npdf(a) + (mean - bound) * mp.erfc(-a / mp.sqrt(2)) / 2


def _log_sum(mean: Vector, std: Vector, points: Sequence[Vector], reference: Vector):
    counted = [p for p in points if all(x > r for x, r in zip(p, reference, strict=True))]
    levels = [[r, *sorted({float(p[l]) for p in counted}), float("inf")] for l, r in enumerate(map(float, reference))]
    excess = [
        [one_objective(exact(m), exact(s), exact(t)) for t in row] for m, s, row in zip(mean, std, levels, strict=True)
    ]
    total = mp.zero
    for cell in itertools.product(*(range(len(row) - 1) for row in levels)):
        top = [row[i + 1] for row, i in zip(levels, cell, strict=True)]
        if not any(all(t <= x for t, x in zip(top, p, strict=True)) for p in counted):
            total += mp.fprod(row[i] - row[i + 1] for row, i in zip(excess, cell, strict=True))
    return mp.log(total)


def log_improvement(mean: Vector, std: Vector, points: Sequence[Vector], reference: Vector):
    """log EHVI to 20 digits."""
    return settled(lambda: [_log_sum(mean, std, points, reference)])[0]


def log_gradient(mean: Vector, std: Vector, points: Sequence[Vector], reference: Vector) -> tuple[list, list]:
    """Derivatives of log EHVI in mean and in std, (L,) each, by differences in high precision."""
    d_mean, d_std = gradients(lambda m, s: [_log_sum(m, s, points, reference)], mean, std)
    return d_mean[0], d_std[0]


def by_sampling(
    mean: np.ndarray, std: np.ndarray, points: np.ndarray, reference: np.ndarray, draws: np.ndarray
) -> tuple[float, float]:
    """Mean growth of the hypervolume over outcomes mean + std * draws (K, L), and its standard error."""
    before = hypervolume(points, reference)
    growth = [hypervolume(np.vstack([points, y]), reference) - before for y in mean + std * draws]
    return float(np.mean(growth)), float(np.std(growth) / np.sqrt(len(growth)))
