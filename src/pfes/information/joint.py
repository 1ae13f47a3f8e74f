"""Covariances of any number of objectives: whoever integrates them best is asked.

Two and three objectives: `correlated`, to many digits. More: `many`. No correlation at all: what is made for that.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from pfes.information import correlated, many
from pfes.information.evaluate import Gradient, Question

__all__ = ["coupled", "coupled_matched", "decoupled", "decoupled_matched", "gradient_of", "values_of"]

Array = NDArray[np.float64]
Joint = Callable[[Question, bool], Gradient]

FEW_OBJECTIVES = 3


def _best(question: Question) -> ModuleType:
    return correlated if question.std.shape[1] <= FEW_OBJECTIVES else many


def coupled(question: Question, deep: bool) -> Gradient:
    """Theorem 1 under a joint normal: gain (N,), and if deep its derivatives d_mean, d_spread (N, L, L)."""
    told: Gradient = _best(question).coupled(question, deep)
    return told


def decoupled(question: Question, deep: bool) -> Gradient:
    """Theorem C.1 for any objective: gain (N, L); derivatives d_mean (..., N, L, L), d_spread (N, L, L, L)."""
    told: Gradient = _best(question).decoupled(question, deep)
    return told


def coupled_matched(question: Question, deep: bool) -> Gradient:
    """The matched bound for all objectives."""
    told: Gradient = _best(question).coupled_matched(question, deep)
    return told


def decoupled_matched(question: Question, deep: bool) -> Gradient:
    """The matched bound for each objective alone."""
    told: Gradient = _best(question).decoupled_matched(question, deep)
    return told


def values_of(question: Question, joint: Joint, independent: Callable[[Question], Array]) -> Array:
    """The gains by `joint`, or, where no objectives are correlated, by what is made for that: faster, and the same."""
    if question.covariance is None:
        return independent(question)
    apart = np.abs(question.covariance * (1.0 - np.eye(question.std.shape[1]))).max(axis=(1, 2), initial=0.0) == 0.0
    if apart.all():
        return independent(question)
    together = joint(question.of(~apart), False).gain
    gain = np.empty((len(apart), *together.shape[1:]))
    gain[~apart] = together
    if apart.any():
        gain[apart] = independent(question.of(apart))
    return gain


def gradient_of(question: Question, joint: Joint, independent: Callable[[Question], Gradient]) -> Gradient:
    """Gain and derivatives with respect to mean and spread, whichever form that was given in."""
    if question.covariance is None:
        return independent(question)
    if question.std.shape[1] > 1:
        return joint(question, True)
    told = independent(question)
    # of one objective the spread is its variance; the last axes are all of length 1
    return told._replace(d_spread=told.d_spread[..., None] / (2.0 * question.std.reshape(-1, *[1] * told.gain.ndim, 1)))
