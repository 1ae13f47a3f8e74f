"""One cell of a spreadsheet: what is written into it, and what is meant by what it holds.

A spreadsheet runs a text that begins like a formula, so such texts get an apostrophe in front, which reading takes off
again. Empty means "not measured".

A table tells whether its commas part decimals or thousands, a field on its own does not: what is typed is refused where
it may be either.
"""

import re
from typing import Any

from pfes.errors import InvalidInput
from pfes.space import Choice
from pfes.space.names import shown
from pfes.space.numbers import DOUBTFUL, is_finite, is_number, parse_number, without_thousands
from pfes.space.parameters import Parameter

__all__ = [
    "choice_in",
    "number_in",
    "parameter_in",
    "text_in",
    "typed_number",
    "typed_parameter",
    "written",
]

# what spreadsheets take for the beginning of a formula, the wide forms of the signs included
FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
QUOTED = re.compile('="(.*)"', re.DOTALL)  # how Excel writes a text that must not become a number
NUMBER = r"[+\u2212-]?\d+(?:[.,]\d+)?"
SPACED = re.compile(r"[+\u2212-]?\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?")  # thousands
PERCENT = re.compile(rf"({NUMBER})\s*%")
UNIT = re.compile(rf"({NUMBER}(?:[eE][+-]?\d+)?)(?:\s*[^\W\d_]+|\s+[^\W\d_]\S*|\s*[°Ω]\S*)")
FAULTS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def written(value: Any, decimal: str = ".") -> str:
    """A value as the text of a cell: numbers in full, nothing for what is missing."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - nan
        return ""
    if is_number(value):
        text = repr(value) if isinstance(value, float | int) else str(value)
        return text.replace(".", decimal)
    text = str(value)
    plain_number = parse_number(text) is not None and not text.startswith("'")
    return f"'{text}" if FORMULA.match(text) and not plain_number else text


def text_in(cell: str) -> str:
    """What a person sees in a cell: an apostrophe before a formula and Excel's quotes are not part of it."""
    if found := QUOTED.fullmatch(cell):
        return found[1].replace('""', '"')
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def number_in(cell: str, what: str, comma: bool) -> float | int:
    """The number a cell holds; `what` names the cell in the error."""
    if cell.upper() in FAULTS:
        raise InvalidInput(
            f"{what}: got {cell}, an error of the spreadsheet; mend the formula, or leave the cell empty"
        )
    text = text_in(cell)
    number = parse_number(text, comma)
    if number is None:
        raise InvalidInput(f"{what}: got {_short(cell)}, wanted a number{_hint(text, comma)}")
    if isinstance(number, int) and not is_finite(number):
        raise InvalidInput(f"{what}: got {_short(cell)}, wanted a number of less than 309 digits")
    return number


def _hint(text: str, comma: bool) -> str:
    """What to write instead, if that can be told."""
    if meant := _spelt(text):
        return meant
    return "" if comma or "," not in text else "; decimal commas need semicolons or tabs between the cells"


def _spelt(text: str) -> str:
    """How to write what is nearly a number, as the end of a sentence that wants one; empty if that cannot be told."""
    text = text.strip().replace("\u2212", "-")
    meant = without_thousands(text)
    if SPACED.fullmatch(text):
        meant = re.sub("[ '\u2019]", "", text).replace(",", ".")
    if meant is not None:
        return f" without signs between thousands: write {meant}"
    if (found := PERCENT.fullmatch(text)) and not DOUBTFUL[","].fullmatch(found[1]):
        number = found[1].replace(",", ".")
        return f" without %: write {number}, or {float(number) / 100:.12g} where shares are meant"
    if (found := UNIT.fullmatch(text)) and not DOUBTFUL[","].fullmatch(found[1]):
        return f" without its unit: write {found[1].replace(',', '.')}"
    return ""


def typed_number(text: str, what: str) -> float | int:
    """The number that a person typed into a field of its own, with a decimal point or comma."""
    if DOUBTFUL[","].fullmatch(text):
        plain, decimal = text.replace(",", ""), text.replace(",", ".")
        raise InvalidInput(f"{what}: got {text}, which may be {plain} or a decimal: write {plain} or {decimal}")
    return number_in(text, what, comma=True)


def typed_parameter(text: str, parameter: Parameter, what: str) -> Any:
    """The value of a parameter that a person typed into a field of its own; a Choice tells by its values."""
    return choice_in(text, parameter, what, comma=True) if isinstance(parameter, Choice) else typed_number(text, what)


def choice_in(cell: str, parameter: Choice, what: str, comma: bool) -> Any:
    """The value of a Choice that a cell means: by its text, by its number, or as True and False are spelt."""
    text = text_in(cell)
    for value in parameter.values:
        if isinstance(value, str) and value.strip() == text.strip():
            return value
    number = parse_number(text, comma)
    for value in parameter.values:
        if isinstance(value, bool) or value is None or not is_number(value):
            if not isinstance(value, str) and str(value).casefold() == text.casefold():
                return value
        elif number is not None and (value == number or str(value) == str(number)):
            return value
    raise InvalidInput(f"{what}: got {_short(cell)}, wanted one of {shown(parameter.values)}; check the spelling")


def parameter_in(cell: str, parameter: Parameter | None, what: str, comma: bool) -> Any:
    """The value of a parameter that a cell means; parameter None: the same in the whole pool, number or text."""
    if isinstance(parameter, Choice):
        return choice_in(cell, parameter, what, comma)
    if parameter is None:
        number = parse_number(text_in(cell), comma)
        return text_in(cell) if number is None else number
    return number_in(cell, what, comma)


def _short(cell: str) -> str:
    return repr(cell) if len(cell) <= 40 else repr(cell[:37] + "...")
