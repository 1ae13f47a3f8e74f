"""Dominance and membership by definition: slow, obvious, one comparison at a time."""

import numpy as np


def dominates(b, a):
    """Maximisation: b is nowhere worse than a and somewhere better."""
    return all(x >= y for x, y in zip(b, a, strict=True)) and any(x > y for x, y in zip(b, a, strict=True))


def non_dominated(points):
    """The mask (S,) of points that nothing dominates and that did not occur before."""
    rows = [tuple(row) for row in points]
    return np.array(
        [not any(dominates(b, a) for b in rows) and a not in rows[:i] for i, a in enumerate(rows)], dtype=bool
    )


def in_dominated_region(queries, points):
    """Whether some point is at least the query in every objective: queries (Q, L), points (S, L) -> (Q,)."""
    inside = np.zeros(len(queries), dtype=bool)
    for point in points:
        inside |= in_box(queries, np.full(len(point), -np.inf), point)
    return inside


def in_box(queries, lower, upper):
    """Whether lower < query <= upper in every objective: (Q,)."""
    inside = np.ones(len(queries), dtype=bool)
    for column, low, high in zip(queries.T, lower, upper, strict=True):
        inside &= (column > low) & (column <= high)
    return inside


def memberships(queries, cells):
    """In how many of the cells each query lies: (Q,)."""
    counts = np.zeros(len(queries), dtype=int)
    for lower, upper in zip(cells.lower, cells.upper, strict=True):
        counts += in_box(queries, lower, upper)
    return counts


def volume(cells, ref):
    """The summed volume of the cells above a reference point (L,)."""
    return sum(
        np.prod(np.clip(upper - np.maximum(lower, ref), 0, None))
        for lower, upper in zip(cells.lower, cells.upper, strict=True)
    )
