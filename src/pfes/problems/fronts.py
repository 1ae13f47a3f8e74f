"""Samples of true fronts: the shapes that several problems share, and searches of small spaces on a grid."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from pfes.pareto import non_dominated

__all__ = ["best_of", "grid_front", "simplex", "sphere"]

Array = npt.NDArray[np.float64]


def simplex(count: int, L: int) -> Array:
    """Evenly spread points (count, L) with coordinates >= 0 that add up to 1; its corners come first."""
    if L == 2:
        first = np.linspace(0.0, 1.0, max(count, 2))
        return np.column_stack([first, 1.0 - first])
    corners = np.eye(L)
    inner = np.sort(_cube(max(count - L, 0), L - 1), axis=1)
    spacings = np.diff(inner, axis=1, prepend=0.0, append=1.0)
    return np.concatenate([corners, spacings])[: max(count, L)]


def sphere(count: int, L: int) -> Array:
    """Evenly spread points (count, L) of the unit sphere with coordinates >= 0; its corners come first."""
    if L == 2:
        angle = np.linspace(0.0, np.pi / 2, max(count, 2))
        return np.column_stack([np.sin(angle), np.cos(angle)])
    from scipy.special import ndtri  # noqa: PLC0415 - loaded where it is used

    rays = ndtri((1.0 + _cube(max(count - L, 0), L)) / 2.0)
    inner = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    return np.concatenate([np.eye(L), inner])[: max(count, L)]


def _cube(count: int, width: int) -> Array:
    """Evenly spread points of the unit cube, (count, width): Kronecker's sequence of the generalised golden ratio."""
    ratio = 2.0
    for _ in range(60):  # the root of ratio^(width + 1) = ratio + 1
        ratio = (1.0 + ratio) ** (1.0 / (width + 1))
    steps = ratio ** -np.arange(1.0, width + 1.0)
    return (0.5 + np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0


def grid_front(truth: Callable[[Array], Array], signs: Array, levels: Sequence[npt.ArrayLike], count: int) -> Array:
    """At most `count` non-dominated values (S, 2) over all combinations of the parameters' `levels`.

    Args:
        truth: values (N, 2) of points (N, d) in the user's units.
        signs: (2,), +1 where an objective is maximised, -1 where it is minimised.
        levels: d lists of values, one per parameter.
    """
    points = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, len(levels))
    return best_of(truth(points), signs, count)


def best_of(values: Array, signs: Array, count: int) -> Array:
    """At most `count` of the non-dominated rows of `values` (N, 2), evenly along the curve they make, (S, 2)."""
    kept = values[non_dominated(values * signs)]
    kept = kept[np.argsort(kept[:, 0])]
    if len(kept) <= count:
        return kept
    # evenly along the curve, both axes scaled to their spread, so that neither steep nor flat parts go empty
    strides = np.linalg.norm(np.diff(kept, axis=0) / np.ptp(kept, axis=0), axis=1)
    along = np.concatenate([[0.0], strides.cumsum()])
    return kept[np.unique(np.searchsorted(along, np.linspace(0.0, along[-1], count)))]
