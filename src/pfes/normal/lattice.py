"""Points that fill a cube evenly: lattices of rank one, found component by component.

A lattice {(i g / n) mod 1} is good if every sum over it of a smooth periodic function is close to the integral. Of such
functions the worst error is known in closed form, and the next component of g that makes it least is found by fast
Fourier transforms, because over a prime n the candidates' errors are a convolution (Nuyens and Cools, 2006).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput

__all__ = ["generator", "golden_steps", "prime_below"]

Array = NDArray[np.float64]


def golden_steps(width: int) -> Array:
    """(width,) steps whose multiples, modulo 1, stay apart: powers of Roberts' generalised golden ratio."""
    golden = 2.0
    for _ in range(64):  # golden^(width + 1) = golden + 1
        golden = (1.0 + golden) ** (1.0 / (width + 1.0))
    return np.asarray(golden ** -(1.0 + np.arange(width)))


def prime_below(number: int) -> int:
    """The largest prime that is not above a number."""
    if number < 3:
        raise InvalidInput(f"points: got {number}, wanted at least 3")
    while any(number % k == 0 for k in range(2, int(number**0.5) + 1)):
        number -= 1
    return number


def _primitive(n: int) -> int:
    """The least number whose powers are all of 1 ... n - 1, modulo the prime n."""
    factors = [k for k in range(2, n) if (n - 1) % k == 0 and all(k % j for j in range(2, int(k**0.5) + 1))]
    return next(g for g in range(2, n) if all(pow(g, (n - 1) // k, n) != 1 for k in factors))


@cache
def generator(n: int, dimension: int) -> NDArray[np.int64]:
    """g (dimension,) of a good lattice of n points, n a prime; later dimensions count less, the j-th 1 / j."""
    root, size = _primitive(n), n - 1
    powers = np.ones(size, dtype=np.int64)
    for i in range(1, size):
        powers[i] = powers[i - 1] * root % n
    x = powers / n
    kernel = 2.0 * np.pi**2 * (x * x - x + 1.0 / 6.0)  # of functions with a square integrable mixed derivative
    product, chosen = np.ones(size), []
    spectrum = np.fft.rfft(kernel)
    for j in range(dimension):
        # candidate root^k, point root^-i: the kernel at root^(k - i)
        errors = np.fft.irfft(spectrum * np.fft.rfft(product), size)
        k = int(np.argmin(np.round(errors, 9))) if j else 0
        chosen.append(int(powers[k]))
        product *= 1.0 + kernel[(k - np.arange(size)) % size] / (j + 1.0)
    return np.array(chosen, dtype=np.int64)
