"""DIRECT (Jones, Perttunen and Stuckman 1993): divide a box where it may pay, and look at many points at a time.

A box is known by the value at its centre. Of all boxes of one size the best are divided if some slope makes them the
most promising of all; each is cut in three along its longest sides, those first along which something better was met.
All points of one round are valued in one call: an acquisition takes hardly longer for fifty points than for one, which
is why scipy's `direct`, a point per call, is not used here. The points are the same (tests/test_dividing.py).

D   inputs      M   boxes, one for each point valued
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput

__all__ = ["minimise_by_dividing"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

WORTH = 1e-4  # share of the least value by which a box must promise to be better
FINEST = 1e-6  # from centre to corner: smaller boxes are not divided


def minimise_by_dividing(
    value: Callable[[Array], Array], width: int, most: int, hurry: Callable[[], bool] = lambda: False
) -> tuple[Array, Array]:
    """Points (M, D) of the unit cube in the order they were looked at, and their values (M,), finite; M <= most.

    value   (N, D) -> (N,), the less the better
    hurry   turning true ends the search after a round
    """
    if width < 1 or most < 1:
        raise InvalidInput(f"got {width} inputs and {most} points, wanted 1 or more of each")
    centre = np.full((1, width), 0.5)
    met, cuts = value(centre), np.zeros((1, width), dtype=np.intp)
    while len(met) < most and not hurry():
        boxes = promising(met, cuts)
        if not len(boxes):
            break
        sides = [np.flatnonzero(cuts[box] == cuts[box].min()) for box in boxes]
        room = np.cumsum([2 * len(side) for side in sides]) <= most - len(met)
        if not room.any():
            break
        boxes, sides = boxes[room], [side for side, fits in zip(sides, room, strict=True) if fits]
        asked = np.vstack([_around(centre[box], cuts[box], side) for box, side in zip(boxes, sides, strict=True)])
        told = value(asked)
        cuts = _divided(cuts, boxes, sides, told)
        centre, met = np.vstack([centre, asked]), np.concatenate([met, told])
    return centre, met


def promising(met: Array, cuts: Integers) -> Integers:
    """Boxes that some slope makes the most promising: the lower right hull of values over sizes, the largest first."""
    divisions = cuts.sum(axis=1)
    sizes, member = np.unique(divisions, return_inverse=True)  # the largest first
    radius = _radius(sizes, cuts.shape[1])
    least = np.full(len(sizes), np.inf)
    np.minimum.at(least, member, met)
    rise = (least[:, None] - least) / (radius[:, None] - radius + np.eye(len(sizes)))
    at_least = np.where(np.triu(np.ones(rise.shape, bool), 1), rise, -np.inf).max(axis=1)  # beside smaller boxes
    at_most = np.where(np.tril(np.ones(rise.shape, bool), -1), rise, np.inf).min(axis=1)  # beside larger ones
    best = least.min()
    on_hull = (at_most > 0.0) & (at_most >= at_least) & (least - at_most * radius <= best - WORTH * abs(best))
    chosen = (on_hull & (radius > FINEST))[member] & (met == least[member])
    return np.flatnonzero(chosen)[np.argsort(divisions[chosen], kind="stable")]


def _radius(divisions: Integers, width: int) -> Array:
    """From centres to corners of boxes so often divided: only longest sides are, so that tells how long all are."""
    evenly, more = np.divmod(divisions, width)
    return np.asarray(0.5 * 3.0**-evenly * np.sqrt(width - more + more / 9.0))


def _around(centre: Array, cuts: Integers, sides: Integers) -> Array:
    """(2 S, D) centres of the outer thirds along each of the sides, upper and lower by turns."""
    step = 3.0 ** -(cuts[sides[0]] + 1.0)
    around = np.tile(centre, (2 * len(sides), 1))
    around[2 * np.arange(len(sides)), sides] += step
    around[2 * np.arange(len(sides)) + 1, sides] -= step
    return around


def _divided(cuts: Integers, boxes: Integers, sides: list[Integers], told: Array) -> Integers:
    """Cuts (M, D) of all boxes after those were divided, the new ones at the end; the best thirds stay the largest."""
    cuts, new, begin = cuts.copy(), [], 0
    for box, side in zip(boxes, sides, strict=True):
        best_of_two = told[begin : begin + 2 * len(side)].reshape(-1, 2).min(axis=1)
        begin += 2 * len(side)
        thirds = np.empty((len(side), 2, cuts.shape[1]), dtype=np.intp)
        for rank in np.argsort(best_of_two, kind="stable"):
            cuts[box, side[rank]] += 1
            thirds[rank] = cuts[box]
        new.append(thirds.reshape(-1, cuts.shape[1]))
    return np.vstack([cuts, *new])
