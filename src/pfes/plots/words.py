"""Numbers and labels as people write them."""

import math
from collections.abc import Mapping
from typing import Any

from pfes.display import cell
from pfes.objectives import Objective

__all__ = ["axis_label", "counted", "estimate", "named_values", "number", "parameter_label", "percent"]

DIGITS = 4  # of a number without a deviation


def number(value: float, digits: int = DIGITS) -> str:
    """A number to so many digits, with a true minus; nothing for what is missing."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    return f"{value + 0.0:.{digits}g}".replace("-", "−").replace("e−0", "e−").replace("e+0", "e").replace("e+", "e")


def estimate(mean: float, std: float) -> str:
    """A mean and a deviation, both to the place of the deviation's second digit: 12.34 ± 0.56."""
    if not (math.isfinite(mean) and math.isfinite(std)) or std <= 0.0:
        return number(mean)
    place = math.floor(math.log10(std)) - 1  # of the deviation's second digit
    size = math.floor(math.log10(abs(mean))) if mean else place
    if max(size, place + 1) > 5 or place < -6:  # too long to be written out
        digits = max(1, size - place + 1)
        return f"{number(mean, digits)} ± {number(std, 2)}"
    decimals = max(0, -place)
    return f"{mean:.{decimals}f} ± {std:.{decimals}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share of 1 as whole per cent."""
    return f"{100.0 * share:.0f} %"


def counted(count: int, thing: str, things: str = "") -> str:
    """1 point, 2 points, 10,000 points."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def axis_label(objective: Objective) -> str:
    """The name, unit and goal of an objective."""
    unit = f" [{objective.unit}]" if objective.unit else ""
    return f"{objective.name}{unit}, {'larger' if objective.goal == 'max' else 'smaller'} is better"


def parameter_label(name: str, parameter: Any) -> str:
    """The name and unit of a parameter."""
    unit = getattr(parameter, "unit", "")
    return f"{name} [{unit}]" if unit else name


def named_values(values: Mapping[str, Any]) -> str:
    """Name and value of each, in a line."""
    return ", ".join(f"{name} {number(v) if isinstance(v, float) else cell(v)}" for name, v in values.items())
