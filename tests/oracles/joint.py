"""Gains under a joint normal by brute force: a product grid of Gauss-Legendre nodes, every node tested for dominance.

mean (L,), covariance (L, L), frontier (S, L), everything maximised. Panels end at every value of the frontier, so that
the density is smooth on each; a node counts as a whole. Nothing is shared with the kernels but the normal density.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracles.sampling import in_region


class Grid(NamedTuple):
    """Nodes (n_1, ..., n_L) as axes and weights, log density at every node, and whether each is dominated."""

    axes: list[np.ndarray]
    weights: list[np.ndarray]
    log_density: np.ndarray
    square: np.ndarray  # Mahalanobis distance from the mean, squared
    inside: np.ndarray
    volume: np.ndarray


def axis(values, mean: float, std: float, step: float, points: int, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights from `reach` deviations below everything to as many above."""
    finite = np.unique(values[np.isfinite(values)])
    low, high = min(mean, *finite) - reach * std, max(mean, *finite) + reach * std
    edges = np.union1d(np.concatenate([finite, [high]]), np.arange(low, high, step))
    root, mass = np.polynomial.legendre.leggauss(points)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + half * root).ravel(), (half * mass).ravel()


def grid(mean, covariance, frontier, points: int, per_deviation: float = 1.0, reach: float = 11.0) -> Grid:
    """Panels of `per_deviation` deviations of each objective given the others, to `reach` deviations."""
    mean, frontier = np.asarray(mean, dtype=float), np.asarray(frontier, dtype=float)
    size, precision = len(mean), np.linalg.inv(covariance)
    pairs = [
        axis(
            frontier[:, l], mean[l], np.sqrt(covariance[l][l]), per_deviation / np.sqrt(precision[l, l]), points, reach
        )
        for l in range(size)
    ]
    axes, weights = [p[0] for p in pairs], [p[1] for p in pairs]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    square = np.einsum("...i,ij,...j->...", nodes - mean, precision, nodes - mean)
    log_density = -0.5 * (square + size * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1])
    volume = weights[0]
    for w in weights[1:]:
        volume = volume[..., None] * w
    return Grid(axes, weights, log_density, square, in_region(nodes, frontier), volume)


def marginal(values: np.ndarray, g: Grid, l: int) -> np.ndarray:
    """Integrate over all objectives but l, (n_l,)."""
    return (values * g.volume).sum(axis=tuple(k for k in range(values.ndim) if k != l)) / g.weights[l]


def coupled(g: Grid) -> float:
    """H[f] - H[f | F]."""
    size = g.square.ndim
    top = g.log_density[g.inside].max()
    density = np.where(g.inside, np.exp(np.minimum(g.log_density - top, 0.0)), 0.0)
    mass = (density * g.volume).sum()
    entropy = -(density * (g.log_density - top - np.log(mass)) * g.volume).sum() / mass
    before = -(g.log_density + 0.5 * g.square).flat[0] + size / 2
    return float(before - entropy)


def coupled_deep(g: Grid) -> float:
    """The same where almost everything is dominated: from what is not."""
    density = np.where(g.inside, 0.0, np.exp(g.log_density)) * g.volume
    missing = density.sum()
    return float(-np.log1p(-missing) + (density * (g.square - g.square.ndim)).sum() / (2 * (1 - missing)))


def decoupled(g: Grid, covariance, l: int) -> float:
    """H[f_l] - H[f_l | F]."""
    top = g.log_density[g.inside].max()
    share = marginal(np.where(g.inside, np.exp(np.minimum(g.log_density - top, 0.0)), 0.0), g, l)
    share /= (share * g.weights[l]).sum()
    seen = share > 0
    entropy = -(share[seen] * np.log(share[seen]) * g.weights[l][seen]).sum()
    return float(0.5 * np.log(2 * np.pi * np.e * covariance[l][l]) - entropy)


def decoupled_deep(g: Grid, mean, covariance, l: int) -> float:
    """The same where almost everything is dominated: f_l given F has density p (1 + e), with e small or -1."""
    beyond = marginal(np.where(g.inside, 0.0, np.exp(g.log_density)), g, l)
    std = np.sqrt(covariance[l][l])
    alpha = (g.axes[l] - mean[l]) / std
    prior = np.exp(-0.5 * alpha**2) / (np.sqrt(2 * np.pi) * std)
    missing = (beyond * g.weights[l]).sum()
    e = (missing - beyond / prior) / (1 - missing)
    e = np.maximum(e, -1 + 1e-16)
    relative = (prior * ((1 + e) * np.log1p(e) - e) * g.weights[l]).sum()
    return float(relative + (beyond * (alpha**2 - 1) * g.weights[l]).sum() / (2 * (1 - missing)))


def moments(g: Grid, mean) -> tuple[np.ndarray, np.ndarray]:
    """Mean (L,) and covariance (L, L) of f given F."""
    top = g.log_density[g.inside].max()
    share = np.where(g.inside, np.exp(np.minimum(g.log_density - top, 0.0)), 0.0) * g.volume
    share /= share.sum()
    nodes = np.stack(np.meshgrid(*g.axes, indexing="ij"), axis=-1).reshape(-1, len(mean))
    first = share.reshape(-1) @ nodes
    off = nodes - first
    return first, np.einsum("n,ni,nj->ij", share.reshape(-1), off, off)
