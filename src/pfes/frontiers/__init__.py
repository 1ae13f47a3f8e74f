"""Frontiers that the model holds possible: draw functions, find what each cannot better, keep it (theory 6).

Over a space the functions are paths, searched by NSGA-II; to what the search found each path's own values at the
observed inputs are added, without which the notches of a finite frontier look like knowledge still to be had
(theory 4). Over a pool the values of all rows are drawn, and the frontier is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.frontiers.draws import Drawn, drawn_by_scan, drawn_jointly, drawn_over_space
from pfes.frontiers.settings import FrontierSettings
from pfes.frontiers.thinning import cover, most_points, thin
from pfes.gp import JointModel, Surrogate
from pfes.pareto import non_dominated
from pfes.search import Found
from pfes.space import Pool, Space

__all__ = ["FrontierSettings", "Sampled", "sample_frontiers"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEW = 10_000  # points of a space without a continuous parameter that are all looked at


@dataclass(frozen=True, eq=False)
class Sampled:
    """R frontiers, where they are attained, and the functions they belong to.

    frontiers   R arrays (S_r, L), non-dominated; the virtual points of thresholds come last
    sets        R arrays (S'_r, D): inputs of the first S'_r points of each frontier, those that are not virtual
    at          values (R, N, L) of the same functions at any x (N, D) (of a small pool: at its rows)
    """

    frontiers: list[Array]
    sets: list[Array]
    at: Callable[[Array], Array]


def sample_frontiers(
    model: Surrogate,
    domain: Space | Pool,
    observed: ArrayLike,
    thresholds: ArrayLike,
    settings: FrontierSettings,
    rng: np.random.Generator,
    *,
    allowed: Mask | None = None,
    seeds: ArrayLike = (),
) -> Sampled:
    """Sample Pareto frontiers from a model.

    Args:
        model: of L objectives, standardised, maximised.
        domain: where they may lie.
        observed: (n, D) encoded inputs that were measured; always candidates, wherever they lie.
        thresholds: (L,) values below which nothing is wanted, -inf for none; each becomes a virtual point.
        settings: how many, how fine.
        rng: where chance comes from.
        allowed: (P,) rows of a pool that are candidates; default all.
        seeds: (Q, D) further inputs for the search to begin with, such as sets sampled before; of no use in pools.

    Raises:
        InvalidInput: no candidate at all, or thresholds that are not (L,) numbers or -inf.
    """
    known, limit = _rows(observed, domain.width), _limits(thresholds, len(model))
    if isinstance(domain, Pool):
        drawn = _over_pool(model, domain, known, allowed, settings, rng)
    else:
        drawn = _over_space(model, domain, np.concatenate((known, _rows(seeds, domain.width))), settings, rng)
    if len(drawn.best[0].x) + len(known) * settings.observed == 0:
        raise InvalidInput("got no candidate and no observations; wanted at least one; try allowing a row of the pool")
    values = drawn.at(known) if settings.observed else np.empty((settings.count, 0, len(model)))
    most = most_points(len(limit)) if settings.points is None else settings.points
    kept = [_frontier(best, known[: len(v)], v, limit, most) for best, v in zip(drawn.best, values, strict=True)]
    return Sampled([np.concatenate((y, _virtual(limit, y))) for _, y in kept], [x for x, _ in kept], drawn.at)


def _rows(x: ArrayLike, width: int) -> Array:
    return np.asarray(x, dtype=np.float64).reshape(-1, width)


def _limits(thresholds: ArrayLike, objectives: int) -> Array:
    limit = np.asarray(thresholds, dtype=np.float64)
    if limit.shape != (objectives,) or np.isnan(limit).any() or np.isposinf(limit).any():
        raise InvalidInput(
            f"got thresholds {limit.tolist()} for {objectives} objectives; wanted one for each, finite or -inf "
            "for none; try np.full(L, -np.inf)"
        )
    return limit


def _over_space(
    model: Surrogate, space: Space, starts: Array, settings: FrontierSettings, rng: np.random.Generator
) -> Drawn:
    if space.size <= FEW:  # looking everywhere is cheaper than searching, and misses nothing
        return drawn_by_scan(model, space.grid(), settings, rng)
    return drawn_over_space(model, space, starts, settings, rng)


def _over_pool(
    model: Surrogate,
    pool: Pool,
    known: Array,
    allowed: Mask | None,
    settings: FrontierSettings,
    rng: np.random.Generator,
) -> Drawn:
    candidates = pool.x if allowed is None else pool.x[allowed]
    distinct = np.count_nonzero(pool.twins == np.arange(len(pool)))
    # objectives together are one matrix of all their values
    if distinct * (len(model) if isinstance(model, JointModel) else 1) > settings.exact_rows:
        return drawn_by_scan(model, candidates, settings, rng)
    return drawn_jointly(model, np.concatenate((pool.x, known)), candidates, settings, rng)


def _frontier(best: Found, known: Array, values: Array, limit: Array, most: int) -> Found:
    """Join what was found and the values (n, L) at the observed inputs (n, D): inside the limits, thinned."""
    # the observed come first: of equal points the first stays
    x, y = np.concatenate((known, best.x)), np.concatenate((values, best.y))
    inside: Mask = np.all(y > limit, axis=1)
    front = np.flatnonzero(inside)
    front = front[non_dominated(y[front])]
    kept = thin(y[front], front < len(known), most)
    if len(kept) < len(front):
        kept = cover(y[front], kept, values[inside[: len(known)]], most // 4)
    return Found(x[front[kept]], y[front[kept]])


def _virtual(limit: Array, y: Array) -> Array:
    """The points (t_1, inf, ...), (inf, t_2, inf, ...), ... of the thresholds there are: (T, L)."""
    points = np.full((len(limit), len(limit)), np.inf)
    np.fill_diagonal(points, limit)
    if len(limit) == 1 and len(y):  # one objective has no inf beside it: what exceeds the threshold beats it
        return points[:0]
    return points[np.isfinite(limit)]
