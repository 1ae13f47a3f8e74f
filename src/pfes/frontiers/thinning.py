"""Fewer points of a frontier, spread as evenly as possible: cells cost, and grow fast with points and objectives.

Thinning reopens notches between points (theory 4), so what is left is chosen greedily to leave no wide gap: the best
point of each objective, then always the point farthest from those chosen, in units of the frontier's range.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel

__all__ = ["cover", "most_points", "thin"]

Array = NDArray[np.float64]

# By number of objectives, such that 10 frontiers are cut into cells within 0.1 s (docs/benchmarks.md).
_MOST = {1: 1, 2: 300, 3: 300, 4: 200, 5: 100, 6: 60}


def most_points(objectives: int) -> int:
    """How many points of a frontier are kept by default."""
    return _MOST.get(objectives, 40)


def thin(y: Array, wanted: NDArray[np.bool_], most: int) -> NDArray[np.int64]:
    """Choose at most `most` of the points y (S, L) -> their rows, rising.

    wanted (S,): points to take before others, up to half of `most`; if there are more, they are thinned likewise.
    """
    if len(y) <= most:
        return np.arange(len(y))
    low = y.min(axis=0)
    span = y.max(axis=0) - low
    scaled = (y - low) / np.where(span > 0.0, span, 1.0)
    ends = np.unique(y.argmax(axis=0))[:most]
    others = int(wanted.sum()) - int(wanted[ends].sum())
    chosen = np.full(most, -1, dtype=np.int64)
    chosen[: len(ends)] = ends
    _farthest(np.ascontiguousarray(scaled.T), np.asarray(wanted), chosen, len(ends), min(others, most // 2))
    return np.sort(chosen)


def cover(y: Array, kept: NDArray[np.int64], known: Array, most: int) -> NDArray[np.int64]:
    """Add to the rows `kept` of y (S, L) up to `most` that dominate what of known (n, L) the kept ones leave uncovered.

    Where a known value lies beyond the thinned frontier, the notch is at the very place where nothing is left to learn.
    """
    open_ = known[~_below(known, y[kept]).any(axis=1)]
    below = _below(open_, y)
    added: list[int] = []
    while below.any() and len(added) < most:
        added.append(int(below.sum(axis=0).argmax()))
        below = below[~below[:, added[-1]]]
    return np.sort(np.append(kept, np.array(added, dtype=np.int64)))


def _below(a: Array, b: Array) -> NDArray[np.bool_]:
    """Which rows of a (N, L) lie nowhere above which of b (M, L): (N, M)."""
    result = np.ones((len(a), len(b)), bool)
    for l in range(a.shape[1]):
        result &= a[:, l, None] <= b[:, l]
    return result


@kernel
def _farthest(y: Any, wanted: Any, chosen: Any, begun: int, first: int) -> None:
    """Fill `chosen`, of which `begun` are given: `first` of the wanted points, then any; y (L, S)."""
    objectives, size = y.shape
    nearest = np.full(size, np.inf)  # squared distance to the nearest chosen point, -1 once chosen
    square = np.empty(size)
    for k in range(len(chosen)):
        if k >= begun:
            widest = -1.0
            for s in range(size):
                if nearest[s] > widest and (wanted[s] or k >= begun + first):
                    chosen[k] = s
                    widest = nearest[s]
        new = chosen[k]
        for s in range(size):
            square[s] = 0.0
        for l in range(objectives):
            at = y[l, new]
            for s in range(size):
                square[s] += (y[l, s] - at) * (y[l, s] - at)
        for s in range(size):
            nearest[s] = min(nearest[s], square[s])
        nearest[new] = -1.0
