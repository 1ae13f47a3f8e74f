"""How far the model can be trusted: every value predicted from all others, and compared with what was measured.

| symbol | meaning | shape | in code |
|---|---|---|---|
| V | inverse covariance of the data, noise included | (n, n) | precision |
| alpha | V (y - m) | (n,) | weights |
| I | the rows measured at one point, which are left out together | | rows |

    y_I | the rest ~ N(y_I - V_I^-1 alpha_I, V_I^-1)        Rasmussen & Williams (2006), 5.4.2, for blocks

Hyper-parameters are those of all data. An honest model has 68 % of the values within one deviation, 95 % within two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.belief import Belief
from pfes.gp import linalg
from pfes.gp.multitask import JointModel
from pfes.objectives import Objective
from pfes.plots.chart import Axis, Chart, Layer, Line, Panel, Points, span_of
from pfes.plots.thinning import scattered
from pfes.plots.view import View
from pfes.plots.words import axis_label, counted, estimate, number, percent
from pfes.scaling import Scaling

__all__ = ["Calibration", "Calibrations", "LeftOut", "calibration", "left_out"]

Array = NDArray[np.float64]

MOST = 400  # points drawn
FEW = 8  # values with which nothing can be said of a model's honesty
LITTLE = 0.2  # explained: less is next to nothing


class LeftOut(NamedTuple):
    """Levels (n,) of one objective and what the model expects of each without it."""

    level: Array
    mean: Array
    std: Array


@dataclass(frozen=True)
class Calibration:
    """One objective's values (n,) and what was expected of each from all others: mean and deviation (n,), user's units.

    error   (n,) how many deviations the value lies above the mean, by the model's own scale
    """

    objective: Objective
    values: Array
    mean: Array
    std: Array
    error: Array

    def within(self, deviations: float) -> float:
        """Share of the values that lie within so many deviations of what was expected."""
        return float(np.mean(np.abs(self.error) <= deviations)) if len(self.error) else math.nan

    @property
    def explained(self) -> float:
        """Share of the values' variance that predictions explain; at most 1, below 0 where guessing is better."""
        largest = max(np.abs(self.values).max(initial=0.0), np.abs(self.mean).max(initial=0.0))
        if not (0.0 < largest < math.inf):
            return math.nan
        values, mean = self.values / largest, self.mean / largest  # the squares of large numbers are too large
        spread = float(np.sum((values - values.mean()) ** 2))
        return 1.0 - float(np.sum((values - mean) ** 2)) / spread if spread > 0.0 else math.nan

    @property
    def verdict(self) -> str:
        """In a word: "few", "honest", "overconfident" or "cautious"."""
        if len(self.error) < FEW:
            return "few"
        n, inside = len(self.error), self.within(1.96)
        slack = 2.0 * math.sqrt(0.95 * 0.05 / n)  # two deviations of a share of n
        if inside < 0.95 - slack:
            return "overconfident"
        narrow = self.within(1.0) - 0.683
        return "cautious" if narrow > 3.0 * math.sqrt(0.683 * 0.317 / n) and narrow > 0.15 else "honest"

    @property
    def words(self) -> str:
        """A sentence or two."""
        name, n = self.objective.name, len(self.error)
        if n == 0:
            return f"{name}: nothing measured."
        inside = round(self.within(1.96) * n)
        said = (
            f"{name}: of {counted(n, 'value')}, each predicted from all others, {inside} ({percent(inside / n)}) lie "
        )
        said += "within the model's 95 % interval"
        ending = {
            "few": "; too few to judge by.",
            "honest": ", as they should: its uncertainties can be believed.",
            "overconfident": ", fewer than they should: it is surer than it ought to be.",
            "cautious": ", and more than they should close by: it is less sure than it could be.",
        }
        return said + ending[self.verdict] + self._explained

    @property
    def _explained(self) -> str:
        if not math.isfinite(self.explained):
            return ""
        said = f" Predictions explain {percent(max(self.explained, 0.0))} of the variance"
        if self.explained >= LITTLE or len(self.error) < FEW:
            return said + "."
        return said + ": the model has learned next to nothing yet, and its recommendations are guesses."


