"""How a candidate is tied to other points: covariances of every objective's own values, and their slopes.

| symbol | meaning | shape | in code |
|---|---|---|---|
| z | points that do not change while many candidates are looked at | (M, D) | points |
| k | Cov[f_l(x), f_l(z)] given the data | (L, N, M) | what `Ties` is called for |

Objectives believed together are tied to one another, too; that is not looked at here.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.gp import linalg
from pfes.gp.model import Model
from pfes.gp.posterior import Posterior
from pfes.gp.surrogate import Surrogate

__all__ = ["Ties", "covariances"]

Array = NDArray[np.float64]


def covariances(model: Surrogate, a: Array, b: Array) -> Array:
    """Posterior covariance (L, N, M) of each objective's own values at a (N, D) and b (M, D)."""
    if isinstance(model, Model):
        return np.stack([posterior.covariance(a, b) for posterior in model.posteriors])
    return np.asarray(np.einsum("nlml->lnm", model.covariance(a, b)))


@dataclass(frozen=True, eq=False)
class Ties:
    """`covariances` with fixed points (M, D); what depends on them alone is computed once."""

    model: Surrogate
    points: Array  # (M, D)

    def __call__(self, x: Array) -> Array:
        """(L, N, M) at candidates x (N, D)."""
        if not isinstance(self.model, Model):
            return covariances(self.model, x, self.points)
        pairs = zip(self.model.posteriors, self._known, strict=True)
        return np.stack([self._covariance(posterior, known, x) for posterior, known in pairs])

    def slopes(self, x: Array, weights: Array) -> Array:
        """Derivatives (N, L, D) in x (N, D) of sum_m weights[l, n, m] Cov[f_l(x_n), f_l(z_m)], weights (L, N, M)."""
        if not isinstance(self.model, Model):
            return self.model.covariance_slopes(x, self.points, weights)
        parts = zip(self.model.posteriors, self._known, weights, strict=True)
        return np.stack([self._slopes(posterior, known, x, w) for posterior, known, w in parts], axis=1)

    @cached_property
    def _known(self) -> list[Array]:
        """C^-1 k(data, z) of every objective: L arrays (n_l, M)."""
        assert isinstance(self.model, Model)
        return [linalg.solve_lower(p.factor, p.kernel(p.x, self.points)) for p in self.model.posteriors]

    def _covariance(self, posterior: Posterior, known: Array, x: Array) -> Array:
        left = linalg.solve_lower(posterior.factor, posterior.kernel(posterior.x, x))
        return posterior.kernel(x, self.points) - left.T @ known

    def _slopes(self, posterior: Posterior, known: Array, x: Array, weights: Array) -> Array:
        _, d_points = posterior.kernel_and_slopes(x, self.points)  # (N, M, D)
        _, d_data = posterior.kernel_and_slopes(x, posterior.x)
        data = linalg.solve_upper(posterior.factor, known @ weights.T).T  # (N, n)
        return (weights[:, None] @ d_points - data[:, None] @ d_data)[:, 0]
