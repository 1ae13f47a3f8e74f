"""A point of a domain in the forms it takes: the user's parameters, the encoded x, plain data that JSON can hold.

`given` reads what a user wrote: parameters or, in a pool, {"row": id}. `suggested` takes an encoded point. Both give
plain data, and `read` makes the Point of them: so a study and a file that it was written to know the same points.
`all_given` and `all_read` do so for many points at once, which is several times quicker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.display import cell
from pfes.errors import InvalidInput
from pfes.observations import NO_ROW, SAME
from pfes.space import Choice, Parameter, Pool, Space
from pfes.space.numbers import plain

__all__ = ["Point", "all_given", "all_read", "given", "read", "suggested", "why_outside"]

Array = NDArray[np.float64]
Domain = Space | Pool
Plain = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """One point. row is the user's name of a row of a pool, index its place there (NO_ROW elsewhere)."""

    params: dict[str, Any]
    x: tuple[float, ...]  # (D,)
    row: Any = None
    index: int = NO_ROW
    outside: bool = False

    @property
    def key(self) -> tuple[int | float, ...]:
        """What two trials at the same point have in common: the row, or x up to SAME."""
        return (self.index,) if self.index != NO_ROW else tuple(round(column / SAME) for column in self.x)


def given(domain: Domain, params: Mapping[str, Any]) -> Plain:
    """A user's point as plain data; refused if it is not one."""
    return all_given(domain, [params])[0]


def all_given(domain: Domain, points: Sequence[Mapping[str, Any]]) -> list[Plain]:
    """Users' points as plain data; refused if one of them is not one."""
    for params in points:
        if not isinstance(params, Mapping):
            raise InvalidInput(f"point: got {params!r}, wanted a dict of parameters{_or_row(domain)}")
    if isinstance(domain, Pool):
        return [_given_row(domain, params) for params in points]
    domain.encode(points)
    return [{"params": {name: _written(domain, name, params[name]) for name in domain.names}} for params in points]


def _or_row(domain: Domain) -> str:
    return " or {'row': id}" if isinstance(domain, Pool) else ""


def _given_row(pool: Pool, params: Mapping[str, Any]) -> Plain:
    inputs = {name: value for name, value in params.items() if name != "row"}
    if "row" not in params:
        x = pool.encode([inputs])[0]
        same = np.flatnonzero((np.abs(pool.x - x) < SAME).all(axis=1))
        if not len(same):
            return {"params": {name: plain(value) for name, value in inputs.items()}}
        return {"row": plain(pool.ids[same[0]])}
    index = pool.index_of(params["row"])
    own = pool.params(index)
    if wrong := [name for name, value in inputs.items() if name not in own or own[name] != value]:
        raise InvalidInput(
            f"row {params['row']!r}: got {wrong[0]}={inputs[wrong[0]]!r}, wanted what the pool has there, {own}; "
            "try the row alone"
        )
    return {"row": plain(pool.ids[index])}


def suggested(domain: Domain, x: Array, index: int) -> Plain:
    """An encoded point x (D,) of the domain, or a row of the pool by its place, as plain data."""
    if isinstance(domain, Pool):
        return {"row": plain(domain.ids[index])}
    params = domain.decode(x[None])[0]
    return {"params": {name: _written(domain, name, value) for name, value in params.items()}}


def _written(space: Space, name: str, value: Any) -> Any:
    parameter, value = space.parameters[name], plain(value)
    if not isinstance(parameter, Choice):
        return value if isinstance(value, int | float) else float(value)
    level = parameter.values.index(value)
    own = parameter.values[level]
    return own if own is None or isinstance(own, str | int | float) else {"level": level}


def read(domain: Domain, data: Plain) -> Point:
    """The point that plain data stand for."""
    return all_read(domain, [data])[0]


def all_read(domain: Domain, points: Sequence[Plain]) -> list[Point]:
    """The points that plain data stand for."""
    if isinstance(domain, Pool):
        return [_read_row(domain, data) for data in points]
    if not points:
        return []
    params = [{name: _own(domain, name, value) for name, value in data["params"].items()} for data in points]
    x = domain.encode(params)
    # what Space.contains says, without encoding a second time: a long study is read point by point
    allowed = domain.admissible(x).tolist()
    held = [all(parameter.holds(one[name]) for name, parameter in domain.parameters.items()) for one in params]
    return [
        Point(one, tuple(place), outside=not (here and free))
        for one, place, here, free in zip(params, x.tolist(), held, allowed, strict=True)
    ]


def _read_row(pool: Pool, data: Plain) -> Point:
    if "row" not in data:
        x = pool.encode([data["params"]])[0]
        return Point(dict(data["params"]), tuple(x.tolist()), outside=True)
    index = pool.index_of(data["row"])
    return Point(dict(pool.params(index)), tuple(pool.x[index].tolist()), pool.ids[index], index)


def _own(space: Space, name: str, value: Any) -> Any:
    """The user's own object of a Choice; numbers as they are."""
    parameter = space.parameters[name]
    if not isinstance(parameter, Choice):
        return value
    level = value["level"] if isinstance(value, dict) else parameter.values.index(value)
    return parameter.values[level]


def why_outside(domain: Domain, params: Mapping[str, Any], row: Any = None) -> str:
    """What is wrong with a point that `read` calls outside, in words; empty for one of the domain."""
    if isinstance(domain, Pool):
        return "none of the candidates" if row is None else ""
    wrong = [_beyond(name, it, params[name]) for name, it in domain.parameters.items() if not it.holds(params[name])]
    return ", ".join(wrong) or ("" if domain.contains(params) else "the constraints do not hold")


def _beyond(name: str, parameter: Parameter, value: Any) -> str:
    if isinstance(parameter, Choice):
        return f"{name} {value} is none of its values"
    low, high = cell(parameter.low), cell(parameter.high)
    if parameter.low <= value <= parameter.high:
        return f"{name} {cell(value)} lies between the steps of {cell(parameter.step)} from {low} to {high}"
    return f"{name} {cell(value)} is outside {low} to {high}"
