"""epsilon-PAL (Zuluaga, Krause and Puschel 2016): PAL that is content with a set that covers the front within epsilon.

A row is discarded if the pessimistic front exceeds it up to epsilon, even if it may be Pareto-optimal: something that
is left is as good. epsilon is the objective's resolution, 1 % of the range of what was measured if none was given.
"""

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.method import Method
from pfes.acquisition.pal import Pal, learner
from pfes.acquisition.situation import Situation

__all__ = ["METHOD", "epal", "epal_slack"]

Array = NDArray[np.float64]

SHARE = 0.01  # of the range
LEAST = 1e-3  # prior deviations


def epal_slack(resolution: Array, levels: Array, amplitude: Array) -> Array:
    """(L,) epsilon: the user's resolution, or from what was measured, levels (m, L), where it is nan.

    amplitude: (L,) prior variances.
    """
    ranges = np.ptp(levels, axis=0) if len(levels) else np.zeros(len(resolution))
    return np.where(np.isnan(resolution), np.maximum(SHARE * ranges, LEAST * np.sqrt(amplitude)), resolution)


def epal(situation: Situation) -> Pal:
    """Decide within epsilon."""
    model, levels = situation.model, situation.measured
    levels = model.predict(situation.held).mean if levels is None else levels
    return learner(situation, epal_slack(situation.resolution, levels, model.amplitude))


METHOD = Method(
    "epal",
    "measures where a pool is least known until the rows left cover the front within the resolution",
    epal,
    promise="narrow a box of {:.3g} deviations of the data",
    source="Zuluaga et al. 2016",
    needs="a pool",
    spaces=False,
)
