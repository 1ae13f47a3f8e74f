"""Which combinations of parameters are allowed: linear inequalities, and any function of the parameters."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.space.numbers import as_bound, as_number

__all__ = ["Constraint", "Linear", "verdict"]

Array = NDArray[np.float64]

# A sum of decimals misses its bound by float noise: 0.1 + 0.2 <= 0.3 is meant to hold.
NOISE = 1e-9


class Linear:
    """lower <= sum of weights[name] * value of name <= upper, in the user's units; frozen, equal by value.

    Linear({"x": 1, "y": 1}, upper=1) is x + y <= 1, and Linear({"t": 1, "hold": -2}, lower=0) is t >= 2 hold.
    """

    __slots__ = ("_terms", "lower", "upper")

    _terms: tuple[tuple[str, float], ...]
    lower: float
    upper: float

    def __init__(self, weights: Mapping[str, float], *, lower: float = -math.inf, upper: float = math.inf) -> None:
        if not isinstance(weights, Mapping) or not weights:
            raise InvalidInput(f"Linear got {weights!r}, wanted a weight per parameter: Linear({{'x': 1}}, upper=1)")
        terms = tuple((name, as_bound(weight, f"the weight of {name!r}")) for name, weight in weights.items())
        lower, upper = _limit(lower, "lower of Linear"), _limit(upper, "upper of Linear")
        if not lower <= upper or lower == math.inf or upper == -math.inf:
            raise InvalidInput(f"Linear: lower {lower} lies above upper {upper}: exchange them")
        if math.isinf(lower) and math.isinf(upper):
            raise InvalidInput("Linear has neither lower nor upper, so it forbids nothing: give one of them")
        for name, value in zip(self.__slots__, (terms, lower, upper), strict=True):
            object.__setattr__(self, name, value)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each parameter that takes part."""
        return dict(self._terms)

    def holds(self, numbers: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Tell for columns of values, (N,) each, where the constraint holds: (N,)."""
        terms = np.array([weight * numbers[name] for name, weight in self._terms])
        total, noise = terms.sum(axis=0), NOISE * np.abs(terms).sum(axis=0)
        held: NDArray[np.bool_] = (total >= self.lower - noise) & (total <= self.upper + noise)
        return held

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Linear is frozen: make a new one with another {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _linear, (self.weights, self.lower, self.upper)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linear) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return frozenset(self._terms), self.lower, self.upper

    def __repr__(self) -> str:
        bounds = {"lower": self.lower, "upper": self.upper}
        said = [f"{name}={value!r}" for name, value in bounds.items() if math.isfinite(value)]
        return f"Linear({', '.join([repr(self.weights), *said])})"


Constraint = Linear | Callable[[dict[str, Any]], bool]


def verdict(constraint: Callable[[dict[str, Any]], bool], params: dict[str, Any]) -> bool:
    """Ask a function whether it allows the parameters; it must say True or False."""
    answer: object = constraint(dict(params))  # a copy: the function may edit what it gets
    if not isinstance(answer, bool | np.bool_):
        name = getattr(constraint, "__name__", repr(constraint))
        raise InvalidInput(f"the constraint {name} returned {answer!r}, wanted True or False: does it forget `return`?")
    return bool(answer)


def _limit(value: float, what: str) -> float:
    infinite = isinstance(value, float) and math.isinf(value)
    return float(value) if infinite else float(as_number(value, what))


def _linear(weights: Mapping[str, float], lower: float, upper: float) -> Linear:
    return Linear(weights, lower=lower, upper=upper)
