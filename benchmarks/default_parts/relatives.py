"""Relatives of the default for the study behind it: its information replaced, its resolution, when it confirms.

MinusLogZ   mean of -log Z; a resolution is let in by the same channel as in `pfes.information.power`
Pfev        Ishikura and Karasuyama (2025): the best mixture of a frontier that truncates too much and one too little
OfTheSet    nats about the Pareto set and its frontier together, by `pfes.acquisition.jes`; one measurement at a time

All are plain and slow.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from default_parts.reach import reaching
from pfes.acquisition import METHODS, Pfes, Situation
from pfes.acquisition import worth as default
from pfes.acquisition.jes import Jes, jes_of
from pfes.acquisition.protocol import Slopes, score_of
from pfes.acquisition.samples import draw
from pfes.information.prepared import Frontier, prepare
from pfes.pareto import quick_hypervolume
from pfes.space import Pool

__all__ = ["register"]

Array = NDArray[np.float64]

Build = Callable[[Situation], Any]
MIXTURES = np.linspace(0.0, 1.0, 11)
STEP = 1e-4  # of the unit cube, for differences
DOUBT = 2.0  # how many times larger than believed deviations are taken to be, at least
MOSTLY = 0.95  # of the hypervolume of the sampled frontiers: with so much held there is little to doubt for


class ByDifferences(Pfes):
    """PFES with another gain of measuring everything, whose gradients are differences."""

    def gain(self, x: Array) -> Array:
        """(N,) at candidates x (N, D)."""
        raise NotImplementedError

    @property
    def together(self) -> bool:
        """Never alike: improvement must predict for itself, since `predicted` gives candidates here."""
        return True

    def predicted(self, x: Array) -> tuple[Array, Array]:
        return x, x

    def score(self, mean: Array, spread: Array) -> Array:
        return self.scores(mean)

    def predicted_gradient(self, x: Array) -> Any:
        return x

    def slopes_at(self, at: Any) -> Slopes:
        return self.slopes(at)

    def scores(self, x: Array) -> Array:
        return np.tile(score_of(self.gain(x)[:, None]), len(self.options))

    def slopes(self, x: Array) -> Slopes:
        d_x = np.empty((len(x), len(self.options), x.shape[1]))
        for column in range(x.shape[1]):
            step = STEP * np.eye(x.shape[1])[column]
            d_x[:, :, column] = (self.scores(x + step) - self.scores(x - step)) / (2.0 * STEP)
        return Slopes(self.scores(x), d_x)


class MinusLogZ(ByDifferences):
    """-log Z: the variational lower bound on the noise-free information."""

    def gain(self, x: Array) -> Array:
        mean, std = self.model.predict(x)
        share = std**2 / (std**2 + self.delta**2)
        total = np.zeros(len(x))
        for r, frontier in enumerate(self.frontiers):
            beyond = _mass(frontier, mean[r] if mean.ndim == 3 else mean, std, "complement")
            each = 2.0 * np.log1p(-np.minimum(beyond, 1.0 - 1e-12))[:, None] / std.shape[1]  # -2 g / L
            total += -0.5 * np.log1p(share * np.expm1(each)).sum(axis=1)
        return total / len(self.frontiers)


class Pfev(ByDifferences):
    """The variational bound whose two truncations are mixed at the best rate, values read off the same paths."""

    @cached_property
    def flipped(self) -> list[Frontier | None]:
        """The frontiers with all signs turned, thresholds left out."""
        return [_flipped(frontier) for frontier in self.frontiers]

    def gain(self, x: Array) -> Array:
        mean, std = self.model.predict(x)
        share = std**2 / (std**2 + self.delta**2)
        left = np.sqrt(np.maximum(1.0 - share, 1e-12)) * std  # of f, given y
        errors = np.random.default_rng(0).standard_normal((len(self.frontiers), 1, std.shape[1])) * self.delta
        seen = self.values(x) + errors  # (R, N, L)
        ratios = np.empty((2, len(self.frontiers), len(x)))
        for r, frontier in enumerate(self.frontiers):
            own = mean[r] if mean.ndim == 3 else mean
            given = own + share * (seen[r] - own)
            for side, mass in enumerate((_under(self.flipped[r]), _over(frontier))):
                ratios[side, r] = mass(given, left) / np.maximum(mass(own, std), 1e-12)
        mixed = MIXTURES[:, None, None] * ratios[0] + (1.0 - MIXTURES)[:, None, None] * ratios[1]  # (11, R, N)
        return np.log(np.maximum(mixed, 1e-12)).mean(axis=1).max(axis=0)


@dataclass(frozen=True)
class OfTheSet(ByDifferences):
    """Joint entropy search: what a measurement tells of where the frontier is reached counts as well as how high."""

    joint: Jes = field(kw_only=True)

    def scores(self, x: Array) -> Array:
        return self.joint.scores(x)


@dataclass(frozen=True)
class Coarse(Pfes):
    """PFES whose nats count down to a grain; what is under way is known as well as measurements are."""

    grain: Array = field(default_factory=lambda: np.zeros(1))  # (L,)

    def score(self, mean: Array, spread: Array) -> Array:
        return self._blurred.score(mean, spread)

    def sensitivity(self, mean: Array, spread: Array) -> Any:
        return self._blurred.sensitivity(mean, spread)

    @property
    def _blurred(self) -> Pfes:
        return Pfes(**_parts(self) | {"delta": np.hypot(self.delta, self.grain)})


def _over(frontier: Frontier) -> Callable[[Array, Array], Array]:
    """P(f is dominated): what is left if the frontier is all there is."""
    return lambda mean, std: 1.0 - _mass(frontier, mean, std, "complement")


def _under(flipped: Frontier | None) -> Callable[[Array, Array], Array]:
    """P(f dominates no point of the frontier)."""
    if flipped is None:
        return lambda mean, std: np.ones(len(mean))
    return lambda mean, std: 1.0 - _mass(flipped, -mean, std, "dominated")


def _flipped(frontier: Frontier) -> Frontier | None:
    real = frontier.points[np.isfinite(frontier.points).all(axis=1)]
    return prepare([-real])[0] if len(real) else None


def _mass(frontier: Frontier, mean: Array, std: Array, region: str) -> Array:
    """Probability (N,) of one side of a frontier, cell by cell."""
    low, high = (frontier.beyond_low, frontier.beyond_high) if region == "complement" else (frontier.low, frontier.high)
    below = ndtr((frontier.values - mean[:, frontier.owner]) / std[:, frontier.owner])
    product = np.ones((len(mean), len(low)))
    for l in range(mean.shape[1]):
        product *= below[:, high[:, l]] - below[:, low[:, l]]
    return np.clip(product.sum(axis=1), 0.0, 1.0)


def register() -> None:
    """Make them known as methods: the default, with one thing changed."""
    ways: dict[str, Build] = {
        "minus log Z": _with(MinusLogZ),
        "PFEV": _with(Pfev),
        "nats about the set, too": _of_the_set,
        "nats at the grain of the stakes": _coarse,
        "at the grain, untried levels sooner": _sooner,
        "tenth of the resolution": lambda situation: _finer(situation, 0.1),
        "five times the resolution": lambda situation: _finer(situation, 5.0),
        "resolution falling": lambda situation: _finer(situation, 5.0 * 0.1 ** min(1.0, len(situation.observed) / 40)),
        "never wary": lambda situation: replace(default.pfes(situation), wary=False, wariness=0.0),
        "always wary": lambda situation: replace(default.pfes(situation), wary=True, wariness=1.0),
        "wary among numbers": lambda situation: default.weighed(situation, doubted=_whole_rows(situation)),
        "untried levels like others": lambda situation: replace(default.pfes(situation), venture=0.0),
        "half and half": _halves,
        "information times reach": reaching,
        "nats from the first": default.learning,
        "improvement trusted": lambda situation: replace(
            default.learning(situation), weight=1.0, wary=False, wariness=0.0
        ),
        "improvement in doubt": _in_doubt,
        "improvement in doubt, once in vain": lambda situation: _in_doubt(situation, after=1.0),
        "improvement in doubt, while little is held": lambda situation: _in_doubt(situation, until=MOSTLY),
        "learning only": lambda situation: replace(default.pfes(situation), stake=1e6),
    }
    for name, build in ways.items():
        METHODS[name] = replace(METHODS["pfes"], name=name, build=build)


def _whole_rows(situation: Situation) -> bool:
    return isinstance(situation.domain, Pool) and len(situation.observed) == len(situation.held)


def _parts(learn: Pfes) -> dict[str, Any]:
    """What PFES is made of."""
    return {each.name: getattr(learn, each.name) for each in fields(Pfes)}


def _with(kind: type[ByDifferences]) -> Build:
    def build(situation: Situation) -> Any:
        worth = default.pfes(situation)
        return replace(worth, learn=kind(**_parts(worth.learn)))

    return build


def _of_the_set(situation: Situation) -> Any:
    drawn = draw(replace(situation, rng=deepcopy(situation.rng)))  # what the default is about to draw
    worth = default.pfes(situation)
    return replace(worth, learn=OfTheSet(**_parts(worth.learn), joint=jes_of(situation, drawn)))


def _finer(situation: Situation, factor: float) -> Any:
    """The default, its resolution multiplied."""
    worth = default.pfes(situation)
    return replace(worth, learn=replace(worth.learn, delta=factor * worth.learn.delta))


def _coarse(situation: Situation) -> Any:
    """The default, blind to differences that change the hypervolume by less than the share of it that is at stake.

    A box grows by a share if one of its sides does: that share of each objective's height above the reference point, at
    the 0.9 quantile of the sampled frontiers.
    """
    worth = default.pfes(situation)
    learn = worth.learn
    real = np.vstack([frontier.points for frontier in learn.frontiers])
    real = real[np.isfinite(real).all(axis=1)]  # without the thresholds' virtual points
    if not len(real):
        return worth
    height = np.maximum(np.quantile(real, 0.9, axis=0) - worth.hold.reference, 0.0)
    return replace(worth, learn=Coarse(**_parts(learn), grain=worth.stake / max(worth.whole, 1e-300) * height))


def _sooner(situation: Situation) -> Any:
    """The same, and untried levels come first unless what is held grew by a tenth: a thousandth is no reason to wait.

    For points that are measured whole.
    """
    worth = _coarse(situation)
    levels, reference = worth.hold.points, worth.hold.reference  # oldest first
    grown = [quick_hypervolume(levels[: count + 1], reference) for count in range(len(levels))]
    if not grown or not grown[-1] > 0.0:
        return worth
    vain = len(grown) - 1 - int(np.argmax(np.array(grown) >= 0.9 * grown[-1]))
    vain *= min(1.0, grown[-1] / max(worth.whole, 1e-300)) ** 2
    return replace(worth, venture=max(worth.venture, vain)) if vain >= default.PATIENCE_OF_LEVELS else worth


def _halves(situation: Situation) -> Any:
    """Information alone as long as more of the budget is left than was spent, then improvement alone."""
    worth = default.pfes(situation)
    return worth.learn if situation.left > len(situation.observed) else worth.confirming()


def _in_doubt(situation: Situation, after: float = 0.0, until: float = math.inf) -> Any:
    """Improvement alone, by deviations at least twice as large; else nats from the first.

    After so many measurements of everything in vain, and until that share is held of what the sampled frontiers have.
    """
    worth = default.learning(situation)
    if situation.stale < after or worth.share >= until:
        return worth
    hold = replace(worth.hold, caution=max(DOUBT, worth.hold.caution))
    return replace(worth, hold=hold, weight=1.0, wary=True, wariness=1.0)
