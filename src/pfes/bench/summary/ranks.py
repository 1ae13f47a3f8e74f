"""Ranks: on each seed the methods are put in order of what they held in the end; 1 is the best, equals share a rank."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.bench.summary.arenas import Arena, shared_seeds
from pfes.bench.summary.traces import held_at

__all__ = ["Ranks", "ranked", "ranks_of"]

Array = NDArray[np.float64]
ALIKE = 4  # digits of a share that tell two runs apart


@dataclass(frozen=True)
class Ranks:
    """Mean ranks by method: in each arena, nan where it has no runs, and over all arenas in which all methods ran."""

    arenas: tuple[str, ...]
    seeds: tuple[int, ...]
    methods: tuple[str, ...]
    means: Array  # (methods, arenas)
    overall: Array  # (methods,) nan where no arena has all of them


def ranked(held: Array) -> Array:
    """Ranks (n, K) of n seeds and K methods by what they held (n, K): 1 for the most."""
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    return np.asarray(rankdata(-np.round(held, ALIKE), axis=1))


def ranks_of(arenas: Sequence[Arena]) -> Ranks:
    """At the end of every arena's budget, over the seeds that all of its methods have finished."""
    used = [arena for arena in arenas if shared_seeds(arena.rows) and sum(bool(row.runs) for row in arena.rows) > 1]
    methods = list(dict.fromkeys(row.method for arena in used for row in arena.rows if row.runs))
    means = np.full((len(methods), len(used)), np.nan)
    for place, arena in enumerate(used):
        rows, seeds = [row for row in arena.rows if row.runs], shared_seeds(arena.rows)
        end = arena.budget * arena.unit
        ranks = ranked(np.array([[held_at(row.runs[seed], end) for row in rows] for seed in seeds]))
        for row, mean in zip(rows, ranks.mean(axis=0), strict=True):
            means[methods.index(row.method), place] = mean
    whole = ~np.isnan(means).any(axis=0)
    overall = means[:, whole].mean(axis=1) if whole.any() else np.full(len(methods), np.nan)
    seeds_of = tuple(len(shared_seeds(arena.rows)) for arena in used)
    return Ranks(tuple(arena.name for arena in used), seeds_of, tuple(methods), means, overall)
