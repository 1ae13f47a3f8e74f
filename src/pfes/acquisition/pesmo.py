"""Predictive entropy search for several objectives: nats that a measurement tells about the Pareto set, that is, about
where the best trade-offs lie (Hernandez-Lobato et al. 2016).

    R       sampled Pareto sets, of P points each at most
    v       variance of an objective at a candidate; v' the same once a sampled set is known to be the Pareto set
    delta   (L,) deviation of a measurement: its noise and the resolution

    gain_l = 1/2 log(v_l + delta_l^2) - 1/2 mean over the sets of log(v'_l + delta_l^2)

Given a Pareto set, no point of it is dominated: not by one another, not by what was measured, not by the candidate.
Those conditions make no normal; expectation propagation finds one that resembles it (`propagation.py`), the candidate's
own conditions are visited once (`remaining.py`). The gain of several objectives is the sum of theirs, so that decoupled
options come at no cost: that is how the publication decouples, though what is known of one objective tells of others.

Of objectives that are believed together each one's own prediction is taken, as if they were independent.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.method import Method
from pfes.acquisition.propagation import SOFT, Propagated, Sites, propagate
from pfes.acquisition.protocol import Slopes, score_of, slope_of
from pfes.acquisition.remaining import remaining, remaining_back
from pfes.acquisition.resolution import resolution
from pfes.acquisition.situation import Situation
from pfes.compiled import spread_map
from pfes.frontiers import Sampled, sample_frontiers
from pfes.frontiers.thinning import thin
from pfes.gp import Surrogate, Ties, covariances
from pfes.normal import cdf
from pfes.objectives import Option

__all__ = ["METHOD", "ParetoSet", "Pesmo", "condition", "pesmo"]

logger = logging.getLogger("pfes")
Array = NDArray[np.float64]

POINTS = 30  # of a Pareto set: more hardly change the order of the scores, and cost their cube
OTHERS = 100  # measured points that may not dominate a set: those that would most probably
DOUBTFUL = 1e-6  # what dominates none of a set with this probability need not be told so
APART = 1e-6  # points closer than this are one
BLOCK = 2**22  # numbers in an array over candidates and points


@dataclass(frozen=True, eq=False)
class ParetoSet:
    """A sampled Pareto set, other points that do not dominate it, and what is believed of all of them then."""

    points: Array  # (Z, D), the set first
    known: Propagated


@dataclass(frozen=True, eq=False)
class Pesmo:
    """How much a measurement tells about the Pareto set, by R samples of it."""

    model: Surrogate  # after measurements under way each set has its own mean
    options: tuple[Option, ...]
    sets: tuple[ParetoSet, ...]
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled paths that the sets belong to
    delta: Array  # (L,)
    starts: Array  # (Q, D)

    @property
    def converged(self) -> float:
        """The share of the sets for which expectation propagation came to rest."""
        return float(np.mean([one.known.converged for one in self.sets]))

    def scores(self, x: Array) -> Array:
        """Log nats (N, K)."""
        width = max(self._ties.points.shape[0], 1)
        step = max(1, BLOCK // width)
        gains = [self.gains(x[begin : begin + step]) for begin in range(0, max(len(x), 1), step)]
        return score_of(np.concatenate(gains) @ self._members)

    def gains(self, x: Array) -> Array:
        """Nats (N, L) of every objective alone."""
        mean, std = self.model.predict(x)
        ties = self._ties(x)

        def rest(r: int) -> Array:
            return remaining(_of(mean, r), std.T**2, ties[:, :, self._places[r]], self.sets[r].known).left

        left = np.stack(spread_map(rest, range(len(self.sets))))  # (R, L, N)
        noise = self.delta[:, None] ** 2
        return np.asarray(0.5 * (np.log(std.T**2 + noise) - np.log(left + noise).mean(axis=0)).T)

    def slopes(self, x: Array) -> Slopes:
        """Log nats (N, K) with gradients (N, K, D)."""
        mean, std, d_mean_x, d_std_x = self.model.predict_gradient(x)
        ties, noise = self._ties(x), self.delta**2
        parts = spread_map(lambda r: self._logs(r, _of(mean, r), std.T, ties), range(len(self.sets)))
        log_left, d_mean, d_std = (np.stack(each) for each in zip(*(part[:3] for part in parts), strict=True))
        d_logs = np.einsum("rlkn,nkd->nld", d_std, d_std_x)
        d_logs += np.einsum("rlkn,rnkd->nld", d_mean, np.broadcast_to(d_mean_x, (len(parts), *d_mean_x.shape[-3:])))
        d_ties = np.concatenate([part.d_ties for part in parts], axis=3)
        d_logs += np.stack([self._ties.slopes(x, own).sum(axis=1) for own in d_ties], axis=1)
        gains = 0.5 * (np.log(std**2 + noise) - log_left.mean(axis=0).T)
        d_gains = (std / (std**2 + noise))[:, :, None] * d_std_x - 0.5 / len(parts) * d_logs
        gain = gains @ self._members
        return Slopes(score_of(gain), slope_of(gain)[:, :, None] * np.einsum("nld,lk->nkd", d_gains, self._members))

    def _logs(self, r: int, mean: Array, std: Array, ties: Array) -> "_Logs":
        known, own = self.sets[r].known, ties[:, :, self._places[r]]
        at = remaining(mean, std**2, own, known)
        outer = at.left + self.delta[:, None] ** 2
        backs = [remaining_back(at, own, known, l) for l in range(len(outer))]
        return _Logs(
            np.log(outer),
            np.stack([back.d_mean for back in backs]) / outer[:, None],
            np.stack([back.d_variance for back in backs]) * 2.0 * std / outer[:, None],
            np.stack([back.d_ties for back in backs]) / outer[:, None, :, None],
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pesmo":
        """Each set knows its own path's values at x, seen at the resolution (theory 8); x does not dominate it."""
        values = self.values(x[None])  # (R, 1, L)
        seen = np.full_like(values, np.nan)
        for l in which:
            seen[..., l] = values[..., l] + self.delta[l] * rng.standard_normal(values.shape[:2])
        model = self.model.given(x[None], seen, self.delta**2)
        numbered = list(enumerate(self.sets))
        return replace(self, model=model, sets=tuple(spread_map(lambda pair: _again(model, *pair, x), numbered)))

    @cached_property
    def _ties(self) -> Ties:
        return Ties(self.model, np.concatenate([one.points for one in self.sets]))

    @cached_property
    def _places(self) -> list[slice]:
        """Where the points of each set lie among those of all."""
        ends = np.cumsum([len(one.points) for one in self.sets])
        return [slice(end - len(one.points), end) for end, one in zip(ends, self.sets, strict=True)]

    @property
    def _members(self) -> Array:
        """(L, K) 1 where an option measures an objective."""
        return np.array([[float(l in option.which) for option in self.options] for l in range(len(self.delta))])


