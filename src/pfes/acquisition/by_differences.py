"""Methods whose scores have no gradient in closed form: central differences, written once."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.protocol import FLOOR, Slopes

__all__ = ["STEP", "ByDifferences"]

Array = NDArray[np.float64]

STEP = 1e-5  # of the unit cube: rounding and curvature both cost about 1e-10


class ByDifferences(ABC):
    """An acquisition that says its scores; all points around all candidates are scored in one call."""

    @abstractmethod
    def scores(self, x: Array) -> Array:
        """(N, K) scores at candidates x (N, D)."""

    def slopes(self, x: Array) -> Slopes:
        """Scores (N, K) and their gradients (N, K, D) at candidates x (N, D).

        Between a gain and no gain at all scores jump: such a difference is no slope, and counts as 0.
        """
        count, width = x.shape
        moves = STEP * np.eye(width)
        around = np.concatenate([x[None], x + moves[:, None], x - moves[:, None]])  # (1 + 2 D, N, D)
        found = self.scores(around.reshape(-1, width)).reshape(1 + 2 * width, count, -1)
        up, down = found[1 : 1 + width], found[1 + width :]
        smooth = (up > FLOOR) == (down > FLOOR)
        return Slopes(found[0], np.moveaxis(np.where(smooth, (up - down) / (2.0 * STEP), 0.0), 0, -1))
