"""Find the point and the option of the highest score: pool scan, multi-start L-BFGS-B, DIRECT, moves of discrete parts.

N   candidates scored at once       K   options
value   what is compared: score - log cost + log P(feasible); -inf where nothing is on offer
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from pfes.acquisition import FLOOR, Acquisition
from pfes.errors import InvalidInput
from pfes.gp import Feasibility
from pfes.observations import NO_ROW
from pfes.offer import Offer
from pfes.search.dividing import minimise_by_dividing
from pfes.space import Pool, Space

__all__ = ["Found", "MaximiserSettings", "Target", "maximise"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

BLOCK = 8192  # rows of a pool scored at once
MOST_LISTED = 100_000  # points of a discrete space that are all looked at when no other is left
STEEPEST = 1e8  # gradient of a score that a climb follows
LIKELY = 1e-6  # a point is never thought less feasible than this: the classifier may err


@dataclass(frozen=True)
class MaximiserSettings:
    """How hard to look.

    kind        "gradient": multi-start L-BFGS-B on the best of a scan; "direct": DIRECT, as in the paper
    scan        points of a space that are scored before the climb
    starts      points that climb together, shared among the options
    iterations  of the climb
    """

    kind: Literal["gradient", "direct"] = "gradient"
    scan: int = 512
    starts: int = 6
    iterations: int = 20

    def __post_init__(self) -> None:
        if self.kind not in ("gradient", "direct") or min(self.scan, self.starts, self.iterations) < 1:
            raise InvalidInput(
                f"got {self}; wanted kind 'gradient' or 'direct', and scan, starts and iterations of 1 or more; "
                "try MaximiserSettings()"
            )


class Found(NamedTuple):
    """The best point, the best option there, and what it was compared with."""

    x: Array  # (D,)
    row: int  # NO_ROW in a space
    option: int
    value: float
    here: Array  # (K,) the value of each option at x; -inf: not on offer
    best: Array  # (K,) the best value of each option anywhere
    compared: int  # points


@dataclass(frozen=True)
class Target:
    """What is maximised: the score of an acquisition, per cost, where it is on offer and likely to be feasible."""

    acquisition: Acquisition
    offer: Offer
    feasibility: Feasibility | None = None

    def values(self, x: Array, costs: Array) -> Array:
        """(N, K) at points x (N, D) whose options cost `costs` (N, K)."""
        value = _per_cost(self.acquisition.scores(x), costs)
        return value if self.feasibility is None else value + self._log_likely(self.feasibility.probability(x))[:, None]

    def slopes(self, x: Array, option: Integers) -> tuple[Array, Array]:
        """(N,) value of one option at each point, and its gradient (N, D); costs are constant and left out."""
        score, d_x = self.acquisition.slopes(x)
        own = np.arange(len(x))
        value, slope = score[own, option], d_x[own, option]
        if self.feasibility is not None:
            likely, d_likely = self.feasibility.probability_gradient(x)
            value = value + self._log_likely(likely)
            slope = slope + d_likely / np.maximum(likely, LIKELY)[:, None]
        return value, slope

    @staticmethod
    def _log_likely(probability: Array) -> Array:
        return np.log(np.maximum(probability, LIKELY))


def _per_cost(score: Array, costs: Array) -> Array:
    """Divide gains by costs, in logarithms; what is not a positive gain is not divided (it would rise)."""
    on_offer = np.isfinite(costs)
    log_cost = np.where(score > FLOOR, np.log(np.where(on_offer, costs, 1.0)), 0.0)
    return np.where(on_offer, score - log_cost, -np.inf)


def maximise(
    target: Target, settings: MaximiserSettings, rng: np.random.Generator, hurry: Callable[[], bool] = lambda: False
) -> Found | None:
    """The best point and option on offer; None if nothing is. `hurry()` turning true ends the search early."""
    if isinstance(target.offer.domain, Pool):
        return scan_pool(target, target.offer.domain, hurry)
    if settings.kind == "direct":
        return direct(target, target.offer.domain, settings, rng, hurry)
    return climb_space(target, target.offer.domain, settings, rng, hurry)


def scan_pool(target: Target, pool: Pool, hurry: Callable[[], bool]) -> Found | None:
    """Score every row of a pool, in blocks; those with nothing on offer are passed over."""
    costs = target.offer.row_costs()
    rows = np.flatnonzero(np.isfinite(costs).any(axis=1))
    best, where, seen = np.full(costs.shape[1], -np.inf), np.zeros(costs.shape[1], dtype=np.intp), 0
    for begin in range(0, len(rows), BLOCK):
        block = rows[begin : begin + BLOCK]
        values = target.values(pool.x[block], costs[block])
        top = np.argmax(values, axis=0)
        peak = values[top, np.arange(len(best))]
        better = peak > best
        best, where, seen = np.where(better, peak, best), np.where(better, block[top], where), seen + len(block)
        if hurry():
            break
    if not np.isfinite(best).any():
        return None
    option = int(np.argmax(best))
    row = int(where[option])
    here = target.values(pool.x[row : row + 1], costs[row : row + 1])[0]
    return Found(pool.x[row], row, option, float(best[option]), here, best, seen)


class Scored(NamedTuple):
    """Snapped, admissible points of a space and the values of their options."""

    x: Array  # (N, D)
    value: Array  # (N, K)

    @staticmethod
    def of(target: Target, x: Array) -> "Scored":
        space = target.offer.domain
        assert isinstance(space, Space)
        x = space.snap(x)
        x = x[space.admissible(x)]
        return Scored(x, target.values(x, target.offer.costs(x)))

    def and_also(self, other: "Scored") -> "Scored":
        return Scored(np.vstack([self.x, other.x]), np.vstack([self.value, other.value]))

    def found(self) -> Found | None:
        if not np.isfinite(self.value).any():
            return None
        point, option = np.unravel_index(np.argmax(self.value), self.value.shape)
        here, best = self.value[point], self.value.max(axis=0)
        return Found(self.x[point], NO_ROW, int(option), float(here[option]), here, best, len(self.x))

    def leaders(self, count: int) -> tuple[Array, Integers]:
        """The best `count` (point, option) pairs, shared evenly among the options that have any: (n, D), (n,)."""
        options = np.flatnonzero(np.isfinite(self.value).any(axis=0))
        share = max(2, count // max(1, len(options)))
        x, which = [], []
        for option in options:
            order = np.argsort(-self.value[:, option], kind="stable")[:share]
            order = order[np.isfinite(self.value[order, option])]
            x.append(self.x[order])
            which.append(np.full(len(order), option))
        return np.vstack(x), np.concatenate(which)


def climb_space(
    target: Target, space: Space, settings: MaximiserSettings, rng: np.random.Generator, hurry: Callable[[], bool]
) -> Found | None:
    """Score a scan and the acquisition's own starts, then let the best climb, free and discrete parts in turn."""
    scored = Scored.of(target, np.vstack([_scan(space, settings, rng), _pinned(space, target.acquisition.starts)]))
    if not np.isfinite(scored.value).any() and settings.scan < space.size <= MOST_LISTED and not target.offer.untried:
        scored = Scored.of(target, space.grid())  # nearly used up: look everywhere
    if not np.isfinite(scored.value).any():
        return None
    compared = len(scored.x)
    x, option = scored.leaders(settings.starts)
    for _ in range(1 if space.free.all() else 3):
        if hurry():
            break
        climbed = climb(target, space, x, option, settings.iterations, hurry) if space.free.any() else x
        scored = scored.and_also(Scored.of(target, pulled_back(space, x, climbed)))
        if space.free.all():
            break
        scored = scored.and_also(_moved(target, space, scored, settings.starts // 2))
        x, option = scored.leaders(settings.starts)
    found = scored.found()
    return None if found is None else found._replace(compared=max(compared, found.compared))


def _scan(space: Space, settings: MaximiserSettings, rng: np.random.Generator) -> Array:
    """(N, D) points to score first: all there are of a small space, else evenly spread ones."""
    return space.grid() if space.size <= 4 * settings.scan else space.sobol(settings.scan, rng)


def _pinned(space: Space, x: Array) -> Array:
    """Points moved into the box, which fixed parameters have narrowed."""
    return np.clip(x, space.lower, space.upper)


def climb(
    target: Target, space: Space, x: Array, option: Integers, iterations: int, hurry: Callable[[], bool]
) -> Array:
    """L-BFGS-B from all points x (n, D) at once, each for its own option; parts that are not free stay."""
    free = np.flatnonzero(space.free & (space.upper > space.lower))
    whole = np.clip(x, space.lower, space.upper)

    def loss(flat: Array) -> tuple[float, Array]:
        moved = flat.reshape(len(x), -1)
        whole[:, free] = np.where(np.isfinite(moved), moved, whole[:, free])
        value, slope = target.slopes(whole, option)
        # beyond some steepness the search would step to where nothing is a number
        steep = np.nan_to_num(slope[:, free].ravel(), nan=0.0)
        return -float(np.nan_to_num(value, nan=FLOOR).sum()), -np.clip(steep, -STEEPEST, STEEPEST)

    def watch(_: Array) -> None:
        if hurry():
            raise StopIteration

    bounds = np.tile(np.column_stack([space.lower[free], space.upper[free]]), (len(x), 1))
    result = optimize.minimize(
        loss, whole[:, free].ravel(), jac=True, method="L-BFGS-B", bounds=bounds, callback=watch,
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-9},
    )  # fmt: skip
    climbed = whole.copy()
    climbed[:, free] = np.nan_to_num(result.x).reshape(len(x), -1)
    return np.clip(climbed, space.lower, space.upper)


def pulled_back(space: Space, start: Array, end: Array) -> Array:
    """Ends (n, D) of climbs that left the admissible region, pulled back towards their starts until inside."""
    low, high = np.zeros(len(start)), np.ones(len(start))
    high[space.admissible(space.snap(end))] = 0.0
    if not high.any():
        return end
    outside = high > 0.0
    for _ in range(20):
        middle = (low + high) / 2.0
        inside = space.admissible(space.snap(start + middle[:, None] * (end - start)))
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(outside[:, None], start + low[:, None] * (end - start), end)


def _moved(target: Target, space: Space, scored: Scored, count: int) -> Scored:
    """Neighbours, one discrete parameter changed, of the best points; followed while they get better."""
    x, option = scored.leaders(max(2, count))
    found: list[Array] = []
    for start, k in zip(x, option, strict=True):
        here, value = start, -np.inf
        for _ in range(10):
            around = Scored.of(target, space.neighbours(here))
            if not len(around.x) or not around.value[:, k].max() > value:
                break
            top = int(np.argmax(around.value[:, k]))
            here, value = around.x[top], around.value[top, k]
            found.append(here)
    return Scored.of(target, np.array(found).reshape(-1, space.width))


def direct(
    target: Target, space: Space, settings: MaximiserSettings, rng: np.random.Generator, hurry: Callable[[], bool]
) -> Found | None:
    """DIRECT on the best option at each point, as the paper maximises."""
    moving = np.flatnonzero(space.upper > space.lower)
    scored: list[Scored] = []

    def loss(unit: Array) -> Array:
        x = np.tile(space.lower, (len(unit), 1))
        x[:, moving] += unit * (space.upper - space.lower)[moving]
        inside = space.admissible(space.snap(x))
        scored.append(Scored.of(target, x[inside]))
        losses = np.full(len(x), -10.0 * FLOOR)
        losses[inside] = np.minimum(-scored[-1].value.max(axis=1), -10.0 * FLOOR)
        return losses

    if len(moving):
        minimise_by_dividing(loss, len(moving), 4 * settings.scan, hurry)
    # the points it tries do not depend on the target alone: where all of them are taken, look elsewhere, or everywhere
    found = (
        Scored(np.vstack([it.x for it in scored]), np.vstack([it.value for it in scored])).found() if scored else None
    )
    found = found or Scored.of(target, space.sobol(settings.scan, rng)).found()
    return found if found or space.size > MOST_LISTED else Scored.of(target, space.grid()).found()
