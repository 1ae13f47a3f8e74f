"""pfes: what to measure next when several goals compete, by Pareto-frontier entropy search.

The numerical heart is public and needs no study:

    from pfes.pareto import dominated_cells, non_dominated, hypervolume
    from pfes.information import coupled, decoupled, prepare
"""

from pfes.errors import InvalidFrontier, InvalidInput, PfesError

__all__ = ["InvalidFrontier", "InvalidInput", "PfesError"]

__version__ = "0.1.0"
