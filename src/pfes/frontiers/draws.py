"""Functions drawn from a model over a domain, and the best points of each that were found."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread_map
from pfes.distinct import distinct
from pfes.errors import InvalidInput
from pfes.frontiers.settings import FrontierSettings
from pfes.gp import AnyPaths, JointModel, Surrogate, paths_of
from pfes.pareto import non_dominated
from pfes.search import Found, best_of, pareto_search
from pfes.space import Space

__all__ = ["Drawn", "drawn_by_scan", "drawn_jointly", "drawn_over_space"]

Array = NDArray[np.float64]

BLOCK = 16_384  # rows of a large pool evaluated at a time


class Drawn(NamedTuple):
    """R functions: for each the best points found, non-dominated, and the values anywhere."""

    best: list[Found]
    at: Callable[[Array], Array]  # x (N, D) -> (R, N, L)


def drawn_over_space(
    model: Surrogate, space: Space, seeds: Array, settings: FrontierSettings, rng: np.random.Generator
) -> Drawn:
    """Draw paths over a space and search them, beginning at the seeds (Q, D) that are best on each path."""
    paths = paths_of(model, settings.count, rng, features=settings.features, kind=settings.kind)
    inside = seeds[space.admissible(seeds)] if len(seeds) else seeds
    scouts = space.random(settings.scouts, rng) if settings.scouts else inside[:0]
    starts = _best_on_each(paths, np.concatenate((inside, scouts)), settings.search.size(len(model)))
    slopes = paths.slopes if settings.climb else None
    found = pareto_search(paths.fast, space, starts, settings.search, rng, slopes=slopes)
    return Drawn([_filtered(x, y) for x, y in _exact(paths, [f.x for f in found])], paths)


def _best_on_each(paths: AnyPaths, x: Array, most: int) -> list[Array]:
    """The points of x (Q, D) that are best on each path, layer by layer of what is non-dominated: R arrays."""
    return spread_map(lambda y: x[best_of(y, most)], list(paths.fast(x))) if len(x) else [x] * paths.count


def _exact(paths: AnyPaths, sets: list[Array]) -> list[tuple[Array, Array]]:
    """Evaluate path r at its set (S_r, D) in double precision: the sets, and values (S_r, L)."""
    longest = max(map(len, sets))
    padded = np.stack([np.concatenate((x, np.repeat(x[:1], longest - len(x), axis=0))) for x in sets])
    values = paths(padded)
    return [(x, values[r, : len(x)]) for r, x in enumerate(sets)]


def _filtered(x: Array, y: Array) -> Found:
    best = non_dominated(y)
    return Found(x[best], y[best])


def drawn_jointly(
    model: Surrogate, every: Array, candidates: Array, settings: FrontierSettings, rng: np.random.Generator
) -> Drawn:
    """Draw exact values of all points (P, D), equal ones alike; the best of the candidates (Q, D), some of them."""
    x = distinct(every).rows
    at = _Lookup(x, _joint(model, x, settings.count, rng))
    return Drawn([_filtered(candidates, values) for values in at(candidates)], at)


def drawn_by_scan(model: Surrogate, candidates: Array, settings: FrontierSettings, rng: np.random.Generator) -> Drawn:
    """Draw paths and evaluate them at all candidates (Q, D), block by block; equal ones are equal on every path."""
    paths = paths_of(model, settings.count, rng, features=settings.features, kind=settings.kind)
    return Drawn(_scanned(paths, candidates), paths)


def _joint(model: Surrogate, x: Array, count: int, rng: np.random.Generator) -> Array:
    """Joint draws at x (P, D): (R, P, L); an objective with R means gives one draw around each."""
    if isinstance(model, JointModel):
        return model.draw(x, count, rng) if model.y.ndim == 1 else model.draw(x, 1, rng)[0]
    draws = [p.draw(x, count, rng) if p.y.ndim == 1 else p.draw(x, 1, rng)[0] for p in model.posteriors]
    return np.stack(draws, axis=-1)


def _scanned(paths: AnyPaths, x: Array) -> list[Found]:
    """The non-dominated of all points x (P, D) on each path, block by block."""
    objectives = len(paths)
    best = [Found(x[:0], np.empty((0, objectives)))] * paths.count
    for begin in range(0, len(x), BLOCK):
        rows = x[begin : begin + BLOCK]
        values = paths(rows)
        best = [
            _filtered(np.concatenate((b.x, rows)), np.concatenate((b.y, v))) for b, v in zip(best, values, strict=True)
        ]
    return best


class _Lookup:
    """Values (R, P, L) known at points (P, D) only: called with such points, it finds them again."""

    def __init__(self, x: Array, values: Array) -> None:
        self._x, self._values = x, values
        self._rows = {key.tobytes(): row for row, key in enumerate(x)}

    def __call__(self, x: Array) -> Array:
        rows = np.array([self._rows.get(key.tobytes(), -1) for key in x + 0.0], dtype=np.intp)
        others = np.flatnonzero(rows < 0)
        if len(others):  # the same but for their last digits
            from scipy.spatial import cKDTree  # noqa: PLC0415 - slow to import

            distance, rows[others] = cKDTree(self._x).query(x[others])
            if np.any(distance > 1e-6):
                raise InvalidInput(
                    f"got point {others[np.argmax(distance)]}, which is no row of the pool and was not observed; "
                    "wanted points whose values were drawn; try FrontierSettings(exact_rows=0), whose paths have "
                    "values everywhere"
                )
        return self._values[:, rows]