class _Logs(NamedTuple):
    """log(v' + delta^2) given one set, and its derivatives in what is predicted of all objectives."""

    log_left: Array  # (L, N)
    d_mean: Array  # (L, L, N)
    d_std: Array  # (L, L, N)
    d_ties: Array  # (L, L, N, Z)


def _of(mean: Array, r: int) -> Array:
    """(L, N) of set r, from (N, L) or (R, N, L)."""
    return (mean if mean.ndim == 2 else mean[r]).T


def condition(model: Surrogate, r: int, pareto: Array, others: Array) -> ParetoSet:
    """Believe that points (P, D) are the Pareto set: no other (Q, D) dominates any of them; r: whose mean counts."""
    nearest = np.sqrt(np.min(np.sum((others[:, None] - pareto) ** 2, axis=2), axis=1)) if len(others) else np.zeros(0)
    others = others[nearest > APART]
    points = np.concatenate((pareto, others[_threatening(model, r, pareto, others)]))
    known = propagate(_of(model.predict(points).mean, r), covariances(model, points, points), len(pareto))
    return ParetoSet(points, known)


def _threatening(model: Surrogate, r: int, pareto: Array, others: Array) -> NDArray[np.intp]:
    """Which of the others (Q, D), OTHERS at most, may dominate one of the set (P, D), as far as the model knows."""
    if not len(others):
        return np.zeros(0, dtype=np.intp)
    (mean, std), (best, best_std) = model.predict(others), model.predict(pareto)
    both = covariances(model, others, pareto)
    spread = std.T[:, :, None] ** 2 + best_std.T[:, None] ** 2 - 2.0 * both
    gap = _of(mean, r)[:, :, None] - _of(best, r)[:, None]
    worst = np.prod(cdf(gap / np.sqrt(np.maximum(spread, SOFT))), axis=0).max(axis=1)  # (Q,)
    chosen = np.argsort(-worst, kind="stable")[:OTHERS]
    return np.sort(chosen[worst[chosen] > DOUBTFUL])


def _again(model: Surrogate, r: int, before: ParetoSet, x: Array) -> ParetoSet:
    """The same set under another model, and one more point x (D,) that does not dominate it."""
    new = np.sum((before.points - x) ** 2, axis=1).min() > APART**2
    points = np.concatenate((before.points, x[None])) if new else before.points
    room = ((0, 0), (0, int(new)), (0, 0))
    start = Sites(*(np.pad(part, room) for part in before.known.sites))
    mean, prior = _of(model.predict(points).mean, r), covariances(model, points, points)
    return ParetoSet(points, propagate(mean, prior, before.known.size, start))


def pesmo(situation: Situation) -> Pesmo:
    """Sample Pareto sets, condition on each, and ask what measurements tell about them."""
    model = situation.model
    sampled = sample_frontiers(
        model,
        situation.domain,
        situation.observed,
        np.full(len(model), -np.inf),
        situation.frontiers,
        situation.rng,
        allowed=situation.allowed,
    )
    chosen = [_chosen(sampled, r, situation.thresholds) for r in range(len(sampled.sets))]
    sets = [x for x, _ in chosen]
    delta = np.hypot(situation.noise, resolution(situation, [y for _, y in chosen]))
    conditioned = spread_map(lambda r: condition(model, r, sets[r], situation.observed), range(len(sets)))
    restless = sum(not one.known.converged for one in conditioned)
    if restless:
        logger.info("expectation propagation came to no rest for %d of %d Pareto sets", restless, len(sets))
    return Pesmo(model, situation.options, tuple(conditioned), sampled.at, delta, np.concatenate(sets))


def _chosen(sampled: Sampled, r: int, thresholds: Array) -> tuple[Array, Array]:
    """The part of a sampled Pareto set that exceeds the thresholds, or all of it if none does: (P, D) and (P, L)."""
    x, y = sampled.sets[r], sampled.frontiers[r]
    wanted = np.all(y > thresholds, axis=1)
    if wanted.any():
        x, y = x[wanted], y[wanted]
    kept = thin(y, np.zeros(len(y), dtype=bool), POINTS)
    return x[kept], y[kept]


METHOD = Method(
    "pesmo",
    "information about the Pareto set, where the best trade-offs lie, by expectation propagation",
    pesmo,
    promise="tell {:.3g} nats about the Pareto set",
    source="Hernandez-Lobato et al. 2016",
    decoupled=True,
)
