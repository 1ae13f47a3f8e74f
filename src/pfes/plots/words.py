"""Numbers and labels as people write them."""

import math
import textwrap
import unicodedata
from collections.abc import Mapping
from typing import Any

from pfes.display import cell
from pfes.objectives import Objective

__all__ = [
    "axis_label",
    "counted",
    "estimate",
    "folded",
    "legible",
    "named_values",
    "number",
    "parameter_label",
    "percent",
    "short_label",
]

DIGITS = 4  # of a number without a deviation


def number(value: float, digits: int = DIGITS) -> str:
    """A number to so many digits, with a true minus; nothing for what is missing."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    size = math.floor(math.log10(abs(value))) if value else 0
    if -4 <= size < 6:
        text = f"{value + 0.0:.{max(0, digits - 1 - size)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")


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


def short_label(objective: Objective) -> str:
    """The same where there is little room."""
    return f"{objective.name}{f' [{objective.unit}]' if objective.unit else ''} ({objective.goal})"


def parameter_label(name: str, parameter: Any) -> str:
    """The name and unit of a parameter."""
    unit = getattr(parameter, "unit", "")
    return f"{name} [{unit}]" if unit else name


def named_values(values: Mapping[str, Any]) -> str:
    """Name and value of each, in a line."""
    return ", ".join(f"{name} {number(v) if isinstance(v, float) else cell(v)}" for name, v in values.items())


UNSEEN = {"Cc": " ", "Cs": "\ufffd", "Co": "\ufffd", "Cn": "\ufffd", "Zl": " ", "Zp": " "}
TURNING = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
)  # they turn what follows around


def legible(text: str) -> str:
    """A text on one line, without characters that cannot be seen or written, or that turn others around."""
    if text.isprintable():  # nearly all are
        return text
    shown = (UNSEEN.get(unicodedata.category(letter), letter) for letter in text if letter not in TURNING)
    return "".join(shown)


def folded(text: str, letters: int, lines: int = 4) -> str:
    """A name on as many lines as it needs, each of so many letters at most; beyond `lines` of them it is cut."""
    found = textwrap.wrap(legible(text), max(letters, 4)) or [""]
    if len(found) > lines:
        found = [*found[: lines - 1], f"{found[lines - 1][: max(letters, 4) - 1]}…"]
    return "\n".join(found)
