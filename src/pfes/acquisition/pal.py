"""PAL, Pareto active learning (Zuluaga, Sergent, Krause and Puschel 2013): decide of every row of a pool whether it is
Pareto-optimal, from boxes that hold its values (boxes.py).

    low, high   (N, L) the boxes' corners
    slack       (L,) how much worse counts as equal
    sure        (S, L) the pessimistic front: the non-dominated ones of all low corners

A row is discarded if some low corner exceeds its high one, slack added; not if its own low corner is on the pessimistic
front, or rows within slack of one another would discard each other. A row is accepted if no other row that is left has
a high corner above its low one, slack added. The rest is undecided. The row with the widest box that is not discarded
is measured next, and when nothing is undecided there is no more to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.boxes import Boxes, betas, boxes
from pfes.acquisition.by_differences import ByDifferences
from pfes.acquisition.expected import expecting
from pfes.acquisition.method import Method
from pfes.acquisition.protocol import score_of
from pfes.acquisition.resolution import finest
from pfes.acquisition.situation import Situation
from pfes.compiled import kernel
from pfes.gp import Surrogate
from pfes.objectives import Option
from pfes.pareto import as_frontier
from pfes.space import Pool

__all__ = ["METHOD", "Classes", "Pal", "Rows", "classified", "pal", "pal_slack", "rows_of"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Classes(NamedTuple):
    """Of N rows; each is in one of them."""

    pareto: Mask  # (N,)
    other: Mask  # (N,) not Pareto-optimal, or covered by what is
    undecided: Mask  # (N,)


class Rows(NamedTuple):
    """The rows of a pool that are to be decided on, those of identical inputs once."""

    x: Array  # (N, D)
    twins: NDArray[np.intp]  # (N,) how many rows there are of each
    which: NDArray[np.intp]  # (P,) where each row of the pool is among them; -1: it cannot be measured


def rows_of(pool: Pool, allowed: Mask | None) -> Rows:
    """The rows that can be measured, or have been."""
    in_play = np.ones(len(pool), dtype=bool) if allowed is None else allowed
    first, at, count = np.unique(pool.twins[in_play], return_inverse=True, return_counts=True)
    which = np.full(len(pool), -1)
    which[in_play] = at.ravel()
    return Rows(pool.x[first], count, which)


@kernel
def _exceeded(bounds: Array, by: Array, strictly: bool, out: Mask) -> None:
    """Which of the bounds (N, L) some row of `by` (S, L) reaches in all objectives; strictly: and exceeds in one."""
    for n in range(len(bounds)):
        out[n] = False
        for s in range(len(by)):
            reached, more = True, False
            for l in range(bounds.shape[1]):
                reached = reached and by[s, l] >= bounds[n, l]
                more = more or by[s, l] > bounds[n, l]
            if reached and (more or not strictly):
                out[n] = True
                break


@kernel
def _rivalled(low: Array, high: Array, left: NDArray[np.intp], out: Mask) -> None:
    """Which of the rows `left`, of N, have another one among them whose high corner reaches their low one."""
    for n in left:
        out[n] = False
        for other in left:
            if other == n:
                continue
            reached = True
            for l in range(low.shape[1]):
                reached = reached and high[other, l] >= low[n, l]
            if reached:
                out[n] = True
                break


def _reached(bounds: Array, by: Array, *, strictly: bool = False) -> Mask:
    out = np.zeros(len(bounds), dtype=bool)
    _exceeded(np.ascontiguousarray(bounds), np.ascontiguousarray(by), strictly, out)
    return out


def discarded(box: Boxes, sure: Array, slack: Array, thresholds: Array) -> Mask:
    """(N,) which boxes are of no interest, for a pessimistic front (S, L): beaten, or below a threshold (L,)."""
    beaten = _reached(box.high - slack, sure) & _reached(box.low, sure, strictly=True)
    return np.asarray(beaten | (box.high < thresholds).any(axis=1))


def classified(box: Boxes, slack: Array, thresholds: Array) -> Classes:
    """The classes of N rows by their boxes; see the module."""
    nothing = np.zeros(len(box.low), dtype=bool)
    if not len(box.low):
        return Classes(nothing, nothing, nothing)
    other = discarded(box, as_frontier(box.low), slack, thresholds)
    left = np.flatnonzero(~other)
    left = left[np.argsort(-box.high[left].sum(axis=1), kind="stable")]  # the likeliest rivals first
    rivalled = np.zeros(len(other), dtype=bool)
    _rivalled(np.ascontiguousarray(box.low + slack), np.ascontiguousarray(box.high), left, rivalled)
    return Classes(~other & ~rivalled, other, ~other & rivalled)


@dataclass(frozen=True)
class Pal(ByDifferences):
    """The diagonal of a row's box, as far as measurements under way will leave it; nothing for what is discarded."""

    model: Surrogate  # what is under way included
    base: Surrogate  # what is known
    options: tuple[Option, ...]
    rows: Rows
    slack: Array  # (L,)
    thresholds: Array  # (L,) -inf where there is none
    delta: Array  # (L,)
    starts: Array  # (Q, D)

    @cached_property
    def boxes(self) -> Boxes:
        """Of the rows."""
        return boxes(self.base, self.rows.x, len(self.rows.x))

    @cached_property
    def classes(self) -> Classes:
        """Of the rows."""
        return classified(self.boxes, self.slack, self.thresholds)

    @cached_property
    def _sure(self) -> Array:
        return as_frontier(self.boxes.low)

    @cached_property
    def _at(self) -> dict[bytes, int]:
        return {row.tobytes(): i for i, row in enumerate(self.rows.x)}

    def _box(self, x: Array) -> Boxes:
        """The boxes at x (N, D): those of rows are known."""
        at = np.array([self._at.get(row.tobytes(), -1) for row in x], dtype=np.intp)
        low, high = self.boxes.low[at], self.boxes.high[at]
        if (strange := at < 0).any():
            low[strange], high[strange] = boxes(self.base, x[strange], len(self.rows.x))
        return Boxes(low, high)

    def scores(self, x: Array) -> Array:
        """(N, K) scores at candidates x (N, D), the same for all options."""
        box = self._box(x)
        wide = 2.0 * np.sqrt(betas(max(self.base.steps, 1), len(self.base), len(self.rows.x))[-1])
        width = np.minimum(box.high - box.low, wide * self.model.predict(x).std)
        lost = discarded(box, self._sure, self.slack, self.thresholds)
        gain = np.where(lost, -1.0, np.linalg.norm(width, axis=1))
        return np.tile(score_of(gain[:, None]), len(self.options))

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pal":
        """Any value at x narrows the boxes around it; what is decided waits for the value itself."""
        return replace(self, model=expecting(self.model, x, which, self.delta).model)

    @property
    def standing(self) -> str:
        """How many rows are in which class."""
        pareto, other, undecided = (int(self.rows.twins[mask].sum()) for mask in self.classes)
        return f"of the pool, {pareto:,} are Pareto-optimal, {other:,} are not, {undecided:,} are undecided"

    @property
    def ended(self) -> str:
        """When nothing is undecided."""
        return "" if self.classes.undecided.any() else f"every row is decided: {self.standing}"

    @property
    def exhausted(self) -> str:
        """When all that matters has been measured, and boxes are still wide."""
        return f"every row that may be Pareto-optimal has been measured or is pending: {self.standing}"


def pal_slack(resolution: Array) -> Array:
    """(L,) twice the user's resolution: once at either corner; none where none was given (nan)."""
    return 2.0 * np.nan_to_num(resolution, nan=0.0)


def learner(situation: Situation, slack: Array) -> Pal:
    """Of a situation with a pool."""
    assert isinstance(situation.domain, Pool)  # Method.check saw to it
    return Pal(
        situation.model,
        situation.model,
        situation.options,
        rows_of(situation.domain, situation.allowed),
        slack,
        situation.thresholds,
        finest(situation),
        situation.held,
    )


def pal(situation: Situation) -> Pal:
    """Decide for certain, or within the resolution that was given."""
    return learner(situation, pal_slack(situation.resolution))


METHOD = Method(
    "pal",
    "measures where a pool is least known until every row is known to be Pareto-optimal or not",
    pal,
    promise="narrow a box of {:.3g} deviations of the data",
    source="Zuluaga et al. 2013",
    needs="a pool",
    spaces=False,
)
