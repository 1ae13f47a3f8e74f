"""The marginal likelihood of several objectives' data under a joint Gaussian process, and its gradient.

| symbol | meaning | shape | in code |
|---|---|---|---|
| t_i, x_i | objective and point of row i | (n,), (n, D) | rows.task, rows.x |
| K | sum_q B_q[t_i, t_j] k_q(x_i, x_j) + diag(noise) | (n, n) | covariance |
| E | 1 where row i is of objective l | (n, L) | of |
| alpha | K^-1 (y - E m) | (n,) | alpha |
| V | K^-1 - alpha alpha^T: minus twice the derivative of the log likelihood in K | (n, n) | excess |

    d/dB_q[l, l'] = -1/2 sum_{i of l, j of l'} V_ij k_q(x_i, x_j)

and in the parameters of kernel q those of `pairs.py`, with V_ij B_q[t_i, t_j] in the place of V_ij, gathered on the
distinct points. Replicates are merged as in `gp/likelihood.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.distinct import distinct
from pfes.gp import linalg
from pfes.gp.likelihood import LOG_2PI, Integers
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.rows import stacked
from pfes.gp.pairs import Pairs
from pfes.observations import Data

__all__ = ["JointEvidence", "JointLikelihood", "joint_log_likelihood"]

Array = NDArray[np.float64]


class JointLikelihood(NamedTuple):
    """A log likelihood in nats and its derivatives."""

    value: float
    scales: Array  # (Q, G) in log scales
    additive: Array  # (Q,) in the logits of the main effects' shares
    tasks: Array  # (Q, L, L) in the entries of B, as if all of them were free; symmetric
    noise: Array  # (L,) in log noise
    mean: Array  # (L,) in the means


def joint_log_likelihood(data: Sequence[Data], groups: Integers, hyper: JointHyper) -> JointLikelihood:
    """Log likelihood of the single values behind L objectives' data, with gradient; groups (D,) as in `fit`."""
    return JointEvidence(data, groups, hyper.kernel, len(hyper.scales)).at(hyper)


class JointEvidence:
    """The likelihood of given data as a function of the hyper-parameters, with so many kernels (`parts`)."""

    def __init__(self, data: Sequence[Data], groups: Integers, kernel: str, parts: int) -> None:
        self.rows, self.size, self.objectives = stacked(data), sum(len(d.y) for d in data), len(data)
        points, _, self.at_point = distinct(self.rows.x)
        self.count = len(points)
        self.cell = (self.at_point[:, None] * self.count + self.at_point).ravel()  # pair of points of a pair of rows
        self.pairs = [Pairs(points, groups, matern=kernel == "matern52") for _ in range(parts)]
        self.of = np.asarray(self.rows.task[:, None] == np.arange(self.objectives), dtype=np.float64)
        self.right = np.column_stack([self.rows.y, self.of])
        spare = [np.where(np.isnan(d.noise), d.count, 1.0) for d in data]
        self.replicates = np.array([float(np.sum(c - 1.0)) for c in spare])
        self.within = np.array([d.within for d in data])
        logs = sum(float(np.sum(np.log(c))) for c in spare)
        self.constant = -0.5 * (self.size + float(self.replicates.sum())) * LOG_2PI - 0.5 * logs

    def at(self, hyper: JointHyper) -> JointLikelihood:
        """Log likelihood and gradient at hyper."""
        return self._evaluate(hyper, None)[0]

    def at_best_mean(self, hyper: JointHyper, precision: float) -> tuple[JointLikelihood, JointHyper]:
        """The same at the means that maximise likelihood times N(means; 0, 1/precision), and hyper with these."""
        return self._evaluate(hyper, precision)

    def _evaluate(self, hyper: JointHyper, precision: float | None) -> tuple[JointLikelihood, JointHyper]:
        if self.size == 0:
            return _flat(hyper), hyper
        noise = self.rows.known + hyper.noise[self.rows.task] * self.rows.inferred
        correlations = [self._correlation(hyper, q) for q in range(len(self.pairs))]
        covariance = np.diag(noise)
        for q, k in enumerate(correlations):
            covariance += self._weights(hyper, q) * self._gathered(k)
        lower = linalg.factorise(covariance, float(hyper.amplitude.max())).lower
        weighed = linalg.solve(lower, self.right)  # K^-1 y and K^-1 E
        if precision is not None:
            hyper = replace(hyper, mean=self._best_mean(weighed, precision))
        alpha = weighed[:, 0] - weighed[:, 1:] @ hyper.mean
        value = self.constant - 0.5 * float((self.rows.y - self.of @ hyper.mean) @ alpha)
        value -= float(np.log(lower.diagonal()).sum())
        value -= 0.5 * float(np.sum(self.replicates * np.log(hyper.noise) + self.within / hyper.noise))
        return JointLikelihood(value, *self._slopes(hyper, correlations, lower, alpha)), hyper

    def _best_mean(self, weighed: Array, precision: float) -> Array:
        if math.isinf(precision):
            return np.zeros(self.objectives)
        gram = self.of.T @ weighed[:, 1:] + precision * np.eye(self.objectives)
        # an objective without data has no best mean under a flat prior: least squares gives 0
        return np.asarray(np.linalg.lstsq(gram, self.of.T @ weighed[:, 0], rcond=None)[0])

    def _slopes(
        self, hyper: JointHyper, correlations: list[Array], lower: Array, alpha: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        excess = linalg.inverse_lower(lower)
        excess = excess + np.tril(excess, -1).T
        excess -= np.multiply.outer(alpha, alpha)
        scales, additive, tasks = np.zeros_like(hyper.scales), np.zeros_like(hyper.additive), np.zeros_like(hyper.tasks)
        none = np.zeros(self.count)
        for q, k in enumerate(correlations):
            tasks[q] = -0.5 * (self.of.T @ (excess * self._gathered(k)) @ self.of)
            slopes = self.pairs[q].contract(hyper.single(q), self._summed(excess * self._weights(hyper, q)), none, none)
            scales[q], additive[q] = slopes.scales, slopes.additive
        diagonal = self.of.T @ (excess.diagonal() * self.rows.inferred)
        d_noise = hyper.noise * diagonal + self.replicates - self.within / hyper.noise
        return scales, additive, tasks, -0.5 * d_noise, self.of.T @ alpha

    def _correlation(self, hyper: JointHyper, q: int) -> Array:
        """Kernel q between the distinct points, (m, m)."""
        half = self.pairs[q].covariance(hyper.single(q), np.ones(self.count))
        return np.asarray(half + np.tril(half, -1).T)

    def _gathered(self, correlation: Array) -> Array:
        """From the distinct points (m, m) to the rows (n, n)."""
        return np.asarray(correlation[self.at_point[:, None], self.at_point])

    def _summed(self, matrix: Array) -> Array:
        """From the rows (n, n), symmetric, to the distinct points (m, m), in Fortran's order."""
        sums = np.bincount(self.cell, matrix.ravel(), self.count**2)
        return np.asarray(sums, dtype=np.float64).reshape(self.count, self.count).T

    def _weights(self, hyper: JointHyper, q: int) -> Array:
        """B_q between the rows' objectives, (n, n)."""
        return np.asarray(hyper.tasks[q][self.rows.task[:, None], self.rows.task])


def _flat(hyper: JointHyper) -> JointLikelihood:
    """The likelihood of no data."""
    zeros = map(np.zeros_like, (hyper.scales, hyper.additive, hyper.tasks, hyper.noise, hyper.mean))
    return JointLikelihood(0.0, *zeros)
