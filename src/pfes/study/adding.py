"""Data from before a study: rows of a list or of a data frame, checked and made plain."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pfes.errors import InvalidInput
from pfes.objectives import Objectives
from pfes.points import Domain, given
from pfes.space import Pool
from pfes.space.names import RESERVED
from pfes.study.telling import checked_noise

__all__ = ["additions"]

logger = logging.getLogger("pfes")


def additions(rows: Any, noise: Any, domain: Domain, objectives: Objectives) -> list[dict[str, Any]]:
    """Payloads of "added" events, one per row that has any value; the columns of `to_dataframe` are understood."""
    table = _rows_of(rows)
    deviations = _per_row(noise, len(table))
    points = [_point_of(number, row, domain, objectives) for number, row in enumerate(table)]
    if not isinstance(domain, Pool):
        domain.encode(points)  # all at once, so that a message names the row
    payloads = []
    for number, (row, point, deviation) in enumerate(zip(table, points, deviations, strict=True)):
        told = {name: row[name] for name in objectives.names if row.get(name) is not None}
        if not told:
            logger.info("row %d holds no value of %s and is left out", number, list(objectives.names))
            continue
        try:
            values = objectives.checked(told)
            place = given(domain, point)
        except InvalidInput as error:
            raise InvalidInput(f"row {number}: {error}") from None
        payloads.append({"point": place, "values": values, "noise": _noise(deviation, values, objectives)})
    return payloads


def _rows_of(rows: Any) -> list[Mapping[str, Any]]:
    if hasattr(rows, "columns") and hasattr(rows, "to_dict"):
        return [
            {str(name): value for name, value in row.items() if not _empty(value)} for row in rows.to_dict("records")
        ]
    if isinstance(rows, Mapping):
        return [rows]
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise InvalidInput(f"add: got {rows!r}, wanted a list of dicts or a pandas data frame")
    table = list(rows)
    for number, row in enumerate(table):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number}: got {row!r}, wanted a dict of parameters and objectives")
    return table


def _empty(value: object) -> bool:
    """Whether a cell of a data frame is empty: None, nan, NaT or NA, which refuses to be compared."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)  # noqa: PLR0124


def _point_of(number: int, row: Mapping[str, Any], domain: Domain, objectives: Objectives) -> dict[str, Any]:
    """The part of a row that says where."""
    place = {name: value for name, value in row.items() if name not in objectives.names and name not in RESERVED}
    if unknown := [name for name in place if name not in domain.names]:
        wanted = [*domain.names, *objectives.names, *(["row"] if isinstance(domain, Pool) else [])]
        raise InvalidInput(f"row {number}: got {unknown}, wanted names among {wanted}; try to leave the others out")
    if isinstance(domain, Pool) and row.get("row") is not None:
        place["row"] = row["row"]
    return place


def _per_row(noise: Any, count: int) -> Sequence[Any]:
    if noise is None or isinstance(noise, Mapping) or not isinstance(noise, Iterable):
        return [noise] * count
    each = list(noise)
    if len(each) != count:
        raise InvalidInput(f"noise: got {len(each)} entries for {count} rows, wanted one for all or one per row")
    return each


def _noise(noise: Any, values: Mapping[str, float], objectives: Objectives) -> dict[str, float]:
    if isinstance(noise, Mapping):
        for name in noise:
            objectives.index(name)  # refuses what is no objective
        noise = {name: deviation for name, deviation in noise.items() if name in values and deviation is not None}
    return checked_noise(noise, values)
