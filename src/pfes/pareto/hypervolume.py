"""The volume that points dominate above a reference point: for plots and tests, never needed by the search."""

import contextlib

import moocore
import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidInput
from pfes.pareto.tables import point_table

__all__ = ["hypervolume", "quick_hypervolume"]

MOST = {5: 300, 6: 120}  # points whose hypervolume takes milliseconds; with fewer objectives any number does


def hypervolume(points: npt.ArrayLike, ref: npt.ArrayLike) -> float:
    """Measure the region dominated by `points` and above `ref`; every objective is maximised.

    Args:
        points: (S, L); a point that is not above `ref` in every objective adds nothing, and no points give 0.0.
            A coordinate +inf is refused: the answer would be inf or, next to a vanishing side, undefined.
        ref: (L,), finite.

    Raises:
        InvalidInput: shapes that do not match, nan, +inf in `points`, or a reference point that is not finite.
    """
    corner = _reference(ref)
    with contextlib.suppress(ValueError):  # ragged: point_table says so better
        if np.size(points) == 0:  # before the check of shapes, so that [] will do
            return 0.0
    table = point_table(points)
    if table.shape[1] != len(corner):
        raise InvalidInput(
            f"got points with {table.shape[1]} objectives and a reference point with {len(corner)}; "
            "wanted as many in both; try ref of shape (L,) for points of shape (S, L)"
        )
    if np.isposinf(table).any():
        row = int(np.isposinf(table).any(axis=1).argmax())
        raise InvalidInput(
            f"got +inf in row {row}; wanted points that dominate a finite volume; "
            "try leaving virtual points (thresholds) out, or np.minimum(points, bound)"
        )
    above = table[(table > corner).all(axis=1)]
    return float(moocore.hypervolume(above, ref=corner, maximise=True)) if len(above) else 0.0


def quick_hypervolume(points: npt.NDArray[np.float64], ref: npt.NDArray[np.float64]) -> float:
    """`hypervolume`, for L >= 5 of the points (S, L) with the largest boxes above ref (L,) only: a lower bound.

    The exact one takes seconds for a thousand points in six objectives.
    """
    most = MOST.get(points.shape[1], 60 if points.shape[1] > 6 else len(points))
    if len(points) > most:
        boxes = np.prod(np.maximum(points - ref, 0.0), axis=1)
        points = points[np.argsort(-boxes, kind="stable")[:most]]
    return hypervolume(points, ref)


def _reference(ref: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        corner = np.array(ref, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"got the reference point {ref!r}; wanted a list of L finite numbers") from None
    if corner.ndim != 1 or len(corner) == 0 or not np.isfinite(corner).all():
        raise InvalidInput(
            f"got the reference point {corner.tolist()}; wanted a list of L finite numbers, one per objective; "
            "try a little below the smallest value of each objective"
        )
    return corner
