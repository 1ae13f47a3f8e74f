"""Pareto-frontier entropy search: nats that a measurement tells about the frontier (Suzuki et al., 2020).

    R       sampled frontiers
    delta   (L,) deviation of a measurement: its noise and the resolution; 0 is the paper's noise-free form

All options are weighed by one estimator, so that measuring everything can be compared with measuring one objective.
An option that leaves objectives out is the question with an infinite delta for those: they tell nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.prediction import ByPrediction, Sensitivity
from pfes.acquisition.protocol import score_of, slope_of
from pfes.errors import InvalidInput
from pfes.gp import Model
from pfes.information import Frontiers, exact, matched, noisy, power
from pfes.objectives import Option

__all__ = ["ESTIMATORS", "Pfes", "weighable"]

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

    model: Model
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

    def score(self, mean: Array, std: Array) -> Array:
        """Log nats (N, K)."""
        columns = [self._gain(option, mean, std) for option in self._sets]
        if self._singles:
            alone = self._verbs.decoupled(mean, std, self.frontiers, self.delta)
            columns += [alone[:, option.which[0]] for option in self._singles]
        return score_of(np.column_stack(columns))[:, self._order]

    def sensitivity(self, mean: Array, std: Array) -> Sensitivity:
        """Log nats (N, K) with derivatives."""
        parts = [self._slopes(option, mean, std) for option in self._sets]
        if self._singles:
            gain, d_mean, d_std = self._verbs.decoupled_gradient(mean, std, self.frontiers, self.delta)
            for l in (option.which[0] for option in self._singles):
                parts.append((gain[:, l], d_mean[..., :, l, :], d_std[:, l, :]))
        gains = np.column_stack([part[0] for part in parts])[:, self._order]
        log = slope_of(gains)[:, :, None]
        d_means = np.stack([part[1] for part in parts], axis=-2)[..., self._order, :]
        d_stds = np.stack([part[2] for part in parts], axis=-2)[:, self._order, :]
        return Sensitivity(score_of(gains), d_means * log, d_stds * log)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Pfes":
        """Each frontier's mean conditioned on its own path's values at x, seen at the resolution (theory 8)."""
        values = self.values(x[None])  # (R, 1, L)
        seen = np.full_like(values, np.nan)
        for l in which:
            seen[..., l] = values[..., l] + self.delta[l] * rng.standard_normal(values.shape[:2])
        return replace(self, model=self.model.given(x[None], seen, self.delta**2))

    @property
    def _verbs(self) -> ModuleType:
        return ESTIMATORS[self.estimator]

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

    def _gain(self, option: Option, mean: Array, std: Array) -> Array:
        return np.asarray(self._verbs.coupled(mean, std, self.frontiers, self._resolution(option)))

    def _slopes(self, option: Option, mean: Array, std: Array) -> tuple[Array, Array, Array]:
        gain, d_mean, d_std = self._verbs.coupled_gradient(mean, std, self.frontiers, self._resolution(option))
        return gain, d_mean, d_std
