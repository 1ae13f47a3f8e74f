"""Expectation propagation: what is believed once a set of points is known to be the Pareto set (theory 9, PESMO).

| symbol | meaning | shape | in code |
|---|---|---|---|
| Z, P | points; the first P of them are the Pareto set, the others may dominate none of it either | | |
| m, K | what the model believes of them | (L, Z), (L, Z, Z) | prior_mean, prior |
| d_ij | f(i) - f(j), j of the Pareto set | (L, Z, P) | |
| tau, nu | the normal factor exp(nu d - tau d^2 / 2) that stands for "i does not dominate j" | (L, Z, P) | sites |
| A | sum of tau c c^T, c = e_i - e_j: a Laplacian | (L, Z, Z) | precision |
| V, mu | what is believed then: V^-1 = K^-1 + A | (L, Z, Z), (L, Z) | covariance, mean |

K may be singular, or all but: points that are known have no variance left. With K = C C^T,

    V = C (1 + C^T A C)^-1 C^T,     mu = m + V (n - A m),     n = sum of nu c

so that nothing is divided by it. All factors are renewed at once, and only a step of the way is gone (`STEP`); a step
after which the belief would be no normal any more is halved.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from pfes.acquisition.undominated import tilt
from pfes.gp import linalg

__all__ = ["SOFT", "Propagated", "Sites", "propagate"]

Array = NDArray[np.float64]

SOFT = 1e-8  # variance added to differences: two points that are all but one have no order worth knowing
STEP = 0.5  # how far towards the new factors
LONG, SHRINK = 100, 0.98  # after so many sweeps, steps become shorter from one to the next
CLOSE = 2e-3  # of a deviation: means, and of a variance: covariances, that a whole step would change no further
SWEEPS = 250
SMALLEST_STEP = 1e-4
PROPER = 1e-6  # of the variance of a difference must be left when its own factor is taken out


class Sites(NamedTuple):
    """The normal factors of all pairs, (L, Z, P) each."""

    tau: Array
    nu: Array


class _Belief(NamedTuple):
    mean: Array  # (L, Z)
    covariance: Array  # (L, Z, Z)
    precision: Array  # (L, Z, Z)
    natural: Array  # (L, Z): n


class _State(NamedTuple):
    sites: Sites
    belief: _Belief


@dataclass(frozen=True, eq=False)
class Propagated:
    """What is believed of Z points, given that the first P are the Pareto set."""

    mean: Array  # (L, Z)
    covariance: Array  # (L, Z, Z)
    sites: Sites
    weights: Array  # (L, Z): K^-1 (mu - m), what moves the mean of a point with prior covariances k by k . weights
    taken: Array  # (L, Z, Z): K^-1 - K^-1 V K^-1, what its variance falls by, k . taken . k
    passed: Array  # (L, Z, P): K^-1 V, its covariances with the Pareto set, k . passed
    converged: bool
    sweeps: int

    @property
    def size(self) -> int:
        """P."""
        return int(self.passed.shape[2])


def propagate(prior_mean: Array, prior: Array, size: int, start: Sites | None = None) -> Propagated:
    """Condition on the first `size` of Z points being the Pareto set.

    Args:
        prior_mean: (L, Z), maximised.
        prior: (L, Z, Z) covariances of every objective.
        size: P, 1 or more.
        start: factors to begin with, such as those of a similar belief; default none.

    The result is always a proper normal; `converged` says whether the factors agree with one another.
    """
    objectives, count = prior_mean.shape
    roots = _roots(prior)
    none = np.zeros((objectives, count, size))
    sites, belief = Sites(none, none), _believed(prior_mean, roots, Sites(none, none))
    assert belief is not None
    if start is not None and (warm := _believed(prior_mean, roots, start)) is not None:
        sites, belief = start, warm
    state, step, converged = _State(sites, belief), STEP, False
    for sweep in range(1, SWEEPS + 1):
        after, part = _stepped(prior_mean, roots, state, step)
        if after is None:
            break
        converged = _change(state.belief, after.belief, prior) < CLOSE * part
        state, step = after, min(step, 2.0 * part) * (SHRINK if sweep > LONG else 1.0)
        if converged:
            break
    return _finished(state, size, converged, sweep)


def _stepped(prior_mean: Array, roots: Array, state: _State, step: float) -> tuple[_State | None, float]:
    """Some way towards new factors, `step` of it or half as much until there is a normal; None: no way at all."""
    wanted = _renewed(state.belief, state.sites)
    while step > SMALLEST_STEP:
        sites = Sites(*(old + step * (new - old) for old, new in zip(state.sites, wanted, strict=True)))
        belief = _believed(prior_mean, roots, sites)
        if belief is not None:
            return _State(sites, belief), step
        step *= 0.5
    return None, step


def _roots(prior: Array) -> Array:
    """C (L, Z, Z) with C C^T = K, jitter included where it is needed."""
    sizes = np.maximum(np.einsum("lzz->lz", prior).max(axis=1), 1e-12)
    return np.stack([linalg.factorise(one, size).lower for one, size in zip(prior, sizes, strict=True)])


def _renewed(belief: _Belief, sites: Sites) -> Sites:
    """What every factor is best replaced by, each given all others as they are."""
    size = sites.tau.shape[2]
    own = np.arange(size)
    variance = np.einsum("lzz->lz", belief.covariance)
    gap = belief.mean[:, :, None] - belief.mean[:, None, :size]
    spread = np.maximum(variance[:, :, None] + variance[:, None, :size] - 2.0 * belief.covariance[:, :, :size], 0.0)
    left = 1.0 - sites.tau * spread  # the cavity: without the factor itself
    proper = np.all(left > PROPER, axis=0)
    proper[own, own] = False  # a point and itself
    left = np.where(proper, left, 1.0)
    gap, spread = (gap - spread * sites.nu) / left, spread / left
    soft = spread + SOFT
    r, t, _ = tilt(gap / np.sqrt(soft))
    rest = SOFT + spread * (1.0 - t)
    tau, nu = t / rest, (gap * t + r * np.sqrt(soft)) / rest
    return Sites(np.where(proper, tau, sites.tau), np.where(proper, nu, sites.nu))


def _believed(prior_mean: Array, roots: Array, sites: Sites) -> _Belief | None:
    """The belief with these factors; None if it is no normal."""
    parts = []
    for mean, root, tau, nu in zip(prior_mean, roots, *sites, strict=True):
        precision, natural = _summed(tau, nu)
        inner = root.T @ precision @ root
        inner[np.diag_indices(len(inner))] += 1.0
        lower, info = lapack.dpotrf(inner, lower=1, clean=1)
        if info != 0:
            return None
        half = linalg.solve_lower(lower, root.T)
        covariance = half.T @ half
        parts.append((mean + covariance @ (natural - precision @ mean), covariance, precision, natural))
    belief = _Belief(*(np.stack(each) for each in zip(*parts, strict=True)))
    return belief if all(np.isfinite(part).all() for part in belief) else None


def _summed(tau: Array, nu: Array) -> tuple[Array, Array]:
    """A (Z, Z) and n (Z,) from the factors (Z, P) of one objective."""
    size = tau.shape[1]
    precision = np.diag(tau.sum(axis=1))
    precision[:, :size] -= tau
    precision[:size] -= tau.T
    precision[np.arange(size), np.arange(size)] += tau.sum(axis=0)
    natural = nu.sum(axis=1)
    natural[:size] -= nu.sum(axis=0)
    return precision, natural


def _change(before: _Belief, after: _Belief, prior: Array) -> float:
    """The largest change of a mean, in prior deviations, or of a covariance, in prior variances."""
    scale = np.maximum(np.einsum("lzz->lz", prior).max(axis=1), 1e-12)
    means = np.abs(after.mean - before.mean).max(axis=1) / np.sqrt(scale)
    covariances = np.abs(after.covariance - before.covariance).max(axis=(1, 2)) / scale
    return float(max(means.max(), covariances.max()))


def _finished(state: _State, size: int, converged: bool, sweeps: int) -> Propagated:
    mean, covariance, precision, natural = state.belief
    through = precision @ covariance  # K^-1 V = 1 - A V
    passed = np.eye(mean.shape[1]) - through
    weights = natural - np.einsum("lyz,lz->ly", precision, mean)
    taken = precision - through @ precision
    return Propagated(mean, covariance, state.sites, weights, taken, passed[:, :, :size], converged, sweeps)
