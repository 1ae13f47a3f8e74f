"""Cells: what is written comes back the same, and no spreadsheet runs it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes import Choice, InvalidInput
from pfes.sheets.cells import choice_in, number_in, parameter_in, text_in, written

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.from_regex(r"'*[=+\-@].*", fullmatch=True)


@given(TEXTS)
def test_texts_come_back_and_are_no_formulas(text: str) -> None:
    cell = written(text)
    if not (cell.startswith('="') and cell.endswith('"')):
        assert text_in(cell) == text
    harmless = not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    try:
        float(cell)
    except ValueError:
        assert harmless


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([".", ","]))
def test_numbers_come_back_to_the_last_bit(number: float, decimal: str) -> None:
    found = number_in(written(number, decimal), "a cell", comma=decimal == ",")
    assert found == number
    assert math.copysign(1.0, found) == math.copysign(1.0, number)


@given(
    st.lists(st.text(min_size=1).map(str.strip).filter(bool) | st.integers() | st.booleans(), min_size=1, unique_by=str)
)
def test_choices_come_back(values: list[object]) -> None:
    try:
        choice = Choice(values)
    except InvalidInput:  # 1 and True
        return
    spelt = [written(value).casefold() for value in values]
    for value in values:
        if spelt.count(written(value).casefold()) == 1:
            assert choice_in(written(value), choice, "a cell", comma=False) == value


def test_missing_values_are_empty_cells() -> None:
    assert [written(value) for value in (None, math.nan)] == ["", ""]


def test_excel_writes_texts_that_must_not_become_numbers() -> None:
    assert text_in('="0012"') == "0012"
    assert choice_in('="0012"', Choice(["0012", "7"]), "a cell", comma=False) == "0012"
    assert choice_in("TRUE", Choice([True, False]), "a cell", comma=False) is True
    assert choice_in("1,5", Choice([1.5, 2]), "a cell", comma=True) == 1.5
    assert parameter_in("3", None, "a cell", comma=False) == 3
    assert parameter_in("three", None, "a cell", comma=False) == "three"


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("abc", "wanted a number"),
        ("1,5", "decimal commas need semicolons"),
        ("1,234", "decimal commas need semicolons"),
        ("1.234,5", "wanted a number without signs between thousands: write 1234.5"),
        ("-1,234,567.25", "write -1234567.25"),
        ("1.234.567", "write 1234567"),
        ("#N/A", "an error of the spreadsheet"),
        ("x" * 100, "xxx\\.\\.\\."),
        ("1 234", "wanted a number"),
    ],
)
def test_what_is_no_number_is_refused(cell: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        number_in(cell, "a cell", comma=False)
