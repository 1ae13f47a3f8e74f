"""A table of results, as a spreadsheet saved it, as rows that `Study.merge` takes."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pfes.errors import InvalidInput
from pfes.points import Domain
from pfes.sheets.cells import number_in, parameter_in, text_in
from pfes.sheets.writing import NOISE
from pfes.space import Pool
from pfes.space.csv_table import Sheet
from pfes.space.names import shown
from pfes.space.numbers import is_finite, parse_number, plain
from pfes.space.parameters import Parameter
from pfes.study import Study
from pfes.study.rows import Row

__all__ = ["Results", "known_columns", "read_results"]

OURS = ("id", "state", "row", "spent", "measure", "purpose", "reason", "message")  # columns that we write ourselves
EMPTY = ("", "nan")


@dataclass(frozen=True)
class Results:
    """Rows of a table, and the columns of it that mean nothing here."""

    rows: tuple[Row, ...]
    ignored: tuple[str, ...] = ()


def read_results(study: Study, sheet: Sheet, *, numbers: bool = True) -> Results:
    """Understand a table of results: ids, rows of a pool, parameters, objectives; an empty cell is "not measured".

    numbers: the column id names trials of this study; if False, all rows are data of their own.
    """
    names = [text_in(name) for name in sheet.names]
    own = known_columns(study, names)
    if not set(names) & set(study.objectives.names) and "state" not in names:
        values = any(parse_number(name, comma=True) is not None for name in names)
        raise InvalidInput(
            f"{sheet.file}: got columns {shown(names)}, wanted some of the objectives {shown(study.objectives.names)}"
            f"{'; if these are values, copy the header, too' if values else ''}"
        )
    ignored = tuple(name for name in names if name not in own)
    reader = _Reader(study, sheet, names, numbers)
    return Results(tuple(reader.row(line, cells) for line, cells in sheet.rows), ignored)


def known_columns(study: Study, names: Sequence[str]) -> set[str]:
    """The columns of a table that mean something to a study; one that is nearly called like one is refused."""
    wanted = [*study.space.names, *study.objectives.names]
    own = {*wanted, *OURS, *(NOISE + name for name in study.objectives.names), *_columns(study.space)}
    missing = [name for name in wanted if name not in names]
    for name in names:
        if name not in own and (meant := difflib.get_close_matches(name, missing, n=1, cutoff=0.6)):
            raise InvalidInput(
                f"the table has no column {meant[0]!r} but one called {name!r}; rename it if that is meant"
            )
    return own


class _Reader:
    """One table of one study."""

    def __init__(self, study: Study, sheet: Sheet, names: Sequence[str], numbers: bool) -> None:
        self.domain, self.sheet, self.numbers = study.space, sheet, numbers
        self.objectives = study.objectives.names
        self.parameters = _parameters(self.domain)
        self.names = list(names)
        self.id_column = _id_column(self.domain, self.names)
        # a table of candidates may have columns of our names that mean something else, a table of trials has not
        taken = {*self.parameters, *self.objectives, *(() if "row" in names else _columns(self.domain))}
        self.ours = {name for name in (*OURS, *(NOISE + name for name in self.objectives)) if name not in taken}

    def row(self, line: int, cells: Sequence[str]) -> Row:
        filled = {
            name: cell for name, cell in zip(self.names, cells, strict=True) if text_in(cell).lower() not in EMPTY
        }
        said = {name: text_in(cell) for name, cell in filled.items() if name in self.ours}
        place = f"{self.sheet.file}, line {line}"
        deviations = {name: NOISE + name for name in self.objectives if NOISE + name in said}
        return Row(
            place,
            self._number(filled, place),
            self._point(filled, place),
            {name: float(self._cell(filled, name, place)) for name in self.objectives if name in filled},
            said.get("state", "").strip().lower(),
            said.get("message", ""),
            {name: float(self._cell(filled, column, place)) for name, column in deviations.items()},
            self._missing(said),
            self._spent(said.get("spent", "")),
        )

    def _spent(self, text: str) -> float:
        number = parse_number(text, self.sheet.comma)
        return float(number) if number is not None and is_finite(number) else 0.0

    def _missing(self, said: dict[str, str]) -> tuple[str, ...] | None:
        parts = tuple(said["measure"].split(" + ")) if "measure" in said else ()
        known = "measure" in self.names and "measure" in self.ours and set(parts) <= set(self.objectives)
        return parts if known else None

    def _cell(self, filled: dict[str, str], name: str, place: str) -> float | int:
        return number_in(filled[name], f"{place}, {name!r}", self.sheet.comma)

    def _number(self, filled: dict[str, str], place: str) -> int | None:
        if not self.numbers or "id" not in filled or self.id_column == "id":
            return None
        number = self._cell(filled, "id", place)
        if number != number or number in (float("inf"), -float("inf")) or number != int(number):  # noqa: PLR0124
            raise InvalidInput(f"{place}, 'id': got {filled['id']!r}, wanted the number of a trial, or an empty cell")
        return int(number)

    def _point(self, filled: dict[str, str], place: str) -> dict[str, Any] | None:
        if self.id_column in filled:
            assert isinstance(self.domain, Pool)
            found = text_in(filled[self.id_column])
            return {"row": plain(self.domain.ids[self._index(self.domain, found, place)])}
        if not any(name in filled for name in self.parameters):
            return None
        if lacking := [name for name in self.parameters if name not in filled]:
            raise InvalidInput(f"{place}: got no value of {shown(lacking)}, wanted one for each parameter, or for none")
        return {
            name: parameter_in(filled[name], parameter, f"{place}, {name!r}", self.sheet.comma)
            for name, parameter in self.parameters.items()
        }

    @staticmethod
    def _index(pool: Pool, found: str, place: str) -> int:
        try:
            return pool.index_of(found)
        except InvalidInput as error:
            raise InvalidInput(f"{place}: {error}") from None


def _columns(domain: Domain) -> Sequence[str]:
    """The columns of a table of candidates, used or not."""
    return list(domain.columns) if isinstance(domain, Pool) else []


def _parameters(domain: Domain) -> dict[str, Parameter | None]:
    if isinstance(domain, Pool):
        return {name: domain.varied.get(name) for name in domain.names}
    return dict(domain.parameters)


def _id_column(domain: Domain, names: Sequence[str]) -> str:
    """The column that names rows of the pool: `row`, or the one that the pool has them from; empty if there is none."""
    if not isinstance(domain, Pool):
        return ""
    if "row" in names:
        return "row"
    own = [name for name, column in domain.columns.items() if name in names and tuple(map(plain, column)) == domain.ids]
    return own[0] if own else ""
