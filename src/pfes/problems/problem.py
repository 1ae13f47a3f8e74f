"""What a test problem is: a space or a pool, objectives, their true values, and the hypervolume there is to gain.

| symbol | meaning | shape | name in code |
|---|---|---|---|
| x | encoded points of a space, or row numbers of a pool | (N, D) or (N,) | `x` |
| p | the same points in the user's units, columns in the space's order | (N, d) | `natural` |
| y | noise-free values of the objectives in the user's units | (N, L) | `values` |
| r | reference point, worse than all that is of interest | (L,) | `reference` |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any, ParamSpec, SupportsIndex

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.objectives import Objectives
from pfes.pareto import hypervolume
from pfes.space import Pool, Space

__all__ = ["Problem", "rebuildable"]

Array = npt.NDArray[np.float64]
Rows = Sequence[Mapping[str, Any]]
Given = ParamSpec("Given")


@dataclass(frozen=True, eq=False)
class Problem:
    """A multi-objective problem whose truth is known; values everywhere in the user's units and directions.

    Attributes:
        name: as in `problems.get(name)`.
        space: the Space, or the Pool, that candidates come from.
        objectives: L objectives with goals, units and costs, ready for a study.
        truth: noise-free values (N, L); of a space's points in the user's units (N, d), of a pool's row numbers (N,).
        reference: (L,), the hypervolume's reference point.
        optimum: the largest hypervolume above `reference`; the docstring of each problem says how well it is known.
        sample: sample(count) gives about `count` points of the true front, (S, L); None where it is not known.
        noise: (L,), standard deviations of a measurement's error, added only where a generator is given.
        made: builds the same problem again; how a problem of this package travels to another process.
    """

    name: str
    space: Space | Pool
    objectives: Objectives
    truth: Callable[[Any], Array] = field(repr=False)
    reference: Array
    optimum: float
    sample: Callable[[int], Array] | None = field(default=None, repr=False)
    noise: Array = field(default_factory=lambda: np.zeros(0))
    made: "Callable[[], Problem] | None" = field(default=None, repr=False)

    def __post_init__(self) -> None:
        L = len(self.objectives)
        noise = self.noise if len(self.noise) else np.zeros(L)
        for name, given in (("reference", self.reference), ("noise", noise)):
            vector = np.array(given, dtype=np.float64)
            if vector.shape != (L,):
                raise InvalidInput(
                    f"got a {name} of shape {vector.shape}; wanted one number for each of {L} objectives"
                )
            vector.setflags(write=False)
            object.__setattr__(self, name, vector)

    def __repr__(self) -> str:
        kind = f"{len(self.space)} rows" if isinstance(self.space, Pool) else f"{len(self.space.names)} parameters"
        return f"Problem({self.name!r}, {kind}, objectives={', '.join(self.names)}, optimum={self.optimum:.6g})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self.made is None else (self.made, ())

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives' names."""
        return self.objectives.names

    def evaluate(self, given: Any, rng: np.random.Generator | None = None) -> dict[str, float]:
        """Measure one point: {objective's name: value}; with the problem's noise if a generator is given.

        Args:
            given: {parameter's name: value}, or a trial. Of a trial only the objectives it names are measured, and a
                trial of a pool is found by its row.
            rng: draws the error of the measurement; without it the truth is told.
        """
        wanted = getattr(given, "objectives", None) or self.names
        row = getattr(given, "row", None)
        if isinstance(self.space, Pool) and row is not None:
            told = self.evaluate_row(self.space.index_of(row), rng)
        else:
            told = self._told(self.values([getattr(given, "params", given)])[0], rng)
        return {name: value for name, value in told.items() if name in wanted}

    def evaluate_row(self, row: int, rng: np.random.Generator | None = None) -> dict[str, float]:
        """Measure one row of the pool: {objective's name: value}; with noise if a generator is given."""
        if not isinstance(self.space, Pool):
            raise InvalidInput(
                f"got row {row} of {self.name!r}, which has a space; wanted a pool; try evaluate(params)"
            )
        return self._told(self.values([row])[0], rng)

    def _told(self, truth: Array, rng: np.random.Generator | None) -> dict[str, float]:
        error = np.zeros(len(truth)) if rng is None else self.noise * rng.standard_normal(len(truth))
        return dict(zip(self.names, (truth + error).tolist(), strict=True))

    def values(self, x: npt.ArrayLike | Rows) -> Array:
        """Noise-free values (N, L) of many points.

        Args:
            x: encoded points (N, D) of a space or row numbers (N,) of a pool; or a sequence of N parameter mappings.
        """
        if isinstance(x, Sequence) and len(x) and isinstance(x[0], Mapping):
            return self.truth(self._rows(x) if isinstance(self.space, Pool) else self._natural(x))  # type: ignore[arg-type]
        if isinstance(self.space, Pool):
            return self.truth(self._checked(x))
        return self.truth(self._natural(self.space.decode(np.asarray(x, dtype=np.float64))))

    def _natural(self, rows: Rows) -> Array:
        assert isinstance(self.space, Space)
        self.space.encode(rows)  # says what is wrong with them, if anything is
        return np.array([[row[name] for name in self.space.names] for row in rows], dtype=np.float64)

    def _rows(self, rows: Rows) -> npt.NDArray[np.intp]:
        assert isinstance(self.space, Pool)
        apart = [np.abs(self.space.x - point).max(axis=1) for point in self.space.encode(rows)]
        strangers = [index for index, distance in enumerate(apart) if distance.min() > 1e-9]
        if strangers:
            raise InvalidInput(
                f"got parameters that no row of {self.name!r} has (number {strangers[0]}); "
                "wanted those of a row; try problem.space.params(row), or evaluate_row(row)"
            )
        return np.array([distance.argmin() for distance in apart], dtype=np.intp)

    def _checked(self, x: Any) -> npt.NDArray[np.intp]:
        rows = np.asarray(x)
        size = len(self.space)  # type: ignore[arg-type]
        if rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer) or (rows < 0).any() or (rows >= size).any():
            raise InvalidInput(f"got {x!r}; wanted row numbers from 0 to {size - 1}, or a list of parameter mappings")
        return rows.astype(np.intp)

    def hypervolume(self, values: npt.ArrayLike) -> float:
        """Hypervolume that measured `values` (n, L) dominate above the reference point.

        Values are in the user's units and directions; a row in which an objective is missing (nan) adds nothing.
        """
        table = np.asarray(values, dtype=np.float64).reshape(-1, len(self.objectives))
        complete = table[~np.isnan(table).any(axis=1)]
        return hypervolume(self.objectives.inward(complete), self.objectives.inward(self.reference))

    def share(self, values: npt.ArrayLike) -> float:
        """Hypervolume of measured `values` (n, L) over the optimal one: from 0 to 1."""
        return self.hypervolume(values) / self.optimum

    def front(self, count: int = 200) -> Array:
        """About `count` points of the true front, (S, L); of a pool: all of its non-dominated rows."""
        if self.sample is None:
            raise InvalidInput(
                f"got a request for the front of {self.name!r}, which has no formula; wanted a problem with a known "
                "front; try problem.share(values), which needs none"
            )
        return self.sample(count)


def rebuildable(function: Callable[Given, Problem]) -> Callable[Given, Problem]:
    """Make the problems that `function` builds remember how they were built: their formulas alone cannot be pickled."""

    @wraps(function)
    def build(*args: Given.args, **kwargs: Given.kwargs) -> Problem:
        return replace(function(*args, **kwargs), made=partial(build, *args, **kwargs))

    return build
