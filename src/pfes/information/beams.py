"""The matched bound under a joint normal, quickly and for any number of objectives: moments along a few beams.

What a measurement of any set of objectives tells follows from the moments of f given F (correlated.py, truncated.py).
There they are integrated to many digits, for two and three objectives; here all objectives but one are taken at fixed
nodes, and one in closed form (kernels/beams.py). One pass answers for all sets of objectives.

Nodes are drawn from a normal that is WIDER than the prediction, so that tails are met, and weighted accordingly; the
same for all candidates, mirrored in pairs, so that results are deterministic. Frontiers are sampled, and ten of them
differ by far more than a few per cent, which is what is lost here (a third, where a mean lies many deviations above
several corners of a frontier at once). Gradients are as close to those of the bound itself.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from pfes.compiled import spread
from pfes.errors import InvalidInput
from pfes.information.evaluate import Gradient, Question, ask
from pfes.information.kernels.beams import beam_moments
from pfes.information.prepared import Frontier, Frontiers
from pfes.information.tensors import exponents_of
from pfes.information.truncated import Sums, matched_bound, region_of
from pfes.normal.lattice import golden_steps

__all__ = ["averaged", "of_sets", "of_sets_gradient", "shares_of"]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers
Sets = Sequence[Sequence[int]]  # K sets of objectives

WIDER = 1.5
BEAMS = {1: 1, 2: 64, 3: 128}
MANY = 256  # of four objectives and more
TINY = 1e-18  # variance that keeps matrices regular where nothing is noisy
BLOCK_BYTES = 64 * 2**20
PIECE = 256  # candidates of one frontier that a thread takes at a time
SOME = 2048  # pairs of a frontier and a candidate


@cache
def beams_of(objectives: int) -> tuple[Array, Array]:
    """Nodes (M, L - 1) and weights (M,): the points of a lattice (Roberts' generalised golden ratio), mirrored."""
    width, half = objectives - 1, BEAMS.get(objectives, MANY) // 2
    if width == 0:
        return np.zeros((1, 0)), np.ones(1)
    ranks = np.arange(half)[:, None]
    lattice = (0.5 + (ranks + 1) * golden_steps(width)) % 1.0
    # of one dimension the middles of equal parts of one half are evener
    one = WIDER * ndtri((0.5 + ranks) / half / 2.0 if width == 1 else lattice)
    nodes = np.vstack([one, -one])
    weights = np.exp(-0.5 * (1.0 - WIDER**-2) * np.sum(nodes**2, axis=1))
    weights = weights / weights.sum()
    # variances that are exactly 1 matter more than where a node lies
    return np.linalg.solve(np.linalg.cholesky(nodes.T @ (weights[:, None] * nodes)), nodes.T).T, weights


def of_sets(mean: ArrayLike, covariance: ArrayLike, frontiers: Given, resolution: ArrayLike, sets: Sets) -> Array:
    """Lower bound on what measuring each set of objectives tells, nats (N, K); covariance (N, L, L)."""
    return _answer(_asked(mean, covariance, frontiers, resolution), sets, False).gain


def of_sets_gradient(
    mean: ArrayLike, covariance: ArrayLike, frontiers: Given, resolution: ArrayLike, sets: Sets
) -> Gradient:
    """`of_sets` with derivatives in the mean, (N, K, L) or (R, N, K, L), and in the covariance, (N, K, L, L)."""
    return _answer(_asked(mean, covariance, frontiers, resolution), sets, True)


def _asked(mean: ArrayLike, covariance: ArrayLike, frontiers: Given, resolution: ArrayLike) -> Question:
    question = ask(mean, covariance, frontiers, resolution)
    if question.covariance is None:
        raise InvalidInput("spread: got standard deviations, wanted covariances (N, L, L)")
    return question


def _answer(question: Question, sets: Sets, deep: bool) -> Gradient:
    return averaged(question, len(sets), deep, lambda which: _pairs(question, which, sets, deep))


def averaged(question: Question, many: int, deep: bool, pairs: Callable[[slice], Gradient]) -> Gradient:
    """Averages (N, K) over the frontiers, K = many; derivatives are empty unless deep.

    pairs: gains (R, n, K) and derivatives of every frontier and candidate of a block.
    """
    candidates, size = question.std.shape
    count = len(question.frontiers)
    means = count if question.per_frontier else 1
    gain = np.empty((candidates, many))
    d_mean = np.empty((means, candidates, many, size) if deep else 0)
    d_spread = np.empty((candidates, many, size, size) if deep else 0)
    for which in _blocks(question, many, deep):
        part = pairs(which)
        gain[which] = part.gain.sum(axis=0) / count
        if deep:
            by_mean = part.d_mean if question.per_frontier else part.d_mean.sum(axis=0, keepdims=True)
            d_mean[:, which], d_spread[which] = by_mean / count, part.d_spread.sum(axis=0) / count
    return Gradient(gain, d_mean if question.per_frontier or not deep else d_mean[0], d_spread)


def _blocks(question: Question, many: int, deep: bool) -> Iterator[slice]:
    """Candidates such that what is kept of all frontiers fits BLOCK_BYTES."""
    count, size = question.std.shape
    each = len(exponents_of(size, 4 if deep else 2)) + size * (size + 1) + many * (1 + deep * size * (size + 1))
    step = max(16, BLOCK_BYTES // (8 * len(question.frontiers) * each))
    for begin in range(0, count, step):
        yield slice(begin, min(begin + step, count))


def _pairs(question: Question, which: slice, sets: Sets, deep: bool) -> Gradient:
    """Gains (R, n, K) and derivatives of every frontier and candidate of a block."""
    inside, sums = _sums(question, which, 4 if deep else 2)
    size, many = question.std.shape[1], len(sets)
    shape = (len(inside), many)
    result = Gradient(
        np.zeros(shape), np.zeros((*shape, size) if deep else 0), np.zeros((*shape, size, size) if deep else 0)
    )

    def work(piece: tuple[bool, NDArray[np.intp]]) -> None:
        is_inside, at = piece
        _tell(sums.part(at), is_inside, question.delta, sets, at, result)

    # all frontiers at once: of few candidates the work is less than that of beginning it
    sides = [(is_inside, np.flatnonzero(inside == is_inside)) for is_inside in (True, False)]
    spread(work, [(side, at[i : i + SOME]) for side, at in sides for i in range(0, len(at), SOME)])
    frontiers = len(question.frontiers)
    return Gradient(*(a.reshape(frontiers, -1, *a.shape[1:]) if a.size else a for a in result))


def _tell(sums: Sums, is_inside: bool, delta: Array, sets: Sets, at: NDArray[np.intp], out: Gradient) -> None:
    """Write what the sets tell of the pairs `at`, which lie on one side, into out, (pairs, K) and so on."""
    region = region_of(sums, is_inside)
    inverse = np.linalg.inv(sums.root)
    for k, members in enumerate(sets):
        told = matched_bound(region, shares_of(sums.root, delta, members), sums.degree == 4)
        out.gain[at, k] = told.gain
        if told.d_mean is not None and told.d_covariance is not None:
            out.d_mean[at, k] = np.einsum("pki,pk->pi", inverse, told.d_mean)
            out.d_spread[at, k] = np.swapaxes(inverse, 1, 2) @ told.d_covariance @ inverse


def _sums(question: Question, which: slice, degree: int) -> tuple[NDArray[np.bool_], Sums]:
    """Which means lie in F, (R n,), and the moments of all pairs of a frontier and a candidate."""
    assert question.covariance is not None
    covariance, falling = question.covariance[which], [_falling(frontier) for frontier in question.frontiers]
    size, nodes = question.std.shape[1], beams_of(question.std.shape[1])
    shape, table = (len(falling), len(covariance)), np.array(exponents_of(size, degree), dtype=np.int64)
    inside, moments = np.empty(shape, np.bool_), np.empty((*shape, len(table)))
    roots, centres = np.empty((*shape, size, size)), np.empty((*shape, size))

    def work(piece: tuple[int, slice]) -> None:
        r, rows = piece
        out = inside[r, rows], roots[r, rows], centres[r, rows], moments[r, rows]
        beam_moments(falling[r], *nodes, _mean(question, r)[which][rows], covariance[rows], table, degree, *out)

    starts = range(0, shape[1], PIECE)
    spread(work, [(r, slice(i, min(i + PIECE, shape[1]))) for r in range(shape[0]) for i in starts])
    pairs = shape[0] * shape[1]
    flat = moments.reshape(pairs, -1)
    ones = np.ones(pairs)
    return inside.ravel(), Sums(
        flat, flat[:, :0], roots.reshape(pairs, size, size), centres.reshape(pairs, size), ones, degree
    )


def _mean(question: Question, r: int) -> Array:
    return np.asarray(question.mean[r if len(question.mean) > 1 else 0])


def _falling(frontier: Frontier) -> Array:
    """(L, S, L): the points by each of their objectives, the best first."""
    points = frontier.points
    return np.stack([points[np.argsort(-points[:, l], kind="stable")] for l in range(points.shape[1])])


def shares_of(root: Array, delta: Array, members: Sequence[int]) -> Array:
    """A (P, K, L) of the bound: (Sigma + D)^(-1/2) root, of these objectives."""
    own, noise = root[:, list(members)], delta[list(members)]
    if len(members) == 1:
        return np.asarray(own / np.sqrt(np.sum(own**2, axis=2, keepdims=True) + noise**2))
    lower = np.linalg.cholesky(own @ np.swapaxes(own, 1, 2) + np.diag(noise**2 + TINY))
    return np.asarray(np.linalg.solve(lower, own))
