"""Amounts that users give: of cost, of time, of trials."""

import math
from typing import Any

import numpy as np

from pfes.errors import InvalidInput

__all__ = ["amount"]


def amount(what: str, value: Any) -> float:
    """A number of 0 or more, infinity included."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or math.isnan(value) or value < 0:
        raise InvalidInput(f"{what}: got {value!r}, wanted a number of 0 or more")
    return float(value)