@dataclass(frozen=True)
class Calibrations:
    """All objectives' calibrations."""

    study: str
    items: tuple[Calibration, ...]

    def chart(self) -> Chart:
        """Measured against expected, a panel for each objective."""
        panels = tuple(_panel(item) for item in self.items)
        note = "Each value predicted from all others; bars are one deviation. On the line, the prediction is right."
        return Chart(f"{self.study}: can the model be trusted?", panels, min(len(panels), 3), note)


def _panel(item: Calibration) -> Panel:
    some = scattered(np.column_stack([item.mean, item.values]), MOST)
    texts = tuple(
        f"measured {number(value)}\nexpected {estimate(mean, std)}"
        for value, mean, std in zip(item.values[some], item.mean[some], item.std[some], strict=True)
    )
    log = item.objective.transform == "log" and bool((item.mean > 0.0).all() and (item.values > 0.0).all())
    span = span_of(np.concatenate([item.values, item.mean]), 0.06, log)  # whatever a few huge deviations would ask for
    layers: list[Layer] = [
        Points("model", "", item.mean[some], item.values[some], x_error=item.std[some], texts=texts),
    ]
    layers.insert(0, Line("limit", "", np.array(span), np.array(span), dashed=True))
    name = axis_label(item.objective).rpartition(",")[0]
    return Panel(
        Axis("expected from all others", log, span=span),
        Axis(name, log, span=span),
        tuple(layers),
        _title(item),
        square=True,
    )


def _title(item: Calibration) -> str:
    if item.verdict == "few":
        return f"{counted(len(item.error), 'value')}: too few to judge by" if len(item.error) else ""
    return f"{percent(item.within(1.96))} within 95 %"


def calibration(view: View) -> Calibrations:
    """Every objective of a study whose model is known."""
    if view.belief is None:
        return Calibrations(view.name, ())
    pairs = zip(view.belief.scalings, left_out(view.belief), strict=True)
    return Calibrations(view.name, tuple(_calibration(scaling, out) for scaling, out in pairs))


def _calibration(scaling: Scaling, out: LeftOut) -> Calibration:
    mean, std = scaling.interval(out.mean, out.std)
    error = scaling.objective.sign * (out.level - out.mean) / out.std
    return Calibration(scaling.objective, scaling.backward(out.level), mean, std, error)


def left_out(belief: Belief) -> list[LeftOut]:
    """For each objective its levels (n,), replicates merged, and what is expected of each without its point."""
    model = belief.model
    if isinstance(model, JointModel):
        return _from_joint(model)
    return [_from_blocks(p.factor, p.weights, p.y, [[i] for i in range(len(p.y))]) for p in model.posteriors]


def _from_joint(model: JointModel) -> list[LeftOut]:
    every = _from_blocks(model.factor, model.weights, model.y, [rows.tolist() for rows in model.rows_at_points()])
    return [LeftOut(*(part[model.task == l] for part in every)) for l in range(len(model))]


def _from_blocks(factor: Array, weights: Array, y: Array, blocks: Sequence[Sequence[int]]) -> LeftOut:
    """Predictions of rows (n,) whose block is left out; factor: the lower Cholesky factor of V^-1."""
    precision = linalg.inverse_lower(factor.copy(order="F"))
    precision = precision + np.tril(precision, -1).T
    mean, variance = np.empty_like(y), np.empty_like(y)
    for rows in blocks:
        covariance = np.linalg.inv(precision[np.ix_(rows, rows)])
        mean[rows] = y[rows] - covariance @ weights[rows]
        variance[rows] = covariance.diagonal()
    return LeftOut(y, mean, np.sqrt(np.maximum(variance, 1e-18)))
