"""Values as plain data that JSON can hold, and back again: what a file keeps of a study.

Numbers, texts, lists and dicts with texts as keys stand for themselves. Anything else is a dict with one special key:

    {"$": "Real", "low": 0.0, ...}              a value of one of our own classes, by its fields
    {"$float": "inf"}, {"$decimal": "0.1"}      numbers that JSON has no word for
    {"$tuple": [...]}, {"$dict": [[k, v]]}      what JSON would turn into something else
    {"$array": {"type": "<f8", ...}}            numpy arrays, bit for bit
    {"$function": "is_soluble"}                 a function, by its name only

Reading makes nothing but these: a file that somebody sent can be opened without running what is in it. A function is
therefore not read back by itself; whoever opens the file has to give it.
"""

import base64
import dataclasses
import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput, StorageError
from pfes.space import Linear, Pool, Space
from pfes.space.numbers import plain
from pfes.space.tables import Table

__all__ = ["from_data", "to_data"]

Function = Callable[[dict[str, Any]], bool]
Numbers = NDArray[Any]

# Dataclasses that are made again from their fields, by where they live. They are looked up when one is met: settings
# bring models and compilers with them, and most of what is read is points and values.
FIELDED = {
    "pfes.objectives": ("Bundle", "Objective", "Objectives"),
    "pfes.space": ("Choice", "Integer", "Real"),
    "pfes.gp": ("Hyper", "JointHyper", "LogNormal", "Recipe"),
    "pfes.search": ("SearchSettings",),
    "pfes.frontiers": ("FrontierSettings",),
    "pfes.maximise": ("MaximiserSettings",),
    "pfes.task": ("Settings",),
}


def _fielded(name: str) -> Any:
    """The dataclass of that name; None if it is none of those that files may hold."""
    return next((getattr(import_module(home), name) for home, names in FIELDED.items() if name in names), None)


# What a field meant in files from before it existed, where that is not its default today: an old study goes on as it
# began.
BEFORE: dict[str, dict[str, Any]] = {"Recipe": {"additive": 0.0, "alike": 0.0}}


def to_data(value: Any) -> Any:
    """A value as plain data; InvalidInput if a file cannot keep it."""
    value = plain(value)
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, list):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return _dict(value)
    return _marked(value)


def _marked(value: Any) -> dict[str, Any]:
    kind = type(value)
    if kind in TAGGED:
        tag, write, _ = TAGGED[kind]
        return {tag: write(value)}
    if _fielded(kind.__name__) is kind:
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {"$": kind.__name__, **{name: to_data(part) for name, part in parts.items()}}
    if callable(value):
        return {"$function": _name(value)}
    raise InvalidInput(
        f"got {value!r} ({kind.__name__}), which a file cannot keep; try a text or a number in its place"
    )


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _dict(value: Mapping[Any, Any]) -> dict[str, Any]:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {key: to_data(item) for key, item in value.items()}
    return {"$dict": [[to_data(key), to_data(item)] for key, item in value.items()]}


def _array(value: Numbers) -> dict[str, Any]:
    if value.dtype.kind not in "iufb":
        raise InvalidInput(f"got an array of type {value.dtype}, which a file cannot keep; try numbers or a list")
    raw = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
    return {"type": value.dtype.str, "shape": list(value.shape), "bytes": raw}


def _to_array(data: dict[str, Any]) -> Numbers:
    raw = base64.b64decode(data["bytes"])
    return np.frombuffer(raw, dtype=np.dtype(data["type"])).reshape(data["shape"])  # read-only: a view of the bytes


def _space(space: Space) -> dict[str, Any]:
    parameters = [[name, to_data(parameter)] for name, parameter in space.parameters.items()]
    return {"parameters": parameters, "constraints": to_data(list(space.constraints)), "held": to_data(space.held)}


def _pool(pool: Pool) -> dict[str, Any]:
    columns = [[name, to_data(column)] for name, column in pool.columns.items()]
    return {"columns": columns, "inputs": list(pool.names), "ids": to_data(list(pool.ids))}


def _linear(linear: Linear) -> dict[str, Any]:
    return {"weights": to_data(linear.weights), "lower": to_data(linear.lower), "upper": to_data(linear.upper)}


