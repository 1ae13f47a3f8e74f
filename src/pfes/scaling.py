"""From the user's values to what a Gaussian process likes: signed, warped, centred, of unit deviation; and back.

value   in the user's units and direction
level   inside: larger is better, mean 0 and deviation 1 over the data
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.objectives import Objective

__all__ = ["Scaling"]

Array = NDArray[np.float64]

POWERS = np.linspace(-2.0, 4.0, 25)  # of the power transform, tried in turn; 1 changes nothing


@dataclass(frozen=True)
class Scaling:
    """A rising map from signed values to levels; chosen from data, then fixed."""

    objective: Objective
    shift: float = 0.0
    scale: float = 1.0
    power: float | None = None  # Yeo-Johnson's, applied to centred and scaled values
    shift_after: float = 0.0
    scale_after: float = 1.0

    @staticmethod
    def of(values: ArrayLike, objective: Objective) -> "Scaling":
        """The scaling that gives these values (n,) mean 0 and deviation 1; works for none, one and constant ones."""
        first = Scaling(objective)
        signed = first._signed(np.asarray(values, dtype=np.float64))
        shift, scale = _centre(signed)
        if objective.transform != "power" or len(signed) < 5:
            return Scaling(objective, shift, scale)
        plain = (signed - shift) / scale
        power = float(max(POWERS, key=lambda trial: _power_likelihood(plain, trial)))
        return Scaling(objective, shift, scale, power, *_centre(_yeo_johnson(plain, power)))

    def _signed(self, values: Array) -> Array:
        if self.objective.transform == "log":
            with np.errstate(divide="ignore"):
                values = np.log(np.maximum(values, 0.0))
        return values * self.objective.sign

    def forward(self, values: ArrayLike) -> Array:
        """User's values (...) as levels (...)."""
        plain = (self._signed(np.asarray(values, dtype=np.float64)) - self.shift) / self.scale
        if self.power is None:
            return plain
        return (_yeo_johnson(plain, self.power) - self.shift_after) / self.scale_after

    def backward(self, levels: ArrayLike) -> Array:
        """Levels (...) as user's values (...), the inverse of `forward`."""
        plain = np.asarray(levels, dtype=np.float64)
        if self.power is not None:
            plain = _yeo_johnson_inverse(plain * self.scale_after + self.shift_after, self.power)
        with np.errstate(over="ignore"):  # beyond the largest double: infinite
            signed = (plain * self.scale + self.shift) * self.objective.sign
        if self.objective.transform == "log":
            return np.exp(np.clip(signed, -745.0, 709.0))
        return np.asarray(signed)

    def deviation(self, deviations: ArrayLike, at: ArrayLike) -> Array:
        """Small deviations (...) in the user's units, around user's values `at` (...), as deviations of levels."""
        at, small = np.asarray(at, dtype=np.float64), np.asarray(deviations, dtype=np.float64)
        if self.objective.transform == "log":
            small = small / np.maximum(np.abs(at), np.finfo(float).tiny)
        plain = small / self.scale
        if self.power is None:
            return np.asarray(plain)
        centre = (self._signed(at) - self.shift) / self.scale
        return np.asarray(plain * _yeo_johnson_slope(centre, self.power) / self.scale_after)

    def interval(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """Mean and deviation of levels (...) as the user's value and a deviation around it, from mean ± std."""
        low, high = self.backward(mean - std), self.backward(mean + std)
        with np.errstate(invalid="ignore"):  # both infinite: not known
            return self.backward(mean), np.abs(high / 2.0 - low / 2.0)  # the range itself may be too large a number


def _centre(values: Array) -> tuple[float, float]:
    """Mean and deviation, such that dividing by it is safe: constants get their own size, or 1."""
    if not len(values):
        return 0.0, 1.0
    size = float(np.max(np.abs(values)))
    if size == 0.0:
        return 0.0, 1.0
    unit = values / size  # neither squares of 1e200 overflow nor those of 1e-200 vanish
    mean, deviation = float(np.mean(unit)), float(np.std(unit))
    if deviation < 1e-13:
        return mean * size, size
    return mean * size, max(deviation * size, np.finfo(float).tiny)


def _yeo_johnson(x: Array, power: float) -> Array:
    """Yeo and Johnson (2000): a power of 1 + x above 0, mirrored with power 2 - p below."""
    up, down = np.maximum(x, 0.0), np.maximum(-x, 0.0)
    return np.where(x >= 0.0, _box_cox(up, power), -_box_cox(down, 2.0 - power))


def _box_cox(x: Array, power: float) -> Array:
    if abs(power) < 1e-12:
        return np.log1p(x)
    return np.expm1(np.minimum(power * np.log1p(x), 700.0)) / power  # beyond the largest double: far enough


def _yeo_johnson_inverse(y: Array, power: float) -> Array:
    up, down = np.maximum(y, 0.0), np.maximum(-y, 0.0)
    return np.where(y >= 0.0, _box_cox_inverse(up, power), -_box_cox_inverse(down, 2.0 - power))


def _box_cox_inverse(y: Array, power: float) -> Array:
    if abs(power) < 1e-12:
        return np.expm1(np.minimum(y, 700.0))
    # a negative power bounds the image: beyond it the nearest value that exists, far away
    inside = np.maximum(power * y, -1.0 + 1e-15)
    return np.expm1(np.minimum(np.log1p(inside) / power, 700.0))


def _yeo_johnson_slope(x: Array, power: float) -> Array:
    exponent = np.where(x >= 0.0, power - 1.0, 1.0 - power)
    return np.asarray(np.exp(exponent * np.log1p(np.abs(x))))


def _power_likelihood(x: Array, power: float) -> float:
    """Log likelihood of a normal after the transform, its mean and deviation fitted."""
    image = _yeo_johnson(x, power)
    variance = float(np.var(image))
    if not math.isfinite(variance) or variance <= 0.0:
        return -math.inf
    jacobian = (power - 1.0) * float(np.sum(np.sign(x) * np.log1p(np.abs(x))))
    return -0.5 * len(x) * math.log(variance) + jacobian
