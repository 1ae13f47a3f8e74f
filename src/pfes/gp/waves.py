"""Sums of cosines and of correlations at many points: the inner loops of sampled paths, and by far their largest cost.

Angles are counted in turns: cos(2 pi t) repeats with every whole t, so that reducing it is one rounding. Written as
polynomials, cosine and exponential run on all points side by side (a cosine takes 2 ns in double precision, 1 in
single; numpy's takes 30 in double). float32 and float64 run through the same kernels, each in its own precision.

Points (D, B N) lie in B blocks of N; row k of block b of the result, out (B, K, N), is a sum of its own. B = R blocks
are R paths, each at its own points; B = 1 block of K = R rows is R paths at the same points.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import inline, kernel

__all__ = ["add_mixed_pull_slopes", "add_mixed_pulls", "add_pull_slopes", "add_pulls", "add_waves"]

Floats = NDArray[Any]  # float32 or float64

# sin(2 pi t) / t in powers of t^2 for |t| <= 1/4, interpolated at Chebyshev's points: off by 2e-19 at most;
# behind them the two constants that the kernel needs in the precision of its points.
_SERIES = np.array(
    [
        6.28318530717958648,
        -41.3417022403997569,
        81.6052492760736152,
        -76.7058597528249192,
        42.0586939254286823,
        -15.0946416761179001,
        3.8199280942271642,
        -0.717733792141345331,
        0.100896955016468112,
        0.5,
        0.25,
    ]
)

# exp(-u) = p(u / 64)^64, for u up to 40: first the powers of p, then 40, 1 / 64, and the numbers of the correlations.
# Off by 1e-14 of the value in double precision, 4e-6 in single.
_POWERS = [1.0, -1.0, 1 / 2, -1 / 6, 1 / 24, -1 / 120, 1 / 720, -1 / 5040, 1 / 40320, -1 / 362880]
_DECAY = np.array([*_POWERS, 40.0, 1 / 64, 0.5, 5.0, 1 / 3, 5 / 6])


def _in_both(numbers: NDArray[np.float64]) -> dict[np.dtype[Any], Floats]:
    return {np.dtype(kind): numbers.astype(kind) for kind in (np.float32, np.float64)}


_SERIES_OF, _DECAY_OF = _in_both(_SERIES), _in_both(_DECAY)


def add_waves(out: Floats, heights: Floats, frequencies: Floats, phases: Floats, points: Floats) -> None:
    """Add sum_f h_bkf cos(2 pi (w_f . x + p_bf)) to out (B, K, N); everything of one dtype.

    heights: (B, K, F); frequencies: (F, D) and phases: (B, F), in turns; points: (D, B N).
    """
    _add_waves(out, heights, frequencies, phases, points, _SERIES_OF[points.dtype])


def add_pulls(out: Floats, weights: Floats, centres: Floats, points: Floats, matern: bool) -> None:
    """Add sum_i w_bki k(|x - c_i|^2) to out (B, K, N), for weights (B, K, n), centres (n, D), points (D, B N).

    k is the Matern-5/2 or else the RBF correlation of kernels.py. Squares are summed from differences: near a centre,
    where large weights of opposite signs meet, a product would lose what is left.
    """
    _add_pulls(out, weights, centres, points, _DECAY_OF[points.dtype], matern, False)


def add_pull_slopes(out: Floats, weights: Floats, centres: Floats, points: Floats, matern: bool) -> None:
    """The same with the derivative k' of the correlation (with respect to the square) in place of k."""
    _add_pulls(out, weights, centres, points, _DECAY_OF[points.dtype], matern, True)


def add_mixed_pulls(
    out: Floats, weights: Floats, centres: Floats, points: Floats, matern: bool, groups: Floats, share: float
) -> None:
    """`add_pulls` with a share of main effects, see effects.py; groups (D,): the group of each column."""
    parts = _shares(points, groups, share)
    _add_mixed_pulls(out, weights, centres, points, _DECAY_OF[points.dtype], matern, groups, parts)


def add_mixed_pull_slopes(
    out: Floats, weights: Floats, centres: Floats, points: Floats, matern: bool, groups: Floats, share: float
) -> None:
    """Add the derivatives with respect to the columns of the points to out (B, D, N); weights (B, n)."""
    parts = _shares(points, groups, share)
    _add_mixed_pull_slopes(out, weights, centres, points, _DECAY_OF[points.dtype], matern, groups, parts)


def _shares(points: Floats, groups: Floats, share: float) -> Floats:
    """Of all groups together, of each alone, and 0, in the precision of the points."""
    return np.array([1.0 - share, share / (groups.max() + 1), 0.0], points.dtype)


