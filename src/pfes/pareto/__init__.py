"""Dominance, hypervolume, and the cells that dominated and non-dominated regions are cut into.

Every objective is maximised here; infinities are real ones. What cuts into cells is compiled, and is loaded when it is
first used: fronts and hypervolumes need no compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pfes.pareto.cells import Cells
from pfes.pareto.dominance import as_frontier, non_dominated
from pfes.pareto.hypervolume import hypervolume, quick_hypervolume

if TYPE_CHECKING:
    from pfes.pareto.partition import both_sides, dominated_cells, nondominated_cells

__all__ = [
    "Cells",
    "as_frontier",
    "both_sides",
    "dominated_cells",
    "hypervolume",
    "non_dominated",
    "nondominated_cells",
    "quick_hypervolume",
]


def __getattr__(name: str) -> Any:
    if name not in ("both_sides", "dominated_cells", "nondominated_cells"):
        raise AttributeError(f"module 'pfes.pareto' has no attribute {name!r}")
    return getattr(import_module("pfes.pareto.partition"), name)
