"""Tables as HTML, for notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["cell", "html_table"]


def cell(value: object) -> str:
    """A value as a person would write it: numbers to six digits, nothing for what is missing."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - nan
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def html_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], caption: str = "") -> str:
    """Rows, each a mapping from column to value, as an HTML table."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{_cells(row, columns)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    return "".join(f"<td>{escape(cell(row.get(column)))}</td>" for column in columns)
