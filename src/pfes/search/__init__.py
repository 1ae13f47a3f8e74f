"""The Pareto sets of R functions at once: NSGA-II (Deb et al. 2002) in arrays, with an archive of all it ever met.

    R        functions searched side by side, each with a population of its own
    N        points of one population
    D, L     encoded inputs, objectives (maximised)

All R populations are bred and evaluated together; ranks and archives are compiled loops, one function a piece. The
archive is what is returned: a population shows N points of a frontier, and the notches between them would be taken for
knowledge that is still to be had (theory 4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread
from pfes.errors import InvalidInput
from pfes.search.selection import enter, survive
from pfes.search.variation import Breeder
from pfes.space import Space

__all__ = ["Found", "SearchSettings", "pareto_search"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Evaluate = Callable[[Array], NDArray[Any]]


@dataclass(frozen=True)
class SearchSettings:
    """How hard to search: points per population, generations, and the most points an archive holds.

    archive = 0 switches the archive off: the first rank of the last population is returned, as in the paper. eta is the
    distribution index of crossover and mutation: children lie nearer to their parents as it grows.
    """

    population: int = 80
    generations: int = 60
    archive: int = 500
    eta: float = 5.0

    def __post_init__(self) -> None:
        if self.population < 4 or self.generations < 0 or self.eta < 0 or 0 < self.archive < 8 or self.archive < 0:
            raise InvalidInput(
                f"got {self}; wanted a population of 4 or more, generations and eta of 0 or more, "
                "an archive of 8 or more points, or 0 for none; try SearchSettings()"
            )


class Found(NamedTuple):
    """The non-dominated points found for one function: x (S, D), y (S, L) as the function gave them."""

    x: Array
    y: Array


def pareto_search(
    evaluate: Evaluate,
    space: Space,
    seeds: Sequence[Array],
    settings: SearchSettings,
    rng: np.random.Generator,
    *,
    slopes: Evaluate | None = None,
) -> list[Found]:
    """Search the Pareto sets of R functions over a space.

    Args:
        evaluate: values (R, N, L) of the R functions, each at its own points (R, N, D); maximised.
        space: where to search; every point found is decodable and admissible.
        seeds: R arrays (Q_r, D) of points to begin with, possibly empty; those outside the space are passed over.
        settings: how hard to search.
        rng: where chance comes from.
        slopes: gradients (R, N, L, D) at points (R, N, D), if they are to be had: then half of the children are steps
            uphill, and the same frontier is found in half the time or less where there are many inputs.

    Returns:
        For each function the non-dominated points met, in no particular order.
    """
    breeder = Breeder.of(space, settings.eta, rng)
    x = _first_points(space, seeds, settings.population, rng)
    state = _State(x, _columns(evaluate(x)), settings)
    climbing = slopes if space.free.any() else None
    for _ in range(settings.generations):
        first = state.parents(rng)
        children = breeder.children(first, state.parents(rng), rng)
        if climbing:
            half = first[:, ::2]
            children[:, ::2] = breeder.climbers(half, np.asarray(climbing(half)), state.spans(), rng)
        state.advance(children, _columns(evaluate(children)))
    return [state.found(r) for r in range(len(x))]


def _columns(values: NDArray[Any]) -> Array:
    """(R, N, L) -> (R, L, N), the kernels' order."""
    return np.ascontiguousarray(np.swapaxes(values, 1, 2), dtype=np.float64)


def _first_points(space: Space, seeds: Sequence[Array], population: int, rng: np.random.Generator) -> Array:
    """The seeds that lie in the space, and random points: (R, N, D)."""
    usable = [np.asarray(s)[space.admissible(np.asarray(s))] if len(s) else np.empty((0, space.width)) for s in seeds]
    size = population + max(map(len, usable))
    points = space.random(size * len(usable), rng).reshape(len(usable), size, space.width)
    for r, seed in enumerate(usable):
        points[r, : len(seed)] = seed
    return points


class _State:
    """R populations and R archives; lives as long as one search."""

    def __init__(self, x: Array, y: Array, settings: SearchSettings) -> None:
        paths, objectives = len(y), y.shape[1]
        self._x, self._y = x[:, :0], y[:, :, :0]  # (R, N, D), (R, L, N)
        self._rank: Integers = np.empty((paths, settings.population), np.int64)
        self._gap = np.empty((paths, settings.population))
        self._met: list[Array] = []  # all points ever evaluated, by generation; archives name points by their place here
        self._archive = np.empty((paths, objectives, settings.archive))
        self._names: Integers = np.empty((paths, settings.archive), np.int64)
        self._sizes: Integers = np.zeros(paths, np.int64)
        self.advance(x, y)

    def advance(self, x: Array, y: Array) -> None:
        """Add points (R, N', D) of values (R, L, N'); the best of old and new survive."""
        every = np.concatenate((self._y, y), axis=2)
        chosen: Integers = np.empty(self._rank.shape, np.int64)
        first_name = sum(points.shape[1] for points in self._met)

        def select(r: int) -> None:
            survive(every[r], chosen[r], self._rank[r], self._gap[r])
            if self._names.size:
                self._sizes[r] = enter(self._archive[r], self._names[r], self._sizes[r], y[r], first_name)

        spread(select, range(len(y)))
        if self._names.size:
            self._met.append(x)
        self._x = np.take_along_axis(np.concatenate((self._x, x), axis=1), chosen[:, :, None], axis=1)
        self._y = np.take_along_axis(every, chosen[:, None, :], axis=2)

    def parents(self, rng: np.random.Generator) -> Array:
        """Winners of tournaments of two, as many as the population has points: (R, N, D)."""
        # survivors are sorted by rank, then by gap: of two the earlier wins
        paths, size = self._rank.shape
        winners = rng.integers(size, size=(2, paths, size)).min(axis=0)
        return np.take_along_axis(self._x, winners[:, :, None], axis=1)

    def spans(self) -> Array:
        """The range of each objective in each population: (R, L)."""
        return np.asarray(np.ptp(self._y, axis=2))

    def found(self, r: int) -> Found:
        """What was found for function r."""
        if not self._names.size:
            first = self._rank[r] == 0
            return Found(self._x[r, first], self._y[r][:, first].T)
        names = self._names[r, : self._sizes[r]]
        met = np.concatenate([points[r] for points in self._met])
        return Found(met[names], np.ascontiguousarray(self._archive[r, :, : self._sizes[r]].T))
