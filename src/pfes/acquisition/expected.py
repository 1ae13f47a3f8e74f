"""A measurement under way, believed to bring what is expected of it: for methods that have no draws to believe in."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp import Surrogate

__all__ = ["Expected", "expecting"]

Array = NDArray[np.float64]


class Expected(NamedTuple):
    """What is believed then."""

    model: Surrogate
    levels: Array  # (1, L) those of the point if nothing is lacking there any more, else (0, L)


def expecting(model: Surrogate, x: Array, which: Sequence[int], delta: Array) -> Expected:
    """Believe the predicted means of the objectives `which` at a point x (D,), seen with deviations delta (L,).

    The point is complete if its other objectives are known as well: they have been measured, or are under way, too.
    """
    mean = model.predict(x[None]).mean
    seen = np.full_like(mean, np.nan)
    seen[:, list(which)] = mean[:, list(which)]
    after = model.given(x[None], seen, delta**2)
    complete = (after.predict(x[None]).std <= 1.5 * delta).all()
    return Expected(after, mean if complete else mean[:0])
