"""Cholesky factors that always exist, and solves with them. The only place where jitter is added.

| symbol | meaning | shape | in code |
|---|---|---|---|
| K | symmetric, meant to be positive definite | (n, n) | matrix |
| C | lower triangle, C C^T = K + jitter I | (n, n) | lower |

LAPACK is called directly: on the small matrices of a Gaussian process the checks of `scipy.linalg` cost more than the
factorisation. Every function also takes n = 0, which LAPACK does not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

__all__ = ["Factor", "factorise", "inverse_lower", "solve", "solve_lower", "solve_upper"]

Array = NDArray[np.float64]

# A pivot below SAFE (relative to the prior variance) is made of rounding errors, even if it came out positive.
SAFE = 1e-13
RUNGS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


class Factor(NamedTuple):
    """A Cholesky factor: lower (n, n) in Fortran's order, 0 above the diagonal; what was added to the diagonal."""

    lower: Array
    jitter: float


def factorise(matrix: Array, size: float, room: Array | None = None) -> Factor:
    """Factorise a symmetric matrix (n, n), only its lower triangle read; climbs RUNGS until the pivots are safe.

    size: the largest variance before anything was known. What is left after conditioning can be all rounding, and only
    a comparison with what it was left of can tell. room (n, n), in Fortran's order: memory for the factor.
    """
    if len(matrix) == 0:
        return Factor(np.zeros((0, 0)), 0.0)
    for rung in RUNGS:
        lower = _attempt(matrix, rung * size, room)
        if lower is not None and lower.diagonal().min() ** 2 > SAFE * size:
            return Factor(lower, rung * size)
    # no rung is high enough: forget the correlations, keep the variances
    return Factor(np.asfortranarray(np.eye(len(matrix)) * np.sqrt(size)), size)


def _attempt(matrix: Array, jitter: float, room: Array | None) -> Array | None:
    copy = np.empty_like(matrix, order="F") if room is None else room
    np.copyto(copy, matrix)
    if jitter:
        copy[np.diag_indices(len(copy))] += jitter
    lower, info = lapack.dpotrf(copy, lower=1, clean=1, overwrite_a=1)
    return lower if info == 0 else None


def solve_lower(lower: Array, right: Array) -> Array:
    """C^-1 right, for right (n,) or (n, N)."""
    return _triangular(lower, right, 0)


def solve_upper(lower: Array, right: Array) -> Array:
    """C^-T right, for right (n,) or (n, N)."""
    return _triangular(lower, right, 1)


def solve(lower: Array, right: Array) -> Array:
    """(C C^T)^-1 right, for right (n,) or (n, N)."""
    if right.size == 0:
        return right.copy()
    result: Array = lapack.dpotrs(lower, right, lower=1)[0]
    return result


def _triangular(lower: Array, right: Array, transposed: int) -> Array:
    if right.size == 0:
        return right.copy()
    result: Array = lapack.dtrtrs(lower, right, lower=1, trans=transposed)[0]
    return result


def inverse_lower(lower: Array) -> Array:
    """The lower triangle of (C C^T)^-1, (n, n), 0 above it; written over `lower`."""
    if lower.size == 0:
        return lower
    result: Array = lapack.dpotri(lower, lower=1, overwrite_c=1)[0]
    return result
