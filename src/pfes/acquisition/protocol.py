"""The small protocol behind which every method of choosing stands, and the scale on which gains are compared.

    N   candidates          x (N, D), encoded
    K   options             what may be measured at a candidate: one objective, a bundle, everything

A method says how much it would gain from each option at each candidate. It does not know of costs, of points that are
taken, of feasibility, or of how the maximum is found: all that lives once, in the caller.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pfes.gp import Surrogate
from pfes.objectives import Option

__all__ = ["FLOOR", "Acquisition", "Ending", "Slopes", "gain_of", "score_of", "slope_of"]

Array = NDArray[np.float64]

# Positive gains are compared by their logarithm, which is above -745; the others lie below, in their own order.
FLOOR = -1e4


class Slopes(NamedTuple):
    """Scores and their gradients in x."""

    score: Array  # (N, K)
    d_x: Array  # (N, K, D)


class Acquisition(Protocol):
    """How much would be gained; larger is better."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The K measurements on offer."""
        ...

    @property
    def model(self) -> Surrogate:
        """What is believed, measurements under way included."""
        ...

    @property
    def starts(self) -> Array:
        """(Q, D) points worth starting a search from; may be empty."""
        ...

    @property
    def delta(self) -> Array:
        """(L,) deviations that are not worth telling apart: a point predicted so closely counts as known."""
        ...

    def scores(self, x: Array) -> Array:
        """(N, K) the score of every option at every candidate: `score_of` its gain."""
        ...

    def slopes(self, x: Array) -> Slopes:
        """`scores` with gradients in x."""
        ...

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Acquisition":
        """The same after the objectives `which` of a point x (D,) have been asked for, their values not yet known."""
        ...


@runtime_checkable
class Ending(Protocol):
    """An acquisition that knows when it is done, and how things stand."""

    @property
    def ended(self) -> str:
        """Why nothing more needs to be measured; empty as long as something does."""
        ...

    @property
    def exhausted(self) -> str:
        """Why nothing is left to measure where nothing on offer has a gain."""
        ...

    @property
    def standing(self) -> str:
        """What a reason adds: how far it has come."""
        ...


def score_of(gain: Array) -> Array:
    """Gains (N, K) of any sign as scores (N, K): logarithms where positive; the rest below them, by value."""
    positive = gain > 0.0
    return np.where(positive, np.log(np.where(positive, gain, 1.0)), FLOOR + np.minimum(gain, 0.0))


def slope_of(gain: Array) -> Array:
    """The derivative (N, K) of `score_of` at gains (N, K)."""
    positive = gain > 0.0
    return np.where(positive, 1.0 / np.where(positive, np.maximum(gain, 1e-290), 1.0), 1.0)


def gain_of(score: Array) -> Array:
    """The gains (N, K) behind scores (N, K): the inverse of `score_of`."""
    low = score <= FLOOR
    return np.where(low, score - FLOOR, np.exp(np.where(low, 0.0, np.minimum(score, 700.0))))
