"""What a method is to the benchmark. One of your own is a function that is called once for each search:

    def mine(start: Start, **arguments) -> Choose

and gives a function that is called again and again with all that was measured, and says what to measure next:

    def choose(record: Record) -> point, or Wish, or a list of them

A point is an array (d,) of the unit cube or {parameter: value} of a space, the number of a row of a pool. Nothing at
all (None, an empty list) ends the search. What changes from call to call, `mine` keeps to itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.problems import Problem
from pfes.space import Pool, Space

__all__ = ["Record", "Start", "Wish"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Start:
    """What a method is told when a search begins. It must not look at the problem's truth.

    problem     space or pool, objectives with costs, reference point
    seed        of the search: same seed, same search
    budget      what may still be spent after the first points, in units of cost
    batch       how many points are wanted at a time; decoupled: single objectives may be named
    thresholds  whether the reference point may be used as what is worth having
    """

    problem: Problem
    seed: int
    budget: float
    batch: int = 1
    decoupled: bool = False
    thresholds: bool = True

    @property
    def space(self) -> Space | Pool:
        """Where to look."""
        return self.problem.space

    @property
    def pooled(self) -> bool:
        """Whether points are rows of a pool."""
        return isinstance(self.problem.space, Pool)

    @property
    def reference(self) -> Array:
        """(L,) the reference point, as levels: everything is maximised."""
        return self.problem.objectives.inward(self.problem.reference)


@dataclass
class Record:
    """All that was measured, in the order it came; the first points have everything measured.

    x       (n, D) encoded points; rows: (n,) rows of a pool, else empty
    values  (n, L) as measured, in the user's units; nan where an objective was not
    left    what may still be spent
    """

    problem: Problem
    left: float
    x: Array = field(init=False)
    rows: NDArray[np.intp] = field(init=False)
    values: Array = field(init=False)

    def __post_init__(self) -> None:
        self.x = np.zeros((0, self.problem.space.width))
        self.rows = np.zeros(0, dtype=np.intp)
        self.values = np.zeros((0, len(self.problem.objectives)))

    def add(self, place: Any, values: Array) -> None:
        """Add what was measured, (L,), at a point (D,) or a row."""
        if isinstance(self.problem.space, Pool):
            self.rows = np.append(self.rows, int(place)).astype(np.intp)
            place = self.problem.space.x[int(place)]
        self.x = np.vstack([self.x, np.asarray(place, dtype=np.float64)])
        self.values = np.vstack([self.values, values])

    @property
    def levels(self) -> Array:
        """(n, L) the values with everything to be maximised."""
        return self.problem.objectives.inward(self.values)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Wish:
    """What to measure: a point, the numbers of some objectives (all, if none are named), and why, if that is known."""

    at: Any
    which: tuple[int, ...] = ()
    gain: float = math.nan
    purpose: str = ""


Choose = Callable[[Record], Any]
