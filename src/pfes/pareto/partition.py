"""A frontier's dominated region, and the rest of space, as disjoint cells (theory 7)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.pareto import grid, hbda, qhv, staircase
from pfes.pareto.cells import Cells
from pfes.pareto.dominance import as_frontier

__all__ = ["PARTITIONS", "both_sides", "dominated_cells", "nondominated_cells"]

Partition = Callable[[npt.NDArray[np.float64]], Cells]

PARTITIONS: Mapping[str, Partition] = MappingProxyType(
    {"hbda": hbda.dominated, "qhv": qhv.dominated, "grid": grid.dominated}
)


def dominated_cells(points: npt.ArrayLike, partition: str = "hbda") -> Cells:
    """Cut the region {f : f <= p for some p of `points`} into disjoint cells that reach down to -inf.

    The cells do not depend on the order of the rows. With two objectives "hbda" and "qhv" are the staircase, one cell
    for each point that counts.

    Args:
        points: (S, L), maximised; dominated points, duplicates, ties and +inf are allowed.
        partition: "hbda", the fewest cells; "qhv", the paper's; "grid", every cell of the grid of all values,
            about S^L of them: for comparison only.

    Raises:
        InvalidFrontier: `points` is empty, ragged, not two-dimensional, or holds nan or -inf.
        InvalidInput: an unknown partition, or a grid too large to make.
    """
    check_partition(partition)
    frontier = as_frontier(points)
    if frontier.shape[1] == 2 and partition != "grid":
        return staircase.dominated(frontier)
    return PARTITIONS[partition](frontier)


def check_partition(partition: str) -> None:
    """Refuse a partition that does not exist."""
    if not isinstance(partition, str) or partition not in PARTITIONS:
        known = ", ".join(repr(name) for name in PARTITIONS)
        raise InvalidInput(
            f"got partition {partition!r}; wanted one of {known}; try 'hbda', which makes the fewest cells"
        )


def nondominated_cells(points: npt.ArrayLike) -> Cells:
    """Cut the region that no point dominates into disjoint cells; none if a point is +inf everywhere.

    Together with `dominated_cells(points)` they fill space. Where no two points share a coordinate no partition has
    fewer cells; S + 1 of them for two objectives, 2 S + 1 for three.

    Args:
        points: (S, L), maximised; dominated points, duplicates, ties and +inf are allowed.

    Raises:
        InvalidFrontier: `points` is empty, ragged, not two-dimensional, or holds nan or -inf.
    """
    frontier = as_frontier(points)
    return staircase.nondominated(frontier) if frontier.shape[1] == 2 else hbda.nondominated(frontier)


def both_sides(frontier: npt.NDArray[np.float64], partition: str = "hbda") -> tuple[Cells, Cells]:
    """Cells below and above a frontier (S, L) that `as_frontier` gave: the two functions above in one pass."""
    check_partition(partition)
    if frontier.shape[1] == 2:
        below = PARTITIONS[partition] if partition == "grid" else staircase.dominated
        return below(frontier), staircase.nondominated(frontier)
    below_hbda, above = hbda.both(frontier)
    return (below_hbda if partition == "hbda" else PARTITIONS[partition](frontier)), above
