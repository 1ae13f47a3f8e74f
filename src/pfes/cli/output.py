"""What verbs print: tables for people, JSON for programs, errors in one red line."""

import json
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pfes.display import cell
from pfes.standing import as_data

__all__ = ["Output", "complain", "table_of"]

PATIENCE = 3.0  # seconds after which it is said what takes so long
WIDE = 200  # columns where no terminal says how many there are


def _console(stream: Any) -> Console:
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def complain(message: str) -> None:
    """Say on standard error, in one red line, what went wrong."""
    _console(sys.stderr).print(Text(f"Error: {message}", style="red"), soft_wrap=True)


class Output:
    """Where a verb prints to; quiet where JSON is wanted."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self._console = _console(sys.stdout)

    @property
    def unicode(self) -> bool:
        """Whether more than ASCII can be shown."""
        return self._console.encoding.lower().startswith("utf")

    @property
    def width(self) -> int:
        """Columns to print on."""
        return self._console.width

    def line(self, text: str = "", style: str = "") -> None:
        """One line for people."""
        if not self.as_json:
            self._console.print(Text(text, style=style), soft_wrap=True)

    def warn(self, text: str) -> None:
        """Something that people should know, on standard error."""
        _console(sys.stderr).print(Text(f"Note: {text}", style="yellow"), soft_wrap=True)

    @contextmanager
    def patiently(self, what: str) -> Iterator[None]:
        """Tell whoever sits before a terminal, on standard error, what takes so long, if it does."""
        if not sys.stderr.isatty():
            yield
            return
        said = Text(f"{what} … the first time after an installation takes about a minute: code is compiled.", "dim")
        timer = threading.Timer(PATIENCE, lambda: _console(sys.stderr).print(said, soft_wrap=True))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """A table for people."""
        if not self.as_json:
            self._console.print(table_of(columns, rows))

    def data(self, data: Any) -> None:
        """The same for programs."""
        if self.as_json:
            print(json.dumps(as_data(data), indent=2, ensure_ascii=False, allow_nan=False))


def table_of(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Rows of values below their columns' names, which need not differ; columns of numbers are set to the right."""
    rows = list(rows)
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for place, column in enumerate(columns):
        numbers = all(isinstance(row[place], int | float | None) for row in rows)
        table.add_column(Text(column), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(value)) for value in row))
    return table
