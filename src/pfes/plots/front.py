"""The front: what is held, what lies behind it, what the model thinks best, and what is waited for, apart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.objectives import Objective, Objectives
from pfes.plots.chart import Axis, Chart, Layer, Limit, Line, Panel, Points, Role
from pfes.plots.thinning import even, scattered
from pfes.plots.view import View
from pfes.plots.words import axis_label, counted, estimate, named_values, number, short_label
from pfes.study import Measured

__all__ = ["Cloud", "Front", "front", "staircase"]

Array = NDArray[np.float64]

MOST = {"measured": 1500, "half": 300, "front": 400, "recommended": 24, "pending": 24}  # points that are drawn


@dataclass(frozen=True)
class Cloud:
    """Points of one kind: values (N, L) in the user's units, deviations (N, L), 0 where measured, and what each is."""

    values: Array
    std: Array
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def part(self, which: NDArray[np.intp]) -> "Cloud":
        """Only these points."""
        return Cloud(self.values[which], self.std[which], tuple(self.texts[i] for i in which))


@dataclass(frozen=True)
class Front:
    """Clouds of points in L objectives.

    measured     every objective measured, and dominated; behind: how many there are, of which some are drawn
    half         not every objective measured: what is missing is predicted
    front        every objective measured, not dominated
    recommended  predicted, no other prediction dominates them
    pending      asked for: predicted, unless told already
    """

    study: str
    objectives: tuple[Objective, ...]
    measured: Cloud
    half: Cloud
    front: Cloud
    recommended: Cloud
    pending: Cloud
    behind: int

    @property
    def clouds(self) -> list[tuple[Role, str, Cloud]]:
        """Role, name and points of each kind there is, what matters most last."""
        kinds: list[tuple[Role, str, Cloud]] = [
            ("measured", "measured, bettered by others", self.measured),
            ("half", "partly measured, the rest predicted", self.half),
            ("recommended", "recommended: prediction ± deviation", self.recommended),
            ("pending", "asked for: prediction ± deviation", self.pending),
            ("front", "front: measured, bettered by none", self.front),
        ]
        return [kind for kind in kinds if len(kind[2])]

    @property
    def note(self) -> str:
        """What is not drawn."""
        left = self.behind - len(self.measured)
        return (
            f"{counted(left, 'measured point')} behind the front are not drawn, being close to others." if left else ""
        )

    def chart(self) -> Chart:
        """In two objectives a plane, in three a box."""
        label = axis_label if len(self.objectives) == 2 else short_label
        axes = [Axis(label(item), self._log(l)) for l, item in enumerate(self.objectives)]
        layers: list[Layer] = [_points(role, name, cloud) for role, name, cloud in self.clouds]
        if len(axes) == 2:
            layers = [*self._limits(), *self._staircase(), *layers]
        panel = Panel(axes[0], axes[1], tuple(layers), z=axes[2] if len(axes) > 2 else None)
        return Chart(f"{self.study}: the trade-off", (panel,), note=self.note)

    def _log(self, l: int) -> bool:
        positive = all((cloud.values[:, l] > 0.0).all() for _, _, cloud in self.clouds)
        return self.objectives[l].transform == "log" and positive

    def _limits(self) -> list[Layer]:
        pairs = zip(self.objectives, ("x", "y"), strict=True)
        return [
            Limit(f"threshold of {item.name}: {number(item.threshold)}", item.threshold, "x" if along == "x" else "y")
            for item, along in pairs
            if item.threshold is not None
        ]

    def _staircase(self) -> list[Layer]:
        line = staircase(self.front.values, Objectives(self.objectives))
        return [Line("front", "", line[:, 0], line[:, 1])] if len(line) > 1 else []


def staircase(values: Array, objectives: Objectives) -> Array:
    """The edge of what points (S, 2) in the user's units dominate, as a line (2 S - 1, 2) from end to end."""
    order = np.lexsort(objectives.inward(values).T[::-1])
    points = values[order]
    corners = np.column_stack([points[:-1, 0], points[1:, 1]])
    line = np.empty((max(2 * len(points) - 1, 0), 2))
    line[::2], line[1::2] = points, corners
    return line


