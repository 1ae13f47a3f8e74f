"""New points from old ones: simulated binary crossover, polynomial mutation, and steps uphill where slopes are known.

One-hot columns cannot be crossed one by one (half of two flavours is none), so a child takes a whole parameter from one
parent; a discrete parameter mutates to the value that a random admissible point has there, numbers half of the time.
A step uphill follows the gradient of a mixture of the objectives, of a random one mostly: selection keeps the good
ones, and points go to all parts of the frontier.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.space import Space

__all__ = ["Breeder"]

Array = NDArray[np.float64]

CROSSED = 0.9  # share of pairs of parents that are crossed at all
BANK = 512  # random admissible points to take values of discrete parameters from
SHORTEST, STRIDE, LONGEST = 0.003, 0.025, 0.12  # steps uphill, times the root of the number of columns that move


class Breeder(NamedTuple):
    """What variation needs to know of a space: (D,) arrays unless said otherwise."""

    space: Space
    group: NDArray[np.int64]  # the parameter a column belongs to, counted from 0 without gaps
    discrete: NDArray[np.bool_]  # moves in steps
    onehot: NDArray[np.bool_]  # one of several columns of a parameter
    moving: int  # number of parameters that are not fixed
    bank: Array  # (BANK, D)
    constrained: bool
    eta: float  # distribution index: large means children near their parents

    @classmethod
    def of(cls, space: Space, eta: float, rng: np.random.Generator) -> "Breeder":
        """Look at the space once."""
        _, group, width = np.unique(space.groups, return_inverse=True, return_counts=True)
        wide = space.upper > space.lower
        discrete = ~space.free & wide
        bank = space.random(BANK, rng) if discrete.any() else np.empty((0, space.width))
        moving = len(np.unique(group[wide]))
        return cls(space, group, discrete, width[group] > 1, moving, bank, bool(space.constraints), eta)

    def children(self, first: Array, second: Array, rng: np.random.Generator) -> Array:
        """One child of each pair of parents (R, N, D), admissible as their parents are."""
        child = self._mutated(self._crossed(first, second, rng), rng)
        np.clip(child, self.space.lower, self.space.upper, out=child)
        child = self._decodable(child)
        return self._admissible(child, first) if self.constrained else child

    @property
    def stride(self) -> float:
        """Length of a step uphill to begin with."""
        return float(STRIDE * np.sqrt(self.space.free.sum()))

    def lengths(self, parent: Array, rng: np.random.Generator) -> Array:
        """Random lengths of steps uphill, (R, N, 1), all orders of magnitude alike."""
        u = rng.random((*parent.shape[:2], 1))
        return np.asarray(self.stride * (SHORTEST / STRIDE) * (LONGEST / SHORTEST) ** u)

    def wishes(self, parent: Array, spans: Array, rng: np.random.Generator) -> Array:
        """Random mixtures of objectives whose ranges are spans (R, 1, L): weights (R, N, L)."""
        # this gamma distribution favours one objective or another, and with it the ends of the frontier
        return np.asarray(rng.standard_gamma(0.5, size=(*parent.shape[:2], spans.shape[2])) / spans)

    def uphill(self, parent: Array, slopes: NDArray[Any], wishes: Array, lengths: Array) -> Array:
        """Children (R, N, D) uphill of their parents, where the objectives have slopes (R, N, L, D)."""
        way = (wishes[:, :, None, :] @ slopes)[:, :, 0, :]
        blocked = (parent <= self.space.lower) & (way < 0) | (parent >= self.space.upper) & (way > 0)
        way[blocked | ~self.space.free] = 0.0
        way /= np.maximum(np.linalg.norm(way, axis=2, keepdims=True), np.finfo(float).tiny)
        child = np.clip(parent + lengths * way, self.space.lower, self.space.upper)
        return self._admissible(child, parent) if self.constrained else child

    def _crossed(self, first: Array, second: Array, rng: np.random.Generator) -> Array:
        pairs = first.shape[:2]
        u = rng.random(first.shape)
        # spread factor of simulated binary crossover; the sign says which of the two children is kept
        factor = np.where(u < 0.5, 2 * u, 0.5 / (1 - u)) ** (1 / (self.eta + 1))
        factor *= np.where(rng.random((*pairs, 1)) < 0.5, 1.0, -1.0)
        crossed = 0.5 * ((1 + factor) * first + (1 - factor) * second)
        changed = (rng.random(first.shape) < 0.5) & (rng.random((*pairs, 1)) < CROSSED)
        child = np.where(changed, crossed, first)
        if self.onehot.any():
            parameters = int(self.group.max()) + 1
            swapped = (rng.random((*pairs, parameters)) < 0.5)[..., self.group]
            child = np.where(self.onehot, np.where(swapped, second, first), child)
        return child

    def _mutated(self, child: Array, rng: np.random.Generator) -> Array:
        """Change one parameter of each child on average."""
        parameters = int(self.group.max()) + 1
        hit = (rng.random((*child.shape[:2], parameters)) < 1 / max(self.moving, 1))[..., self.group]
        where = np.nonzero(hit & ~self.onehot)
        u = rng.random(len(where[0]))
        power = 1 / (self.eta + 1)
        step = np.where(u < 0.5, (2 * u) ** power - 1, 1 - (2 * (1 - u)) ** power)
        child[where] += step * (self.space.upper - self.space.lower)[where[2]]
        if len(self.bank):
            jump = (rng.random((*child.shape[:2], parameters)) < 0.5)[..., self.group] | self.onehot
            values = self.bank[rng.integers(len(self.bank), size=child.shape[:2])]
            child = np.where(hit & self.discrete & jump, values, child)
        return child

    def _decodable(self, x: Array) -> Array:
        if not self.discrete.any():
            return x
        return self.space.snap(x.reshape(-1, x.shape[2])).reshape(x.shape)

    def _admissible(self, child: Array, parent: Array) -> Array:
        """Pull children that break a constraint towards their parent: half the way, a quarter, then all of it."""
        flat, back = child.reshape(-1, child.shape[2]).copy(), parent.reshape(-1, child.shape[2])
        wrong = np.flatnonzero(~self.space.admissible(flat))
        for share in (0.5, 0.5):
            if len(wrong) == 0:
                break
            flat[wrong] = self.space.snap(back[wrong] + share * (flat[wrong] - back[wrong]))
            wrong = wrong[~self.space.admissible(flat[wrong])]
        flat[wrong] = back[wrong]
        return flat.reshape(child.shape)
