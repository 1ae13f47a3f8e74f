"""Two objectives: frontiers that the model holds possible, and how likely it is that a result can be bettered.

The probability of being dominated, at values y, is the share of R sampled frontiers that dominate y.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.belief import Belief
from pfes.errors import InvalidInput
from pfes.frontiers import sample_frontiers
from pfes.objectives import Objective, Objectives
from pfes.observations import NO_ROW, State
from pfes.plots.chart import Axis, Chart, Layer, Limit, Line, Map, Panel, Points
from pfes.plots.front import staircase
from pfes.plots.view import View
from pfes.plots.words import axis_label, named_values, number
from pfes.space import Pool

__all__ = ["Attainment", "attainment", "dominated"]

Array = NDArray[np.float64]

COUNT = 24  # frontiers
FINE = 72  # cells along an axis
DRAWN = 8  # frontiers drawn as lines
STREAM = (2, 9)  # of random numbers: apart from those of suggestions and fits


@dataclass(frozen=True)
class Attainment:
    """R frontiers (S_r, 2), and on a grid of y (H,) and x (W,) the probability (H, W) of being dominated.

    held    (S, 2) the front that is measured; all values in the user's units
    """

    study: str
    objectives: tuple[Objective, Objective]
    frontiers: tuple[Array, ...]
    x: Array
    y: Array
    probability: Array
    held: Array
    held_texts: tuple[str, ...]

    def chart(self) -> Chart:
        """The map, some of the frontiers, and what is held."""
        axes = [Axis(axis_label(item), self._log(l)) for l, item in enumerate(self.objectives)]
        layers: list[Layer] = [
            Map("probability that something better exists", self.x, self.y, self.probability, 0.0, 1.0)
        ]
        for place, points in enumerate(self.frontiers[:DRAWN]):
            line = staircase(points, Objectives(self.objectives))
            name = "frontiers that may be, by the model" if place == 0 else ""
            layers.append(Line("sample", name, line[:, 0], line[:, 1], faint=True))
        for item, along in zip(self.objectives, ("x", "y"), strict=True):
            if item.threshold is not None:
                name = f"threshold of {item.name}: {number(item.threshold)}"
                layers.append(Limit(name, item.threshold, "x" if along == "x" else "y"))
        if len(self.held):
            at = self.held[:, 0], self.held[:, 1]
            layers.append(Points("front", "front: measured, bettered by none", *at, texts=self.held_texts))
        x, y = (replace(axis, span=(float(c[0]), float(c[-1]))) for axis, c in zip(axes, (self.x, self.y), strict=True))
        note = f"From {len(self.frontiers)} frontiers drawn from the model."
        return Chart(f"{self.study}: what may still be found", (Panel(x, y, tuple(layers)),), note=note)

    def _log(self, l: int) -> bool:
        edge = (self.x, self.y)[l]
        return self.objectives[l].transform == "log" and bool(edge[0] > 0.0)


def attainment(view: View, count: int = COUNT) -> Attainment:
    """Of a study with two objectives and a model."""
    if view.belief is None or len(view.objectives) != 2:
        why = view.unmodelled or f"there are {len(view.objectives)} objectives"
        raise InvalidInput(f"attainment: wanted a model of two objectives: {why}")
    frontiers = _sampled(view.belief, count)
    first, second = view.objectives
    held = np.array([[p.values[first.name], p.values[second.name]] for p in view.front]).reshape(-1, 2)
    every = np.vstack([*frontiers, held])
    x, y = (_edge(every[:, l], view.objectives[l]) for l in range(2))
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    return Attainment(
        study=view.name,
        objectives=(first, second),
        frontiers=tuple(frontiers),
        x=x,
        y=y,
        probability=dominated(grid, frontiers, view.objectives),
        held=held,
        held_texts=tuple(named_values(p.values) for p in view.front),
    )


def _sampled(belief: Belief, count: int) -> list[Array]:
    """Frontiers (S_r, 2) in the user's units, thresholds left aside."""
    task, allowed = belief.task, None
    if isinstance(task.domain, Pool):
        allowed = np.ones(len(task.domain), dtype=bool)
        refused = belief.observations.only(State.INFEASIBLE).row
        allowed[refused[refused != NO_ROW]] = False
    settings = replace(task.settings.frontiers, count=count)
    limits = np.full(2, -np.inf)
    rng = task.generator(*STREAM)
    found = sample_frontiers(belief.model, task.domain, belief.observed, limits, settings, rng, allowed=allowed)
    return [
        np.column_stack([scaling.backward(levels[:, l]) for l, scaling in enumerate(belief.scalings)])
        for levels in found.frontiers
    ]


def _edge(values: Array, objective: Objective) -> Array:
    """A grid (FINE,) over the middle of what frontiers reach, with a margin."""
    log = objective.transform == "log" and bool((values > 0.0).all())
    scaled = np.log(values) if log else values
    low, high = np.quantile(scaled, [0.01, 0.99])
    low, high = min(low, float(np.median(scaled))), max(high, float(np.median(scaled)))
    margin = 0.12 * (high - low) or abs(high) * 0.1 or 1.0
    grid = np.linspace(low - margin, high + margin, FINE)
    return np.exp(grid) if log else grid


def dominated(values: Array, frontiers: list[Array], objectives: Objectives) -> Array:
    """Share (...,) of the frontiers (S_r, L) with a point at least as good as values (..., L) in every objective."""
    levels = objectives.inward(values)
    share = np.zeros(levels.shape[:-1])
    for points in frontiers:
        inward = objectives.inward(points)
        share += (inward >= levels[..., None, :]).all(axis=-1).any(axis=-1)
    return share / max(len(frontiers), 1)
