"""Learn, then hold: two ways to look for the next measurement, and one currency to choose between them.

To learn, look for information where it pays; to confirm, look for improvement alone:

    score = (1 - weight) log nats + weight log(share * improvement)      weight 1/2, or 1

    improvement   expected growth of the hypervolume held, if all that the point lacks were measured
    share         of that cost which this measurement pays, if one begins with it: 1 if nothing is lacking after it
    nats          what it tells about the Pareto frontier

Where costs add up, improvement per cost is the same for all that a point lacks: it does not say what comes first there.

What either finds is worth the hypervolume that it adds at once, and what its knowledge will be worth later:

    worth = share * improvement + time * stake * (1 - exp(-nats))

    stake         hypervolume at stake as long as the frontier is not known
    time          how much of it there is time to collect: 1 without a budget, 0 for the last measurement

Information alone is drawn to where the model knows nothing, such as corners, even where nothing good is expected;
improvement alone stays near what is known to be good. The longer nothing better was found, the wider the deviations of
improvement are taken to be: the model's hopes near what it knows were in vain, so it may err elsewhere, too. Where one
learns that is always so. In a pool with categories whose rows are measured whole it is so where one confirms, too, if
chance will have it: a search that never trusted its model would not fill the front, one that always did would go on
hoping in vain beside what it knows, row after row. Among numbers there is always something to fill in, and one
objective at a time something to complete; there it did not help (docs/default.md).

Of a level of a category that was never tried, or in poor company only, the model knows little but that levels differ.
It goes on hoping beside what it knows to be good, where each hope is a little larger, and never comes to what might be
better by far. So when nothing better was found for some measurements, levels come first that were never tried and, much
later, every other time those that were not tried since most of what is held was found; unless the budget has no time
left to make use of them (docs/default.md). The less is held, the longer they wait: in poor company none of them shows.
One objective at a time, a level that has shown itself the best there is may lack but an objective that costs little. It
is completed first if that is worth more per cost, and as good as sure to add something (`at_least`).

One objective at a time among categories, with thresholds, the search scouts until most is held: it looks for
improvement alone, in doubt, by points that need not be completed if their first objective disappoints (`stages`).
Nats trust a model that knows little of levels from a few rows.

    venture       stale (held / whole)^2, if it is 2 or more

    caution       1 + stale / patience     how many times wider the deviations are; stale: full measurements in vain
    wariness      (1 - 1 / caution) * held / whole / (1 + TURN / left)     how likely that is heeded: little as long as
                  little is held, and near the end of a budget, when there is no time to make use of a better place

g nats take about 1 - exp(-g) of the ignorance away, because one nat divides the number of plausible frontiers by e.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.ehvi import Ehvi, improvement, reference_point
from pfes.acquisition.method import Method
from pfes.acquisition.pfes import Pfes, information
from pfes.acquisition.protocol import Slopes, gain_of
from pfes.acquisition.situation import Situation
from pfes.acquisition.stages import best_rate, outcomes
from pfes.gp import JointModel, Surrogate
from pfes.objectives import Option
from pfes.pareto import non_dominated, quick_hypervolume
from pfes.space import Pool

__all__ = ["METHOD", "Parts", "Worth", "at_stake", "learning", "pfes", "weighed"]

Array = NDArray[np.float64]

PATIENCE, MOST = 4.0, 8.0  # full measurements in vain after which the model is thought to err twice as much; at most
PATIENCE_OF_ROWS, MOST_OF_ROWS = 2.0, 4.0  # in a pool with categories whose rows are measured whole
PATIENCE_OF_LEVELS = 2.0  # full measurements in vain after which untried levels come first, if all is held
TURN = 5.0  # measurements of everything that it takes to make use of a better place
SURE = 2.0  # deviations: what is better than what is held by so much needs no hope
DOUBT, MOSTLY = 2.0, 0.9  # deviations are so many times wider until so much is held of what the frontiers have
SMALL = 1e-9  # the share of a point that cannot be completed


class Parts(NamedTuple):
    """The terms of the worth, (N, K) each."""

    now: Array  # hypervolume
    later: Array  # hypervolume, were there time to collect it
    nats: Array  # about the frontier


@dataclass(frozen=True)
class Worth:
    """Information and improvement; see the module."""

    learn: Pfes
    hold: Ehvi  # as cautious as the search should be
    stake: float
    time: float
    whole: float  # hypervolume that the sampled frontiers have, on average
    completing: Callable[[Array], Array]  # x (N, D) -> (N, K) cost of all a point lacks, begun so; inf: too much
    weight: float = 0.5  # of improvement in what is looked for
    wariness: float = 0.0  # how likely `wary` is for the next member of a batch
    wary: bool = True  # is `hold` as cautious where one confirms, and where what was found is weighed?
    doubt: bool = False  # is the model taken to err more than anything measured speaks for?
    venture: float = 0.0  # measurements in vain, if untried levels of categories come first
    staged: bool = False  # is improvement that of a point one need not complete?

    @property
    def options(self) -> tuple[Option, ...]:
        """The K measurements on offer."""
        return self.learn.options

    @property
    def model(self) -> Surrogate:
        """What is believed, each sampled path's own values at pending points included."""
        return self.learn.model

    @property
    def starts(self) -> Array:
        """(Q, D) the sampled Pareto sets, and what is held."""
        return np.vstack([self.learn.starts, self.hold.starts])

    @property
    def delta(self) -> Array:
        """(L,) the resolution."""
        return self.learn.delta

    @property
    def share(self) -> float:
        """How much is held of what the sampled frontiers have."""
        return _share_held(self.hold, self.whole)

    @cached_property
    def expected(self) -> Ehvi:
        """Improvement where one confirms, and in what anything is worth."""
        return self.hold if self.wary else replace(self.hold, caution=1.0)

    def parts(self, x: Array) -> Parts:
        """The terms of the worth at candidates x (N, D)."""
        nats = gain_of(self.learn.scores(x))
        # a negative gain (theory 2) counts against the measurement
        later = self.stake * np.where(nats > 0.0, -np.expm1(-np.maximum(nats, 0.0)), nats)
        return Parts(gain_of(self._improved(x)), later, nats)

    def at_least(self, x: Array) -> float:
        """Hypervolume that a point x (D,) adds if its values lie SURE deviations below what is expected."""
        mean, std = self.hold.model.predict(x[None])
        low = mean - SURE * std
        grown = quick_hypervolume(np.vstack([self.hold.points, low]), self.hold.reference)
        return grown - quick_hypervolume(self.hold.points, self.hold.reference)

    def scores(self, x: Array) -> Array:
        """(N, K) the logarithm of what is looked for."""
        if self.weight == 1.0:
            return self._improved(x)
        share = np.log(self._shares(x))
        told = self.learn.predicted(x)
        improved = told if self._alike else self.hold.predicted(x)
        return (1.0 - self.weight) * self.learn.score(*told) + self.weight * (self.hold.score(*improved) + share)

    def slopes(self, x: Array) -> Slopes:
        """`scores` with gradients (N, K, D); shares are constant but at single points."""
        share = np.log(self._shares(x))
        if self.weight == 1.0:
            score, d_x = self.expected.slopes(x)
            return Slopes(score + share, d_x)
        at = self.learn.predicted_gradient(x)
        told = self.learn.slopes_at(at)
        improved = self.hold.slopes_at(at) if self._alike else self.hold.slopes(x)
        return Slopes(
            (1.0 - self.weight) * told.score + self.weight * (improved.score + share),
            (1.0 - self.weight) * told.d_x + self.weight * improved.d_x,
        )

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Worth":
        """Each frontier knows its own path's values at x; what is held grows by what is expected there."""
        learn, hold = self.learn.given(x, which, rng), self.hold.given(x, which, rng)
        return replace(self, learn=learn, hold=hold, wary=self.doubt or bool(rng.random() < self.wariness))

    def confirming(self) -> "Worth":
        """The same, looking for improvement alone."""
        return replace(self, weight=1.0)

    def trusting(self) -> "Worth":
        """Looking for improvement alone, as the model expects it, however long in vain: what a user asks to confirm."""
        return replace(self, weight=1.0, wary=False, wariness=0.0, venture=0.0, staged=False)

    def doubting(self, caution: float) -> "Worth":
        """Looking for improvement as if the model erred so many times as much as it thinks."""
        return replace(self, weight=1.0, wary=True, doubt=True, hold=replace(self.hold, caution=caution))

    def scouting(self) -> "Worth":
        """Looking, in doubt, for improvement by points that are not completed if their first objective disappoints."""
        hold = replace(self.hold, caution=max(DOUBT, self.hold.caution))
        return replace(self, weight=1.0, wary=True, wariness=1.0, staged=True, hold=hold)

    def completes(self, x: Array, option: int) -> bool:
        """Whether nothing is lacking at a point x (D,) after that option."""
        cost = self.options[option].cost
        return bool(self.completing(x[None])[0, option] <= cost * (1.0 + SMALL))

    @property
    def _alike(self) -> bool:
        """Whether both parts look at the same; with measurements under way each frontier has its own mean."""
        return self.hold.model is self.learn.model and self.hold.together == self.learn.together

    def _improved(self, x: Array) -> Array:
        """(N, K) the logarithm of what each option adds: its share of completing the point, or by stages."""
        mean, spread = self.expected.predicted(x)
        gain = self.expected.score(mean, spread) + np.log(self._shares(x))
        if self.staged:
            lacking = self.completing(x)
            for k, option in enumerate(self.options):
                rest = lacking[:, k] - option.cost
                go = np.flatnonzero(np.isfinite(rest) & (rest > SMALL * option.cost))
                if len(option.which) == 1 and len(go):
                    by_stages = self._by_stages(mean[..., go, :], spread[go], k, rest[go])
                    gain[go, k] = np.maximum(gain[go, k], by_stages)  # nodes miss what lies far out
        return gain

    def _by_stages(self, mean: Array, spread: Array, option: int, rest: Array) -> Array:
        """(N,) the same for a single objective of points that lack others, which cost `rest` (N,)."""
        (objective,), cost = self.options[option]
        seen = outcomes(mean, self.expected.widened(spread), objective, self.expected.delta[objective])
        each = [self.expected.expected_of(means, seen.spread) for means in seen.mean]
        return np.asarray(best_rate(np.stack(each), seen.log_weight, cost, rest) + np.log(cost))

    def _shares(self, x: Array) -> Array:
        costs = np.array([option.cost for option in self.options])
        return np.clip(costs / self.completing(x), SMALL, 1.0)