def _points(role: Role, name: str, cloud: Cloud) -> Points:
    at = [cloud.values[:, l] for l in range(cloud.values.shape[1])]
    error = [column if column.any() else None for column in cloud.std.T]
    z, z_error = (at[2], error[2]) if len(at) > 2 else (None, None)
    return Points(role, name, at[0], at[1], z, error[0], error[1], z_error, cloud.texts)


def front(view: View) -> Front:
    """The front of a study, in as many objectives as there are."""
    names = view.objectives.names
    kept = {id(point) for point in view.front}
    behind = [point for point in view.whole if id(point) not in kept]
    known = {point.trials for point in view.whole}
    half = [point for point in view.points if point.trials not in known] if view.belief else []
    return Front(
        study=view.name,
        objectives=view.objectives.items,
        measured=_measured(behind, names, MOST["measured"]),
        half=_thin(_filled(view, half), "half"),
        front=_measured(view.front, names, MOST["front"]),
        recommended=_recommended(view),
        pending=_thin(_filled(view, view.pending if view.belief else ()), "pending"),
        behind=len(behind),
    )


def _thin(cloud: Cloud, kind: str) -> Cloud:
    return cloud.part(scattered(cloud.values, MOST[kind]))


def _table(rows: Iterable[Mapping[str, float]], names: Sequence[str]) -> Array:
    return np.array([[row.get(name, np.nan) for name in names] for row in rows]).reshape(-1, len(names))


def _measured(points: Sequence[Measured], names: Sequence[str], most: int) -> Cloud:
    """At most so many of the points; only those that are drawn are put into words."""
    values = _table((point.values for point in points), names)
    drawn = scattered(values, most)
    texts = tuple(_said(point, named_values(point.values)) for point in (points[i] for i in drawn))
    return Cloud(values[drawn], np.zeros((len(drawn), len(names))), texts)


def _said(point: Any, values: str) -> str:
    """What a point is, line by line: which, where, what."""
    numbers = getattr(point, "trials", None) or ((point.id,) if hasattr(point, "id") else ())
    which = "trial " + ", ".join(map(str, numbers)) if numbers else "predicted"
    row = "" if point.row is None else f"row {point.row}, "
    return f"{row}{which}\n{named_values(point.params)}\n{values}"


def _filled(view: View, points: Sequence[Any]) -> Cloud:
    """Points of which some values are measured, the others predicted."""
    names = view.objectives.names
    values = _table((point.values for point in points), names)
    std = np.zeros_like(values)
    if len(points) and view.belief is not None:
        x = np.array([_encoded(view, point) for point in points])
        mean, deviation = view.belief.predict(x)
        missing = np.isnan(values)
        values, std = np.where(missing, mean, values), np.where(missing, deviation, 0.0)
    return Cloud(values, std, tuple(map(_estimated(names), points, values, std)))


def _estimated(names: Sequence[str]) -> Callable[[Any, Array, Array], str]:
    def said(point: Any, mean: Array, std: Array) -> str:
        rows = zip(names, mean.tolist(), std.tolist(), strict=True)
        return _said(point, ", ".join(f"{name} {estimate(centre, deviation)}" for name, centre, deviation in rows))

    return said


def _encoded(view: View, point: Any) -> Array:
    return np.asarray(view.space.encode([{name: point.params[name] for name in view.space.names}])[0])


def _recommended(view: View) -> Cloud:
    names, points = view.objectives.names, view.recommended
    mean, std = (
        np.array([[getattr(p.estimates[name], what) for name in names] for p in points]).reshape(-1, len(names))
        for what in ("mean", "std")
    )
    cloud = Cloud(mean, std, tuple(map(_estimated(names), points, mean, std)))
    order = np.argsort(mean[:, 0], kind="stable")
    return cloud.part(order[even(len(order), MOST["recommended"])])
