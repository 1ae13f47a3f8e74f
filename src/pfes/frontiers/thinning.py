"""Fewer points of a frontier, spread as evenly as possible: cells cost, and grow fast with points and objectives.

Thinning reopens notches between points (theory 4), so what is left is chosen greedily to leave no wide gap: the best
point of each objective, then always the point farthest from those chosen, in units of the frontier's range.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel

__all__ = ["most_points", "thin"]

Array = NDArray[np.float64]

# By number of objectives, such that 10 frontiers are cut into cells within 0.1 s (docs/benchmarks.md).
_MOST = {1: 1, 2: 300, 3: 300, 4: 200, 5: 100, 6: 60}


def most_points(objectives: int) -> int:
    """How many points of a frontier are kept by default."""
    return _MOST.get(objectives, 40)


def thin(y: Array, wanted: NDArray[np.bool_], most: int) -> NDArray[np.int64]:
    """Choose at most `most` of the points y (S, L) -> their rows, rising.

    wanted (S,): points to take first, up to half of `most`; if there are more of them they are thinned alike.
    """
    if len(y) <= most:
        return np.arange(len(y))
    low = y.min(axis=0)
    scaled = (y - low) / np.maximum(y.max(axis=0) - low, np.finfo(float).tiny)
    distance = np.full(len(y), np.inf)
    chosen = np.full(most, -1, dtype=np.int64)
    ends = np.unique(y.argmax(axis=0))[:most]
    chosen[: len(ends)] = ends
    first = min(int(wanted.sum()), max(most // 2, len(ends)))
    _farthest(np.ascontiguousarray(scaled.T), distance, chosen, len(ends), first, wanted)
    return np.sort(chosen)


@kernel
def _farthest(y: Any, distance: Any, chosen: Any, begun: int, first: int, wanted: Any) -> None:
    """Fill `chosen`, of which `begun` are given: `first` of the wanted points, then any; y (L, S)."""
    objectives, size = y.shape
    for k in range(len(chosen)):
        if k >= begun:
            best, widest = -1, -1.0
            for s in range(size):
                if distance[s] > widest and (wanted[s] or k >= first):
                    best, widest = s, distance[s]
            chosen[k] = best
        new = chosen[k]
        square = np.zeros(size)
        for l in range(objectives):
            at = y[l, new]
            for s in range(size):
                square[s] += (y[l, s] - at) * (y[l, s] - at)
        for s in range(size):
            distance[s] = min(distance[s], square[s])
        distance[new] = -1.0
