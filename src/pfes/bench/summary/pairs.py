"""Whether one method was better than another by more than chance: Wilcoxon's signed-rank test on pairs, after Holm.

A pair is two methods on the same problem from the same first points. All comparisons of a report are one family:
Holm's procedure keeps the chance of any false claim among them below the level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.bench.summary.arenas import Arena, Row, shared_seeds
from pfes.bench.summary.traces import held_at

__all__ = ["Pairs", "holm", "pairs_of", "signed_rank"]

Array = NDArray[np.float64]
ALIKE = 4  # digits of a share that tell two runs apart
MANY = 50  # pairs, from which on the normal approximation is as good


@dataclass(frozen=True)
class Pairs:
    """One method against another: how many pairs, the median difference of what they held, pairs won, chance."""

    arena: str
    method: str
    other: str
    pairs: int
    ahead: float
    won: float  # a tie counts one half
    chance: float  # of a difference as large, were there none
    corrected: float = 1.0  # by Holm, for all comparisons together


def signed_rank(differences: Array) -> float:
    """Two-sided p of Wilcoxon's test on differences (n,), zeros left out; 1 where there is nothing to tell apart.

    Exact for up to 50 of them, ties or not: of all ways to choose their signs, how many have so extreme a sum of ranks?
    """
    from scipy.stats import rankdata, wilcoxon  # noqa: PLC0415 - slow to import

    known = differences[differences != 0.0]
    if not len(known):
        return 1.0
    if len(known) > MANY:
        return float(wilcoxon(known, method="approx", correction=True).pvalue)
    halves = np.rint(2.0 * rankdata(np.abs(known))).astype(int)  # ties share a rank, a multiple of one half
    ways = np.zeros(halves.sum() + 1)  # of each sum; fewer than 2^53, so exact
    ways[0] = 1.0
    for half in halves:
        ways[half:] += ways[:-half].copy()
    reached = halves[known > 0.0].sum()
    return float(min(1.0, 2.0 * min(ways[: reached + 1].sum(), ways[reached:].sum()) / ways.sum()))


def holm(chances: Sequence[float]) -> list[float]:
    """Corrected p of each: the smallest times their number, the next times one less, and so on, never falling."""
    order = np.argsort(chances, kind="stable")
    factors = len(chances) - np.arange(len(chances))
    corrected = np.minimum(np.maximum.accumulate(np.asarray(chances)[order] * factors), 1.0)
    found = np.empty(len(chances))
    found[order] = corrected
    return [float(value) for value in found]


def pairs_of(arenas: Sequence[Arena], against: str) -> list[Pairs]:
    """The method called `against` beside every other, in every arena that has both, at the end of the budget."""
    found = []
    for arena in arenas:
        base = next((row for row in arena.rows if row.method == against and row.runs), None)
        for row in arena.rows:
            if base is not None and row is not base and len(shared_seeds([base, row])) > 1 and row.runs:
                found.append(_pairs(arena, base, row))
    corrected = holm([it.chance for it in found]) if found else []
    return [replace(it, corrected=value) for it, value in zip(found, corrected, strict=True)]


def _pairs(arena: Arena, base: Row, row: Row) -> Pairs:
    seeds, end = shared_seeds([base, row]), arena.budget * arena.unit
    ahead = np.round([held_at(base.runs[s], end) - held_at(row.runs[s], end) for s in seeds], ALIKE)
    won = float(np.sum(ahead > 0) + 0.5 * np.sum(ahead == 0))
    return Pairs(arena.name, base.method, row.method, len(seeds), float(np.median(ahead)), won, signed_rank(ahead))
