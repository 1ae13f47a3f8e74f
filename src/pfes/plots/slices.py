"""The model along each parameter, through one point: what changing one thing alone is expected to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.belief import Belief
from pfes.display import cell
from pfes.errors import InvalidInput
from pfes.objectives import Objective
from pfes.plots.chart import Axis, Band, Chart, Layer, Limit, Line, Panel, Points, span_of
from pfes.plots.view import View
from pfes.plots.words import axis_label, named_values, parameter_label
from pfes.points import given, read
from pfes.space import Choice, Pool
from pfes.space.parameters import Parameter

__all__ = ["Slice", "Slices", "compromise", "slices"]

Array = NDArray[np.float64]

FINE = 61  # places along a number
LEVELS = 12  # values of a choice that are drawn
MOST = 4  # parameters: those that matter most
SAME = 1e-6  # of the unit cube: measured points this close to the line are on it


@dataclass(frozen=True)
class Slice:
    """Means (G, L) of the objectives at G values of one parameter, all others held; low and high: two deviations away.

    places    the values, in the user's units; here: the place among them (fractional) or value of the point itself
    measured  (m, L) values at points on the line, nan where not measured; measured_at their places
    influence how many of its deviations the best explained objective changes along the line
    """

    name: str
    label: str
    places: tuple[Any, ...]
    here: Any
    mean: Array
    low: Array
    high: Array
    measured_at: tuple[Any, ...]
    measured: Array
    influence: float
    log: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the places are numbers on a line."""
        return all(isinstance(place, int | float) and not isinstance(place, bool) for place in self.places)

    def across(self, values: tuple[Any, ...]) -> Array:
        """Values of the parameter as positions on the axis (N,): themselves, or the numbers of names."""
        if self.numeric:
            return np.array(values, dtype=float)
        return np.array([self.places.index(value) for value in values if value in self.places], dtype=float)


@dataclass(frozen=True)
class Slices:
    """Slices through one point, those along the parameters that matter most first."""

    study: str
    objectives: tuple[Objective, ...]
    through: dict[str, Any]
    items: tuple[Slice, ...]
    left_out: int

    def chart(self) -> Chart:
        """A row for each objective, a column for each parameter."""
        pairs = [(l, item) for l in range(len(self.objectives)) for item in self.items]
        panels = tuple(self._panel(l, item) for l, item in pairs)
        note = f"Through {named_values(self.through)}. Line: mean; band: two deviations; dots: measured on the line."
        if self.left_out:
            note += f" {self.left_out} parameters that matter less are not drawn."
        return Chart(f"{self.study}: what each parameter does", panels, max(len(self.items), 1), note)

    def _panel(self, l: int, item: Slice) -> Panel:
        mean, low, high = item.mean[:, l], item.low[:, l], item.high[:, l]
        x = item.across(item.places)
        last, first = l == len(self.objectives) - 1, item is self.items[0]
        names = () if item.numeric else tuple(cell(place) for place in item.places)
        layers: list[Layer] = []
        if item.numeric:
            layers += [Limit("", float(item.here), "x"), Band("model", "", x, low, high)]
            layers += [Line("model", "", x, mean)]
        else:
            layers += [Points("model", "", x, mean, y_error=(high - low) / 2.0)]
        on = ~np.isnan(item.measured[:, l])
        if on.any():
            layers.append(Points("data", "", item.across(item.measured_at)[on], item.measured[on, l]))
        label = axis_label(self.objectives[l]).rpartition(",")[0]
        log = self.objectives[l].transform == "log"
        return Panel(
            Axis(item.label if last else "", item.log and item.numeric, names),
            Axis(label if first else "", log, span=self._span(l, log)),
            tuple(layers),
        )

    def _span(self, l: int, log: bool) -> tuple[float, float]:
        """One for all panels of an objective, so that they can be compared."""
        every = np.concatenate([side[:, l] for item in self.items for side in (item.low, item.high, item.measured)])
        return span_of(every[~np.isnan(every)], 0.04, log)


