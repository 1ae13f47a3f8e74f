"""Methods that look at a candidate only through its predicted mean and deviation: the chain rule, written once."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.protocol import Slopes
from pfes.gp import Model
from pfes.gp.posterior import Slopes as Predicted

__all__ = ["ByPrediction", "Sensitivity"]

Array = NDArray[np.float64]


class Sensitivity(NamedTuple):
    """Scores and their derivatives in mean and deviation."""

    score: Array  # (N, K)
    d_mean: Array  # (N, K, L), or (R, N, K, L) where each of R frontiers has its own mean
    d_std: Array  # (N, K, L)


class ByPrediction(ABC):
    """An acquisition made of a model and a function of its predictions."""

    model: Model

    @abstractmethod
    def score(self, mean: Array, std: Array) -> Array:
        """(N, K) from mean (N, L) or (R, N, L) and std (N, L)."""

    @abstractmethod
    def sensitivity(self, mean: Array, std: Array) -> Sensitivity:
        """`score` with its derivatives."""

    def scores(self, x: Array) -> Array:
        """(N, K) scores at candidates x (N, D)."""
        return self.score(*self.model.predict(x))

    def slopes(self, x: Array) -> Slopes:
        """Scores (N, K) and their gradients (N, K, D) at candidates x (N, D)."""
        return self.slopes_at(self.model.predict_gradient(x))

    def slopes_at(self, at: Predicted) -> Slopes:
        """The same where this is predicted."""
        score, d_mean, d_std = self.sensitivity(at.mean, at.std)
        d_x = d_std @ at.d_std  # (N, K, L) @ (N, L, D)
        d_x += d_mean @ at.d_mean if d_mean.ndim == 3 else np.sum(d_mean @ at.d_mean, axis=0)
        return Slopes(score, d_x)
