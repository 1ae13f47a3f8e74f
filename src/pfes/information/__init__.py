"""What a measurement tells about a Pareto frontier, in nats, as pure functions of (mean, spread, frontiers).

    mean        (N, L) predicted mean of N candidates in L objectives, all maximised; or (R, N, L), one per frontier
    spread      (N, L) predicted standard deviation, or (N, L, L) covariances of objectives predicted together
    frontiers   R sampled frontiers, a list of arrays (S_r, L), or `prepare` of it, which is better when used again
    resolution  a number or (L,): standard deviation of the measurement (noise and the smallest difference worth
                knowing); 0 is the paper's noise-free criterion

`coupled` asks what measuring all objectives of a candidate tells, `decoupled` what measuring each one alone tells. With
resolution 0 they are Theorems 1 and 2 (module `exact`). With a resolution they answer for such a measurement:
`coupled` by the moment-matched bound (module `matched`), `decoupled` exactly (module `noisy`). To compare measuring
all objectives with measuring one, ask the same estimator for both, `matched.coupled` and `matched.decoupled`: a bound
on the one can lie below the truth of the other. Each estimator is a module with the same verbs, `coupled`,
`coupled_gradient`, `decoupled`, `decoupled_gradient` (`noisy` has the last two):

    exact     Theorems 1 and 2                                                 resolution = 0
    matched   lower bound: the normal of the same covariance                   own limit as resolution -> 0
    power     entropy power: upper bound for one objective and for L <= 2      tends to exact
    noisy     the exact gain of one objective, by quadrature                   tends to exact

Covariances are known to `exact` and `matched`: two and three objectives are integrated to many digits (module
`correlated`), four to eight on lattices, within a thousandth as a rule (module `many`); `beams` has the matched bound
within a few per cent, far quicker, for any number of them. With a resolution `decoupled` is then the matched bound too.
d_spread of a gradient has the form of spread: with covariances a gain changes by the sum of d_spread * (change of the
covariance) over all L^2 entries.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.information import beams, exact, matched, noisy, power
from pfes.information.evaluate import Gradient, has_resolution
from pfes.information.prepared import Frontiers, prepare

__all__ = [
    "Frontiers",
    "Gradient",
    "beams",
    "coupled",
    "coupled_gradient",
    "decoupled",
    "decoupled_gradient",
    "exact",
    "matched",
    "noisy",
    "power",
    "prepare",
]

Array = NDArray[np.float64]
Given = Sequence[ArrayLike] | Frontiers


def coupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Array:
    """What measuring all objectives tells about the frontier: nats (N,), averaged over the frontiers.

    resolution 0: Theorem 1 exactly (`exact.coupled`); otherwise the moment-matched bound (`matched.coupled`).
    """
    if has_resolution(resolution):
        return matched.coupled(mean, spread, frontiers, resolution)
    return exact.coupled(mean, spread, frontiers, resolution)


def coupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Gradient:
    """`coupled` with its derivatives: (gain (N,), d_mean, d_spread), the last two shaped as mean and spread."""
    if has_resolution(resolution):
        return matched.coupled_gradient(mean, spread, frontiers, resolution)
    return exact.coupled_gradient(mean, spread, frontiers, resolution)


def decoupled(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Array:
    """What measuring each objective alone tells about the frontier: nats (N, L), averaged over the frontiers.

    resolution 0: Theorem 2 exactly (`exact.decoupled`); otherwise the exact noisy gain (`noisy.decoupled`), or with
    covariances the matched bound (`matched.decoupled`).
    """
    if has_resolution(resolution) and np.ndim(spread) == 3:
        return matched.decoupled(mean, spread, frontiers, resolution)
    if has_resolution(resolution):
        return noisy.decoupled(mean, spread, frontiers, resolution)
    return exact.decoupled(mean, spread, frontiers, resolution)


def decoupled_gradient(mean: ArrayLike, spread: ArrayLike, frontiers: Given, resolution: ArrayLike = 0.0) -> Gradient:
    """`decoupled` with its derivatives: (gain (N, L), d_mean, d_spread), [n, l, k] = d gain_l / d mean_k."""
    if has_resolution(resolution) and np.ndim(spread) == 3:
        return matched.decoupled_gradient(mean, spread, frontiers, resolution)
    if has_resolution(resolution):
        return noisy.decoupled_gradient(mean, spread, frontiers, resolution)
    return exact.decoupled_gradient(mean, spread, frontiers, resolution)
