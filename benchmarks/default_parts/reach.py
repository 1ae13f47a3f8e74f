"""A relative of the default for pools: to learn, information times reach instead of information times improvement.

Improvement at a row overlooks the other rows that its measurement tells of: of a ligand that was never tried every row
promises little, but the best of its hundred rows may be far better than what is held. Sampled functions know it:

    reach(x) = mean over r of max over t of h_rt * mean over l of e_l(x, x_rt)

    r      sampled functions
    x_rt   the points where function r adds most to the hypervolume of what is held on it, h_rt
    e_l    the part of the variance of f_l(x_rt) that measuring f_l(x) explains: the squared correlation

For independent objectives, one measurement at a time. docs/trials.md says what it did.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import Situation, Worth
from pfes.acquisition.protocol import score_of
from pfes.acquisition.worth import pfes
from pfes.gp import Model
from pfes.improvement import expected_improvement, prepare_front
from pfes.space import Pool

__all__ = ["reaching"]

Array = NDArray[np.float64]

PLACES = 10  # of each sampled function
FINE = 1e-3  # deviations of the data: as good as known


class Places(NamedTuple):
    """Where one sampled function adds most to what is held on it."""

    x: Array  # (T, D)
    gains: Array  # (T,)


@dataclass(frozen=True, kw_only=True)
class Reaching(Worth):
    """The default, looking for reach where it learns."""

    held: Array  # (m, D) points with every objective measured

    @cached_property
    def places(self) -> list[Places]:
        """Of each sampled function."""
        likely = self.learn.starts
        functions = zip(self.learn.values(likely), self.learn.values(self.held), strict=True)
        found = []
        for own, had in functions:
            front = prepare_front(had, self.hold.reference)
            gains = expected_improvement(own, np.full_like(own, FINE), front)
            best = np.argsort(-gains, kind="stable")[:PLACES]
            found.append(Places(likely[best], gains[best]))
        return found

    def scores(self, x: Array) -> Array:
        if self.weight == 1.0:
            return super().scores(x)
        return (1.0 - self.weight) * self.learn.scores(x) + self.weight * score_of(self.reach(x))

    def reach(self, x: Array) -> Array:
        """(N, K) at candidates x (N, D)."""
        best = np.zeros((len(x), len(self.options)))
        for places, gains in self.places:
            told = np.stack(self._explained(x, places))  # (L, N, T)
            for k, option in enumerate(self.options):
                best[:, k] += (told[list(option.which)].sum(axis=0) / len(told) * gains).max(axis=1)
        return best / len(self.places)

    def _explained(self, x: Array, places: Array) -> list[Array]:
        model = self.learn.model
        assert isinstance(model, Model)
        return [
            posterior.covariance(x, places) ** 2
            / ((posterior.predict(x).std ** 2 + fine**2)[:, None] * posterior.predict(places).std ** 2)
            for posterior, fine in zip(model.posteriors, self.learn.delta, strict=True)
        ]


def reaching(situation: Situation) -> Worth:
    """In a pool; in a space the default itself."""
    worth = pfes(situation)
    if not isinstance(situation.domain, Pool):
        return worth
    parts = {field.name: getattr(worth, field.name) for field in fields(Worth)}
    return Reaching(**parts, held=situation.held)
