"""How much a measurement could tell about the objectives themselves: where nothing else is left to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.gp import Surrogate
from pfes.objectives import Option

__all__ = ["Capacity"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Capacity(ByPrediction):
    """Nats about f in a measurement of deviation delta: 1/2 sum log(1 + std^2 / delta^2), the bound on every gain.

    Objectives that are correlated tell less together; the sum is a bound on that, too.
    """

    model: Surrogate
    options: tuple[Option, ...]
    delta: Array  # (L,) above 0
    starts: Array  # (Q, D)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log nats (N, K)."""
        return score_of(np.log1p((spread / self.delta) ** 2) / 2.0 @ self._members)

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """Log nats (N, K) with derivatives; the mean does not matter."""
        gain = np.log1p((spread / self.delta) ** 2) / 2.0 @ self._members
        slope = (spread / (self.delta**2 + spread**2))[:, None, :] * self._members.T  # (N, K, L)
        d_spread = slope_of(gain)[:, :, None] * slope
        return Sensitivity(score_of(gain), np.zeros((*mean.shape[:-2], *d_spread.shape)), d_spread)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Capacity":
        """Any value at x takes the same uncertainty away."""
        seen = np.full((1, len(self.delta)), np.nan)
        seen[:, list(which)] = 0.0
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))

    @property
    def _members(self) -> Array:
        """(L, K) 1 where an option measures an objective."""
        return np.array([[float(l in option.which) for option in self.options] for l in range(len(self.delta))])
