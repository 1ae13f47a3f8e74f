"""What may be asked for at a point, and what it costs: nothing that is measured or pending, nothing all but known.

mask    a set of objectives as bits: bit l stands for objective l
K       options; where some of an option's objectives are taken, the rest of it is on offer, at its own cost
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from pfes.objectives import Objectives, Option
from pfes.observations import NO_ROW, Observations, State
from pfes.space import Pool, Space

__all__ = ["NEAR", "Offer"]

Array = NDArray[np.float64]
Masks = NDArray[np.int64]

NEAR = 1e-3  # of the unit cube: closer to a known point than this, a candidate must still be uncertain


@dataclass(frozen=True)
class Offer:
    """The options at every point of a space, or every row of a pool."""

    domain: Space | Pool
    objectives: Objectives
    options: tuple[Option, ...]
    known: Observations
    rows: NDArray[np.bool_] | None = None  # (P,) the rows of a pool that may be asked for; None: all
    replicates: bool = False  # points already measured may be measured again
    uncertain: Callable[[Array], NDArray[np.bool_]] | None = None  # x (N, D) -> (N, L): worth a look though near data
    _prices: dict[int, Array] = field(default_factory=dict, compare=False, repr=False)

    def costs(self, x: Array) -> Array:
        """(N, K) what each option still costs at snapped points x (N, D) of a space; inf: not on offer."""
        assert isinstance(self.domain, Space)
        taken = self._taken_by_key()
        masks = np.array([taken.get(key, 0) for key in self.domain.keys(x)], dtype=np.int64) if taken else None
        costs = self._priced(np.zeros(len(x), dtype=np.int64) if masks is None else masks)
        return np.where(self._too_near(x), np.inf, costs) if self.domain.free.any() else costs

    def row_costs(self) -> Array:
        """(P, K) what each option still costs at each row of a pool; inf: not on offer."""
        assert isinstance(self.domain, Pool)
        masks = np.zeros(len(self.domain), dtype=np.int64)
        here = self.known.row != NO_ROW
        np.bitwise_or.at(masks, self.known.row[here], self._bits()[here])
        costs = self._priced(masks)
        return costs if self.rows is None else np.where(self.rows[:, None], costs, np.inf)

    def left(self, option: int, x: Array, row: int = NO_ROW) -> tuple[int, ...]:
        """The objectives of an option that are not yet taken at the point x (D,)."""
        if row != NO_ROW:
            mask = reduce(int.__or__, self._bits()[self.known.row == row].tolist(), 0)
        else:
            assert isinstance(self.domain, Space)
            mask = self._taken_by_key().get(self.domain.keys(x[None])[0], 0)
        return tuple(l for l in self.options[option].which if not mask >> l & 1)

    def _bits(self) -> Masks:
        """(m,) the objectives each known row takes from its point: its own, or all if the point is infeasible."""
        everything = (1 << len(self.objectives)) - 1
        own = np.left_shift(1, self.known.objective.astype(np.int64))
        if self.replicates:
            own = np.where(self.known.state == State.MEASURED, 0, own)
        return np.where(self.known.state == State.INFEASIBLE, everything, own)

    def _taken_by_key(self) -> dict[bytes, int]:
        assert isinstance(self.domain, Space)
        taken: dict[bytes, int] = {}
        for key, mask in zip(self.domain.keys(self.known.x), self._bits().tolist(), strict=True):
            taken[key] = taken.get(key, 0) | mask
        return taken

    def _priced(self, masks: Masks) -> Array:
        patterns, where = np.unique(masks, return_inverse=True)
        return np.array([self._price(int(mask)) for mask in patterns]).reshape(-1, len(self.options))[where.ravel()]

    def _price(self, mask: int) -> Array:
        if mask not in self._prices:
            rest = [[l for l in option.which if not mask >> l & 1] for option in self.options]
            self._prices[mask] = np.array([self.objectives.cost(which) if which else np.inf for which in rest])
        return self._prices[mask]

    def _too_near(self, x: Array) -> NDArray[np.bool_]:
        """(N, K) options whose every objective is all but known: a measurement lies near, and no doubt is left."""
        known = self.known.only(State.MEASURED, State.PENDING)
        near = np.zeros((len(x), len(self.objectives)), dtype=bool)
        if len(known) and self.uncertain is not None and not self.replicates:
            close = cdist(x, known.x) < NEAR
            for l in range(len(self.objectives)):
                near[:, l] = close[:, known.objective == l].any(axis=1)
            doubtful = np.flatnonzero(near.any(axis=1))
            if len(doubtful):
                near[doubtful] &= ~self.uncertain(x[doubtful])
        return np.column_stack([near[:, list(option.which)].all(axis=1) for option in self.options])
