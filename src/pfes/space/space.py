"""A space of parameters: between the user's dicts and rows of the unit cube, both ways.

| symbol | meaning | shape | in code |
|---|---|---|---|
| d | parameters | | len(names) |
| D | encoded columns | | width |
| N | points | | |
| x | encoded points | (N, D) | x |

A point that the user could be told to measure is *decodable*: inside the box, on every grid. `snap` finds the nearest.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.space import sampling
from pfes.space.axes import Levels, Line
from pfes.space.constraints import Constraint, Linear, verdict
from pfes.space.names import check_name, columns_of_rows, shown
from pfes.space.parameters import Choice, Integer, Parameter, Real

__all__ = ["Space"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)

# How far outside the encoded box a point still counts as inside.
NOISE = 1e-9


class Space:
    """Named parameters and constraints on them; frozen, equal by value.

    Space(x=Real(0, 1), t=Integer(300, 900), dopant=Choice(["Er", "Nb"]), constraints=[Linear({"x": 1}, upper=0.5)])
    or Space({"x": Real(0, 1), ...}) where names are not Python's. A constraint is a Linear or a function of the
    parameters' dict that says True or False.
    """

    _parameters: dict[str, Parameter]
    _held: dict[str, Any]
    constraints: tuple[Constraint, ...]

    def __init__(
        self,
        parameters: Mapping[str, Parameter] | None = None,
        /,
        *,
        constraints: Iterable[Constraint] | Constraint = (),
        **named: Parameter,
    ) -> None:
        every = _merged(parameters, named)
        limits = tuple(constraints) if isinstance(constraints, Iterable) else (constraints,)
        for limit in limits:
            _check_constraint(limit, every)
        self.__dict__.update(_parameters=every, _held={}, constraints=limits)

    # What it consists of

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, in order."""
        return dict(self._parameters)

    @property
    def held(self) -> dict[str, Any]:
        """The values of the parameters held by `fix`."""
        return dict(self._held)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the d parameters."""
        return tuple(self._parameters)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Which columns of x belong to which parameter."""
        ends = [0, *itertools.accumulate(p.axis.width for p in self._parameters.values())]
        return {name: slice(*pair) for name, pair in zip(self.names, itertools.pairwise(ends), strict=True)}

    @property
    def width(self) -> int:
        """D, the number of encoded columns."""
        return len(self.groups)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """Which parameter, hence which length scale, each column belongs to: (D,)."""
        return _read_only(np.repeat(np.arange(len(self.names)), [p.axis.width for p in self._parameters.values()]))

    @cached_property
    def free(self) -> Mask:
        """Which columns move continuously: Real without step, not held: (D,)."""
        free = [isinstance(p.axis, Line) and name not in self._held for name, p in self._parameters.items()]
        return _read_only(np.array(free)[self.groups])

    @property
    def lower(self) -> Array:
        """Lower bounds of the encoded box: (D,)."""
        return self._box[0]

    @property
    def upper(self) -> Array:
        """Upper bounds of the encoded box, equal to the lower ones where a parameter is held: (D,)."""
        return self._box[1]

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        boxes = [
            (self._pinned[name], self._pinned[name]) if name in self._held else p.axis.box
            for name, p in self._parameters.items()
        ]
        lower, upper = (np.concatenate(side) for side in zip(*boxes, strict=True))
        return _read_only(lower), _read_only(upper)

    @cached_property
    def _pinned(self) -> dict[str, Array]:
        return {name: self._parameters[name].encode([value], name)[0] for name, value in self._held.items()}

    @cached_property
    def size(self) -> float:
        """Number of distinct points, constraints apart; inf if any parameter is continuous."""
        return math.prod(float(p.axis.count) for name, p in self._parameters.items() if name not in self._held)

    # Between the user's units and the unit cube

    def encode(self, rows: Sequence[Mapping[str, Any]]) -> Array:
        """Encode N points given as dicts -> (N, D). Values outside the bounds are kept, and lie outside the box."""
        columns = columns_of_rows(rows, self.names)
        parts = [p.encode(columns[name], name) for name, p in self._parameters.items()]
        return np.concatenate(parts, axis=1)

    def decode(self, x: ArrayLike) -> list[dict[str, Any]]:
        """Decode (N, D) into N dicts in the user's units: inside the bounds, on the grids."""
        points = self._points(x)
        columns = [self._decoded(name, points) for name in self.names]
        return [dict(zip(self.names, values, strict=True)) for values in zip(*columns, strict=True)]

    def _decoded(self, name: str, x: Array) -> list[Any]:
        if name in self._held:
            return [self._held[name]] * len(x)
        return self._parameters[name].decode(x[:, self.slices[name]])

    def snap(self, x: ArrayLike) -> Array:
        """Move each point (N, D) to the nearest decodable one: the same as encode(decode(x)), without the dicts."""
        points = self._points(x)
        snapped = np.empty_like(points)
        for name, parameter in self._parameters.items():
            at = self.slices[name]
            snapped[:, at] = self._pinned[name] if name in self._held else parameter.axis.snap(points[:, at])
        return snapped

    def keys(self, x: ArrayLike) -> list[bytes]:
        """Give the identity of each point (N, D): equal for points that decode to the same but for float noise."""
        points = self._points(x)
        marks = np.stack([p.axis.marks(points[:, self.slices[name]]) for name, p in self._parameters.items()], axis=1)
        raw, size = (marks + 0.0).tobytes(), marks.shape[1] * 8  # + 0.0: -0.0 has other bytes than 0.0
        return [raw[start : start + size] for start in range(0, len(raw), size)]

    def _points(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=float)
        if points.ndim != 2 or points.shape[1] != self.width:
            raise InvalidInput(f"points of shape {points.shape}, wanted (N, {self.width}): one row per point")
        if np.isnan(points).any():
            raise InvalidInput("encoded points contain nan: they come from a failed computation, not from `encode`")
        return points

    # What is allowed

    def admissible(self, x: ArrayLike) -> Mask:
        """Tell where the constraints hold, at the decoded points (N, D) -> (N,); False outside the box."""
        points = self._points(x)
        inside = (points >= self.lower - NOISE) & (points <= self.upper + NOISE)
        held: Mask = np.logical_and.reduce(inside, axis=1)
        linear = [limit for limit in self.constraints if isinstance(limit, Linear)]
        if linear:
            wanted = {name for limit in linear for name in limit.weights}
            numbers = {name: self._numbers(name, points) for name in wanted}
            for limit in linear:
                held &= limit.holds(numbers)
        if self.judged:
            open_ = np.flatnonzero(held)  # functions are slow: ask them about what is still allowed only
            held[open_] = [self._allowed(params) for params in self.decode(points[open_])]
        return held

    @property
    def judged(self) -> bool:
        """Whether some constraint is a function, asked point by point."""
        return any(not isinstance(limit, Linear) for limit in self.constraints)

    def _numbers(self, name: str, x: Array) -> Array:
        if name in self._held:
            return np.full(len(x), float(self._held[name]))
        return self._parameters[name].numbers(x[:, self.slices[name]])

    def _allowed(self, params: dict[str, Any]) -> bool:
        return all(verdict(limit, params) for limit in self.constraints if not isinstance(limit, Linear))

    def contains(self, params: Mapping[str, Any]) -> bool:
        """Tell whether a dict names a point of the space: all parameters, inside the bounds, on the grids, allowed."""
        try:
            x = self.encode([params])
        except InvalidInput:
            return False
        inside = all(p.holds(params[name]) for name, p in self._parameters.items())
        return inside and bool(self.admissible(x)[0])

    def fix(self, **values: Any) -> "Space":
        """Give the same space, equally encoded, with these parameters held at these values."""
        held = {name: self._own(name, value) for name, value in values.items()}
        space = object.__new__(Space)
        space.__dict__.update(self.__getstate__(), _held=self._held | held)
        return space

    def _own(self, name: str, value: Any) -> Any:
        """Give a value as `decode` would: 3.0 of an Integer as 3."""
        if name not in self._parameters:
            raise InvalidInput(f"fix: no parameter {name!r}, wanted one of {shown(self.names)}")
        parameter = self._parameters[name]
        x = parameter.encode([value], name)
        if not parameter.holds(value):
            raise InvalidInput(f"fix: {name}={value!r} is not in {parameter}: fix it at a value that is")
        return parameter.decode(x)[0]

    # Points of it

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Draw admissible points uniformly, with repetition: (count, D); every level of a grid is equally likely."""
        return sampling.random(self, count, rng)

    def sobol(self, count: int, rng: np.random.Generator) -> Array:
        """Spread admissible distinct points evenly (scrambled Sobol): (count, D), or all there are if fewer."""
        return sampling.sobol(self, count, rng)

    def grid(self) -> Array:
        """All admissible points of a finite space: (N, D)."""
        return sampling.grid(self)

    def place(self, u: Array) -> Array:
        """Turn uniform numbers in [0, 1), one per parameter (N, d), into decodable points (N, D)."""
        return self._assembled(len(u), [p.axis.draw(u[:, i]) for i, p in enumerate(self._parameters.values())])

    def everything(self) -> Array:
        """All decodable points of a finite space, allowed or not: (size, D)."""
        axes = [p.axis for name, p in self._parameters.items() if name not in self._held]
        levels = np.unravel_index(np.arange(int(self.size)), [int(axis.count) for axis in axes] or [1])
        each = (cast(Levels, axis).at(level) for axis, level in zip(axes, levels, strict=bool(axes)))
        return self._assembled(
            int(self.size), [np.empty((0, 0)) if n in self._held else next(each) for n in self.names]
        )

    def _assembled(self, count: int, parts: list[Array]) -> Array:
        for i, name in enumerate(self.names):
            if name in self._held:
                parts[i] = np.tile(self._pinned[name], (count, 1))
        return np.concatenate(parts, axis=1)

    def neighbours(self, x: ArrayLike) -> Array:
        """Admissible points (K, D) that differ from the point x (D,), once snapped, in one discrete parameter.

        All other values of a Choice; on a grid those 1, 2, 4, ... steps away and both ends.
        """
        here = self.snap(np.asarray(x, dtype=float).reshape(1, -1))
        found = [here[:0]]
        for name, parameter in self._parameters.items():
            if name not in self._held and isinstance(parameter.axis, Levels):
                at = self.slices[name]
                others = parameter.axis.at(parameter.axis.moves(int(parameter.axis.level(here[:, at])[0])))
                moved = np.tile(here, (len(others), 1))
                moved[:, at] = others
                found.append(moved)
        points = np.concatenate(found)
        return points[self.admissible(points)]

    # A value like any other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Space is frozen: make a new one with another {name}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("_parameters", "_held", "constraints")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _key(self) -> tuple[object, ...]:
        # the order of the parameters is part of the encoding
        return (
            tuple(self._parameters.items()),
            self.constraints,
            tuple(sorted(self._held.items(), key=lambda kv: kv[0])),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        parts = [f"{name}={p!r}" for name, p in self._parameters.items()]
        if not all(name.isidentifier() for name in self.names):
            parts = ["{" + ", ".join(f"{name!r}: {p!r}" for name, p in self._parameters.items()) + "}"]
        parts += [f"constraints={list(self.constraints)!r}"] if self.constraints else []
        held = ", ".join(f"{name}={value!r}" for name, value in self._held.items())
        return f"Space({', '.join(parts)})" + (f".fix({held})" if held else "")


def _merged(parameters: Mapping[str, Parameter] | None, named: Mapping[str, Parameter]) -> dict[str, Parameter]:
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InvalidInput(
            f"Space got a {type(parameters).__name__}, wanted Space(x=Real(0, 1)) or a dict of parameters"
        )
    every = {**(parameters or {}), **named}
    if len(every) < len(parameters or {}) + len(named):
        raise InvalidInput(f"Space got {shown(sorted(set(parameters or ()) & set(named)))} twice: name each once")
    if not every:
        raise InvalidInput("Space has no parameters, wanted at least one: Space(x=Real(0, 1))")
    for name, parameter in every.items():
        check_name(name)
        if not isinstance(parameter, Real | Integer | Choice):
            raise InvalidInput(f"{name!r} is {parameter!r}, wanted a Real, an Integer or a Choice: Real(0, 1)")
    return every


def _check_constraint(limit: object, parameters: Mapping[str, Parameter]) -> None:
    if not isinstance(limit, Linear):
        if not callable(limit):
            raise InvalidInput(f"a constraint is {limit!r}, wanted a Linear or a function of the parameters")
        return
    for name in limit.weights:
        if name not in parameters:
            raise InvalidInput(f"{limit} speaks of {name!r}, wanted one of {shown(tuple(parameters))}")
        parameter = parameters[name]
        if isinstance(parameter, Choice) and not parameter.numeric:
            raise InvalidInput(f"{limit} adds up {name!r}, which is no number: write that constraint as a function")


def _read_only(array: NDArray[T]) -> NDArray[T]:
    array.setflags(write=False)
    return array
