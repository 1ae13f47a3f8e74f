"""A pool: a finite table of candidates, of which rows are suggested.

| symbol | meaning | shape | in code |
|---|---|---|---|
| P | rows of the table | | len(pool) |
| D | encoded columns | | width |
| x | encoded rows | (P, D) | x |

Numbers are scaled to [0, 1] by their range in the pool, anything else is one-hot as a Choice. What is the same in every
row tells nothing and gets no column.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.space.csv_table import read_csv
from pfes.space.inputs import input_parameter
from pfes.space.names import check_name, columns_of_rows, shown
from pfes.space.numbers import is_number, parse_number, plain
from pfes.space.parameters import Parameter
from pfes.space.tables import Column, Table, as_table, is_missing

__all__ = ["Pool"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

# Squared distances nearer than this are equal: they differ by how they were computed.
TIE = 1e-12


class Pool:
    """A table of candidates; frozen, equal by value.

    table: a DataFrame, a dict of columns, a list of dicts or a 2-D array (P, d). inputs: names of the columns that
    describe a candidate, by default all (for an array they name its columns). ids: names of the rows, a column or a
    list, by default 0 .. P-1.
    """

    _table: Table
    _parameters: dict[str, Parameter | None]
    ids: tuple[Any, ...]

    def __init__(self, table: Any, inputs: Sequence[str] | str | None = None, *, ids: Any = None) -> None:
        wanted = [inputs] if isinstance(inputs, str) else None if inputs is None else [str(name) for name in inputs]
        read = as_table(table, wanted)
        names = _input_names(read, wanted, ids)
        parameters = {name: input_parameter(name, read.columns[name], read.place) for name in names}
        self.__dict__.update(_table=read, _parameters=parameters, ids=_row_names(read, ids))

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        inputs: Sequence[str] | str | None = None,
        ids: str | None = None,
        delimiter: str | None = None,
    ) -> "Pool":
        """Read a CSV file with a header; say which columns are inputs unless all are."""
        return cls(read_csv(path, delimiter), inputs, ids=ids)

    # What it consists of

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def size(self) -> int:
        """P, the number of rows."""
        return len(self.ids)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self._parameters)

    @property
    def columns(self) -> dict[str, Column]:
        """All columns of the table, inputs or not: numbers as arrays (P,), anything else as tuples."""
        return dict(self._table.columns)

    @cached_property
    def varied(self) -> dict[str, Parameter]:
        """The inputs that differ between rows, as parameters: the groups of the encoding, in order."""
        return {name: parameter for name, parameter in self._parameters.items() if parameter is not None}

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """Which varied input, hence which length scale, each column belongs to: (D,)."""
        widths = [p.axis.width for p in self.varied.values()] or [1]
        return _read_only(np.repeat(np.arange(len(widths)), widths))

    @property
    def numeric(self) -> bool:
        """Whether every varied input is a number, not a category."""
        return all(p.axis.width == 1 for p in self.varied.values())

    @property
    def width(self) -> int:
        """D, the number of encoded columns."""
        return len(self.groups)

    @cached_property
    def x(self) -> Array:
        """The encoded rows: (P, D), read-only."""
        return _read_only(self._encoded(self._table.columns, len(self)))

    def encode(self, rows: Sequence[Mapping[str, Any]]) -> Array:
        """Encode N candidates given as dicts of their inputs -> (N, D); numbers outside the pool's range are kept."""
        columns = columns_of_rows(rows, self.names)
        for name in self.names:
            if self._parameters[name] is None:
                self._check_constant(name, columns[name])
        return self._encoded(columns, len(rows))

    def _encoded(self, columns: Mapping[str, Any], count: int) -> Array:
        x = np.zeros((count, self.width))  # a column of zeros where all rows are alike: a model wants at least one
        start = 0
        for name, parameter in self.varied.items():
            x[:, start : start + parameter.axis.width] = parameter.encode(columns[name], name)
            start += parameter.axis.width
        return x

    def _check_constant(self, name: str, values: Sequence[Any]) -> None:
        own = plain(self._table.columns[name][0])
        for row, value in enumerate(values):
            if plain(value) != own:
                raise InvalidInput(
                    f"{name!r} of row {row} is {value!r}, but {own!r} in the whole pool, so its effect is unknown: "
                    "leave the row out, or add candidates that vary it"
                )

    # Rows of it

    def params(self, index: int) -> dict[str, Any]:
        """The inputs of a row, as given."""
        return {name: plain(self._table.columns[name][index]) for name in self.names}

    def index_of(self, id: Any) -> int:
        """Find a row by its id; 3 and "3" are the same id unless both occur."""
        known = self._index
        for candidate in _spellings(plain(id)):
            if candidate in known:
                return known[candidate]
        raise InvalidInput(f"no row has the id {id!r}, wanted one of {shown(self.ids)}")

    @cached_property
    def _index(self) -> dict[Any, int]:
        return {name: index for index, name in enumerate(self.ids)}

    @cached_property
    def twins(self) -> Rows:
        """For each row the first one with identical inputs: (P,)."""
        first: dict[bytes, int] = {}
        # digests, not rows: thousands of columns are not kept twice; + 0.0 makes -0.0 the same as 0.0
        digests = (hashlib.blake2b(row + 0.0, digest_size=16).digest() for row in self.x)
        return _read_only(np.array([first.setdefault(digest, i) for i, digest in enumerate(digests)]))

    def where(self, **values: Any) -> Mask:
        """Tell which rows have these values in these columns, inputs or not: (P,)."""
        held = np.ones(len(self), dtype=bool)
        for name, value in values.items():
            _check_column(self._table, name)
            column, wanted = self._table.columns[name], plain(value)
            if isinstance(column, np.ndarray):
                held &= column == wanted if is_number(wanted) else False
            else:
                held &= np.array([type(cell == wanted) is bool and cell == wanted for cell in column])
        return held

    def random(self, count: int, rng: np.random.Generator, allowed: Mask | None = None) -> Rows:
        """Draw different rows uniformly among those allowed (P,): (count,), or all there are if fewer."""
        rows = self._allowed(count, allowed)
        return rng.permutation(rows)[:count]

    def spread_out(
        self, count: int, rng: np.random.Generator, allowed: Mask | None = None, around: Iterable[int] = ()
    ) -> Rows:
        """Choose different rows far from one another and from those `around`: (count,), or all there are if fewer.

        The first at random unless there are any around, each next one as far as can be; ties are broken at random, and
        a row with the same inputs as a chosen one comes last. allowed: (P,).
        """
        rows = self._allowed(count, allowed)
        chosen = np.empty(min(count, len(rows)), dtype=np.int64)
        lengths = np.einsum("ij,ij->i", self.x, self.x)
        distance = np.full(len(self), -np.inf)
        distance[rows] = np.inf

        def shun(row: int) -> None:
            # |a - b|^2 by a product: a difference would need another (P, D)
            np.minimum(distance, lengths + lengths[row] - 2 * (self.x @ self.x[row]), out=distance)

        for row in around:
            shun(row)
        for k in range(len(chosen)):
            farthest = np.flatnonzero(distance >= distance.max() - TIE)
            chosen[k] = rng.choice(farthest)
            shun(chosen[k])
            distance[chosen[k]] = -np.inf
        return chosen

    def _allowed(self, count: int, allowed: Mask | None) -> Rows:
        if count < 0:
            raise InvalidInput(f"count is {count}, wanted 0 or more rows")
        if allowed is None:
            return np.arange(len(self))
        mask = np.asarray(allowed)
        if mask.shape != (len(self),) or mask.dtype != bool:
            raise InvalidInput(f"allowed has shape {mask.shape} and type {mask.dtype}, wanted ({len(self)},) of bool")
        return np.flatnonzero(mask)

    # A value like any other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Pool is frozen: make a new one with another {name}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("_table", "_parameters", "ids")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pool) or (self.names, self.ids) != (other.names, other.ids):
            return False
        mine, others = self._table.columns, other._table.columns
        return mine.keys() == others.keys() and all(_same(mine[name], others[name]) for name in mine)

    def __hash__(self) -> int:
        return hash((self.names, self.ids))

    def __repr__(self) -> str:
        return f"<Pool of {len(self)} rows; inputs: {shown(self.names)}>"


