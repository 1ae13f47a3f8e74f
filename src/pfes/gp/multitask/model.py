"""What is believed about L objectives together: means, covariances between them, gradients, draws, conditioning.

| symbol | meaning | shape | in code |
|---|---|---|---|
| t_i, x_i | objective and point of row i of the data | (n,), (n, D) | task, x |
| K | prior covariance of the data, noise included; C its Cholesky factor | (n, n) | factor |
| alpha | K^-1 (y - m) | (n,) or (R, n) | weights |
| c | prior covariance of the objectives at candidates and the data | (N, L, n) | cross |
| mu | m + c alpha | (N, L) or (R, N, L) | mean |
| Sigma | sum_q B_q - c K^-1 c^T, of the functions at one candidate | (N, L, L) | covariance |

The verbs are those of `Model`; `predict_joint` and `predict_joint_gradient` give covariances in place of deviations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.distinct import distinct
from pfes.gp import linalg
from pfes.gp.likelihood import Integers
from pfes.gp.model import measured_in
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.prior import Prior
from pfes.gp.multitask.rows import stacked
from pfes.gp.posterior import BLOCK_BYTES, SMALLEST_STD, Prediction, Slopes, _bordered, _joined
from pfes.observations import Data

__all__ = ["JointModel", "JointPrediction", "JointSlopes"]

Array = NDArray[np.float64]


class JointPrediction(NamedTuple):
    """Means and covariances of L objectives at N candidates."""

    mean: Array  # (N, L) or (R, N, L)
    covariance: Array  # (N, L, L)

    def each(self) -> Prediction:
        """Of every objective alone."""
        return Prediction(self.mean, np.sqrt(np.einsum("nll->nl", self.covariance)))


class JointSlopes(NamedTuple):
    """A joint prediction and its derivatives with respect to the candidates' columns."""

    mean: Array
    covariance: Array
    d_mean: Array  # (..., N, L, D)
    d_covariance: Array  # (N, L, L, D)

    def each(self) -> Slopes:
        """Of every objective alone."""
        std = np.sqrt(np.einsum("nll->nl", self.covariance))
        return Slopes(self.mean, std, self.d_mean, np.einsum("nlld->nld", self.d_covariance) * (0.5 / std)[:, :, None])


