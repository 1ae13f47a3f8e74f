"""One objective: what was measured, trial by trial, and the best so far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.objectives import Objective
from pfes.plots.chart import Axis, Chart, Layer, Limit, Line, Panel, Points
from pfes.plots.thinning import scattered
from pfes.plots.view import View
from pfes.plots.words import axis_label, named_values, number

__all__ = ["Progress", "progress"]

Array = NDArray[np.float64]

MOST = 1500


@dataclass(frozen=True)
class Progress:
    """Values (n,) in the order they came, the trial of each, and the best until then."""

    study: str
    objective: Objective
    place: Array  # (n,) 1, 2, 3, ...
    values: Array  # (n,)
    best: Array  # (n,)
    texts: tuple[str, ...]

    def chart(self) -> Chart:
        """The values as points, the best as a staircase."""
        log = self.objective.transform == "log" and bool((self.values > 0.0).all())
        some = scattered(np.column_stack([self.place, self.values]), MOST)
        layers: list[Layer] = [
            Points(
                "measured",
                "measured",
                self.place[some],
                self.values[some],
                texts=tuple(self.texts[i] for i in some),
            ),
            Line("front", "best so far", self.place, self.best, step=True),
        ]
        if self.objective.threshold is not None:
            layers.insert(0, Limit(f"threshold: {number(self.objective.threshold)}", self.objective.threshold, "y"))
        panel = Panel(Axis("measurement", whole=True), Axis(axis_label(self.objective), log), tuple(layers))
        return Chart(f"{self.study}: progress", (panel,))


def progress(view: View) -> Progress:
    """Of a study's first objective."""
    item = view.objectives[0]
    told = [trial for trial in view.history if trial.usable and item.name in trial.values]
    values = np.array([trial.values[item.name] for trial in told])
    best = item.sign * np.maximum.accumulate(item.sign * values) if len(values) else values
    texts = tuple(f"trial {t.id}\n{named_values(t.params)}\n{named_values(t.values)}" for t in told)
    return Progress(view.name, item, np.arange(1.0, len(told) + 1.0), values, best, texts)
