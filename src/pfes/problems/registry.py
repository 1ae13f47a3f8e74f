"""Test problems by name."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from pfes.errors import InvalidInput
from pfes.problems import classic, dtlz, engineering, materials, zdt
from pfes.problems.problem import Problem

__all__ = ["all", "get", "names"]

_FACTORIES: dict[str, Callable[..., Problem]] = {
    factory.__name__: factory
    for factory in (
        classic.ackley_sphere,
        classic.branin_currin,
        zdt.zdt1,
        zdt.zdt2,
        zdt.zdt3,
        zdt.zdt4,
        dtlz.dtlz1,
        dtlz.dtlz2,
        dtlz.dtlz3,
        dtlz.dtlz4,
        dtlz.dtlz5,
        dtlz.dtlz7,
        engineering.four_bar_truss,
        engineering.concrete_beam,
        engineering.hatch_cover,
        engineering.coil_spring,
        engineering.vehicle_safety,
        engineering.rocket_injector,
        engineering.car_side_impact,
        materials.bismuth_oxide,
        materials.perovskite,
    )
}


def names() -> tuple[str, ...]:
    """The names that `get` knows."""
    return tuple(_FACTORIES)


def get(name: str, **arguments: Any) -> Problem:
    """The problem of that name; capitals, blanks and hyphens do not matter.

    Args:
        name: one of `names()`.
        arguments: for those that come in sizes: d (parameters), L (objectives), reference; as in `get("dtlz2", L=3)`.
    """
    plain = str(name).strip().lower().replace("-", "_").replace(" ", "_").replace("/", "_")
    if plain not in _FACTORIES:
        near = get_close_matches(plain, _FACTORIES, n=3, cutoff=0.5)
        hint = f"try {' or '.join(map(repr, near))}" if near else "problems.names() lists them"
        raise InvalidInput(f"got the problem {name!r}; wanted one of {', '.join(_FACTORIES)}; {hint}")
    try:
        return _FACTORIES[plain](**arguments)
    except TypeError as error:
        raise InvalidInput(
            f"got {arguments} for the problem {plain!r}: {error}; wanted the arguments of its function"
        ) from None


def all() -> tuple[Problem, ...]:
    """Every problem at its usual size."""
    return tuple(factory() for factory in _FACTORIES.values())