@dataclass(frozen=True, eq=False)
class JointModel:
    """L objectives given their data; `JointModel.of` makes one, `given` makes the next."""

    hyper: JointHyper
    groups: Integers  # (D,) group of each column
    x: Array  # (n, D) point of each row
    task: NDArray[np.intp]  # (n,) objective of each row
    y: Array  # (n,) or (R, n)
    noise: Array  # (n,) variance of each value, jitter included
    factor: Array  # (n, n) lower Cholesky factor of the rows' covariance
    whitened: Array  # (n,) or (R, n), C^-1 (y - m)
    weights: Array  # (n,) or (R, n), K^-1 (y - m)

    @staticmethod
    def of(data: Sequence[Data], groups: Integers, hyper: JointHyper) -> "JointModel":
        """The model of L objectives' standardised data; groups (D,) as in `fit`."""
        empty, groups = np.zeros(0), np.asarray(groups)
        none, nobody = np.zeros((0, len(groups))), np.zeros(0, dtype=np.intp)
        prior = JointModel(hyper, groups, none, nobody, empty, empty, np.zeros((0, 0)), empty, empty)
        rows = stacked(data)
        return prior.after(rows.x, rows.task, rows.y, rows.known + hyper.noise[rows.task] * rows.inferred)

    def __len__(self) -> int:
        return len(self.hyper.noise)

    @property
    def amplitude(self) -> Array:
        """(L,) prior variance of each objective."""
        return self.hyper.amplitude

    # Predictions

    def predict(self, x: Array) -> Prediction:
        """Means (N, L), or (R, N, L) after R value vectors were given, and deviations (N, L) at x (N, D)."""
        parts = [self._predict(x[rows]) for rows in self._blocks(len(x), 1)]
        return Prediction(_together([p.mean for p in parts], -2), _together([p.std for p in parts], -2))

    def mean(self, x: Array) -> Array:
        """The means of `predict` alone, which are much quicker."""
        return _together([self._mean(self._cross(x[rows])) for rows in self._blocks(len(x), 1)], -2)

    def _predict(self, x: Array) -> Prediction:
        cross = self._cross(x)
        spread = linalg.solve_lower(self.factor, self._flat(cross).T)
        return Prediction(self._mean(cross), np.sqrt(self._variances(spread, len(x))))

    def predict_joint(self, x: Array) -> JointPrediction:
        """Means as in `predict` and covariances (N, L, L) of the objectives at x (N, D).

        Covariances have the variances of `predict` on their diagonals and no negative eigenvalues.
        """
        parts = [self._predict_joint(x[rows]) for rows in self._blocks(len(x), 1)]
        return JointPrediction(_together([p.mean for p in parts], -2), _together([p.covariance for p in parts], 0))

    def _predict_joint(self, x: Array) -> JointPrediction:
        cross = self._cross(x)
        spread = linalg.solve_lower(self.factor, self._flat(cross).T)
        return JointPrediction(self._mean(cross), self._remaining(spread, len(x)))

    def predict_gradient(self, x: Array) -> Slopes:
        """`predict` with derivatives with respect to x (N, D): d_mean (..., N, L, D), d_std (N, L, D)."""
        return self.predict_joint_gradient(x).each()

    def predict_joint_gradient(self, x: Array) -> JointSlopes:
        """`predict_joint` with derivatives with respect to x (N, D): (..., N, L, D) and (N, L, L, D)."""
        parts = [self._predict_joint_gradient(x[rows]) for rows in self._blocks(len(x), 1 + x.shape[1])]
        axes = (-2, 0, -3, 0)
        return JointSlopes(*(_together(list(p), axis) for p, axis in zip(zip(*parts, strict=True), axes, strict=True)))

    def _predict_joint_gradient(self, x: Array) -> JointSlopes:
        cross = self._cross(x)
        spread = linalg.solve_lower(self.factor, self._flat(cross).T)
        solved = linalg.solve_upper(self.factor, spread).T.reshape(cross.shape)  # (N, L, n)
        many = np.atleast_2d(self.weights)
        weights = np.broadcast_to(many, (len(x), *many.shape))  # (N, R, n)
        moved = self._moved(x, np.concatenate((weights, solved), axis=1))  # (N, R + L, L, D)
        d_mean = moved[:, : len(many)].transpose(1, 0, 2, 3)
        d_mean = d_mean[0] if self.weights.ndim == 1 else d_mean
        half, covariance = moved[:, len(many) :], self._remaining(spread, len(x))
        d_covariance = -half - half.swapaxes(1, 2)
        own = np.arange(len(self))
        d_covariance[:, own, own] *= (covariance[:, own, own] > self._floor)[:, :, None]  # rounding has no slope
        return JointSlopes(self._mean(cross), covariance, d_mean, d_covariance)

    def _moved(self, x: Array, v: Array) -> Array:
        """Derivatives (N, K, L, D) of sum_i v_i c_i(x), v (N, K, n), with respect to x (N, D)."""
        out = np.zeros((len(x), v.shape[1], len(self), x.shape[1]))
        for q, tasks in enumerate(self.hyper.tasks):
            slopes = self._prior.slopes(x, self.points, q)
            for l in range(len(self)):
                own = self.task == l
                sums = v[:, :, own] @ slopes[:, self._at[own]]  # (N, K, D)
                out += sums[:, :, None] * tasks[:, l, None]
        return out

    @property
    def steps(self) -> int:
        """T, the number of values of the objective that has most."""
        return int(np.bincount(self.task, minlength=1).max())

    def history(self, x: Array) -> Prediction:
        """What was believed at x (N, D) after t = 0, 1, ..., T values of every objective: mean and std (T + 1, N, L).

        T is `steps`. The rows are taken in once more, one of each objective after the other.
        """
        when = np.zeros(len(self.task), dtype=np.intp)
        for l in range(len(self)):
            when[self.task == l] = np.arange(np.count_nonzero(self.task == l))
        order = np.argsort(when, kind="stable")
        empty, nobody = np.zeros(0), np.zeros(0, dtype=np.intp)
        prior = JointModel(self.hyper, self.groups, self.x[:0], nobody, empty, empty, np.zeros((0, 0)), empty, empty)
        again = prior.after(self.x[order], self.task[order], self.y[order], self.noise[order])
        spread = linalg.solve_lower(again.factor, again._flat(again._cross(x)).T)  # (n, N L)
        ends = np.cumsum(np.bincount(when)) if len(when) else np.zeros(0, dtype=np.intp)
        ends = np.concatenate([[0], ends])  # rows known after t values
        nothing = np.zeros((1, spread.shape[1]))
        grown = np.concatenate([nothing, np.cumsum(again.whitened[:, None] * spread, axis=0)])[ends]
        explained = np.concatenate([nothing, np.cumsum(spread**2, axis=0)])[ends]
        shape = (len(ends), len(x), len(self))
        variance = np.maximum(self.hyper.amplitude - explained.reshape(shape), self._floor)
        return Prediction(self.hyper.mean + grown.reshape(shape), np.sqrt(variance))

    def covariance(self, a: Array, b: Array) -> Array:
        """Posterior covariance (N, L, M, L) of the objectives at a (N, D) and b (M, D)."""
        left = linalg.solve_lower(self.factor, self._flat(self._cross(a)).T)
        right = linalg.solve_lower(self.factor, self._flat(self._cross(b)).T)
        explained = (left.T @ right).reshape(len(a), len(self), len(b), len(self))
        return self._prior.joint(a, b) - explained

    def covariance_slopes(self, x: Array, points: Array, weights: Array) -> Array:
        """Derivatives (N, L, D) in x (N, D) of each objective's weighted sum of its own covariances.

        The sum is over points (M, D): sum_m weights[l, n, m] Cov[f_l(x_n), f_l(points_m)], weights (L, N, M).
        """
        right = linalg.solve(self.factor, self._flat(self._cross(points)).T).reshape(-1, len(points), len(self))
        data = np.einsum("lnm,kml->nlk", weights, right)  # (N, L, n): what each sum weighs the data with
        own = np.arange(len(self))
        out = -self._moved(x, data)[:, own, own]
        for q, tasks in enumerate(self.hyper.tasks):
            slopes = self._prior.slopes(x, points, q)  # (N, M, D)
            out += np.einsum("lnm,nmd->nld", weights, slopes) * tasks[own, own][:, None]
        return out

    def draw(self, x: Array, count: int, rng: np.random.Generator) -> Array:
        """Joint draws at x (N, D): (count, N, L); with R means, (count, R, N, L)."""
        mean = self._mean(self._cross(x))
        size = len(x) * len(self)
        lower = linalg.factorise(self.covariance(x, x).reshape(size, size), self._size).lower
        normal = rng.standard_normal((count, *mean.shape[:-2], size))
        return np.asarray(mean + (normal @ lower.T).reshape(count, *mean.shape))

    # Conditioning

    def given(self, x: Array, y: Array, noise: ArrayLike = 0.0) -> "JointModel":
        """The model after further values y (k, L), or R of them (R, k, L), at x (k, D); nan: not measured there.

        noise: variance of a value, one number or (L,), standardised.
        """
        values = np.asarray(y, dtype=np.float64)
        measured = measured_in(values)
        if not measured.any():
            return self
        at, task = np.nonzero(measured)
        noises = np.broadcast_to(np.asarray(noise, dtype=np.float64), (len(self),))
        return self.after(x[at], task, values[..., measured], noises[task])

    def after(self, x: Array, task: NDArray[np.intp], y: Array, noise: Array) -> "JointModel":
        """The model after further rows: values y (k,) or (R, k) of objectives task (k,) at x (k, D), noise (k,)."""
        known = linalg.solve_lower(self.factor, self._prior.between(self.x, self.task, x, task))  # (n, k)
        schur = self._prior.between(x, task, x, task) - known.T @ known + np.diag(noise)
        corner = linalg.factorise(schur, self._size)
        factor = _bordered(self.factor, known, corner.lower)
        innovation = np.asarray(y) - self.hyper.mean[task] - self.whitened @ known
        whitened = _joined(self.whitened, linalg.solve_lower(corner.lower, innovation.T).T)
        return JointModel(
            self.hyper,
            self.groups,
            np.concatenate((self.x, x)),
            np.concatenate((self.task, task)),
            _joined(self.y, np.asarray(y, dtype=np.float64)),
            np.concatenate((self.noise, noise + corner.jitter)),
            factor,
            whitened,
            linalg.solve_upper(factor, whitened.T).T,
        )

    def solve(self, right: Array) -> Array:
        """K^-1 applied to the last axis of right (..., n)."""
        flat = right.reshape(int(np.prod(right.shape[:-1])), len(self.x))
        return linalg.solve(self.factor, flat.T).T.reshape(right.shape)

    # The rows of the data, and what is believed without them

    @cached_property
    def _distinct(self) -> tuple[Array, NDArray[np.intp]]:
        points, _, at = distinct(self.x)
        return points, at

    @property
    def points(self) -> Array:
        """(m, D) the distinct points of the data."""
        return self._distinct[0]

    @property
    def _at(self) -> NDArray[np.intp]:
        """(n,) which of `points` each row is at."""
        return self._distinct[1]

    def rows_at_points(self) -> list[NDArray[np.intp]]:
        """The rows of the data at each of `points`: m arrays (k,)."""
        order = np.argsort(self._at, kind="stable")
        ends = np.cumsum(np.bincount(self._at, minlength=len(self.points)))
        return np.split(order, ends[:-1]) if len(order) else []

    def gathered(self, v: Array) -> Array:
        """Sums (..., m) over the rows at each of `points`, of v (..., n)."""
        where = np.zeros((len(self.x), len(self.points)))
        where[np.arange(len(self.x)), self._at] = 1.0
        return np.asarray(v @ where)

    @cached_property
    def _prior(self) -> Prior:
        return Prior(self.hyper, self.groups)

    def _cross(self, x: Array) -> Array:
        """Prior covariance (N, L, n) of the objectives at x (N, D) and the data."""
        return self._prior.cross(x, self.points, self._at, self.task)

    # Rounding

    @property
    def _size(self) -> float:
        return float(self.hyper.amplitude.max())

    @property
    def _floor(self) -> Array:
        """(L,) the smallest variances: what remains of a known value is rounding."""
        return SMALLEST_STD**2 * np.maximum(self.hyper.amplitude, np.finfo(float).tiny / SMALLEST_STD**2)

    def _variances(self, spread: Array, count: int) -> Array:
        """(N, L) from C^-1 c^T (n, N L)."""
        explained = np.einsum("ij,ij->j", spread, spread).reshape(count, len(self))
        return np.asarray(np.maximum(self.hyper.amplitude - explained, self._floor))

    def _remaining(self, spread: Array, count: int) -> Array:
        """Sigma (N, L, L) from C^-1 c^T (n, N L)."""
        each = spread.T.reshape(count, len(self), -1)
        return _admissible(self.hyper.covariance - each @ each.swapaxes(1, 2), self._variances(spread, count))

    def _mean(self, cross: Array) -> Array:
        # (N, L, n) -> (N, L) or (R, N, L)
        flat = self.weights @ self._flat(cross).T
        return self.hyper.mean + flat.reshape(*flat.shape[:-1], *cross.shape[:2])

    def _flat(self, cross: Array) -> Array:
        return cross.reshape(cross.shape[0] * cross.shape[1], cross.shape[2])

    def _blocks(self, count: int, width: int) -> Iterator[slice]:
        """Slices of `count` candidates such that `width` numbers per objective and row of data fit BLOCK_BYTES."""
        size = max(1, BLOCK_BYTES // (8 * max(width * len(self) * len(self.x), 1)))
        for begin in range(0, max(count, 1), size):
            yield slice(begin, min(begin + size, count))


def _admissible(covariance: Array, diagonal: Array) -> Array:
    """Covariances (N, L, L) with these variances (N, L) and no negative eigenvalues.

    Rounding can leave correlations beyond what is possible: they are shrunk, all of a candidate alike.
    """
    deviation = np.sqrt(diagonal)
    eye = np.eye(diagonal.shape[1])
    correlation = covariance / deviation[:, :, None] / deviation[:, None, :] * (1.0 - eye) + eye
    excess = np.maximum(-np.linalg.eigvalsh(correlation)[:, 0], 0.0)[:, None, None]
    return np.asarray(np.where(eye == 1.0, diagonal[:, None], covariance / (1.0 + excess)))


def _together(parts: list[Array], axis: int) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)
