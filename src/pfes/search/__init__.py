"""The Pareto sets of R functions at once: NSGA-II (Deb et al. 2002) in arrays, with an archive of all it ever met.

    R        functions searched side by side, each with a population of its own
    N        points of one population
    D, L     encoded inputs, objectives (maximised)

All R populations are bred and evaluated together; ranks and archives are compiled loops, one function a piece. The
archive is what is returned: a population shows N points of a frontier, and the notches between them would be taken for
knowledge that is still to be had (theory 4).

Where gradients are to be had the search begins with a climb: each point follows a mixture of the objectives of its own,
so that slopes decide and no point is given up for another that is ahead of it by chance; and half of the children are
steps uphill. With six inputs and more this is worth several times as many generations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.search.populations import Populations
from pfes.search.selection import survive
from pfes.search.variation import Breeder
from pfes.space import Space

__all__ = ["Found", "SearchSettings", "best_of", "pareto_search"]

Array = NDArray[np.float64]
Evaluate = Callable[[Array], NDArray[Any]]

MOST = 120  # points of a population, unless told otherwise
GROW, SHRINK = 1.5, 0.4  # of a climber's step, after one that was worth it and one that was not


@dataclass(frozen=True)
class SearchSettings:
    """How hard to search.

    population   points per function; None: 40 for every objective, at most 120
    generations  how often they breed; None: 3 times and 3 more for every parameter, at most 15; twice that without
                 gradients
    climbs       steps uphill before, where gradients are to be had; None: 4 and 2 more for every parameter, at most 12
    archive      most points kept; 0: none, and the first rank of the last population is returned, as in the paper
    eta          distribution index of crossover and mutation: children lie nearer to their parents as it grows
    """

    population: int | None = None
    generations: int | None = None
    climbs: int | None = None
    archive: int = 1000
    eta: float = 5.0

    def __post_init__(self) -> None:
        least = min(self.generations or 0, self.climbs or 0, self.eta)
        few = self.population is not None and self.population < 4
        if few or least < 0 or not _is_capacity(self.archive):
            raise InvalidInput(
                f"got {self}; wanted a population of 4 or more, generations, climbs and eta of 0 or more, "
                "an archive of 8 or more points, or 0 for none; try SearchSettings()"
            )

    def size(self, objectives: int) -> int:
        """Points per function of so many objectives."""
        return min(MOST, 40 * objectives) if self.population is None else self.population

    def steps(self, parameters: int, *, uphill: bool) -> tuple[int, int]:
        """Climbs and generations in a space of so many parameters; with few the first points are nearly enough."""
        climbs = min(12, 4 + 2 * parameters) if self.climbs is None else self.climbs
        generations = min(15, 3 + 3 * parameters) * (1 if uphill else 2)
        return climbs if uphill else 0, generations if self.generations is None else self.generations


def _is_capacity(archive: int) -> bool:
    return archive == 0 or archive >= 8


class Found(NamedTuple):
    """The non-dominated points found for one function: x (S, D), y (S, L) as the function gave them."""

    x: Array
    y: Array


def best_of(y: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Rows of y (N, L), `most` at most: those that nothing beats, those that only they beat, and so on, best first."""
    chosen, ranks = np.empty((2, min(most, len(y))), np.int64)
    survive(np.ascontiguousarray(y.T, dtype=np.float64), chosen, ranks)
    return chosen


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
        slopes: gradients (R, N, L, D) at points (R, N, D), if they are to be had.

    Returns:
        For each function the non-dominated points met, in no particular order.
    """
    uphill = slopes if space.free.any() else None
    breeder = Breeder.of(space, settings.eta, rng)
    x = _first_points(space, seeds, settings.population or MOST, rng)
    y = evaluate(x)
    populations = Populations(x, y, settings.size(y.shape[2]), settings.archive)
    climbs, generations = settings.steps(len(space.names), uphill=uphill is not None)
    if uphill:
        _climb(populations, evaluate, uphill, breeder, climbs, rng)
    for _ in range(generations):
        first = populations.parents(rng)
        children = breeder.children(first, populations.parents(rng), rng)
        if uphill:
            half = first[:, ::2]
            wishes = breeder.wishes(half, populations.spans(), rng)
            children[:, ::2] = breeder.uphill(half, uphill(half), wishes, breeder.lengths(half, rng))
        populations.advance(children, evaluate(children))
    return [Found(*populations.best(r)) for r in range(len(x))]


def _first_points(space: Space, seeds: Sequence[Array], population: int, rng: np.random.Generator) -> Array:
    """The seeds that lie in the space, and random points where they are too few: (R, N, D)."""
    usable = [np.asarray(s)[space.admissible(np.asarray(s))] if len(s) else np.empty((0, space.width)) for s in seeds]
    size = max(population, *map(len, usable))
    points = space.random(size * len(usable), rng).reshape(len(usable), size, space.width)
    for r, seed in enumerate(usable):
        points[r, : len(seed)] = seed
    return points


def _climb(
    populations: Populations,
    evaluate: Evaluate,
    slopes: Evaluate,
    breeder: Breeder,
    steps: int,
    rng: np.random.Generator,
) -> None:
    """Move every point uphill in a mixture of objectives of its own; all that is met on the way enters the archives."""
    x, y = populations.x, populations.y
    wishes = breeder.wishes(x, populations.spans(), rng)
    lengths = np.full((*x.shape[:2], 1), breeder.stride)
    for _ in range(steps):
        ahead = breeder.uphill(x, slopes(x), wishes, lengths)
        there = evaluate(ahead)
        populations.advance(ahead, there)
        better = (wishes * (there - y)).sum(axis=2, keepdims=True) > 0
        x, y = np.where(better, ahead, x), np.where(better, there, y)
        lengths *= np.where(better, GROW, SHRINK)
