"""Symmetric tensors of moments, batched: from a list of exponents to full arrays, moved and centred.

A set of moments is a list [first (..., L), second (..., L, L), third, fourth], or its beginning.
"""

import itertools
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments", "central_excess", "exponents_of", "mirrored", "moved", "normal_moments", "tensors"]

Array = NDArray[np.float64]
Moments = list[Array]


@cache
def exponents_of(size: int, degree: int) -> tuple[tuple[int, ...], ...]:
    """All exponents of `size` variables up to a degree, by degree."""
    every = itertools.product(range(degree + 1), repeat=size)
    return tuple(sorted((e for e in every if sum(e) <= degree), key=lambda e: (sum(e), tuple(-i for i in e))))


@cache
def _places(size: int, rank: int, degree: int) -> NDArray[np.int64]:
    table = {e: place for place, e in enumerate(exponents_of(size, degree))}
    places = [
        table[tuple(index.count(l) for l in range(size))] for index in itertools.product(range(size), repeat=rank)
    ]
    return np.array(places).reshape((size,) * rank)


def tensors(listed: Array, size: int, degree: int) -> Moments:
    """Moments (..., A) in the order of `exponents_of` as tensors of rank 1 to degree."""
    return [listed[..., _places(size, rank, degree)] for rank in range(1, degree + 1)]


def normal_moments(size: int, degree: int) -> Moments:
    """Those of independent standard normals."""
    one = np.eye(size)
    return [np.zeros(size), one, np.zeros((size,) * 3), _pairs(one, one)][:degree]


def _pairs(a: Array, b: Array) -> Array:
    """a_ij b_kl over the three ways to pair four indices (a = b), (..., L, L, L, L)."""
    whole = np.einsum("...ij,...kl->...ijkl", a, b)
    return np.asarray(whole + np.swapaxes(whole, -3, -2) + np.swapaxes(whole, -3, -1))


def _both_pairs(a: Array, b: Array) -> Array:
    """The six ways to give two of four indices to a, the others to b."""
    return _pairs(a, b) + _pairs(b, a)


def _with_two(a: Array, b: Array) -> Array:
    """a_i b_jk over the three choices of i."""
    whole = np.einsum("...i,...jk->...ijk", a, b)
    return np.asarray(whole + np.swapaxes(whole, -3, -2) + np.moveaxis(whole, -3, -1))


def _with_three(a: Array, c: Array) -> Array:
    """a_i c_jkl over the four choices of i."""
    whole = np.einsum("...i,...jkl->...ijkl", a, c)
    return np.asarray(sum(np.moveaxis(whole, -4, place) for place in (-4, -3, -2, -1)))


def _power(a: Array, rank: int) -> Array:
    """a a ... a, a tensor of that rank."""
    result = a
    for _ in range(rank - 1):
        result = result[..., None] * a.reshape(*a.shape[:-1], *[1] * (result.ndim - a.ndim + 1), a.shape[-1])
    return result


def moved(moments: Moments, by: Array) -> Moments:
    """Moments of y + by from those of y; by (..., L)."""
    first = moments[0]
    two = _power(by, 2)
    cross = np.einsum("...i,...j->...ij", by, first)
    result = [first + by, moments[1] + cross + np.swapaxes(cross, -1, -2) + two]
    if len(moments) > 2:
        three = _power(by, 3)
        result.append(moments[2] + _with_two(by, moments[1]) + _with_two(first, two) + three)
        result.append(
            moments[3]
            + _with_three(by, moments[2])
            + _both_pairs(two, moments[1])
            + _with_three(first, three)
            + _power(by, 4)
        )
    return result


def mirrored(moments: Moments) -> Moments:
    """Moments of -y."""
    return [m if rank % 2 else -m for rank, m in enumerate(moments)]


def central_excess(excess: Moments) -> Moments:
    """Mean, and central moments minus those of a standard normal, from raw moments minus those of a standard normal.

    Written in differences throughout: where all excesses are tiny, so is the result, to the same relative accuracy.
    """
    mean = excess[0]
    two = _power(mean, 2)
    second = excess[1] - two
    result = [mean, second]
    if len(excess) > 2:
        whole = second + np.eye(mean.shape[-1])
        three = _power(mean, 3)
        third = excess[2] - _with_two(mean, whole) - three
        result += [third, excess[3] - _with_three(mean, third) - _both_pairs(two, whole) - _power(mean, 4)]
    return result
