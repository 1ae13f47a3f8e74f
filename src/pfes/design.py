"""Points chosen without a model: the first ones of a study, and the methods "sobol" and "random"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfes.objectives import Objectives
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import Offer
from pfes.space import Pool, Space

__all__ = ["Place", "designed", "lacking"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A point and the objectives to measure there."""

    x: Array  # (D,)
    row: int
    which: tuple[int, ...]


def lacking(observations: Observations, objectives: Objectives, initial: int) -> tuple[int, ...]:
    """The objectives that have fewer than `initial` measured values."""
    counts = observations.counts(len(objectives))
    return tuple(l for l in range(len(objectives)) if counts[l] < initial)


def designed(
    offer: Offer, which: Sequence[int], count: int, rng: np.random.Generator, *, even: bool = True
) -> list[Place]:
    """Up to `count` places where the objectives `which` can be measured: half-measured points first, then new ones.

    even: spread over the domain (Sobol points, far-apart rows), else at random. Fewer places mean the domain has no
    more.
    """
    places: list[Place] = []
    for place in _places(offer, which, count, rng, even):
        if len(places) == count:
            break
        places.append(place)
    return places


def _places(offer: Offer, which: Sequence[int], count: int, rng: np.random.Generator, even: bool) -> Iterator[Place]:
    seen: set[tuple[float, ...]] = set()
    for x, row in chain(_half_measured(offer, which), _fresh(offer, which, count, rng, even)):
        name = (row,) if row != NO_ROW else tuple(x.tolist())
        mask = int(offer.row_masks()[row] if row != NO_ROW else offer.masks(x[None])[0])
        rest = tuple(l for l in which if not mask >> l & 1)
        if name not in seen and rest:
            seen.add(name)
            yield Place(x, row, rest)


def _half_measured(offer: Offer, which: Sequence[int]) -> list[tuple[Array, int]]:
    """Points of the domain where something else has been measured but none of `which` has been tried."""
    known, domain = offer.known, offer.domain
    tried = np.isin(known.objective, which) | (known.state != State.MEASURED)
    found = []
    for i in np.flatnonzero(~tried):
        same = known.row == known.row[i] if known.row[i] != NO_ROW else (known.x == known.x[i]).all(axis=1)
        inside = known.row[i] != NO_ROW if isinstance(domain, Pool) else bool(domain.admissible(known.x[i : i + 1])[0])
        if inside and not tried[same].any():
            found.append((known.x[i], int(known.row[i])))
    return found


def _fresh(
    offer: Offer, which: Sequence[int], count: int, rng: np.random.Generator, even: bool
) -> Iterator[tuple[Array, int]]:
    wanted = sum(1 << l for l in which)
    if isinstance(offer.domain, Pool):
        yield from _fresh_rows(offer, offer.domain, wanted, count, rng, even)
    else:
        yield from _fresh_points(offer, offer.domain, wanted, count, rng, even)


def _fresh_rows(
    offer: Offer, pool: Pool, wanted: int, count: int, rng: np.random.Generator, even: bool
) -> Iterator[tuple[Array, int]]:
    masks = offer.row_masks()
    looked_at = np.unique(offer.known.row[offer.known.row != NO_ROW])
    fresh = masks == 0
    fresh[looked_at] = False
    half = ~fresh & ((masks & wanted) != wanted)
    for mask in (fresh, half):  # rows nobody has looked at come first
        rows = pool.spread_out(count, rng, mask, looked_at) if even else pool.random(count, rng, mask)
        for row in rows:
            yield pool.x[row], int(row)


def _random(space: Space, number: int, rng: np.random.Generator) -> Array:
    """(N, D) points at random; all there are, shuffled, where the space has no more than asked for."""
    return rng.permutation(space.grid()) if space.size <= number else space.random(number, rng)


def _fresh_points(
    offer: Offer, space: Space, wanted: int, count: int, rng: np.random.Generator, even: bool
) -> Iterator[tuple[Array, int]]:
    number = count + len(offer.known)
    for _ in range(12):  # a discrete space may be nearly used up: look again, at more points each time
        points = space.sobol(number, rng) if even else _random(space, number, rng)
        for x in points[(offer.masks(points) & wanted) != wanted]:
            yield x, NO_ROW
        if number >= space.size:
            return
        number *= 2
