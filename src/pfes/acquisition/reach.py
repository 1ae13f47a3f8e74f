"""What a measurement tells of where improvement may lie: its reach.

Improvement at a point counts what is won there. It overlooks that a measurement tells of other points, too: of a ligand
that was never tried every single row promises little, but the best of its hundred rows may be far better than what is
held, and one measurement tells of all of them. Sampled functions know that best row:

    reach(x) = mean over r of max over t of h_rt * mean over l of e_l(x, x_rt)

| symbol | meaning | shape | in code |
|---|---|---|---|
| r | sampled functions | R | |
| x_rt | the T points where function r adds most to the hypervolume of what is held on it | (R, T, D) | places |
| h_rt | how much it adds there | (R, T) | gains |
| e_l | the part of the variance of f_l(x_rt) that the measurement explains | (N, K, R T, L) | |

Seen with the deviations delta, e_l = w_l^T (Sigma + D)^-1 w_l / v_l, w_l the covariances of what is measured with
f_l(x_rt), Sigma those of what is measured with one another, D = diag(delta^2), v_l the variance of f_l(x_rt). Of
independent objectives that is the squared correlation, and 0 for an objective that is not measured.

Objectives count alike. Weighed by their parts in what is not known of the improvement at x_rt, searches were no better
(docs/default.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.gp import JointModel, Model, Surrogate
from pfes.improvement import Front, expected_improvement, prepare_front
from pfes.objectives import Option

__all__ = ["Places", "Reach"]

Array = NDArray[np.float64]

PLACES = 10  # of each sampled function
FINE = 1e-3  # deviations of the data: as good as known
BLOCK = 2048  # candidates looked at together: with joint models each has L^2 covariances with every place
ROUNDING = 1e-12  # of the prior variance: what is known without noise has a variance still


class Places(NamedTuple):
    """Where sampled functions add to what is held; M of them, those of one function after those of another."""

    x: Array  # (M, D)
    gains: Array  # (M,) hypervolume
    begins: NDArray[np.intp]  # (R',) the first of each function that adds anything anywhere
    functions: int  # R


class _Best(NamedTuple):
    """Of one sampled function."""

    rows: NDArray[np.intp]
    gains: Array


@dataclass(frozen=True)
class Reach:
    """How much of what may be won measurements tell of."""

    model: Surrogate  # measurements under way included
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled functions
    likely: Array  # (Q, D) points of their Pareto sets
    held: Array  # (m, D) points with every objective measured, or under way
    reference: Array  # (L,) above which hypervolume counts
    delta: Array  # (L,) deviation of a measurement

    @cached_property
    def places(self) -> Places | None:
        """The best places of each sampled function; None if none adds to what is held."""
        own, had = self.values(self.likely), self.values(self.held)  # (R, Q, L), (R, m, L)
        fronts = [prepare_front(points, self.reference) for points in had]
        best = [self._best(values, front) for values, front in zip(own, fronts, strict=True)]
        best = [found for found in best if len(found.rows)]
        if not best:
            return None
        rows = np.concatenate([found.rows for found in best])
        begins = np.cumsum([0, *(len(found.rows) for found in best[:-1])])
        return Places(self.likely[rows], np.concatenate([found.gains for found in best]), begins, len(own))

    @staticmethod
    def _best(values: Array, front: Front) -> "_Best":
        """Of the points with these values (Q, L) those that add most to a front."""
        gains = expected_improvement(values, np.full_like(values, FINE), front)
        rows = np.argsort(-gains, kind="stable")[:PLACES]
        rows = rows[gains[rows] > 0.0]
        return _Best(rows, gains[rows])

    def of(self, x: Array, options: Sequence[Option]) -> Array:
        """(N, K) hypervolume that may be won and is told of by each option at candidates x (N, D)."""
        if self.places is None:
            return np.zeros((len(x), len(options)))
        return np.concatenate(
            [self._of(x[begin : begin + BLOCK], options) for begin in range(0, max(len(x), 1), BLOCK)]
        )

    def _of(self, x: Array, options: Sequence[Option]) -> Array:
        assert self.places is not None
        told = self._explained(x, self.places.x, options)
        best = [np.maximum.reduceat(one * self.places.gains, self.places.begins, axis=1) for one in told]
        return np.column_stack([one.sum(axis=1) for one in best]) / self.places.functions

    def _explained(self, x: Array, places: Array, options: Sequence[Option]) -> list[Array]:
        """K arrays (N, M): the part of the variances at places (M, D) that each option at x (N, D) explains."""
        if isinstance(self.model, JointModel):
            return _together(self.model, x, places, self.delta, options)
        return _alone(self.model, x, places, self.delta, options)

    def given(self, model: Surrogate, x: Array, *, complete: bool) -> "Reach":
        """The same with a measurement under way at x (D,), which the model knows of; complete: x lacks nothing more."""
        return replace(self, model=model, held=np.vstack([self.held, x]) if complete else self.held)


def _alone(model: Model, x: Array, places: Array, delta: Array, options: Sequence[Option]) -> list[Array]:
    """Of independent objectives, for each option (N, M): squared correlations of what is measured, 0 for the others."""
    squares = []
    for posterior, fine in zip(model.posteriors, delta, strict=True):
        here, there = posterior.predict(x).std ** 2 + fine**2, posterior.predict(places).std ** 2
        squares.append(np.minimum(posterior.covariance(x, places) ** 2 / (here[:, None] * there), 1.0))
    return [np.sum([squares[l] for l in option.which], axis=0) / len(squares) for option in options]


def _together(model: JointModel, x: Array, places: Array, delta: Array, options: Sequence[Option]) -> list[Array]:
    """Of objectives that are believed together, for each option (N, M)."""
    across = model.covariance(x, places)  # (N, L, M, L)
    here = model.predict_joint(x).covariance + np.diag(delta**2 + ROUNDING * model.amplitude)
    there = model.predict(places).std ** 2  # (M, L)
    told = []
    for option in options:
        which = list(option.which)
        own = across[:, which]  # (N, |which|, M, L)
        solved = np.linalg.solve(here[:, which][:, :, which], own.reshape(*own.shape[:2], -1)).reshape(own.shape)
        told.append(np.clip(np.sum(own * solved, axis=1) / there, 0.0, 1.0).mean(axis=2))
    return told