class _Reader:
    """Makes values of plain data; functions are taken, in their order, from those given."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.functions = list(functions)

    def value(self, data: Any) -> Any:
        if isinstance(data, list):
            return [self.value(item) for item in data]
        if not isinstance(data, dict):
            return data
        tag = next((key for key in data if key.startswith("$")), None)
        if tag is None:
            return {key: self.value(item) for key, item in data.items()}
        if tag == "$":
            return self.fielded(data)
        if tag not in READERS:
            raise StorageError(f"got data marked {tag!r}, which this version does not know; try a newer pfes")
        return READERS[tag](self, data[tag])

    def fielded(self, data: dict[str, Any]) -> Any:
        kind = _fielded(data["$"])
        known = {field.name for field in dataclasses.fields(kind)} if kind else set()
        if kind is None or not set(data) - {"$"} <= known:
            extra = sorted(set(data) - {"$"} - known)
            what = f"{data['$']} with {extra}" if kind else data["$"]
            raise StorageError(f"got a {what}, which this version does not know; try a newer pfes")
        parts = {name: self.value(part) for name, part in data.items() if name != "$"}
        return kind(**BEFORE.get(data["$"], {}) | parts)

    def function(self, name: str) -> Function:
        if not self.functions:
            raise InvalidInput(
                f"the study has the constraint {name}, a function, of which a file keeps the name only; try "
                f"open_study(..., constraints=[{name}])"
            )
        found = self.functions.pop(0)
        if _name(found) != name:
            raise InvalidInput(
                f"constraints: got {_name(found)}, wanted {name}, as when the study was made; try that order"
            )
        return found

    def pairs(self, data: list[list[Any]]) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in data}

    def space(self, data: dict[str, Any]) -> Space:
        parameters = {name: self.value(parameter) for name, parameter in data["parameters"]}
        space = Space(parameters, constraints=self.value(data["constraints"]))
        held = self.value(data["held"])
        return space.fix(**held) if held else space

    def pool(self, data: dict[str, Any]) -> Pool:
        columns = {name: self.value(column) for name, column in data["columns"]}
        return Pool(Table(columns), data["inputs"], ids=self.value(data["ids"]))

    def linear(self, data: dict[str, Any]) -> Linear:
        bounds = {side: self.value(data[side]) for side in ("lower", "upper")}
        return Linear(self.value(data["weights"]), **bounds)


def from_data(data: Any, functions: Sequence[Function] = ()) -> Any:
    """The value that plain data stand for; functions: those that it holds, in their order."""
    reader = _Reader(functions)
    value = reader.value(data)
    if reader.functions:
        raise InvalidInput(f"constraints: got {len(reader.functions)} functions more than the study was made with")
    return value


# type -> (tag, how it is written, how it is read)
TAGGED: dict[type, tuple[str, Callable[[Any], Any], Callable[[_Reader, Any], Any]]] = {
    float: ("$float", repr, lambda reader, text: float(text)),  # those that are not finite
    complex: ("$complex", repr, lambda reader, text: complex(text)),
    Decimal: ("$decimal", str, lambda reader, text: Decimal(text)),
    Fraction: ("$fraction", str, lambda reader, text: Fraction(text)),
    bytes: ("$raw", lambda raw: base64.b64encode(raw).decode("ascii"), lambda reader, text: base64.b64decode(text)),
    tuple: (
        "$tuple",
        lambda items: [to_data(item) for item in items],
        lambda reader, items: tuple(reader.value(items)),
    ),
    datetime.datetime: ("$datetime", lambda at: at.isoformat(), lambda reader, s: datetime.datetime.fromisoformat(s)),
    datetime.date: ("$date", lambda day: day.isoformat(), lambda reader, text: datetime.date.fromisoformat(text)),
    np.ndarray: ("$array", _array, lambda reader, data: _to_array(data)),
    Linear: ("$linear", _linear, _Reader.linear),
    Space: ("$space", _space, _Reader.space),
    Pool: ("$pool", _pool, _Reader.pool),
}

READERS: dict[str, Callable[[_Reader, Any], Any]] = {
    "$dict": _Reader.pairs,
    "$function": _Reader.function,
    **{tag: read for tag, _, read in TAGGED.values()},
}
