"""R populations and R archives, side by side, for as long as a search lasts."""

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread
from pfes.search.selection import enter, survive

__all__ = ["Populations"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Populations:
    """The points that survive, best first, and the archives of all that was met.

    x: (R, N, D), y: (R, N, L); an archive of capacity 0 is none.
    """

    def __init__(self, x: Array, y: Array, size: int, capacity: int) -> None:
        paths, objectives = len(y), y.shape[2]
        self.x, self._y = x[:, :0], np.empty((paths, objectives, 0))  # the kernels want a column per point
        self.rank: Integers = np.empty((paths, size), np.int64)
        self._met: list[Array] = []  # all points ever evaluated; an archive names a point by its place among them
        self._archive = np.empty((paths, objectives, capacity))
        self._names: Integers = np.empty((paths, capacity), np.int64)
        self._sizes: Integers = np.zeros(paths, np.int64)
        self.advance(x, y)

    @property
    def y(self) -> Array:
        """Values of the population: (R, N, L)."""
        return np.swapaxes(self._y, 1, 2)

    def advance(self, x: Array, y: Array) -> None:
        """Add points x (R, N', D) of values y (R, N', L); the best of old and new survive."""
        new = np.ascontiguousarray(np.swapaxes(y, 1, 2), dtype=np.float64)
        every = np.concatenate((self._y, new), axis=2)
        chosen: Integers = np.empty(self.rank.shape, np.int64)
        first_name = sum(points.shape[1] for points in self._met)
        archived = self._names.shape[1] > 0

        def select(r: int) -> None:
            survive(every[r], chosen[r], self.rank[r])
            if archived:
                self._sizes[r] = enter(self._archive[r], self._names[r], self._sizes[r], new[r], first_name)

        spread(select, range(len(y)))
        if archived:
            self._met.append(x)
        self.x = np.take_along_axis(np.concatenate((self.x, x), axis=1), chosen[:, :, None], axis=1)
        self._y = np.take_along_axis(every, chosen[:, None, :], axis=2)

    def parents(self, rng: np.random.Generator) -> Array:
        """Winners of tournaments of two, as many as there are points: (R, N, D)."""
        # survivors come best first: of two the earlier wins
        paths, size = self.rank.shape
        winners = rng.integers(size, size=(2, paths, size)).min(axis=0)
        return np.take_along_axis(self.x, winners[:, :, None], axis=1)

    def spans(self) -> Array:
        """The range of each objective in each population, never 0: (R, 1, L)."""
        span = np.ptp(self._y, axis=2)
        return np.where(span > 0.0, span, 1.0)[:, None, :]

    def best(self, r: int) -> tuple[Array, Array]:
        """The archive of path r, or else the first rank of its population: x (S, D), y (S, L)."""
        if self._names.shape[1] == 0:
            first = self.rank[r] == 0
            return self.x[r, first], self.y[r, first]
        names = self._names[r, : self._sizes[r]]
        met = np.concatenate([points[r] for points in self._met])
        return met[names], np.ascontiguousarray(self._archive[r, :, : self._sizes[r]].T)
