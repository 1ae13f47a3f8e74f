"""What may be asked for at a point, and what it costs: nothing that is measured or pending, nothing all but known.

    mask    a set of objectives as bits: bit l stands for objective l
    K       options

Where objectives are measured one by one, an option is on offer if none of its objectives is taken. Where all are
measured together, points that are half measured offer what they lack, and nothing else.

A level of a category is untried for an objective that was measured at no point with that level, or long ago only; what
failed there, is under way, or could not be measured counts as tried.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from pfes.objectives import Objectives, Option
from pfes.observations import NO_ROW, Observations, State
from pfes.space import Pool, Space

__all__ = ["NEAR", "Offer"]

Array = NDArray[np.float64]
Masks = NDArray[np.int64]

ROUNDING = 1e-9  # of sums of costs
NEAR = 1e-3  # of the unit cube: closer to a known point than this, a candidate must still be uncertain


class Taken(NamedTuple):
    """What is taken at a known point."""

    mask: int  # objectives, as bits
    first: int  # the row of `known` that named it first


@dataclass(frozen=True)
class Offer:
    """The options at every point of a space, or every row of a pool."""

    domain: Space | Pool
    objectives: Objectives
    options: tuple[Option, ...]
    known: Observations
    whole: bool = True  # all that is lacking at a point is measured together
    rows: NDArray[np.bool_] | None = None  # (P,) the rows of a pool that may be asked for; None: all
    limit: float = np.inf  # the most a measurement may cost
    replicates: bool = False  # points already measured may be measured again
    uncertain: Callable[[Array], NDArray[np.bool_]] | None = None  # x (N, D) -> (N, L): worth a look though near data
    untried: bool = False  # only what is untried at one of the point's levels
    early: int = 0  # so many of the first rows of `known` were long ago

    def costs(self, x: Array) -> Array:
        """(N, K) what each option costs at snapped points x (N, D) of a space; inf: not on offer."""
        assert isinstance(self.domain, Space)
        costs = self._narrowed(x, self._priced(self.masks(x)))
        return np.where(self._too_near(x), np.inf, costs) if self.domain.free.any() else costs

    def row_costs(self) -> Array:
        """(P, K) what each option costs at each row of a pool; inf: not on offer."""
        assert isinstance(self.domain, Pool)
        return self._narrowed(self.domain.x, self._priced(self.row_masks()))

    @property
    def has_categories(self) -> bool:
        """Whether there are levels that could be untried."""
        return bool(self._levels.any())

    @property
    def has_untried(self) -> bool:
        """Whether a level of some category is untried for some objective."""
        return bool(self._strange.any())

    def untried_at(self, x: Array, which: tuple[int, ...]) -> tuple[str, ...]:
        """The categories whose level at x (D,) is untried for one of these objectives."""
        strange = (self._strange[list(which)] & (x > 0.0)).any(axis=0)
        names = list(self.domain.varied if isinstance(self.domain, Pool) else self.domain.names)
        return tuple(names[group] for group in np.unique(self.domain.groups[strange]).tolist())

    @cached_property
    def _levels(self) -> NDArray[np.bool_]:
        """(D,) the columns that stand for a level of a category, each for one."""
        groups = self.domain.groups
        levels: NDArray[np.bool_] = np.bincount(groups)[groups] > 1
        return levels & (self.domain.upper > 0.0) if isinstance(self.domain, Space) else levels  # fixed: no other level

    @cached_property
    def _strange(self) -> NDArray[np.bool_]:
        """(L, D) the columns of levels that are untried."""
        late = np.arange(len(self.known)) >= self.early
        of = [self.known.x[late & (self.known.objective == l)] for l in range(len(self.objectives))]
        return np.array([self._levels & ~(x > 0.0).any(axis=0) for x in of])

    def _narrowed(self, x: Array, costs: Array) -> Array:
        """Costs (N, K) of options at points x (N, D), if need be of those alone that try an untried level."""
        if not self.untried:
            return costs
        new = np.column_stack([(x[:, strange] > 0.0).any(axis=1) for strange in self._strange])  # (N, L)
        some = np.flatnonzero(new.any(axis=1))
        if self.uncertain is not None and len(some):
            new[some] &= self.uncertain(x[some])
        tries = np.column_stack([new[:, list(option.which)].any(axis=1) for option in self.options])
        return np.where(tries, costs, np.inf)

    def completing(self, x: Array) -> Array:
        """(N, K) cost of all that points x (N, D) lack if they begin with an option; inf where it is above the limit.

        Where costs add up it is the same for all options. A bundle that is cheaper than its members is not: who begins
        with one of them pays for the others alone.
        """
        if not self._halves or not len(x):
            return np.tile(self._ways[0], (len(x), 1))
        return np.array([self._ways[self._halves.get(key, 0)] for key in self._keys(x)])

    @cached_property
    def _ways(self) -> dict[int, Array]:
        """(K,) the same for points where a mask is taken: nothing, or what is of some half-measured point."""
        return {mask: self._ways_from(mask) for mask in {0, *self._halves.values()}}

    def _ways_from(self, mask: int) -> Array:
        lacking = self._lacking(mask)
        least = self.objectives.cost(lacking)
        after = [self.objectives.cost(lacking.difference(option.which)) for option in self.options]
        costs = np.array([option.cost for option in self.options]) + after
        costs = np.where(costs > least * (1.0 + ROUNDING), costs, least)
        return np.where(costs <= self.limit, costs, np.inf)

    def _lacking(self, mask: int) -> set[int]:
        """The objectives that are not in a mask."""
        return {l for l in range(len(self.objectives)) if not mask >> l & 1}

    @property
    def completes(self) -> bool:
        """Whether the limit pays for all that some point lacks."""
        masks = {0, *self._halves.values()}
        return min(self.objectives.cost(self._lacking(mask)) for mask in masks) <= self.limit

    @property
    def begun(self) -> bool:
        """Whether some points are half measured."""
        return bool(self._halves)

    def finishes(self, x: Array, option: int) -> bool:
        """Whether a point x (D,) is half measured, and that option is all that it lacks."""
        mask = self._halves.get(self._keys(x[None])[0], 0)
        return mask > 0 and self._lacking(mask) <= set(self.options[option].which)

    def settled(self, x: Array) -> Array:
        """The known point that x (D,) of a space stands for, if it does: what completes a point is measured there."""
        if not isinstance(self.domain, Space):
            return x
        known = self._taken.get(self._keys(x[None])[0])
        return x if known is None else self.known.x[known.first]

    def masks(self, x: Array) -> Masks:
        """(N,) the objectives taken at snapped points x (N, D) of a space."""
        assert isinstance(self.domain, Space)
        if not self._taken:
            return np.zeros(len(x), dtype=np.int64)
        nothing = Taken(0, 0)
        return np.array([self._taken.get(key, nothing).mask for key in self._keys(x)], dtype=np.int64)

    @cached_property
    def _taken(self) -> dict[bytes, Taken]:
        """What is taken at each known point."""
        taken: dict[bytes, Taken] = {}
        for row, (key, mask) in enumerate(zip(self._keys(self.known.x), self._bits().tolist(), strict=True)):
            before = taken.get(key, Taken(0, row))
            taken[key] = Taken(before.mask | mask, before.first)
        return taken

    @cached_property
    def _halves(self) -> dict[bytes, int]:
        """What is taken at the points that are half measured."""
        return {key: known.mask for key, known in self._taken.items() if 0 < known.mask < self._everything}

    @cached_property
    def whole_cost(self) -> float:
        """What it costs to measure everything at a fresh point."""
        return self.objectives.cost(range(len(self.objectives)))

    def _keys(self, x: Array) -> list[bytes]:
        return self.domain.keys(x) if isinstance(self.domain, Space) else [row.tobytes() for row in x]

    def row_masks(self) -> Masks:
        """(P,) the objectives taken at each row of a pool; all of them where a row may not be asked for."""
        assert isinstance(self.domain, Pool)
        masks = np.zeros(len(self.domain), dtype=np.int64)
        here = self.known.row != NO_ROW
        np.bitwise_or.at(masks, self.known.row[here], self._bits()[here])
        return masks if self.rows is None else np.where(self.rows, masks, self._everything)

    @property
    def _everything(self) -> int:
        return (1 << len(self.objectives)) - 1

    def _bits(self) -> Masks:
        """(m,) the objectives each known row takes from its point: its own, or all if the point is infeasible."""
        own = np.left_shift(1, self.known.objective.astype(np.int64))
        if self.replicates:
            own = np.where(self.known.state == State.MEASURED, 0, own)
        return np.where(self.known.state == State.INFEASIBLE, self._everything, own)

    def _priced(self, masks: Masks) -> Array:
        wanted = np.array([sum(1 << l for l in option.which) for option in self.options])
        costs = np.array([option.cost for option in self.options])
        lacking = self._everything & ~masks[:, None]
        on_offer = (wanted == lacking) if self.whole else (wanted & ~lacking == 0)
        return np.where(on_offer & (costs <= self.limit), costs, np.inf)

    def _too_near(self, x: Array) -> NDArray[np.bool_]:
        """(N, K) options whose every objective is all but known: a measurement lies near, and no doubt is left."""
        known = self.known.but(State.INFEASIBLE)
        near = np.zeros((len(x), len(self.objectives)), dtype=bool)
        if len(known) and self.uncertain is not None and not self.replicates:
            close = cdist(x, known.x) < NEAR
            for l in range(len(self.objectives)):
                near[:, l] = close[:, known.objective == l].any(axis=1)
            doubtful = np.flatnonzero(near.any(axis=1))
            if len(doubtful):
                near[doubtful] &= ~self.uncertain(x[doubtful])
        return np.column_stack([near[:, list(option.which)].all(axis=1) for option in self.options])