def _input_names(table: Table, wanted: list[str] | None, ids: Any) -> list[str]:
    names = [name for name in table.columns if not isinstance(ids, str) or name != ids] if wanted is None else wanted
    if not names or len(set(names)) < len(names):
        raise InvalidInput(
            f"inputs are {names}, wanted at least one column, each once, of {shown(list(table.columns))}"
        )
    for name in names:
        _check_column(table, name)
        check_name(name)
    return names


def _check_column(table: Table, name: str) -> None:
    if name not in table.columns:
        raise InvalidInput(f"the table has no column {name!r}, wanted one of {shown(list(table.columns))}")


def _row_names(table: Table, ids: Any) -> tuple[Any, ...]:
    size = len(next(iter(table.columns.values())))
    if ids is None:
        return tuple(range(size))
    if isinstance(ids, str):
        _check_column(table, ids)
        ids = table.columns[ids]
    names = tuple(plain(name) for name in ids)
    if len(names) != size:
        raise InvalidInput(f"{len(names)} ids for {size} rows: give one per row")
    seen: dict[Any, int] = {}
    for row, name in enumerate(names):
        if is_missing(name) or not isinstance(name, str | int | float) or isinstance(name, bool):
            raise InvalidInput(f"the id in {table.place(row)} is {name!r}, wanted a text or a number: fill it in")
        if seen.setdefault(name, row) != row:
            raise InvalidInput(
                f"the id {name!r} is in {table.place(seen[name])} and in {table.place(row)}: make ids differ, or leave "
                "ids out to have the rows numbered"
            )
    return names


def _spellings(name: Any) -> list[Any]:
    """Ways to write an id: a spreadsheet does not tell 3 from "3"."""
    if isinstance(name, str):
        return [name, parse_number(name)]
    return [name, str(name)] if is_number(name) else []


def _same(a: Column, b: Column) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=True)
    return tuple(map(plain, a)) == tuple(map(plain, b))


def _read_only(array: NDArray[T]) -> NDArray[T]:
    array.setflags(write=False)
    return array
