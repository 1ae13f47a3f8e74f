"""The dominated region of one frontier on the naive product grid of its distinct values, in high precision.

F is cut into (S + 1)^L cells, each tested for dominance against every point. That is wasteful and cannot be wrong in
the way a partition can. For a cell's standardised bounds a, b in one objective:

    z = Phi(b) - Phi(a)      p = phi(a) - phi(b)      x = a phi(a) - b phi(b)      Z = P(f in F)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp

Vector = Sequence[float]


@dataclass(frozen=True)
class Interval:
    """One interval of one objective under the standard normal: mass z, first moment p, second moment minus mass x."""

    z: mp.mpf
    p: mp.mpf
    x: mp.mpf


@dataclass(frozen=True)
class Region:
    """The sums over dominated cells from which every gain follows.

    intervals[l][s]   interval s of objective l
    others[l][s]      W_s: sum over dominated cells with interval s in objective l of the other objectives' mass
    cross[l][k]       E[z_l z_k; F], l != k
    """

    mean: list
    std: list
    intervals: list
    others: list
    cross: list

    @property
    def mass(self):
        """Z = P(f in F)."""
        return self.total(0, "z")

    def total(self, l: int, what: str):
        """Sum over the dominated cells of z, p or x of objective l times the other objectives' mass."""
        return sum(w * getattr(i, what) for w, i in zip(self.others[l], self.intervals[l], strict=True))


def exact(value):
    """A float as the binary number it is; an mpmath number stays itself."""
    return value if isinstance(value, mp.mpf) else mp.mpf(float(value))


def levels(frontier: Sequence[Vector]) -> list[list[float]]:
    """The distinct finite values of every objective, ascending."""
    return [sorted({float(v) for v in column if not math.isinf(v)}) for column in zip(*frontier, strict=True)]


def dominated_cells(frontier: Sequence[Vector]):
    """Index tuples of the grid cells that lie in F; cell index s ends at level s, the last one at +inf."""
    ends = [[*values, math.inf] for values in levels(frontier)]
    for cell in itertools.product(*(range(len(e)) for e in ends)):
        corner = [e[s] for e, s in zip(ends, cell, strict=True)]
        if any(all(c <= q for c, q in zip(corner, point, strict=True)) for point in frontier):
            yield cell


@lru_cache(maxsize=10_000)
def normal(x, digits: int):
    """Phi(x), phi(x), x phi(x) with so many digits; the last is 0 at both infinities."""
    with mp.workdps(digits):
        pdf = mp.npdf(x)
        return mp.ncdf(x), pdf, mp.zero if mp.isinf(x) else x * pdf


def interval(a, b) -> Interval:
    """The standard normal on (a, b]."""
    (cdf_a, pdf_a, tail_a), (cdf_b, pdf_b, tail_b) = normal(a, mp.dps), normal(b, mp.dps)
    return Interval(z=cdf_b - cdf_a, p=pdf_a - pdf_b, x=tail_a - tail_b)


def region(mean: Vector, std: Vector, frontier: Sequence[Vector]) -> Region:
    """All sums, at the precision in force."""
    mu, sigma = [exact(m) for m in mean], [exact(s) for s in std]
    L = len(mu)
    intervals = []
    for l, values in enumerate(levels(frontier)):
        bounds = [-mp.inf, *((exact(v) - mu[l]) / sigma[l] for v in values), mp.inf]
        intervals.append([interval(a, b) for a, b in itertools.pairwise(bounds)])
    others = [[mp.zero] * len(row) for row in intervals]
    cross = [[mp.zero] * L for _ in range(L)]
    for cell in dominated_cells(frontier):
        parts = [intervals[l][s] for l, s in enumerate(cell)]
        for l, s in enumerate(cell):
            others[l][s] += mp.fprod(parts[k].z for k in range(L) if k != l)
        for l, k in itertools.combinations(range(L), 2):
            rest = mp.fprod(parts[j].z for j in range(L) if j not in (l, k))
            cross[l][k] += parts[l].p * parts[k].p * rest
            cross[k][l] = cross[l][k]
    return Region(mu, sigma, intervals, others, cross)


def errors(delta, L: int) -> list:
    """One deviation of the measurement per objective."""
    return [exact(delta)] * L if isinstance(delta, float | int | mp.mpf) else [exact(d) for d in delta]
