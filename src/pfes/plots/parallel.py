"""Many objectives side by side: an axis for each, the better end above, a line for each point."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.objectives import Objective
from pfes.plots.chart import Axis, Chart, Layer, Line, Panel, Points, Role, Texts
from pfes.plots.front import Cloud, Front, front
from pfes.plots.thinning import scattered
from pfes.plots.view import View
from pfes.plots.words import number

__all__ = ["Parallel", "parallel"]

Array = NDArray[np.float64]

MOST = {"measured": 120, "half": 0, "front": 60, "recommended": 12, "pending": 12}  # lines that can be told apart
ORDER = ("measured", "recommended", "pending", "front")


@dataclass(frozen=True)
class Parallel:
    """Clouds of points in L objectives and the ends of the axes: worst and best, (L,) in the user's units."""

    study: str
    objectives: tuple[Objective, ...]
    clouds: tuple[tuple[Role, str, Cloud], ...]
    worst: Array
    best: Array
    note: str = ""

    def heights(self, values: Array) -> Array:
        """Values (N, L) as heights (N, L): 0 at the worst end of an axis, 1 at the best, nan where unknown."""
        found = np.empty_like(values, dtype=float)
        for l in range(values.shape[1]):
            ends, column = np.array([self.worst[l], self.best[l]]), values[:, l]
            if self._log(l):
                with np.errstate(invalid="ignore", divide="ignore"):
                    ends, column = np.log(ends), np.log(np.maximum(column, np.finfo(float).tiny))
            length = ends[1] - ends[0]
            found[:, l] = (column - ends[0]) / length if length else 0.5
        return found

    def _log(self, l: int) -> bool:
        return self.objectives[l].transform == "log" and min(self.worst[l], self.best[l]) > 0.0

    @property
    def labels(self) -> list[str]:
        """Name and unit of each axis."""
        return [f"{item.name} [{item.unit}]" if item.unit else item.name for item in self.objectives]

    @property
    def thresholds(self) -> Array:
        """(L,) heights of the thresholds; nan where there is none, or it lies off the axis."""
        given = np.array([[np.nan if item.threshold is None else item.threshold for item in self.objectives]])
        heights = self.heights(given)[0]
        return np.where((heights >= 0.0) & (heights <= 1.0), heights, np.nan)

    def chart(self) -> Chart:
        """Lines over axes that are drawn by hand."""
        count = len(self.objectives)
        at = np.arange(float(count))
        layers: list[Layer] = [Line("limit", "", np.repeat(a, 2), np.array([0.0, 1.0])) for a in at]
        for role, name, cloud in self.clouds:
            x, y = _joined(self.heights(cloud.values))
            layers.append(Line(role, name, x, y, faint=role == "measured", dashed=role in ("recommended", "pending")))
        ends = [tuple(number(v, 3) for v in side.tolist()) for side in (self.worst, self.best)]
        layers += [
            Texts(at, np.full(count, -0.02), ends[0], "below"),
            Texts(at, np.full(count, 1.02), ends[1], "above"),
        ]
        marked = ~np.isnan(self.thresholds)
        if marked.any():
            layers.append(Points("ink", "threshold", at[marked], self.thresholds[marked]))
        panel = Panel(
            Axis("", values=tuple(self.labels), span=(-0.35, count - 0.65)),
            Axis("better is up", span=(-0.1, 1.1), hidden=True),
            tuple(layers),
        )
        return Chart(f"{self.study}: the front, objective by objective", (panel,), note=self.note)


def _joined(heights: Array) -> tuple[Array, Array]:
    """Lines (N, L) one after the other, with nan between them."""
    count, width = heights.shape
    x = np.tile(np.append(np.arange(float(width)), np.nan), count)
    return x, np.column_stack([heights, np.full(count, np.nan)]).ravel()


def parallel(view: View) -> Parallel:
    """The front of a study; the axes reach as far as what is drawn."""
    return parallel_of(front(view))


def parallel_of(it: Front) -> Parallel:
    """The same points as a front's, fewer of those behind it."""
    clouds = {role: (role, name, cloud) for role, name, cloud in it.clouds}
    kept = []
    for role in ORDER:
        if role in clouds:
            _, name, cloud = clouds[role]
            kept.append((role, name.partition(":")[0], cloud.part(scattered(cloud.values, MOST[role]))))
    values = [cloud.values for _, _, cloud in kept] or [np.zeros((1, len(it.objectives)))]
    every = np.vstack(values)
    low, high = every.min(axis=0), every.max(axis=0)
    up = np.array([item.goal == "max" for item in it.objectives])
    note = "Above is better on every axis."
    if it.behind > MOST["measured"]:
        note += " Of the measured points behind the front, some are drawn."
    return Parallel(it.study, it.objectives, tuple(kept), np.where(up, low, high), np.where(up, high, low), note)
