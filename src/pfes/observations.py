"""What has been measured, what is being measured, and what could not be: one row per (point, objective).

m   rows            x (m, D), encoded points
n   points of one objective, replicates merged
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from pfes.distinct import distinct

__all__ = ["MOST", "NO_ROW", "Data", "Observations", "State", "condensed", "merged"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

NO_ROW = -1
EXACT = 1e-20  # a variance of levels, which are of size 1: values known better than this are known exactly
MOST = 2000  # points of one objective that a model takes into account; of objectives together, of all of them
SAME = 1e-9  # points of the unit cube closer than this, in every column, are one point


class State(IntEnum):
    """What became of a (point, objective)."""

    MEASURED = 0
    PENDING = 1  # asked for, not yet told
    FAILED = 2  # the measurement did not work; the point is not asked for again
    INFEASIBLE = 3  # the point can never be measured; where such points lie is learned


@dataclass(frozen=True)
class Data:
    """One objective's measurements, replicates merged: what a Gaussian process is fitted to."""

    x: Array  # (n, D) distinct points
    y: Array  # (n,) mean of the replicates
    count: Array  # (n,) number of replicates
    noise: Array  # (n,) known variance of that mean; nan where it is to be inferred
    within: float = 0.0  # sum of squared deviations from the replicates' means, where the noise is to be inferred

    def part(self, which: Integers) -> "Data":
        """Only these points; the scatter inside replicates shrinks with their number."""
        spare = np.where(np.isnan(self.noise), self.count - 1.0, 0.0)
        share = float(spare[which].sum() / spare.sum()) if spare.any() else 0.0
        return Data(self.x[which], self.y[which], self.count[which], self.noise[which], self.within * share)


@dataclass(frozen=True)
class Observations:
    """All that is known of the objectives, one row per (point, objective), in the order it came."""

    x: Array  # (m, D)
    row: Integers  # (m,) row of the pool, NO_ROW outside pools
    objective: Integers  # (m,)
    state: Integers  # (m,) State
    value: Array  # (m,) in the user's units; nan unless measured
    noise: Array  # (m,) known standard deviation of the value; nan: unknown

    @staticmethod
    def none(width: int) -> "Observations":
        """Nothing known yet, of points with `width` encoded columns."""
        whole, real = np.zeros(0, dtype=np.intp), np.zeros(0)
        return Observations(np.zeros((0, width)), whole, whole, whole, real, real)

    def __len__(self) -> int:
        return len(self.value)

    def but(self, *states: State) -> "Observations":
        """The same without rows in these states."""
        return self[~np.isin(self.state, states)]

    def only(self, *states: State) -> "Observations":
        """The rows in these states."""
        return self[np.isin(self.state, states)]

    def __getitem__(self, which: NDArray[np.bool_] | Integers) -> "Observations":
        return Observations(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def with_pending(self, x: Array, which: Sequence[int], row: int = NO_ROW) -> "Observations":
        """The same and a point x (D,) whose objectives `which` have been asked for."""
        count = len(which)
        return Observations(
            x=np.vstack([self.x, np.tile(x, (count, 1))]),
            row=np.append(self.row, np.full(count, row)).astype(np.intp),
            objective=np.append(self.objective, which).astype(np.intp),
            state=np.append(self.state, np.full(count, State.PENDING)).astype(np.intp),
            value=np.append(self.value, np.full(count, np.nan)),
            noise=np.append(self.noise, np.full(count, np.nan)),
        )

    def counts(self, objectives: int) -> Integers:
        """(L,) how many measured values each objective has."""
        return np.bincount(self.only(State.MEASURED).objective, minlength=objectives)

    def of(self, objective: int) -> "Observations":
        """The measured rows of one objective."""
        return self[(self.objective == objective) & (self.state == State.MEASURED)]

    def scaled(self, value: Array, noise: Array) -> "Observations":
        """The same points with other values and noises."""
        return replace(self, value=value, noise=noise)


def merged(x: Array, y: Array, noise: Array) -> Data:
    """Merge replicates: rows x (N, D) that are one point up to SAME, values y (N,), known variances (N,) or nan.

    Rows of known noise are averaged by their precision, rows of unknown noise plainly, and the two are not mixed.
    """
    if not len(y):
        return Data(x, y, np.zeros(0), np.zeros(0))
    known = np.isfinite(noise)
    keys = np.column_stack([np.round(x / SAME), known])
    _, first, group = distinct(keys)
    order = np.argsort(np.argsort(first))  # points in the order they came
    group = order[group]
    weight = np.where(known, 1.0 / np.maximum(np.where(known, noise, 1.0), EXACT), 1.0)
    total = np.bincount(group, weight)
    mean = np.bincount(group, weight * y) / total
    count = np.bincount(group).astype(np.float64)
    at = np.sort(first)
    within = float(np.sum(np.where(known, 0.0, y - mean[group]) ** 2))
    return Data(x[at], mean, count, np.where(known[at], 1.0 / total, np.nan), within)


def condensed(data: Data, most: int = MOST) -> Data:
    """At most `most` points of an objective's Data, x (N, D): half of them the best, half an even choice of the rest.

    A Gaussian process costs the cube of their number; what matters most is where the objective is good.
    """
    if len(data.y) <= most:
        return data
    order = np.argsort(-data.y, kind="stable")
    best, rest = order[: most // 2], np.sort(order[most // 2 :])
    keep = np.sort(np.append(best, rest[np.linspace(0, len(rest) - 1, most - len(best)).astype(np.intp)]))
    return data.part(keep)
