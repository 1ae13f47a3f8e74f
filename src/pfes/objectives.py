"""What is to be measured: objectives, their goals and costs, and the bundles that are measured together.

This is the one place where signs flip: users give and get values in their own units and direction, everything inside
maximises. `Objectives` is the border: `inward` and `outward` cross it.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.space.names import RESERVED
from pfes.space.numbers import is_finite, plain

__all__ = ["Bundle", "Objective", "Objectives", "Option"]

Array = NDArray[np.float64]
Goal = Literal["max", "min"]
Transform = Literal["none", "log", "power"]


@dataclass(frozen=True)
class Objective:
    """One quantity to be made large or small.

    cost        of one measurement, in any unit of money or time that all objectives share
    threshold   values worse than this are useless to the user; None: the whole front is sought
    resolution  smallest difference worth knowing, a deviation in the user's units; None: 1 % of the front's spread
    noise       known standard deviation of a measurement, in the user's units; None: it is inferred
    transform   "log" for positive values spread over decades, "power" for skewed ones; dominance does not change
    """

    name: str
    goal: Goal = "max"
    cost: float = 1.0
    threshold: float | None = None
    resolution: float | None = None
    noise: float | None = None
    transform: Transform = "none"
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"objective name: got {self.name!r}, wanted a non-empty text")
        if self.name in RESERVED:
            raise InvalidInput(f"objective name: {self.name!r} is a column of to_dataframe(); try another name")
        if self.goal not in ("max", "min"):
            raise InvalidInput(f"goal of {self.name!r}: got {self.goal!r}, wanted 'max' or 'min'")
        if self.transform not in ("none", "log", "power"):
            raise InvalidInput(f"transform of {self.name!r}: got {self.transform!r}, wanted 'none', 'log' or 'power'")
        self._checked("cost", self.cost, least=0.0, open_end=True)
        for what, least in (("threshold", -math.inf), ("resolution", 0.0), ("noise", 0.0)):
            if (number := getattr(self, what)) is not None:
                self._checked(what, number, least=least)
        if self.transform == "log" and self.threshold is not None and self.threshold <= 0.0:
            raise InvalidInput(f"threshold of {self.name!r}: got {self.threshold}, wanted > 0, as transform is 'log'")

    def _checked(self, what: str, number: float, least: float, open_end: bool = False) -> None:
        good = isinstance(number, (int, float, np.number)) and is_finite(number)
        if not good or number < least or (open_end and number == least):
            wanted = (
                "a finite number" if least == -math.inf else f"a finite number {'>' if open_end else '>='} {least:g}"
            )
            raise InvalidInput(f"{what} of {self.name!r}: got {number!r}, wanted {wanted}")

    @property
    def sign(self) -> float:
        """1.0 where larger is better, -1.0 where smaller is."""
        return 1.0 if self.goal == "max" else -1.0

    def checked(self, value: object) -> float:
        """A measured value as a float; refuse what no measurement can be, with a pointer to what to do instead."""
        if isinstance(plain(value), bool):  # numpy's too; float would make 0 or 1 of it
            raise InvalidInput(f"value of {self.name!r}: got {value!r}, wanted a number, not a truth value")
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(f"value of {self.name!r}: got {value!r}, wanted a number") from None
        if not math.isfinite(number):
            raise InvalidInput(
                f"value of {self.name!r}: got {number}, wanted a finite number; a measurement that did not work is "
                "told by failed='why', a point that can never be measured by infeasible='why', one given up by "
                "abandoned='why'"
            )
        if self.transform == "log" and number <= 0.0:
            raise InvalidInput(f"value of {self.name!r}: got {number}, wanted > 0, as transform is 'log'")
        return number


@dataclass(frozen=True)
class Bundle:
    """Objectives that one measurement gives together, at a cost of its own."""

    objectives: tuple[str, ...]
    cost: float

    def __init__(self, objectives: Iterable[str], cost: float) -> None:
        object.__setattr__(self, "objectives", tuple(objectives))
        object.__setattr__(self, "cost", cost)
        if len(self.objectives) < 2 or len(set(self.objectives)) < len(self.objectives):
            raise InvalidInput(f"bundle: got {list(self.objectives)}, wanted at least two different objectives")
        if not (math.isfinite(cost) and cost > 0.0):
            raise InvalidInput(f"cost of bundle {list(self.objectives)}: got {cost!r}, wanted a finite number > 0")


class Option(NamedTuple):
    """A measurement on offer: the objectives it gives (their indices, rising) and what it costs."""

    which: tuple[int, ...]
    cost: float


@dataclass(frozen=True)
class Objectives:
    """All objectives of a study, in their order, and the bundles they can be measured in."""

    items: tuple[Objective, ...]
    bundles: tuple[Bundle, ...] = field(default=())

    def __init__(self, items: Iterable[Objective], bundles: Iterable[Bundle] = ()) -> None:
        object.__setattr__(self, "items", tuple(items))
        object.__setattr__(self, "bundles", tuple(bundles))
        if not self.items or not all(isinstance(item, Objective) for item in self.items):
            raise InvalidInput(f"objectives: got {list(self.items)!r}, wanted one or more of pfes.Objective")
        if len(set(self.names)) < len(self.items):
            raise InvalidInput(f"objectives: got names {list(self.names)}, wanted different ones")
        for bundle in self.bundles:
            if unknown := set(bundle.objectives) - set(self.names):
                raise InvalidInput(f"bundle: got {sorted(unknown)}, wanted names among {list(self.names)}")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Objective]:
        return iter(self.items)

    def __getitem__(self, index: int) -> Objective:
        return self.items[index]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The objectives' names, in their order."""
        return tuple(item.name for item in self.items)

    @cached_property
    def signs(self) -> Array:
        """(L,) 1 or -1: what multiplies the user's values to make larger better."""
        return np.array([item.sign for item in self.items])

    def index(self, name: str) -> int:
        """Where an objective stands in the order."""
        if name not in self.names:
            raise InvalidInput(f"objective: got {name!r}, wanted one of {list(self.names)}")
        return self.names.index(name)

    def inward(self, values: ArrayLike) -> Array:
        """Values (..., L) in the user's direction, turned so that larger is better."""
        return np.asarray(values, dtype=np.float64) * self.signs

    def outward(self, values: ArrayLike) -> Array:
        """The inverse of `inward`."""
        return np.asarray(values, dtype=np.float64) * self.signs

    def cost(self, which: Iterable[int]) -> float:
        """The cheapest way to measure these objectives (indices): alone, or in bundles that hold nothing else."""
        wanted = frozenset(which)
        ways = [(frozenset(self.index(name) for name in bundle.objectives), bundle.cost) for bundle in self.bundles]
        exact = [cost for members, cost in ways if members == wanted]
        if exact:
            return min(exact)
        parts = [sum(self.items[l].cost for l in sorted(wanted))]
        parts += [cost + self.cost(wanted - members) for members, cost in ways if members < wanted]
        return float(min(parts))

    def options(self, decoupled: bool) -> tuple[Option, ...]:
        """What may be measured at a point: everything at once or, decoupled, also each objective and each bundle."""
        everything = tuple(range(len(self)))
        sets = [everything]
        if decoupled:
            sets = [(l,) for l in everything]
            sets += [tuple(sorted(self.index(name) for name in bundle.objectives)) for bundle in self.bundles]
            sets.append(everything)
        return tuple(Option(which, self.cost(which)) for which in dict.fromkeys(sets))

    def named(self, which: Iterable[int]) -> tuple[str, ...]:
        """The names of objectives given by index."""
        return tuple(self.names[l] for l in which)

    def checked(self, values: Mapping[str, object]) -> dict[str, float]:
        """Measured values by name, each checked by its objective."""
        return {name: self.items[self.index(name)].checked(value) for name, value in values.items()}

    @staticmethod
    def of(given: "Objectives | Objective | Sequence[Objective]", bundles: Iterable[Bundle] = ()) -> "Objectives":
        """Objectives from whatever a user may give: themselves, one objective, or several."""
        if isinstance(given, Objectives):
            return given
        if isinstance(given, Objective):
            return Objectives((given,), bundles)
        try:
            return Objectives(given, bundles)
        except TypeError:
            raise InvalidInput(f"objectives: got {given!r}, wanted a list of pfes.Objective") from None