def at_stake(learn: Pfes, reference: Array, held: Array) -> tuple[float, float]:
    """What perfect knowledge of the frontier would add to what the model recommends, and what all of it is worth.

    On every sampled path: the hypervolume of its frontier, less that of what would be held if all that the model's mean
    recommends were measured there; averages, as hypervolumes above the reference (L,). held: (m, D).
    """
    points = np.vstack([learn.starts, held])
    means = learn.model.predict(points).mean
    means = means.mean(axis=0) if means.ndim == 3 else means
    chosen = np.vstack([points[non_dominated(means)], held])
    values = learn.values(chosen)  # (R, N, L)
    best, had = [], []
    for frontier, value in zip(learn.frontiers, values, strict=True):
        real = frontier.points[np.isfinite(frontier.points).all(axis=1)]  # without the thresholds' virtual points
        best.append(quick_hypervolume(real, reference) if len(real) else 0.0)
        had.append(quick_hypervolume(value, reference))
    return float(np.mean(np.maximum(np.array(best) - had, 0.0))), float(np.mean(best))


def pfes(situation: Situation) -> Worth:
    """The default: one objective at a time among categories, with thresholds, scout until most is held; then learn and
    hold."""
    worth = learning(situation)
    # how much is held can be said above thresholds alone: a reference point of our own lies right below the front
    told = bool(np.isfinite(situation.thresholds).all()) and worth.whole > 0.0
    kind = situation.apart and _categories(situation) and not isinstance(situation.model, JointModel)
    return worth.scouting() if kind and told and worth.share < MOSTLY else worth


