"""Tables from CSV files as spreadsheets write them.

Understood without asking: comma, semicolon, tab or bar (as Markdown has it) between the cells; decimal commas, unless
the comma is what lies between them; true minus signs, thousands parted by narrow spaces; Excel's byte-order marks, its
`sep=;` line and its western code page; blank lines; spaces around cells.
A column all of whose filled cells are numbers is read as numbers; an empty cell is None. Where 1.234 may be 1234, since
the table has decimal commas, it is refused; and so is 1,234 where it has decimal points, or where nothing tells that
commas part decimals: neither another number such as 12,5 nor semicolons between the cells.
"""

import csv
import io
import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pfes.errors import InvalidInput
from pfes.space.names import shown
from pfes.space.numbers import DOUBTFUL, parse_number
from pfes.space.tables import Column, Table, is_missing

__all__ = ["Sheet", "decoded", "read_csv", "read_sheet", "sheet_of"]

BAR, RULE = "|", re.compile(r"[\s|:-]*-[\s|:-]*")  # RULE: the line below the header of a Markdown table
# The first one wins a tie: commas are common inside cells, tabs are not.
DELIMITERS = ("\t", ";", ",", BAR)
WORKBOOK = b"PK\x03\x04"  # how .xlsx and .ods begin: they are zip files
SPELT = {"tab": "\t", "\\t": "\t"}  # how people write what cannot be seen

# Numbers with a mark that parts decimals.
MARKED = {mark: re.compile(rf"[+\u2212-]?\d*{re.escape(mark)}\d+(?:[eE][+-]?\d+)?") for mark in ",."}


class Sheet(NamedTuple):
    """A CSV file as texts: the names of its columns, and of each row the line it began on and its cells."""

    file: str
    names: list[str]
    rows: list[tuple[int, list[str]]]
    comma: bool  # whether 1,5 means 1.5


def read_csv(path: str | os.PathLike[str], delimiter: str | None = None) -> Table:
    """Read a CSV file with a header; delimiter None: found out from the header."""
    sheet = read_sheet(path, delimiter)
    cells = zip(*(cells for _, cells in sheet.rows), strict=True)
    columns = {name: _column(column, sheet.comma) for name, column in zip(sheet.names, cells, strict=True)}
    return Table(columns, tuple(line for line, _ in sheet.rows))


def read_sheet(path: str | os.PathLike[str], delimiter: str | None = None) -> Sheet:
    """Read the texts of a CSV file with a header and at least one row."""
    file = Path(path)
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"cannot read {file}: {why}. Check the path and the folder it starts from") from None
    return sheet_of(data, file.name, delimiter)


def sheet_of(data: bytes, file: str, delimiter: str | None = None) -> Sheet:
    """The texts of a CSV file that is there as bytes; `file` is what errors call it."""
    delimiter = SPELT.get(delimiter.lower(), delimiter) if isinstance(delimiter, str) else delimiter
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise InvalidInput(f"delimiter is {delimiter!r}, wanted one character, such as ';'")
    if data.startswith(WORKBOOK):
        raise InvalidInput(f"{file} is a workbook, wanted CSV: in the spreadsheet, save it as CSV")
    text, first = decoded(data), 1
    if text[:4].lower() == "sep=" and len(text) > 4:  # Excel's way of saying it
        delimiter, text, first = delimiter or text[4], text.partition("\n")[2], 2
    delimiter = delimiter or _sniff(text)
    if delimiter in '\r\n"':
        raise InvalidInput(f"{file}, line 1: {delimiter!r} cannot lie between cells: mend the line, or leave it out")
    rows = _rows(file, _without_frame(text) if delimiter == BAR else text, delimiter, first)
    _check_header(file, rows)
    if len(rows) < 2:
        raise InvalidInput(f"{file} has {'a header but no rows' if rows else 'nothing in it'}: is it the right file?")
    names = _header(file, rows)
    sheet = Sheet(file, names, [(line, _row(file, line, row, names)) for line, row in rows[1:]], delimiter != ",")
    if sheet.comma and "," in text:
        _check_marks(sheet, told=delimiter == ";")
    return sheet


