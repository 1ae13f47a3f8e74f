"""Sums of cosines at many points: the inner loop of every sampled path, and by far its largest cost.

Angles are counted in turns: cos(2 pi t) repeats with every whole t, so that reducing it is one rounding. Written here
as a polynomial, it runs on all points side by side (2 ns a cosine in double precision, 1 in single; numpy's takes 30
in double). float32 and float64 run through the same kernels, each in its own precision.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import kernel

__all__ = ["add_products", "add_waves", "squares"]

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
_SERIES_OF = {np.dtype(kind): _SERIES.astype(kind) for kind in (np.float32, np.float64)}


def add_waves(
    out: NDArray[Any], heights: NDArray[Any], frequencies: NDArray[Any], phases: NDArray[Any], points: NDArray[Any]
) -> None:
    """Add sum_f h_rf cos(2 pi (w_f . x + p_f)) to out (R, N).

    heights (R, F), frequencies (F, D) and phases (F,) in turns, points (D, N); all of one dtype.
    """
    _add_waves(out, heights, frequencies, phases, points, _SERIES_OF[points.dtype])


def add_products(out: NDArray[Any], weights: NDArray[Any], terms: NDArray[Any]) -> None:
    """Add weights (R, n) . terms (n, N) to out (R, N).

    A plain loop: this runs inside our threads, where BLAS would start threads of its own and wait for them.
    """
    _add_products(out, weights, terms)


def squares(centres: NDArray[Any], points: NDArray[Any]) -> NDArray[Any]:
    """Squared distances (n, N) between centres (n, D) and points (D, N) of one dtype.

    By differences: near a centre, where large weights of opposite signs meet, a product would lose what is left.
    """
    out = np.empty((len(centres), points.shape[1]), points.dtype)
    _squares(centres, points, out)
    return out


@kernel
def _add_waves(out: Any, heights: Any, frequencies: Any, phases: Any, points: Any, series: Any) -> None:
    c0, c1, c2, c3, c4 = series[0], series[1], series[2], series[3], series[4]
    c5, c6, c7, c8 = series[5], series[6], series[7], series[8]
    half, quarter = series[9], series[10]
    lanes = points.shape[1]
    wave = np.empty(lanes, out.dtype)
    for f in range(len(frequencies)):
        for j in range(lanes):
            wave[j] = phases[f]
        for d in range(len(points)):
            w = frequencies[f, d]
            for j in range(lanes):
                wave[j] += w * points[d, j]
        for j in range(lanes):
            t = wave[j]
            t = quarter - abs(t - np.floor(t + half))  # cos(2 pi t) = sin(2 pi (1/4 - |t|))
            s = t * t
            tail = c4 + s * (c5 + s * (c6 + s * (c7 + s * c8)))
            wave[j] = t * (c0 + s * (c1 + s * (c2 + s * (c3 + s * tail))))
        for r in range(len(heights)):
            h = heights[r, f]
            for j in range(lanes):
                out[r, j] += h * wave[j]


@kernel
def _add_products(out: Any, weights: Any, terms: Any) -> None:
    for i in range(len(terms)):
        for r in range(len(weights)):
            w = weights[r, i]
            for j in range(terms.shape[1]):
                out[r, j] += w * terms[i, j]


@kernel
def _squares(centres: Any, points: Any, out: Any) -> None:
    for i in range(len(centres)):
        for j in range(points.shape[1]):
            out[i, j] = 0.0
        for d in range(len(points)):
            c = centres[i, d]
            for j in range(points.shape[1]):
                out[i, j] += (points[d, j] - c) * (points[d, j] - c)
