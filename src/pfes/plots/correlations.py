"""Which goals go together and which compete: correlations between objectives, larger being better in each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.plots.chart import Axis, Chart, Map, Panel
from pfes.plots.view import View
from pfes.study.measured import levels_of

__all__ = ["FEW", "Correlations", "correlations", "given_correlations", "telling"]

Array = NDArray[np.float64]

FEW = 5  # complete points; of fewer, almost any correlation is chance
MEASURED = "of the values at completely measured points, as the model takes objectives to be independent"
LEARNED = "as the joint model has learned them"


@dataclass(frozen=True)
class Correlations:
    """A matrix (L, L) between -1 (what serves one goal harms the other) and 1; nan where nothing is known."""

    study: str
    names: tuple[str, ...]
    matrix: Array
    source: str  # "... correlations {source}"

    def chart(self) -> Chart:
        """A map with its numbers written in."""
        at = np.arange(float(len(self.names)))
        grid = Map("correlation", at, at, self.matrix, -1.0, 1.0, written=True, diverging=True)
        axis = Axis("", values=self.names)
        note = f"Correlations of goals, larger being better in each, {self.source}: below 0 they compete."
        return Chart(f"{self.study}: which goals compete?", (Panel(axis, axis, (grid,), square=True),), note=note)


def given_correlations(study: str, names: Sequence[str], matrix: ArrayLike, source: str = LEARNED) -> Correlations:
    """Correlations (L, L) as a joint model has them (larger is better in every objective)."""
    table = np.asarray(matrix, dtype=np.float64)
    if table.shape != (len(names), len(names)):
        raise InvalidInput(f"correlations: got shape {table.shape}, wanted ({len(names)}, {len(names)})")
    return Correlations(study, tuple(names), table, source)


def _learned(view: View) -> Array | None:
    found: Array | None = getattr(getattr(getattr(view.belief, "model", None), "hyper", None), "correlation", None)
    return found


def telling(view: View) -> bool:
    """Whether correlations say anything: a joint model has learned them, or enough points are complete."""
    return _learned(view) is not None or len(view.whole) >= FEW


def correlations(view: View) -> Correlations:
    """Of a study: what its joint model has learned or, without one, those of the values measured."""
    names = view.objectives.names
    learned = _learned(view)
    if learned is not None:
        return given_correlations(view.name, names, learned)
    levels = levels_of(view.whole, view.objectives)
    size = np.abs(levels).max(axis=0, initial=0.0)
    levels = levels / np.where(size > 0.0, size, 1.0)  # the squares of large numbers are too large
    matrix = np.full((len(names), len(names)), np.nan)
    if len(levels) >= 3:
        moving = np.ptp(levels, axis=0) > 0.0
        if moving.any():
            matrix[np.ix_(moving, moving)] = np.corrcoef(levels[:, moving], rowvar=False)
    np.fill_diagonal(matrix, 1.0)
    return given_correlations(view.name, names, matrix, MEASURED)