def _without_frame(text: str) -> str:
    """A table of bars without those at the ends of its lines, and its rule blank."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join("" if RULE.fullmatch(it) else it.removeprefix(BAR).removesuffix(BAR) for it in lines)


def _check_header(file: str, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse a table that begins with values."""
    line, cells = rows[0] if rows else (1, [])
    if cells and all(parse_number(cell, comma=True) is not None for cell in cells if cell):
        raise InvalidInput(
            f"{file}, line {line} holds numbers, {shown(cells)}, wanted the names of the columns: copy the header, too"
        )


def _check_marks(sheet: Sheet, told: bool) -> None:
    """Refuse numbers whose mark may part thousands in a table like this one; told: that commas part decimals."""
    cells = list(_numbers(sheet))
    certain = {mark: _certain(mark, cells) for mark in ",."}
    for mark, other in (".,", ",."):
        unsaid = mark == "," and not told and not certain[","]
        doubtful = [it for it in cells if (certain[other] or unsaid) and DOUBTFUL[mark].fullmatch(it[2])]
        for line, name, cell in doubtful[:1]:
            plain = cell.replace(mark, "")
            why = f", as the table has numbers such as {certain[other]}" if certain[other] else ""
            raise InvalidInput(
                f"{sheet.file}, line {line}, {name!r}: got {cell}, which may be {plain} or a decimal{why}: write "
                f"{cell.replace(mark, other)} or {plain}"
            )


def _certain(mark: str, cells: Sequence[tuple[int, str, str]]) -> str:
    """A number in which the mark can but part decimals, empty if there is none."""
    return next((it for _, _, it in cells if MARKED[mark].fullmatch(it) and not DOUBTFUL[mark].fullmatch(it)), "")


def _numbers(sheet: Sheet) -> Iterator[tuple[int, str, str]]:
    """Line, name and text of each cell of the columns that hold nothing but numbers."""
    for place, name in enumerate(sheet.names):
        cells = [(line, name, cells[place]) for line, cells in sheet.rows if cells[place]]
        if all(parse_number(cell, comma=True) is not None for _, _, cell in cells):
            yield from cells


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with a mark, or else the western code page."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _sniff(text: str) -> str:
    """Take the delimiter that cuts the header into the most cells; data are no guide, they may have decimal commas."""
    header = next((line for line in text.splitlines() if line.strip()), "")

    def cells(delimiter: str) -> int:
        try:
            return len(next(csv.reader([header], delimiter=delimiter), []))
        except csv.Error:  # found again, and reported, when the file is read
            return 0

    return max(DELIMITERS, key=cells)


def _rows(file: str, text: str, delimiter: str, first: int) -> list[tuple[int, list[str]]]:
    """Cut text into (line, cells) without blank lines; `first` is the number of its first line in the file."""
    # newline="": line ends inside quoted cells are the cells' own
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        rows = [(reader.line_num + first - 1, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise InvalidInput(f"{file}, line {reader.line_num + first - 1}: {error}: check its quotes") from None
    return [(line, row) for line, row in rows if any(row)]


def _header(file: str, rows: list[tuple[int, list[str]]]) -> list[str]:
    line, names = rows[0]
    while names and not names[-1]:  # a delimiter at the end of each line
        names = names[:-1]
    if not all(names):
        raise InvalidInput(f"{file}, line {line}: column {names.index('') + 1} has no name: give it one")
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InvalidInput(f"{file}, line {line}: two columns are called {shown(twice)}: rename one")
    return names


def _row(file: str, line: int, row: list[str], names: list[str]) -> list[str]:
    if len(row) < len(names) or any(row[len(names) :]):
        raise InvalidInput(
            f"{file}, line {line} has {len(row)} cells, the header has {len(names)}: mend the line, or say which "
            "delimiter=... lies between the cells"
        )
    return row[: len(names)]


def _column(cells: Sequence[str], comma: bool) -> Column:
    filled = [None if is_missing(cell) or cell.lower() == "nan" else cell for cell in cells]
    numbers = [None if cell is None else parse_number(cell, comma) for cell in filled]
    read = all(number is not None for cell, number in zip(filled, numbers, strict=True) if cell is not None)
    array = np.array(numbers if read and None not in numbers else [])
    if array.size and array.dtype.kind in "iuf":  # others: integers beyond 64 bits
        array.setflags(write=False)
        return array
    return tuple(numbers if read else filled)
