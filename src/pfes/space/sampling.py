"""Points of a space: at random, evenly spread, or all of them; where constraints cut, draw again.

A space is drawn from by one uniform number per parameter (`place`), in rounds, until enough points are allowed or too
many were tried. A small finite space is then looked through completely.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput

__all__ = ["Domain", "grid", "random", "sobol"]

Array = NDArray[np.float64]

# Points tried before giving up: many where constraints are sums, fewer where each point costs a call of a function.
MOST_TRIED = 2**20
MOST_ASKED = 2**16
# A round is a power of two (Sobol's points are even in such numbers), never larger than this.
LARGEST_ROUND = 2**16
# Finite spaces of up to this many points are looked through when drawing did not find enough; or listed when asked to.
MOST_SEARCHED = 2**17
MOST_LISTED = 10**6


class Domain(Protocol):
    """What drawing needs of a space of d parameters."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the d parameters."""

    @property
    def size(self) -> float:
        """Number of distinct points."""

    @property
    def judged(self) -> bool:
        """Whether some constraint is a function, asked point by point."""

    def place(self, u: Array) -> Array:
        """Points (N, D) drawn by uniform numbers (N, d)."""

    def everything(self) -> Array:
        """All points (size, D), allowed or not."""

    def admissible(self, x: Array) -> NDArray[np.bool_]:
        """Which points (N, D) are allowed: (N,)."""

    def keys(self, x: Array) -> list[bytes]:
        """Identities of the points (N, D)."""


def random(space: Domain, count: int, rng: np.random.Generator) -> Array:
    """Draw admissible points uniformly, with repetition: (count, D)."""
    found = _collect(space, count, lambda n: rng.random((n, len(space.names))), distinct=False)
    if len(found) < count:  # then what is known to be allowed is drawn from instead
        allowed = grid(space) if space.size <= MOST_SEARCHED else found
        _check_any(allowed)
        found = allowed[rng.integers(len(allowed), size=count)]
    return found


def sobol(space: Domain, count: int, rng: np.random.Generator) -> Array:
    """Spread distinct admissible points evenly: (count, D), or all there are if fewer."""
    from scipy.stats import qmc  # noqa: PLC0415 - slow to import

    # newer versions of scipy call it rng, older ones seed
    seed = {"rng" if "rng" in inspect.signature(qmc.Sobol).parameters else "seed": rng}
    engine = qmc.Sobol(len(space.names), scramble=True, **seed)
    found = _collect(space, count, engine.random, distinct=True)
    if len(found) < count:
        if space.size <= MOST_SEARCHED:
            found = _distinct(space, np.concatenate((found, rng.permutation(grid(space)))))[:count]
        _check_any(found)
    return found


def grid(space: Domain) -> Array:
    """List all admissible points of a finite space: (N, D)."""
    if space.size > MOST_LISTED:
        raise InvalidInput(f"the space has {space.size:.3g} points, wanted at most {MOST_LISTED}: draw some with sobol")
    points = space.everything()
    return points[space.admissible(points)]


def _collect(space: Domain, count: int, draw: Callable[[int], Array], *, distinct: bool) -> Array:
    """Draw in rounds until `count` points are allowed (and distinct), or enough were tried: at most (count, D)."""
    if count < 0:
        raise InvalidInput(f"count is {count}, wanted 0 or more points")
    most = MOST_ASKED if space.judged else MOST_TRIED
    if space.size <= MOST_SEARCHED:  # looking through it is quicker than waiting for the last few points
        most = min(most, int(8 * space.size))
    found, tried, size = space.place(np.empty((0, len(space.names)))), 0, _power(count)
    while len(found) < count and tried < max(most, 4 * count):
        points = space.place(draw(size))
        tried += size
        found = np.concatenate((found, points[space.admissible(points)]))
        found = _distinct(space, found) if distinct else found
        if distinct and len(found) == space.size:
            break
        size = min(2 * size, LARGEST_ROUND)
    return found[:count]


def _power(count: int) -> int:
    return min(1 << max(count - 1, 1).bit_length(), LARGEST_ROUND)


def _distinct(space: Domain, points: Array) -> Array:
    """Keep the first of equal points: (N, D) -> (M, D)."""
    first: dict[bytes, int] = {}
    for i, key in enumerate(space.keys(points)):
        first.setdefault(key, i)
    return points[list(first.values())]


def _check_any(points: Sequence[object] | Array) -> None:
    if not len(points):
        raise InvalidInput(
            "the constraints leave almost nothing: no point drawn satisfies them all. Widen them; or, where a sum must "
            "have one exact value, leave one parameter out and compute it from the others"
        )
