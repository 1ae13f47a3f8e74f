"""Cells: what is written comes back the same, and no spreadsheet runs it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes import Choice, InvalidInput, Real
from pfes.sheets.cells import choice_in, number_in, parameter_in, text_in, typed_number, typed_parameter, written

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


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("1 234,5", "a number without signs between thousands: write 1234.5"),
        ("-1'234", "a number without signs between thousands: write -1234"),
        ("5%", "a number without %: write 5, or 0.05 where shares are meant"),
        ("12,5 %", "a number without %: write 12.5, or 0.125 where"),
        ("12.5 MPa", "a number without its unit: write 12.5"),
        ("12,5MPa", "a number without its unit: write 12.5"),
        ("\u22121e-3 mol/m3", "a number without its unit: write -1e-3"),
        ("21 °C", "a number without its unit: write 21"),
        ("about 5", "a number$"),
        ("3 of 5", "a number$"),
        ("0x1F", "a number$"),
        ("1,234 g", "a number$"),
    ],
)
def test_what_is_nearly_a_number_is_refused_with_how_to_write_it(cell: str, meant: str) -> None:
    with pytest.raises(InvalidInput, match=f"wanted {meant}"):
        number_in(cell, "a cell", comma=True)


@pytest.mark.parametrize("text", ["1,234", "-12,345", "\u2212999,000", "+1,000"])
def test_a_typed_number_of_decimals_or_thousands_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"power: got .* which may be .* or a decimal: write .*"):
        typed_number(text, "power")
    with pytest.raises(InvalidInput, match="or a decimal"):
        typed_parameter(text, Real(-1e6, 1e6), "x")


def test_typed_numbers_that_can_be_one_only_are_read() -> None:
    read = [typed_number(text, "power") for text in ("1,5", "0,125", "1234,567", "1,2345", "1.234", "1,234e0")]
    assert read == [1.5, 0.125, 1234.567, 1.2345, 1.234, 1.234]
    assert typed_parameter("1,234", Choice([1.234, 2]), "x") == 1.234
