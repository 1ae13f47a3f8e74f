"""Problems at their usual size, each built once: they are frozen, and one of them has two million inputs."""

from functools import cache

from pfes import problems

NAMES = problems.names()
POOLS = ("bismuth_oxide", "perovskite")
FRONT_NOT_KNOWN = ("vehicle_safety", "rocket_injector", "car_side_impact")
FRONT_KNOWN = tuple(name for name in NAMES if name not in FRONT_NOT_KNOWN)


@cache
def usual(name: str) -> problems.Problem:
    return problems.get(name)
