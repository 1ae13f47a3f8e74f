"""The border of this package: what users give becomes an (S, L) array of floats, or an error that helps."""

import numpy as np
import numpy.typing as npt

from pfes.errors import InvalidFrontier, InvalidInput

__all__ = ["frontier_table", "point_table"]


def point_table(points: npt.ArrayLike, error: type[InvalidInput] = InvalidInput) -> npt.NDArray[np.float64]:
    """Read `points` as an (S, L) float64 array without nan, L >= 1; S may be 0. The input may be shared, not copied."""
    try:
        table = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as cause:
        raise error(
            f"got {type(points).__name__} that is no table of numbers ({cause}); "
            "wanted one row per point and one column per objective, all rows of the same length"
        ) from cause
    if table.ndim != 2 or table.shape[1] == 0:
        raise error(
            f"got points of shape {table.shape}; wanted (S, L): one row per point, one column per objective; "
            "try points[None, :] for a single point, points[:, None] for a single objective"
        )
    if np.isnan(table).any():
        row = int(np.isnan(table).any(axis=1).argmax())
        raise error(f"got nan in row {row}; wanted numbers; try points[~np.isnan(points).any(axis=1)]")
    return table


def frontier_table(points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Read `points` as an (S, L) array that can serve as a frontier: S >= 1, no nan, no -inf; +inf is welcome."""
    table = point_table(points, InvalidFrontier)
    if len(table) == 0:
        raise InvalidFrontier(
            f"got an empty frontier of shape {table.shape}; wanted at least one point; "
            "try adding the observed points, or a point far below all others"
        )
    if np.isneginf(table).any():
        row = int(np.isneginf(table).any(axis=1).argmax())
        raise InvalidFrontier(
            f"got -inf in row {row}: such a point dominates nothing; wanted finite values or +inf; "
            "try leaving the row out (objectives are maximised: negate the ones you minimise)"
        )
    return table
