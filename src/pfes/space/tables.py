"""Tables of candidates in whatever form they come: a DataFrame, columns, rows, an array. pandas is never imported."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.space.names import shown
from pfes.space.numbers import plain

__all__ = ["Column", "Table", "as_table", "is_missing"]

Column = NDArray[Any] | tuple[Any, ...]


class Table(NamedTuple):
    """P rows by column: numbers as a read-only array (P,), anything else as a tuple; lines: where a file has them."""

    columns: dict[str, Column]
    lines: tuple[int, ...] | None = None

    def place(self, row: int) -> str:
        """Name a row in an error: by its line in the file, or by its number."""
        return f"line {self.lines[row]}" if self.lines else f"row {row}"


def as_table(given: object, names: Sequence[str] | None = None) -> Table:
    """Read a DataFrame, a mapping of columns, a sequence of mappings or a 2-D array, whose columns `names` may name."""
    if isinstance(given, Table):
        return given
    if all(hasattr(given, name) for name in ("columns", "to_numpy", "__getitem__")):
        columns = _of_frame(given)
    elif isinstance(given, Mapping):
        columns = _named(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str) and given and isinstance(given[0], Mapping):
        columns = _of_rows(given)
    else:
        columns = _of_array(given, names)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"the columns have different lengths: {lengths}: give one value per row in each")
    if not columns or not max(lengths.values()):
        raise InvalidInput("the table is empty, wanted at least one row and one column")
    return Table(columns)


def is_missing(value: object) -> bool:
    """Tell whether a cell is empty: None, nan, blank text, or what pandas puts there."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - nan and its kin differ from themselves
    except (TypeError, ValueError):  # pandas.NA will not say
        return True


def _of_frame(frame: Any) -> dict[str, Column]:
    names = list(frame.columns)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InvalidInput(f"the table has two columns called {shown(twice)}: rename one")
    return _named((name, frame[name].to_numpy()) for name in names)


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    names = list(rows[0])
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or row.keys() != rows[0].keys():
            raise InvalidInput(f"row {number} is {row!r}, wanted a dict with {shown(names)} as in row 0")
    return _named((name, [row[name] for row in rows]) for name in names)


def _of_array(given: object, names: Sequence[str] | None) -> dict[str, Column]:
    try:
        array = np.asarray(given)
    except ValueError:  # ragged
        array = np.empty(0)
    if array.ndim != 2:
        raise InvalidInput(
            f"the table is a {type(given).__name__}, wanted a DataFrame, a dict of columns, dicts or a 2-D array"
        )
    names = names or [f"x{i}" for i in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise InvalidInput(f"{len(names)} names of inputs for {array.shape[1]} columns: name each column of the array")
    return _named(zip(names, array.T, strict=True))


def _named(columns: Iterable[tuple[Any, Any]]) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for name, values in columns:
        if str(name) in found:
            raise InvalidInput(f"the table has two columns called {str(name)!r}: rename one")
        found[str(name)] = _column(str(name), values)
    return found


def _column(name: str, values: Any) -> Column:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"column {name!r} is {values!r}, wanted a list of values, one per row")
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        if values.ndim != 1:
            raise InvalidInput(f"column {name!r} has shape {values.shape}, wanted one value per row")
        column = values.copy()
        column.setflags(write=False)
        return column
    return tuple(plain(value) for value in values)
