"""Test problems with known truths: `problems.get("branin_currin")`, `problems.names()`, or by function.

Each `Problem` has a space or a pool, objectives, the noise-free truth, a reference point and the hypervolume that the
true front has above it; values are in the user's units and directions everywhere.
"""

from pfes.problems.classic import ackley_sphere, branin_currin
from pfes.problems.dtlz import dtlz1, dtlz2, dtlz3, dtlz4, dtlz5, dtlz7
from pfes.problems.engineering import (
    car_side_impact,
    coil_spring,
    concrete_beam,
    four_bar_truss,
    hatch_cover,
    rocket_injector,
    vehicle_safety,
)
from pfes.problems.materials import bismuth_oxide, perovskite
from pfes.problems.problem import Problem
from pfes.problems.registry import all, get, names
from pfes.problems.zdt import zdt1, zdt2, zdt3, zdt4

__all__ = [
    "Problem",
    "ackley_sphere",
    "all",
    "bismuth_oxide",
    "branin_currin",
    "car_side_impact",
    "coil_spring",
    "concrete_beam",
    "dtlz1",
    "dtlz2",
    "dtlz3",
    "dtlz4",
    "dtlz5",
    "dtlz7",
    "four_bar_truss",
    "get",
    "hatch_cover",
    "names",
    "perovskite",
    "rocket_injector",
    "vehicle_safety",
    "zdt1",
    "zdt2",
    "zdt3",
    "zdt4",
]