def slices(view: View, through: Mapping[str, Any] | None = None, most: int = MOST) -> Slices:
    """Of a study's model, through a point (parameters, or {"row": id}), by default a compromise on the front."""
    belief = view.belief
    if belief is None:
        raise InvalidInput(f"slices: there is no model, wanted one: {view.unmodelled}")
    point = compromise(view) if through is None else read(view.space, given(view.space, through)).params
    point = {name: point[name] for name in view.space.names}
    items = [_slice(view, belief, point, name, it) for name, it in _parameters(view).items()]
    order = sorted(range(len(items)), key=lambda i: -items[i].influence)[:most]
    kept = tuple(items[i] for i in sorted(order))
    return Slices(view.name, view.objectives.items, point, kept, len(items) - len(kept))


def _parameters(view: View) -> dict[str, Parameter]:
    return view.space.varied if isinstance(view.space, Pool) else view.space.parameters


def compromise(view: View) -> dict[str, Any]:
    """The parameters of the point on the front (else of any measured one) whose worst objective is best."""
    objectives, points = view.objectives, view.front or view.points
    levels = objectives.inward([[point.values.get(name, np.nan) for name in objectives.names] for point in points])
    low, high = np.nanmin(levels, axis=0), np.nanmax(levels, axis=0)
    unit = (levels - low) / np.where(high > low, high - low, 1.0)
    return dict(points[int(np.argmax(np.nan_to_num(unit).min(axis=1)))].params)


def _slice(view: View, belief: Belief, point: dict[str, Any], name: str, parameter: Parameter) -> Slice:
    places = _places(parameter, point[name])
    x = np.asarray(view.space.encode([{**point, name: place} for place in places]))
    mean, low, high = _interval(belief, x)
    columns = _columns(view, name)
    on = [p for p in view.points if not p.outside and _on_line(view, p.params, x[0], columns)]
    measured = [[p.values.get(objective, np.nan) for objective in view.objectives.names] for p in on]
    kept = [i for i, p in enumerate(on) if not isinstance(parameter, Choice) or p.params[name] in places]
    return Slice(
        name,
        parameter_label(name, parameter),
        places,
        point[name],
        mean,
        low,
        high,
        tuple(on[i].params[name] for i in kept),
        np.array([measured[i] for i in kept]).reshape(len(kept), len(view.objectives)),
        float(np.ptp(belief.model.predict(x).mean, axis=0).max()),
        bool(getattr(parameter, "log", False)),
    )


def _interval(belief: Belief, x: Array) -> tuple[Array, Array, Array]:
    """Mean, and what lies two deviations below and above it, all (G, L), at x (G, D), in the user's units."""
    mean, std = belief.model.predict(x)
    sides = [
        np.column_stack([s.backward(mean[:, l] + k * std[:, l]) for l, s in enumerate(belief.scalings)])
        for k in (0.0, -2.0, 2.0)
    ]
    return sides[0], np.minimum(sides[1], sides[2]), np.maximum(sides[1], sides[2])


def _places(parameter: Parameter, here: Any) -> tuple[Any, ...]:
    """Values along a parameter, in order; of a choice with many, those around the point's own."""
    if isinstance(parameter, Choice):
        values = parameter.values
        start = max(0, min(values.index(here) - LEVELS // 2, len(values) - LEVELS))
        return tuple(values[start : start + LEVELS])
    found = parameter.decode(np.linspace(0.0, 1.0, FINE)[:, None])
    return tuple(dict.fromkeys(found))


def _columns(view: View, name: str) -> NDArray[np.bool_]:
    """(D,) the encoded columns of all other parameters."""
    which = list(_parameters(view)).index(name)
    return np.asarray(view.space.groups != which)


def _on_line(view: View, params: Mapping[str, Any], x: Array, others: NDArray[np.bool_]) -> bool:
    if not others.any():
        return True
    at = view.space.encode([{name: params[name] for name in view.space.names}])[0]
    return bool(np.all(np.abs(at - x)[others] < SAME))
