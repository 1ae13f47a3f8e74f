"""Information under a joint normal of many objectives: cells strewn with nodes.

What `correlated` integrates to many digits for two and three objectives is here summed over the cells of a frontier,
each filled with the points of a lattice (kernels/scatter.py): any number of objectives, about as many nodes however
many cells there are, and both tails as there. All objectives together and the matched bound follow from moments, the
entropy of one objective from its marginal (kernels/scattered.py). Derivatives are expectations too, by moments of up to
the fourth degree: they have errors of their own, of a hundredth where the gain's is of a thousandth.

Accuracy and cost are measured in docs/numerics.md.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread
from pfes.errors import InvalidInput
from pfes.information.beams import averaged, shares_of
from pfes.information.correlated import pieces
from pfes.information.evaluate import Gradient, Question
from pfes.information.kernels.scatter import Lattices
from pfes.information.kernels.scattered import scattered_moments, scattered_profile
from pfes.information.prepared import Frontier
from pfes.information.tensors import exponents_of
from pfes.information.truncated import Slopes, Sums, alone_slopes, coupled_slopes, matched_bound, region_of
from pfes.normal.lattice import generator, golden_steps

__all__ = ["MOST_OBJECTIVES", "coupled", "coupled_matched", "decoupled", "decoupled_matched"]

Array = NDArray[np.float64]
Tell = Callable[["Cells", Array, Array, int, bool], list[tuple[Sums, Slopes]]]  # one for each of K gains

MOST_OBJECTIVES = 8  # moments of the fourth degree have 495 entries then
SIZES = (3, 7, 17, 37, 79, 163, 331, 673, 1361, 2729, 5471)  # primes
NODES = 16384  # of all cells together
NODES_ALONE = 512  # of the others, at each value of the one objective; at least three in every cell
PIECE = 4  # candidates of one frontier that a thread takes at a time

Cells = tuple[Array, Array]  # lower, upper (M, L)


@cache
def _lattices(dimension: int) -> Lattices:
    steps = np.array([generator(n, max(dimension, 1)) / n for n in SIZES])
    return Lattices(np.array(SIZES), steps, golden_steps(max(dimension, 1)))


def _cells(frontier: Frontier, is_inside: bool) -> Cells:
    """What is below the frontier; inside, what is not, upside down."""
    values = frontier.values
    if is_inside:
        return -values[frontier.beyond_high], -values[frontier.beyond_low]
    return values[frontier.low], values[frontier.high]


def _moments(cells: Cells, mean: Array, covariance: Array, degree: int) -> Sums:
    count, size = mean.shape
    table = np.array(exponents_of(size, degree), dtype=np.int64)
    roots, centres, stretches = np.empty((count, size, size)), np.empty((count, size)), np.empty(count)
    out = np.empty((count, len(table)))
    scattered_moments(
        *cells, mean, covariance, _lattices(size - 1), NODES, table, degree, roots, centres, stretches, out
    )
    return Sums(out, out[:, :0], roots, centres, stretches, degree)


@cache
def _profile_table(size: int, degree: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Exponents of the others up to 2 (B, L - 1); (power of y_1, row of those) (A', 2); their places among all A.

    What one objective tells needs no products of more than two others.
    """
    others = exponents_of(size - 1, 2)
    row = {e: i for i, e in enumerate(others)}
    listed = [(place, e) for place, e in enumerate(exponents_of(size, degree)) if sum(e[1:]) <= 2]
    table = np.array([(e[0], row[e[1:]]) for _, e in listed], dtype=np.int64)
    return np.array(others, dtype=np.int64), table, np.array([place for place, _ in listed], dtype=np.int64)


def _profile(cells: Cells, mean: Array, covariance: Array, degree: int, is_inside: bool, first: int) -> Sums:
    count, size = mean.shape
    others, table, places = _profile_table(size, degree)
    extra = len(exponents_of(size, 2))
    roots, centres, stretches = np.empty((count, size, size)), np.empty((count, size)), np.empty(count)
    out = np.empty((count, len(table) + 4 + extra))
    scattered_profile(
        *cells, mean, covariance, first, _lattices(size - 1), _lattices(size - 2), NODES_ALONE, others, table, extra,
        is_inside,
        roots, centres, stretches, out,
    )  # fmt: skip
    moments = np.zeros((count, len(exponents_of(size, degree))))
    moments[:, places] = out[:, : len(table)]
    return Sums(moments, out[:, len(table) :], roots, centres, stretches, degree)


