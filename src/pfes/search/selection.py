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

BLOCK = 64  # points compared before it is asked whether one sufficed


@kernel
def survive(y: Any, chosen: Any, rank: Any) -> None:
    """Choose the best of the points y (L, N), by rank, then by gap; fill chosen and rank, best first."""
    room = len(chosen)
    left = _descending(y)
    size = len(left)
    front, values, flags = np.empty(size, np.int64), np.empty(y.shape), np.empty(BLOCK, np.int64)
    filled, level = 0, 0
    while filled < room:
        # from the best in the first objective down no point is beaten by a later one (Zhang et al. 2015)
        members, others = 0, 0
        for m in range(size):
            i = left[m]
            if _is_beaten(values, members, y, i, flags):
                left[others] = i
                others += 1
            else:
                front[members] = i
                for l in range(len(y)):
                    values[l, members] = y[l, i]
                members += 1
        size = others
        order = _ascending(_gaps(values, members), members)
        for m in range(min(members, room - filled)):
            chosen[filled] = front[order[members - 1 - m]]
            rank[filled] = level
            filled += 1
        level += 1


@kernel
def enter(archive: Any, names: Any, size: int, new: Any, first_name: int) -> int:
    """Let the points `new` (L, N) that nothing in the archive beats into it; what they beat leaves; -> the new size.

    archive: (L, capacity), names: (capacity,), of which the first `size` count; the new points are called first_name,
    first_name + 1, ... A full archive drops the quarter of its points that lie in the thickest crowd.
    """
    flags, above = np.empty(len(names), np.int64), np.empty(BLOCK, np.int64)
    for n in range(new.shape[1]):
        beaten, beats = _against(archive, size, new, n, above, flags)
        if beaten:
            continue
        if beats > 0:
            size = _drop(archive, names, size, flags)
        if size == len(names):
            size = _thin(archive, names, size, flags)
        for l in range(len(archive)):
            archive[l, size] = new[l, n]
        names[size] = first_name + n
        size += 1
    return size


@inline
def _is_beaten(front: Any, members: int, y: Any, i: int, flags: Any) -> bool:
    """Whether one of the front's members (L, N), all of which come before point i, is nowhere below it."""
    if members == 0 or len(y) == 1:
        return members > 0
    if len(y) == 2:  # who came last is the best in the second
        return bool(front[1, members - 1] >= y[1, i])
    for begin in range(0, members, BLOCK):
        size = min(BLOCK, members - begin)
        for m in range(size):
            flags[m] = 1
        for l in range(1, len(y)):
            value, row = y[l, i], front[l, begin:]
            for m in range(size):
                flags[m] &= np.int64(row[m] >= value)
        count = 0
        for m in range(size):
            count += flags[m]
        if count > 0:
            return True
    return False


@inline
def _descending(y: Any) -> Any:
    """Return the points of y (L, N) from the best in the first objective down; ties by the next, then by place."""
    order = _ascending(-y[0], y.shape[1])
    for m in range(1, len(order)):  # nearly in order: ties are few
        moved, k = order[m], m
        while k > 0 and _comes_before(y, moved, order[k - 1]):
            order[k] = order[k - 1]
            k -= 1
        order[k] = moved
    return order


@inline
def _comes_before(y: Any, i: int, j: int) -> bool:
    for l in range(len(y)):
        if y[l, i] != y[l, j]:
            return bool(y[l, i] > y[l, j])
    return i < j


@inline
def _against(archive: Any, size: int, new: Any, n: int, above: Any, below: Any) -> tuple[bool, int]:
    """Whether a point of the archive is nowhere below new point n; else flag those nowhere above it, and how many."""
    total = 0
    for begin in range(0, size, BLOCK):
        part = below[begin : min(begin + BLOCK, size)]
        for m in range(len(part)):
            above[m] = 1
            part[m] = 1
        for l in range(len(archive)):
            value, row = new[l, n], archive[l, begin:]
            for m in range(len(part)):
                above[m] &= np.int64(row[m] >= value)
                part[m] &= np.int64(row[m] <= value)
        count = 0
        for m in range(len(part)):
            count += above[m]
            total += part[m]
        if count > 0:
            return True, 0
    return False, total


@inline
def _drop(archive: Any, names: Any, size: int, flags: Any) -> int:
    """Drop the flagged points, filling their places with the last ones. Returns how many are left."""
    i = 0
    while i < size:
        if flags[i] == 0:
            i += 1
            continue
        size -= 1
        for l in range(len(archive)):
            archive[l, i] = archive[l, size]
        names[i] = names[size]
        flags[i] = flags[size]
    return size


@inline
def _thin(archive: Any, names: Any, size: int, flags: Any) -> int:
    """Drop the quarter of the archive with the smallest gaps."""
    order = _ascending(_gaps(archive, size), size)
    for i in range(size):
        flags[i] = 0
    for m in range((size + 3) // 4):
        flags[order[m]] = 1
    return _drop(archive, names, size, flags)


@inline
def _gaps(y: Any, count: int) -> Any:
    """Return the gaps of the first `count` of the points y (L, N): (count,)."""
    gaps = np.zeros(count)
    for l in range(len(y)):
        row = y[l]
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
    order, sorted_ = np.empty(count, np.int64), np.empty(count)
    for m in range(count):
        order[m] = m
        sorted_[m] = values[m]
    step = count // 2
    while step > 0:
        for m in range(step, count):
            moved, value, k = order[m], sorted_[m], m
            while k >= step and sorted_[k - step] > value:
                order[k] = order[k - step]
                sorted_[k] = sorted_[k - step]
                k -= step
            order[k] = moved
            sorted_[k] = value
        step = (5 * step) // 11 if step != 2 else 1
    return order