def learning(situation: Situation) -> Worth:
    """Learn the frontier while much is at stake, and hold it when it is known or time runs out."""
    # as long as points are half measured, hopes have not been tried to the end
    tried = len(situation.observed) == len(situation.held)
    return weighed(situation, doubted=_categories(situation) and tried)


def _categories(situation: Situation) -> bool:
    return isinstance(situation.domain, Pool) and not situation.domain.numeric


def weighed(situation: Situation, *, doubted: bool) -> Worth:
    """What measurements are worth. doubted: are hopes doubted where one confirms, too, the longer they are in vain?"""
    learn = information(situation)
    likely = np.vstack([situation.held, learn.starts])
    reference = reference_point(situation.model.predict(likely).mean, situation.thresholds)
    patience, most = (PATIENCE_OF_ROWS, MOST_OF_ROWS) if doubted else (PATIENCE, MOST)
    caution = min(most, 1.0 + situation.stale / patience)  # the longer in vain, the less the model is trusted
    # draws of what is held cost more and found no more
    hold = replace(improvement(situation), reference=reference, caution=caution)
    stake, whole = at_stake(learn, reference, situation.held)
    time = 1.0 - 1.0 / max(situation.left, 1.0)  # nothing comes after the last measurement
    share = _share_held(hold, whole)
    wariness = (1.0 - 1.0 / caution) * share / (1.0 + TURN / max(situation.left, 1e-300)) if doubted else 0.0
    wary = bool(situation.rng.random() < wariness)
    vain = situation.stale * share**2
    venture = vain if vain >= PATIENCE_OF_LEVELS else 0.0
    return Worth(learn, hold, stake, time, whole, situation.completing, wariness=wariness, wary=wary, venture=venture)


def _share_held(hold: Ehvi, whole: float) -> float:
    had = quick_hypervolume(hold.points, hold.reference) if len(hold.points) else 0.0
    return min(1.0, had / max(whole, 1e-300))


METHOD = Method(
    "pfes",
    "learn the Pareto frontier, then hold it: information and improvement per unit of cost",
    pfes,
    promise="tell {:.3g} nats about the Pareto frontier",
    decoupled=True,
    together=True,
    informed=True,
)
