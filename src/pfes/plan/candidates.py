"""A pool from a CSV file whose columns need not all be named: what is no objective and no name describes candidates."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from pfes.errors import InvalidInput
from pfes.space import Pool
from pfes.space.csv_table import read_csv
from pfes.space.names import shown
from pfes.space.tables import Column, Table

__all__ = ["candidates"]


def candidates(
    path: Path, objectives: Collection[str], inputs: Sequence[str] | None, ids: str | None, delimiter: str | None
) -> Pool:
    """Read the table; a first column of texts that all differ names the rows unless something else is said."""
    table = read_csv(path, delimiter)
    ids = ids or _names_rows(table, inputs)
    if inputs is None:
        inputs = [name for name in table.columns if name not in objectives and name != ids]
    if not inputs:
        raise InvalidInput(
            f"{path.name} has the columns {shown(list(table.columns))}, wanted at least one that describes candidates, "
            "besides objectives and names"
        )
    if wrong := [name for name in inputs if name in objectives]:
        raise InvalidInput(f"{path.name}: {wrong[0]!r} is an input and an objective, wanted it to be one of them")
    _check_spelling(path.name, table, objectives, inputs)
    return Pool(table, inputs, ids=ids)


def _check_spelling(file: str, table: Table, objectives: Collection[str], inputs: Sequence[str]) -> None:
    """Refuse an objective that has no column, where one of nearly its name has empty cells: results, not inputs."""
    half = [name for name in inputs if name in table.columns and _has_gaps(table.columns[name])]
    for name in objectives:
        if name not in table.columns and (near := get_close_matches(name, half, n=1)):
            raise InvalidInput(
                f"{file} has no column {name!r}, but one called {near[0]!r}, with empty cells; is {near[0]!r} the "
                "objective that is meant?"
            )


def _has_gaps(column: Column) -> bool:
    return isinstance(column, tuple) and any(cell is None for cell in column)


def _names_rows(table: Table, inputs: Sequence[str] | None) -> str | None:
    name, column = next(iter(table.columns.items()))
    texts = isinstance(column, tuple) and all(isinstance(cell, str) for cell in column)
    return name if texts and len(set(column)) == len(column) > 1 and name not in (inputs or ()) else None
