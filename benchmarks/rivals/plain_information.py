"""Theorem 1 written down in numpy, cell by cell: a second opinion on any partition, and the plain way to do it.

For cells (l, u] of one dominated region: a, b standardised bounds, z = Phi(b) - Phi(a), x = a phi(a) - b phi(b);
Z = sum of prod z, B = -sum of x_l prod_{others} z, gain = -log Z + B / (2 Z)    (theory 2).
"""

import numpy as np
from scipy.special import ndtr

__all__ = ["Regions", "gain", "least_mass", "share_of_clamp"]

Regions = list[tuple[np.ndarray, np.ndarray]]  # for each, lower and upper bounds (M, L) of its cells


def gain(mean: np.ndarray, std: np.ndarray, regions: Regions) -> np.ndarray:
    """(N,) nats, averaged over the regions."""
    total = np.zeros(len(mean))
    for lower, upper in regions:
        z, x = _masses(mean, std, lower, upper)
        others = _products_of_others(z)
        Z = z.prod(axis=2).sum(axis=1)
        B = -(x * others).sum(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):  # Z underflows far above the front: inf or nan
            total += -np.log(Z) + B / (2 * Z)  # Thm 1
    return total / len(regions)


def share_of_clamp(mean: np.ndarray, std: np.ndarray, regions: Regions, clamp: float) -> np.ndarray:
    """(N,) the largest share of Z, over the regions, that `clamp` per cell and objective can make or lose.

    Raising every z to at least `clamp` adds at most clamp * prod_{others} z to Z for each cell and objective; a normal
    CDF rounded to `clamp` moves Z by as much.
    """
    share = np.zeros(len(mean))
    for lower, upper in regions:
        z, _ = _masses(mean, std, lower, upper)
        moved = clamp * _products_of_others(np.maximum(z, clamp)).sum(axis=(1, 2))
        Z = z.prod(axis=2).sum(axis=1)
        share = np.maximum(share, np.divide(moved, Z, out=np.full(len(Z), np.inf), where=Z > 0))
    return share


def least_mass(mean: np.ndarray, std: np.ndarray, regions: Regions) -> np.ndarray:
    """(N,) the smallest z of any cell and objective."""
    return np.min([_masses(mean, std, *region)[0].min(axis=(1, 2)) for region in regions], axis=0)


def _masses(mean: np.ndarray, std: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = (lower - mean[:, None]) / std[:, None]  # (N, M, L)
    b = (upper - mean[:, None]) / std[:, None]
    z = np.where(a + b > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    return z, _x_phi(a) - _x_phi(b)


def _x_phi(t: np.ndarray) -> np.ndarray:
    t = np.clip(t, -40, 40)  # beyond, t phi(t) is 0, also at infinity
    return t * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)


def _products_of_others(z: np.ndarray) -> np.ndarray:
    return np.stack([np.delete(z, l, axis=2).prod(axis=2) for l in range(z.shape[2])], axis=2)
