"""Pareto-frontier entropy search: nats that a measurement tells about the frontier (Suzuki et al., 2020).

    R       sampled frontiers
    delta   (L,) deviation of a measurement: its noise and the resolution; 0 is the paper's noise-free form

All options are weighed by one estimator, so that measuring everything can be compared with measuring one objective.
An option that leaves objectives out is the question with an infinite delta for those: they tell nothing.

Of objectives that are believed together "matched" looks at the covariance, by `information.beams`, and "exact" does for
up to three of them (`information.many` would take minutes to hours over a suggestion for four); else, and for the other
estimators, each objective's own prediction is taken as if they were independent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.method import Method
from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.acquisition.samples import Draw, draw, own_values
from pfes.acquisition.situation import Situation
from pfes.errors import InvalidInput
from pfes.gp import JointModel, Surrogate
from pfes.information import Frontiers, Gradient, beams, exact, matched, noisy, power, prepare
from pfes.information.joint import FEW_OBJECTIVES
from pfes.objectives import Option

__all__ = ["ESTIMATORS", "METHOD", "Pfes", "information", "information_of", "weighable"]

Array = NDArray[np.float64]

ESTIMATORS: dict[str, ModuleType] = {"matched": matched, "power": power, "noisy": noisy, "exact": exact}
BLIND = 1e9  # levels have deviation 1: a measurement with this delta tells 1e-18 nats


def weighable(estimator: str, objectives: int) -> Callable[[Option], bool]:
    """Which options an estimator can weigh: "noisy" single objectives, "exact" those and all L together."""
    sizes = {"noisy": {1}, "exact": {1, objectives}}.get(estimator, set(range(1, objectives + 1)))
    return lambda option: len(option.which) in sizes


@dataclass(frozen=True)
class Pfes(ByPrediction):
    """The criterion, coupled and decoupled, for R sampled frontiers."""

    model: Surrogate
    options: tuple[Option, ...]
    frontiers: Frontiers
    values: Callable[[Array], Array]  # (N, D) -> (R, N, L): the sampled paths the frontiers belong to
    delta: Array  # (L,)
    starts: Array  # (Q, D) the sampled Pareto sets
    estimator: str = "matched"

    def __post_init__(self) -> None:
        can = weighable(self.estimator, len(self.delta))
        for option in self.options:
            if not can(option):
                raise InvalidInput(
                    f"estimator: {self.estimator!r} cannot weigh objectives {list(option.which)} measured together "
                    "against others; try estimator='matched'"
                )

    @property
    def together(self) -> bool:
        """Whether the estimator knows what to make of covariances."""
        exactly = self.estimator == "exact" and len(self.delta) <= FEW_OBJECTIVES
        return isinstance(self.model, JointModel) and (self.estimator == "matched" or exactly)

    def score(self, mean: Array, spread: Array) -> Array:
        """Log nats (N, K)."""
        if self._by_beams:
            return score_of(beams.of_sets(mean, spread, self.frontiers, self.delta, self._which))
        columns = [self._gain(option, mean, spread) for option in self._sets]
        if self._singles:
            alone = self._verbs.decoupled(mean, spread, self.frontiers, self.delta)
            columns += [alone[:, option.which[0]] for option in self._singles]
        return score_of(np.column_stack(columns))[:, self._order]

    def sensitivity(self, mean: Array, spread: Array) -> Sensitivity:
        """Log nats (N, K) with derivatives."""
        if self._by_beams:
            gains, d_means, d_spreads = beams.of_sets_gradient(mean, spread, self.frontiers, self.delta, self._which)
        else:
            gains, d_means, d_spreads = self._side_by_side(mean, spread)
        log = slope_of(gains)
        return Sensitivity(score_of(gains), d_means * log[:, :, None], (d_spreads.T * log.T).T)

    def _side_by_side(self, mean: Array, spread: Array) -> Gradient:
        """Gains (N, K) and derivatives of all options, set by set."""
        parts = [self._slopes(option, mean, spread) for option in self._sets]
        if self._singles:
            gain, d_mean, d_spread = self._verbs.decoupled_gradient(mean, spread, self.frontiers, self.delta)
            for l in (option.which[0] for option in self._singles):
                parts.append((gain[:, l], d_mean[..., :, l, :], d_spread[:, l]))
        gains = np.column_stack([part[0] for part in parts])[:, self._order]
        d_means = np.stack([part[1] for part in parts], axis=-2)[..., self._order, :]
        return Gradient(gains, d_means, np.stack([part[2] for part in parts], axis=1)[:, self._order])

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pfes":
        """Each frontier's mean conditioned on its own path's values at x, seen at the resolution (theory 8)."""
        seen = own_values(self.values, self.delta, x, which, rng)
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))

    @property
    def _verbs(self) -> ModuleType:
        return ESTIMATORS[self.estimator]

    @property
    def _by_beams(self) -> bool:
        return self.together and self.estimator == "matched"

    @property
    def _which(self) -> list[tuple[int, ...]]:
        return [option.which for option in self.options]

    @property
    def _sets(self) -> list[Option]:
        return [option for option in self.options if len(option.which) > 1]

    @property
    def _singles(self) -> list[Option]:
        return [option for option in self.options if len(option.which) == 1]

    @property
    def _order(self) -> list[int]:
        """Where each option's column lies among those of the sets followed by those of the singles."""
        computed = [*self._sets, *self._singles]
        return [computed.index(option) for option in self.options]

    def _resolution(self, option: Option) -> Array:
        blind = np.full_like(self.delta, BLIND)
        blind[list(option.which)] = self.delta[list(option.which)]
        return blind

    def _gain(self, option: Option, mean: Array, spread: Array) -> Array:
        return np.asarray(self._verbs.coupled(mean, spread, self.frontiers, self._resolution(option)))

    def _slopes(self, option: Option, mean: Array, spread: Array) -> tuple[Array, Array, Array]:
        gain, d_mean, d_spread = self._verbs.coupled_gradient(mean, spread, self.frontiers, self._resolution(option))
        return gain, d_mean, d_spread


def information(situation: Situation) -> Pfes:
    """Sample frontiers, choose the resolution, and ask what measurements tell about them."""
    return information_of(situation, draw(situation))


def information_of(situation: Situation, drawn: Draw) -> Pfes:
    """What measurements tell about frontiers that were sampled."""
    sampled, delta, starts = drawn
    return Pfes(
        situation.model,
        situation.options,
        prepare(sampled.frontiers),
        sampled.at,
        delta,
        starts,
        situation.estimator,
    )


METHOD = Method(
    "information",
    "information about the Pareto frontier per unit of cost, and nothing else, as in the paper",
    information,
    promise="tell {:.3g} nats about the Pareto frontier",
    source="Suzuki et al. 2020",
    decoupled=True,
    together=True,
    informed=True,
)
