"""Covariances of any number of objectives: whoever integrates them best is asked.

Two and three objectives: `correlated`, to many digits. More: `many`. No correlation at all: what is made for that.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pfes.information import correlated, many
from pfes.information.evaluate import Gradient, Question

__all__ = ["coupled", "coupled_matched", "decoupled", "decoupled_matched", "gradient_of", "values_of"]

Array = NDArray[np.float64]
Joint = Callable[[Question, bool], Gradient]

FEW_OBJECTIVES = 3


def _by_number(few: Joint, more: Joint) -> Joint:
    def joint(question: Question, deep: bool) -> Gradient:
        return (few if question.std.shape[1] <= FEW_OBJECTIVES else more)(question, deep)

    return joint


coupled = _by_number(correlated.coupled, many.coupled)
decoupled = _by_number(correlated.decoupled, many.decoupled)
coupled_matched = _by_number(correlated.coupled_matched, many.coupled_matched)
decoupled_matched = _by_number(correlated.decoupled_matched, many.decoupled_matched)


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
