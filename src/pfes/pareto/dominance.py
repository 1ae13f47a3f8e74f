"""Which points are not dominated: maximisation; b dominates a if b >= a everywhere and b > a somewhere."""

import moocore
import numpy as np
import numpy.typing as npt

from pfes.pareto.ranks import ranked
from pfes.pareto.tables import frontier_table, point_table

__all__ = ["as_frontier", "non_dominated"]


def non_dominated(points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Mark the points that no other point dominates; of exact duplicates only the first is marked.

    Args:
        points: (S, L), maximised; infinities are allowed, S may be 0.

    Returns:
        mask: (S,).
    """
    return _mask(point_table(points))


def as_frontier(points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Check `points`, drop the dominated and the repeated, and sort the rest.

    The result does not depend on the order of the rows given. A coordinate may be +inf: the virtual point
    (t_1, inf, ..., inf) says that nothing below t_1 in objective 1 is wanted (theory 4).

    Args:
        points: (S', L), maximised.

    Returns:
        frontier: (S, L), S >= 1, a new C-contiguous array, rows in lexicographic order.

    Raises:
        InvalidFrontier: `points` is empty, ragged, not two-dimensional, or holds nan or -inf.
    """
    table = frontier_table(points) + 0.0  # -0.0 becomes 0.0: equal rows are then identical ones
    kept = table[_mask(table)]
    return np.ascontiguousarray(kept[np.lexsort(kept.T[::-1])])


def _mask(table: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    if not np.isfinite(table).all():
        # moocore 0.3 marks wrong points, or crashes, when L >= 3 and a coordinate is infinite: give it places instead
        table = ranked(table)[0].astype(np.float64)
    mask: npt.NDArray[np.bool_] = moocore.is_nondominated(table, maximise=True, keep_weakly=False)
    return mask
