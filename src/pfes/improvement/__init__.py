"""Expected hypervolume improvement of normal predictions: pure functions of (mean, spread, front).

    mean        (N, L) predicted mean of N candidates in L objectives, all maximised
    spread      (N, L) predicted standard deviations, above 0, or (N, L, L) covariances of objectives predicted together
    front       `prepare_front(points, reference)`: what is held already, and above what improvements count

Exact for independent objectives; under a covariance by quadrature over what objectives share (joint.py, which says how
closely). The improvement is in units of volume, the product of those of the objectives. Maximise its logarithm: the
improvement itself is 0 in floating point wherever a candidate looks hopeless, its logarithm and gradient still tell the
way. With spread -> 0 it becomes the improvement that a known outcome brings; with one objective it is the expected
improvement.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.improvement import independent, joint
from pfes.improvement.front import Front, prepare_front
from pfes.information import Gradient

__all__ = [
    "Front",
    "expected_improvement",
    "log_expected_improvement",
    "log_expected_improvement_gradient",
    "prepare_front",
]

Array = NDArray[np.float64]


def expected_improvement(mean: ArrayLike, spread: ArrayLike, front: Front) -> Array:
    """Expected growth of the hypervolume if a candidate were measured: (N,), for mean (N, L) and spread.

    0 where it is below the smallest double; see `log_expected_improvement`.
    """
    with np.errstate(over="ignore"):  # a volume beyond the largest double is inf
        return np.exp(log_expected_improvement(mean, spread, front))


def log_expected_improvement(mean: ArrayLike, spread: ArrayLike, front: Front) -> Array:
    """Natural logarithm of `expected_improvement`, (N,), finite however hopeless a candidate; mean (N, L), spread."""
    means, spreads = _ask(mean, spread, front)
    evaluate = independent.values if spreads.ndim == 2 else joint.values
    return evaluate(means, spreads, front)


def log_expected_improvement_gradient(mean: ArrayLike, spread: ArrayLike, front: Front) -> Gradient:
    """`log_expected_improvement` (N,) as `gain`, with its derivatives d_mean (N, L) and d_spread, of spread's form.

    With covariances a gain changes by the sum of d_spread * (change of the covariance) over all L^2 entries.
    """
    means, spreads = _ask(mean, spread, front)
    evaluate = independent.gradients if spreads.ndim == 2 else joint.gradients
    return evaluate(means, spreads, front)


def _ask(mean: ArrayLike, spread: ArrayLike, front: Front) -> tuple[Array, Array]:
    """Check the arguments' shapes and values; both arrays come back ready for the kernels."""
    if not isinstance(front, Front):
        raise InvalidInput(
            f"front: got {type(front).__name__}, wanted a prepared front; try prepare_front(points, reference)"
        )
    means, spreads = _numbers("mean", mean), _numbers("spread", spread)
    count = len(front.reference)
    if means.ndim != 2 or means.shape[1] != count:
        raise InvalidInput(f"mean: got shape {means.shape}, wanted (N, {count}), as many columns as the front has")
    if spreads.shape not in (means.shape, (*means.shape, count)):
        raise InvalidInput(
            f"spread: got shape {spreads.shape}, wanted {means.shape} as mean has, or {(*means.shape, count)} for "
            "covariances"
        )
    if not np.isfinite(means).all():
        raise InvalidInput("mean: got nan or infinite values, wanted finite ones; try dropping those candidates")
    diagonal = spreads if spreads.ndim == 2 else np.einsum("nll->nl", spreads)
    if not (np.isfinite(spreads).all() and (diagonal > 0.0).all()):
        raise InvalidInput(
            "spread: got values that are nan, infinite, zero or negative, wanted standard deviations (or variances) "
            "above 0; try np.maximum(std, 1e-12)"
        )
    return means, spreads


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        # writable, because a kernel is compiled once more for read-only arrays
        return np.require(given, dtype=np.float64, requirements=["C", "W"])
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: got {type(given).__name__} that is not an array of numbers") from None
