"""Methods that look at a candidate only through what is predicted of it: the chain rule, written once.

spread   deviations (N, L), or covariances (N, L, L) where objectives are believed together and the method asks how
         they are related
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.protocol import Slopes
from pfes.gp import JointModel, JointSlopes, Surrogate
from pfes.gp.posterior import Slopes as Predicted

__all__ = ["ByPrediction", "Sensitivity"]

Array = NDArray[np.float64]


class Sensitivity(NamedTuple):
    """Scores and their derivatives in mean and spread."""

    score: Array  # (N, K)
    d_mean: Array  # (N, K, L), or (R, N, K, L) where each of R frontiers has its own mean
    d_spread: Array  # (N, K, L), or of covariances (N, K, L, L)


class ByPrediction(ABC):
    """An acquisition made of a model and a function of its predictions."""

    model: Surrogate

    @abstractmethod
    def score(self, mean: Array, spread: Array) -> Array:
        """(N, K) from mean (N, L) or (R, N, L) and spread."""

    @abstractmethod
    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """`score` with its derivatives."""

    @property
    def together(self) -> bool:
        """Whether covariances are asked for; only a joint model has them."""
        return False

    def predicted(self, x: Array) -> tuple[Array, Array]:
        """Mean and spread at candidates x (N, D)."""
        if self.together and isinstance(self.model, JointModel):
            return self.model.predict_joint(x)
        return self.model.predict(x)

    def predicted_gradient(self, x: Array) -> Predicted | JointSlopes:
        """The same with derivatives in x."""
        if self.together and isinstance(self.model, JointModel):
            return self.model.predict_joint_gradient(x)
        return self.model.predict_gradient(x)

    def scores(self, x: Array) -> Array:
        """(N, K) scores at candidates x (N, D)."""
        return self.score(*self.predicted(x))

    def slopes(self, x: Array) -> Slopes:
        """Scores (N, K) and their gradients (N, K, D) at candidates x (N, D)."""
        return self.slopes_at(self.predicted_gradient(x))

    def slopes_at(self, at: Predicted | JointSlopes) -> Slopes:
        """The same where this is predicted."""
        mean, spread, d_mean_x, d_spread_x = at
        score, d_mean, d_spread = self.sensitivity(mean, spread)
        flat = (*d_spread.shape[:2], -1)
        d_x = d_spread.reshape(flat) @ d_spread_x.reshape(len(spread), -1, d_spread_x.shape[-1])
        d_x += d_mean @ d_mean_x if d_mean.ndim == 3 else np.sum(d_mean @ d_mean_x, axis=0)
        return Slopes(score, d_x)
