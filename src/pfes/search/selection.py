"""Who survives, and what is kept for good: non-dominated ranks, crowding and an archive, in compiled loops.

    letter  meaning                                                                       shape
    y       objectives of one path's points, maximised; a column per point                (L, N)
    rank    0 for the points that nothing beats, 1 for those that only rank 0 beats, ...  (N,)
    gap     sum over objectives of the distance between a point's two neighbours of its   (N,)
            rank, in units of the rank's range; inf at both ends of an objective

Of equal points the earlier beats the later: discrete spaces offer the same point again and again, and a population of
copies would search no more. Points lie side by side, so that comparing one with all others is vector instructions.
"""

from typing import Any

import numpy as np

from pfes.compiled import inline, kernel

__all__ = ["enter", "survive"]


@kernel
def survive(y: Any, chosen: Any, rank: Any) -> None:
    """Choose the best of the points y (L, N), by rank, then by gap; fill chosen and rank, best first."""
    size, room = y.shape[1], len(chosen)
    beats, beaten = _duels(y)
    front = np.empty(size, np.int64)
    filled, level = 0, 0
    while filled < room:
        members = 0
        for i in range(size):
            if beaten[i] == 0:
                front[members] = i
                members += 1
        for m in range(members):
            beaten[front[m]] = -1
            for j in range(size):
                beaten[j] -= beats[front[m], j]
        gaps = _gaps(y, front, members)
        order = _ascending(gaps, members)
        for m in range(min(members, room - filled)):
            best = order[members - 1 - m]
            chosen[filled] = front[best]
            rank[filled] = level
            filled += 1
        level += 1


@kernel
def enter(archive: Any, names: Any, size: int, new: Any, first_name: int) -> int:
    """Let the points `new` (L, N) that nothing in the archive beats into it; what they beat leaves; -> the new size.

    archive: (L, capacity), names: (capacity,), of which the first `size` count; the new points are called first_name,
    first_name + 1, ... A full archive drops the quarter of its points that lie in the thickest crowd.
    """
    flags = np.empty(len(names), np.int64)
    for n in range(new.shape[1]):
        if _compare(archive, size, new, n, flags, 1.0) > 0:
            continue
        if _compare(archive, size, new, n, flags, -1.0) > 0:
            size = _drop(archive, names, size, flags)
        if size == len(names):
            size = _thin(archive, names, size, flags)
        for l in range(len(archive)):
            archive[l, size] = new[l, n]
        names[size] = first_name + n
        size += 1
    return size


@inline
def _duels(y: Any) -> tuple[Any, Any]:
    """Return beats (N, N), 1 where point i beats point j, and beaten (N,), by how many."""
    size = y.shape[1]
    beats = np.empty((size, size), np.int64)
    beaten = np.zeros(size, np.int64)
    above = np.empty(size, np.int64)
    for i in range(size):
        for j in range(size):
            beats[i, j] = 1
            above[j] = np.int64(i < j)
        for l in range(len(y)):
            value = y[l, i]
            for j in range(size):
                beats[i, j] &= np.int64(value >= y[l, j])
                above[j] |= np.int64(value > y[l, j])
        for j in range(size):
            beats[i, j] &= above[j]
            beaten[j] += beats[i, j]
    return beats, beaten


@inline
def _compare(archive: Any, size: int, new: Any, n: int, flags: Any, sign: float) -> int:
    """Flag the points of the archive that are no worse than new point n (sign -1: no better); return how many are."""
    for i in range(size):
        flags[i] = 1
    for l in range(len(archive)):
        value = sign * new[l, n]
        for i in range(size):
            flags[i] &= np.int64(sign * archive[l, i] >= value)
    count = 0
    for i in range(size):
        count += flags[i]
    return count


@inline
def _drop(archive: Any, names: Any, size: int, flags: Any) -> int:
    """Drop the flagged points; the rest keeps its order. Returns how many are left."""
    left = 0
    for i in range(size):
        if flags[i] == 0:
            for l in range(len(archive)):
                archive[l, left] = archive[l, i]
            names[left] = names[i]
            left += 1
    return left


@inline
def _thin(archive: Any, names: Any, size: int, flags: Any) -> int:
    """Drop the quarter of the archive with the smallest gaps."""
    for i in range(size):
        flags[i] = i
    order = _ascending(_gaps(archive, flags, size), size)
    for i in range(size):
        flags[i] = 0
    for m in range((size + 3) // 4):
        flags[order[m]] = 1
    return _drop(archive, names, size, flags)


@inline
def _gaps(y: Any, points: Any, count: int) -> Any:
    """Return the gaps of the first `count` of the points: (count,)."""
    gaps = np.zeros(count)
    row = np.empty(count)
    for l in range(len(y)):
        for m in range(count):
            row[m] = y[l, points[m]]
        order = _ascending(row, count)
        wide = row[order[count - 1]] - row[order[0]]
        gaps[order[0]] = np.inf
        gaps[order[count - 1]] = np.inf
        if wide > 0.0:
            for m in range(1, count - 1):
                gaps[order[m]] += (row[order[m + 1]] - row[order[m - 1]]) / wide
    return gaps


@inline
def _ascending(values: Any, count: int) -> Any:
    """Return the places of the first `count` values in rising order: Shell's sort, which compiles in no time."""
    order = np.empty(count, np.int64)
    for m in range(count):
        order[m] = m
    step = count // 2
    while step > 0:
        for m in range(step, count):
            moved, k = order[m], m
            while k >= step and values[order[k - step]] > values[moved]:
                order[k] = order[k - step]
                k -= step
            order[k] = moved
        step = (5 * step) // 11 if step != 2 else 1
    return order