def _pairs(question: Question, which: slice, many: int, deep: bool, tell: Tell) -> Gradient:
    """Gains (R, n, K) and derivatives of every frontier and candidate of a block."""
    assert question.covariance is not None
    covariance = np.ascontiguousarray(question.covariance[which])
    size, shape = covariance.shape[1], (len(question.frontiers), len(covariance), many)
    result = Gradient(
        np.zeros(shape), np.zeros((*shape, size) if deep else 0), np.zeros((*shape, size, size) if deep else 0)
    )

    def work(piece: tuple[int, NDArray[np.int64], bool]) -> None:
        r, chosen, is_inside = piece
        cells = _cells(question.frontiers[r], is_inside)
        if not len(cells[0]):  # everything is dominated already: nothing can be told
            return
        mean = question.mean[r if len(question.mean) > 1 else 0, which][chosen]
        told = tell(cells, -mean if is_inside else mean, covariance[chosen], 4 if deep else 2, is_inside)
        for k, (sums, slopes) in enumerate(told):
            result.gain[r, chosen, k] = slopes.gain
            if slopes.d_mean is not None and slopes.d_covariance is not None:
                inverse = np.linalg.inv(sums.root)
                by_mean = slopes.d_mean / sums.stretch[:, None]
                result.d_mean[r, chosen, k] = np.einsum("pki,pk->pi", inverse, by_mean)
                result.d_spread[r, chosen, k] = np.swapaxes(inverse, 1, 2) @ slopes.d_covariance @ inverse

    spread(work, list(pieces(question, which, len(covariance), PIECE)))
    return result


def _answer(question: Question, many: int, deep: bool, tell: Tell) -> Gradient:
    if question.std.shape[1] > MOST_OBJECTIVES:
        raise InvalidInput(
            f"spread: got covariances of {question.std.shape[1]} objectives, wanted at most {MOST_OBJECTIVES}; "
            "try their standard deviations, as if the objectives were independent, or information.beams"
        )
    return averaged(question, many, deep, lambda which: _pairs(question, which, many, deep, tell))


def _only(told: Gradient) -> Gradient:
    """Of K = 1 gains the one."""
    if not told.d_mean.size:
        return told._replace(gain=told.gain[:, 0])
    return Gradient(told.gain[:, 0], told.d_mean[..., 0, :], told.d_spread[:, 0])


def coupled(question: Question, deep: bool) -> Gradient:
    """Theorem 1 under a joint normal: gain (N,), and if deep its derivatives d_mean, d_spread (N, L, L)."""

    def tell(cells: Cells, mean: Array, covariance: Array, degree: int, is_inside: bool) -> list[tuple[Sums, Slopes]]:
        sums = _moments(cells, mean, covariance, degree)
        return [(sums, coupled_slopes(sums, is_inside))]

    return _only(_answer(question, 1, deep, tell))


def decoupled(question: Question, deep: bool) -> Gradient:
    """Theorem C.1 for any objective: gain (N, L); derivatives d_mean (..., N, L, L), d_spread (N, L, L, L)."""
    size = question.std.shape[1]

    def tell(cells: Cells, mean: Array, covariance: Array, degree: int, is_inside: bool) -> list[tuple[Sums, Slopes]]:
        profiles = [_profile(cells, mean, covariance, degree, is_inside, l) for l in range(size)]
        return [(sums, alone_slopes(sums, is_inside)) for sums in profiles]

    return _answer(question, size, deep, tell)


def _matched(question: Question, sets: Sequence[Sequence[int]], deep: bool) -> Gradient:
    def tell(cells: Cells, mean: Array, covariance: Array, degree: int, is_inside: bool) -> list[tuple[Sums, Slopes]]:
        sums = _moments(cells, mean, covariance, degree)
        region = region_of(sums, is_inside)
        return [
            (sums, matched_bound(region, shares_of(sums.root, question.delta, members), degree == 4))
            for members in sets
        ]

    return _answer(question, len(sets), deep, tell)


def coupled_matched(question: Question, deep: bool) -> Gradient:
    """The matched bound for all objectives."""
    return _only(_matched(question, [range(question.std.shape[1])], deep))


def decoupled_matched(question: Question, deep: bool) -> Gradient:
    """The matched bound for each objective alone."""
    return _matched(question, [[l] for l in range(question.std.shape[1])], deep)
