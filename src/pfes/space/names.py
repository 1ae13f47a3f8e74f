"""Names of parameters and of columns: which are possible, and dicts that must have exactly them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pfes.errors import InvalidInput

__all__ = ["RESERVED", "check_name", "columns_of_rows", "shown"]

# The columns that tables of trials add of their own.
RESERVED = ("id", "state", "row", "spent")


def check_name(name: object) -> None:
    """Refuse names that a table of trials could not have as a column."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"a parameter is called {name!r}, wanted a name of at least one letter")
    if name in RESERVED:
        raise InvalidInput(
            f"a parameter is called {name!r}, but {shown(RESERVED)} mean something else: rename it, or, in a pool, say "
            f"ids={name!r}"
        )


def columns_of_rows(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Turn N dicts that have exactly these names into N values per name."""
    if isinstance(rows, Mapping | str):
        raise InvalidInput(f"got one {type(rows).__name__}, wanted a list of dicts: put it into brackets")
    wanted = set(names)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number} is a {type(row).__name__}, wanted a dict: {{{names[0]!r}: ...}}")
        if row.keys() != wanted:
            _complain(number, row, names)
    return {name: [row[name] for row in rows] for name in names}


def _complain(number: int, row: Mapping[str, Any], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in row]
    if missing:
        raise InvalidInput(f"row {number} lacks {shown(missing)}: give a value for each of {shown(names)}")
    extra = [name for name in row if name not in names]
    raise InvalidInput(
        f"row {number} has {shown(extra)}, wanted only {shown(names)}: check the spelling, or leave it out"
    )


def shown(values: Sequence[object]) -> str:
    """Show a list of values, the first ten of a long one."""
    text = ", ".join(repr(value) for value in values[:10])
    return f"{text}, ... ({len(values)} in all)" if len(values) > 10 else text