@kernel
def _add_waves(out: Any, heights: Any, frequencies: Any, phases: Any, points: Any, series: Any) -> None:
    c0, c1, c2, c3, c4 = series[0], series[1], series[2], series[3], series[4]
    c5, c6, c7, c8 = series[5], series[6], series[7], series[8]
    half, quarter = series[9], series[10]
    blocks, rows, size = out.shape
    wave = np.empty(points.shape[1], out.dtype)
    for f in range(len(frequencies)):
        for b in range(blocks):
            phase, start = phases[b, f], b * size
            for j in range(size):
                wave[start + j] = phase
        for d in range(0, len(points) - 2, 3):  # three at a time: what counts is how often `wave` is read and written
            u, v, w = frequencies[f, d], frequencies[f, d + 1], frequencies[f, d + 2]
            for j in range(len(wave)):
                wave[j] += u * points[d, j] + v * points[d + 1, j] + w * points[d + 2, j]
        for d in range(len(points) - len(points) % 3, len(points)):
            w = frequencies[f, d]
            for j in range(len(wave)):
                wave[j] += w * points[d, j]
        for j in range(len(wave)):
            t = wave[j]
            t = quarter - abs(t - np.floor(t + half))  # cos(2 pi t) = sin(2 pi (1/4 - |t|))
            s = t * t
            tail = c4 + s * (c5 + s * (c6 + s * (c7 + s * c8)))
            wave[j] = t * (c0 + s * (c1 + s * (c2 + s * (c3 + s * tail))))
        for b in range(blocks):
            start = b * size
            for k in range(rows):
                h = heights[b, k, f]
                for j in range(size):
                    out[b, k, j] += h * wave[start + j]


@kernel
def _add_pulls(out: Any, weights: Any, centres: Any, points: Any, decay: Any, matern: bool, slope: bool) -> None:
    blocks, rows, size = out.shape
    term = np.empty(points.shape[1], out.dtype)
    for i in range(len(centres)):
        for j in range(len(term)):
            term[j] = 0.0
        for d in range(len(points)):
            c = centres[i, d]
            for j in range(len(term)):
                term[j] += (points[d, j] - c) * (points[d, j] - c)
        _correlate(term, decay, matern, slope)
        for b in range(blocks):
            start = b * size
            for k in range(rows):
                w = weights[b, k, i]
                for j in range(size):
                    out[b, k, j] += w * term[start + j]


@inline
def _square(term: Any, total: Any, centres: Any, points: Any, groups: Any, i: int, g: int, zero: Any) -> None:
    """Squared distances from centre i in the columns of group g, added to those in all columns, too."""
    for j in range(len(term)):
        term[j] = zero
    for d in range(len(points)):
        if groups[d] == g:
            c = centres[i, d]
            for j in range(len(term)):
                term[j] += (points[d, j] - c) * (points[d, j] - c)
    for j in range(len(term)):
        total[j] += term[j]


@kernel
def _add_mixed_pulls(
    out: Any, weights: Any, centres: Any, points: Any, decay: Any, matern: bool, groups: Any, shares: Any
) -> None:
    blocks, rows, size = out.shape
    whole, single, zero = shares[0], shares[1], shares[2]
    term, total = np.empty(points.shape[1], out.dtype), np.empty(points.shape[1], out.dtype)
    mixed = np.empty(points.shape[1], out.dtype)
    for i in range(len(centres)):
        for j in range(len(term)):
            total[j] = mixed[j] = zero
        for g in range(groups.max() + 1):
            _square(term, total, centres, points, groups, i, g, zero)
            _correlate(term, decay, matern, False)
            for j in range(len(term)):
                mixed[j] += single * term[j]
        _correlate(total, decay, matern, False)
        for j in range(len(term)):
            mixed[j] += whole * total[j]
        for b in range(blocks):
            start = b * size
            for k in range(rows):
                w = weights[b, k, i]
                for j in range(size):
                    out[b, k, j] += w * mixed[start + j]


@kernel
def _add_mixed_pull_slopes(
    out: Any, weights: Any, centres: Any, points: Any, decay: Any, matern: bool, groups: Any, shares: Any
) -> None:
    blocks, _, size = out.shape
    whole, single, zero = shares[0], shares[1], shares[2]
    total = np.empty(points.shape[1], out.dtype)
    terms = np.empty((groups.max() + 1, points.shape[1]), out.dtype)
    for i in range(len(centres)):
        for j in range(len(total)):
            total[j] = zero
        for g in range(len(terms)):
            _square(terms[g], total, centres, points, groups, i, g, zero)
            _correlate(terms[g], decay, matern, True)
        _correlate(total, decay, matern, True)
        for g in range(len(terms)):
            term = terms[g]
            for j in range(len(total)):
                term[j] = single * term[j] + whole * total[j]
        for b in range(blocks):
            w, start = weights[b, i] + weights[b, i], b * size
            for d in range(len(points)):
                c, term = centres[i, d], terms[groups[d]]
                for j in range(size):
                    out[b, d, j] += w * term[start + j] * (points[d, start + j] - c)


@inline
def _correlate(term: Any, decay: Any, matern: bool, slope: bool) -> None:
    """Replace squares by correlations or their slopes."""
    one, most, half, five = decay[0], decay[10], decay[12], decay[13]
    third, five_sixths = decay[14], decay[15]
    if matern:
        for j in range(len(term)):
            r = min(np.sqrt(five * term[j]), most)  # or the square beside the exponential would grow for ever
            linear = one + r
            term[j] = _exp_minus(r, decay) * (-five_sixths * linear if slope else linear + third * r * r)
    else:
        for j in range(len(term)):
            value = _exp_minus(min(half * term[j], most), decay)
            term[j] = -half * value if slope else value


@inline
def _exp_minus(u: Any, decay: Any) -> Any:
    """Return exp(-u) for 0 <= u <= 40."""
    t = u * decay[11]
    p = decay[5] + t * (decay[6] + t * (decay[7] + t * (decay[8] + t * decay[9])))
    p = decay[0] + t * (decay[1] + t * (decay[2] + t * (decay[3] + t * (decay[4] + t * p))))
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    return p * p
