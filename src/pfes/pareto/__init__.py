"""Dominance, hypervolume, and the cells that dominated and non-dominated regions are cut into.

Every objective is maximised here; infinities are real ones.
"""

from pfes.pareto.cells import Cells
from pfes.pareto.dominance import as_frontier, non_dominated
from pfes.pareto.hypervolume import hypervolume, quick_hypervolume
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
