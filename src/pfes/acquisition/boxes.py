"""Boxes that hold the objectives' values with confidence, and never grow: what PAL decides by.

    t        values of every objective that were known then
    beta_t   2 log(L P pi^2 t^2 / (6 delta)) / 9, delta = 0.05: with it all P boxes hold at all times
    Q_t(x)   mean_t(x) +- sqrt(beta_t) std_t(x) in every objective
    R_t(x)   what Q_1(x), ..., Q_t(x) have in common

Everything follows from the order of the data and the hyper-parameters of today, so that a study that is opened again,
or whose hyper-parameters were fitted anew, has the boxes that it would have had if it had always known them. Where the
boxes of two times have nothing in common the model has contradicted itself, and the later one begins anew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp import Surrogate

__all__ = ["Boxes", "betas", "boxes"]

Array = NDArray[np.float64]

DELTA = 0.05  # the chance that any box ever fails
NARROWED = 9.0  # beta is divided by this in both publications' experiments: the bound of the proof is far too wide
NUMBERS = 2_000_000  # of the history of a block of points


class Boxes(NamedTuple):
    """Of N points."""

    low: Array  # (N, L)
    high: Array  # (N, L)


def betas(steps: int, objectives: int, rows: int) -> Array:
    """(steps,) beta_t at t = 1, 2, ... for a pool of so many rows."""
    t = np.arange(1.0, steps + 1.0)
    return np.asarray(2.0 * np.log(objectives * rows * np.pi**2 * t**2 / (6.0 * DELTA)) / NARROWED)


def boxes(model: Surrogate, x: Array, rows: int) -> Boxes:
    """R_t at x (N, D), t being today; rows: of the pool. Before there are data: Q_1 of the prior."""
    size = max(1, NUMBERS // (model.steps + 1) // len(model))
    parts = [_boxes(model, x[begin : begin + size], rows) for begin in range(0, max(len(x), 1), size)]
    return Boxes(np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts]))


def _boxes(model: Surrogate, x: Array, rows: int) -> Boxes:
    mean, std = model.history(x)  # (T + 1, N, L)
    steps = range(1, len(mean)) if len(mean) > 1 else range(1)
    reach = np.sqrt(betas(max(len(mean) - 1, 1), len(model), rows))
    low, high = np.full(mean.shape[1:], -np.inf), np.full(mean.shape[1:], np.inf)
    for t in steps:
        wide = reach[max(t - 1, 0)] * std[t]
        new_low, new_high = mean[t] - wide, mean[t] + wide
        apart = (new_low > high) | (new_high < low)
        low = np.where(apart, new_low, np.maximum(low, new_low))
        high = np.where(apart, new_high, np.minimum(high, new_high))
    return Boxes(low, high)
