"""Covariances of several objectives before there are data: sum_q B_q[l, l'] k_q(x, x'), see `hyper.py`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.distinct import distinct
from pfes.gp import effects
from pfes.gp.likelihood import Integers
from pfes.gp.multitask.hyper import JointHyper

__all__ = ["Prior"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Prior:
    """Prior covariances; groups (D,) the group of each column."""

    hyper: JointHyper
    groups: Integers

    def correlation(self, a: Array, b: Array, q: int) -> Array:
        """Kernel q between a (N, D) and b (M, D): (N, M)."""
        scales, share = self._scales(q), float(self.hyper.additive[q])
        return effects.correlations(a / scales, b / scales, self.groups, share, self._matern)

    def slopes(self, a: Array, b: Array, q: int) -> Array:
        """Derivatives (N, M, D) of `correlation` with respect to a."""
        scales, share = self._scales(q), float(self.hyper.additive[q])
        found = effects.correlations_and_slopes(a / scales, b / scales, self.groups, share, self._matern)[1]
        found /= scales[:, None]
        return found.transpose(0, 2, 1)

    def between(self, a: Array, a_task: Indices, b: Array, b_task: Indices) -> Array:
        """Covariance (N, M) of single values: of objectives a_task (N,) at a (N, D), b_task (M,) at b (M, D)."""
        (near, _, i), (far, _, j) = distinct(a), distinct(b)
        out = np.zeros((len(a), len(b)))
        for q, tasks in enumerate(self.hyper.tasks):
            out += tasks[a_task[:, None], b_task] * self.correlation(near, far, q)[i[:, None], j]
        return out

    def cross(self, x: Array, points: Array, at: Indices, task: Indices) -> Array:
        """Covariance (N, L, n) of all objectives at x (N, D) and single values: of task (n,) at points[at (n,)]."""
        out = np.zeros((len(x), len(self.hyper.noise), len(task)))
        for q, tasks in enumerate(self.hyper.tasks):
            out += tasks[:, task] * self.correlation(x, points, q)[:, None, at]
        return out

    def joint(self, a: Array, b: Array) -> Array:
        """Covariance (N, L, M, L) of all objectives at a (N, D) and b (M, D)."""
        count = len(self.hyper.noise)
        out = np.zeros((len(a), count, len(b), count))
        for q, tasks in enumerate(self.hyper.tasks):
            out += self.correlation(a, b, q)[:, None, :, None] * tasks[:, None]
        return out

    def _scales(self, q: int) -> Array:
        """(D,) length scale of each column."""
        return np.asarray(self.hyper.scales[q][self.groups])

    @property
    def _matern(self) -> bool:
        return self.hyper.kernel == "matern52"
