"""How a study went: the hypervolume held and what it cost, what suggestions promised, where the cost went."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfes.plots.chart import Axis, Bars, Chart, Layer, Limit, Line, Panel, Points
from pfes.plots.thinning import even
from pfes.plots.view import View
from pfes.plots.words import named_values, number, percent
from pfes.trials import shares

__all__ = ["Costs", "Gains", "Spending", "Volumes", "costs", "gains", "spending", "volumes"]

Array = NDArray[np.float64]

MOST = 600  # points of a line


@dataclass(frozen=True)
class Volumes:
    """The hypervolume (n,) above the reference point after each trial (n,), by what had been spent (n,)."""

    study: str
    trial: NDArray[np.intp]
    spent: Array
    volume: Array
    reference: dict[str, float]

    def chart(self) -> Chart:
        """By cost; by trials, if nothing cost anything."""
        free = not self.spent.any()
        x = np.arange(1.0, len(self.trial) + 1.0) if free else self.spent
        some = _corners(self.volume)
        line = Line("front", "", x[some], self.volume[some], step=True)
        panel = Panel(
            Axis("trials told" if free else "cost spent", whole=free),
            Axis("hypervolume of the front"),
            (line,),
        )
        note = f"Measured from {named_values(self.reference)}." if self.reference else ""
        return Chart(f"{self.study}: what is held", (panel,), note=note)


def _corners(values: Array) -> NDArray[np.intp]:
    """Where a staircase (n,) changes, and its ends, thinned."""
    if not len(values):
        return np.zeros(0, dtype=np.intp)
    moved = np.flatnonzero(np.diff(values) != 0.0) + 1
    some = moved[even(len(moved), MOST)]
    return np.unique(np.concatenate([[0], some, [len(values) - 1]])).astype(np.intp)


def volumes(view: View) -> Volumes:
    """The hypervolume of a study's front, trial by trial; nothing before there is a reference point to measure from."""
    return Volumes(
        view.name,
        np.array([step.trial for step in view.steps], dtype=np.intp),
        np.array([step.spent for step in view.steps]),
        np.array([step.hypervolume for step in view.steps]),
        view.reference or {},
    )


@dataclass(frozen=True)
class Gains:
    """What suggestions of a model promised per unit of cost: gain / cost (n,) of each trial (n,), and what for."""

    study: str
    trial: NDArray[np.intp]
    rate: Array
    purpose: tuple[str, ...]

    def chart(self) -> Chart:
        """Points by purpose, by powers of ten where all promise something."""
        positive = self.rate > 0.0
        layers: list[Layer] = []
        for place, purpose in enumerate(dict.fromkeys(self.purpose)):
            mine = np.array([one == purpose for one in self.purpose]) & positive
            some = np.flatnonzero(mine)[even(int(mine.sum()), MOST)]
            texts = tuple(f"trial {self.trial[i]}, to {purpose}\n{number(self.rate[i])} per unit of cost" for i in some)
            layers.append(Points(place, f"to {purpose}", self.trial[some].astype(float), self.rate[some], texts=texts))
        note = "Falling means that what is left to learn is less and less worth its cost."
        if not positive.all():
            note = f"{int((~positive).sum())} suggestions promised nothing and are not drawn. {note}"
        panel = Panel(
            Axis("trial", whole=True), Axis("gain promised per unit of cost", log=bool(positive.any())), tuple(layers)
        )
        return Chart(f"{self.study}: is it still worth while?", (panel,), note=note)


def gains(view: View) -> Gains:
    """Of the trials that a model suggested."""
    promised = [trial for trial in view.trials if math.isfinite(trial.gain) and trial.cost > 0.0]
    return Gains(
        view.name,
        np.array([trial.id for trial in promised], dtype=np.intp),
        np.array([trial.gain / trial.cost for trial in promised]),
        tuple(trial.purpose or "learn" for trial in promised),
    )


@dataclass(frozen=True)
class Costs:
    """What had been spent on each objective (n, L) after n trials that were told or failed."""

    study: str
    names: tuple[str, ...]
    spent: Array
    budget: float | None

    def chart(self) -> Chart:
        """A line for each objective and one for all."""
        total = self.spent.sum(axis=1)
        some = even(len(total), MOST)
        x = some.astype(np.float64) + 1.0
        lines: list[Layer] = [
            Line(l, name, x, self.spent[some, l], step=True, dashed=True) for l, name in enumerate(self.names)
        ]
        if len(self.names) > 1:
            lines.append(Line("ink", "all", x, total[some], step=True))
        if self.budget is not None and math.isfinite(self.budget):
            lines.insert(0, Limit(f"budget: {number(self.budget)}", self.budget, "y"))
        panel = Panel(Axis("trials told", whole=True), Axis("cost spent"), tuple(lines))
        return Chart(f"{self.study}: what it cost", (panel,))


def costs(view: View) -> Costs:
    """What each objective has cost, trial by trial."""
    names = view.objectives.names
    rows = [[part.get(name, 0.0) for name in names] for part in (shares(t, view.objectives) for t in view.history)]
    spent = np.cumsum(np.array(rows).reshape(-1, len(names)), axis=0)
    return Costs(view.name, names, spent, view.study.budget)


@dataclass(frozen=True)
class Spending:
    """Where the cost went: by objective, what was spent (L,) and how many values there are."""

    study: str
    names: tuple[str, ...]
    spent: Array
    counts: tuple[int, ...]

    def chart(self) -> Chart:
        """A bar for each objective."""
        total = float(self.spent.sum())
        texts = tuple(
            f"{number(spent)} ({percent(spent / total if total else 0.0)}), {count} measured"
            for spent, count in zip(self.spent.tolist(), self.counts, strict=True)
        )
        bars = Bars(self.names, self.spent, texts)
        panel = Panel(Axis("cost spent"), Axis("", values=self.names), (bars,))
        return Chart(f"{self.study}: where the cost went", (panel,))


def spending(view: View) -> Spending:
    """What has been charged, by objective; the cost of a bundle is shared as its members' own costs are."""
    names = view.objectives.names
    spent = np.array([view.spent_on[name] for name in names])
    return Spending(view.name, names, spent, tuple(view.counts[name] for name in names))
