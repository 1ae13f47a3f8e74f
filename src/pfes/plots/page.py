"""Pictures for pages: the plain data of a Plotly figure, made without Plotly. Texts of users are escaped.

Only trace types that a strict content security policy allows: scatter, bar, heatmap, scatter3d.
"""

import math
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np

from pfes.plots.chart import Axis, Band, Bars, Chart, Layer, Limit, Line, Map, Panel, Points, Texts
from pfes.plots.pictures import Description
from pfes.plots.theme import DASHES, Theme, mark_of, theme
from pfes.plots.words import folded, legible, number

__all__ = ["plotly_json"]

Json = dict[str, Any]
# letters along an axis: of a row, of a high panel, of one on a phone, of a low one; beside it
ALONG, UPWARDS, SHORT, LOW, ASIDE = 90, 44, 30, 24, 22
LEAST, NARROW, BESIDE = 300, 460, 60  # pixels: of one of several panels, of one that is narrow, beside what is drawn
STEPS: list[int] = [step * 10**k for k in range(16) for step in (1, 2, 5)]  # between marks of an axis that counts
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def plotly_json(picture: Description | Chart, dark: bool = False, width: float | None = None) -> Json:
    """The figure of a picture as {"data": [...], "layout": {...}}, ready for JSON and Plotly.newPlot.

    width  pixels that the page has for it; names of axes are folded to fit. None: as many as it likes
    """
    chart = picture if isinstance(picture, Chart) else picture.chart()
    look = theme(dark)
    layout = _layout(chart, look)
    data: list[Json] = []
    for place, panel in enumerate(chart.panels):
        data += _panel(panel, place, chart, look, layout, width)
    return {"data": data, "layout": layout}


def _layout(chart: Chart, look: Theme) -> Json:
    return {
        "font": {"family": FONT, "size": 13, "color": look.ink},
        "paper_bgcolor": look.ground,
        "plot_bgcolor": look.ground,
        "margin": {"l": 64, "r": 24, "t": 24, "b": 56},
        "height": 440 if chart.rows == 1 else 130 + 190 * chart.rows,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "traceorder": "reversed"},
        "hoverlabel": {"align": "left"},
        "hovermode": "closest",
        "annotations": [],
        "shapes": [],
        "showlegend": any(getattr(layer, "name", "") for panel in chart.panels for layer in panel.layers),
    }


class Room(NamedTuple):
    """Letters that fit below a panel and beside it, and their size; None: Plotly's own."""

    along: int
    upwards: int
    size: int | None = None


def room_of(chart: Chart, square: bool, width: float | None) -> Room:
    """What fits around one panel of a chart when the page has so many pixels for all of them."""
    along, upwards = ALONG // chart.columns, UPWARDS if chart.rows == 1 else LOW
    if width is None:
        return Room(along, upwards)
    each = max(width, LEAST * chart.columns if chart.columns > 1 else 0.0) / chart.columns
    size, letter = (13, 7.0) if each < NARROW else (None, 8.2)
    low = LOW if square else SHORT if each < NARROW else UPWARDS
    return Room(min(along, int((each - BESIDE) / letter)), min(upwards, low), size)


def _panel(panel: Panel, place: int, chart: Chart, look: Theme, layout: Json, width: float | None) -> list[Json]:
    if panel.z is not None:
        layout["scene"] = _scene(panel, look)
        layout["legend"] = {"x": 0, "y": 1, "font": {"size": 11}, "traceorder": "reversed", "bgcolor": "rgba(0,0,0,0)"}
        layout |= {"margin": {"l": 0, "r": 0, "t": 8, "b": 8}, "height": 560}
        return [_points3d(layer, look) for layer in panel.layers if isinstance(layer, Points)]
    suffix = "" if place == 0 else str(place + 1)
    anchors = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    (left, right), (low, high) = _domains(place, chart)
    room = room_of(chart, panel.square, width)
    layout[f"xaxis{suffix}"] = _axis(panel.x, look, room.along, room.size) | {
        "domain": [left, right],
        "anchor": f"y{suffix}",
    }
    layout[f"yaxis{suffix}"] = _axis(panel.y, look, room.upwards, room.size) | {
        "domain": [low, high],
        "anchor": f"x{suffix}",
    }
    if panel.square and panel.x.span is None:
        layout[f"yaxis{suffix}"] |= {"scaleanchor": f"x{suffix}", "constrain": "domain"}
        layout[f"xaxis{suffix}"]["constrain"] = "domain"
    if panel.x.whole:
        layout[f"xaxis{suffix}"] |= {"tick0": 0, "dtick": _step(panel)}
    if panel.y.values:  # names are read from above
        layout[f"yaxis{suffix}"]["autorange"] = "reversed"
    if panel.title:
        layout["annotations"].append(
            _words(left, high, panel.title, "bottom")
            | {"xref": "paper", "yref": "paper", "xanchor": "left", "font": {"size": 12}}
        )
    data: list[Json] = []
    for layer in panel.layers:
        if isinstance(layer, Limit):
            _limit(layer, suffix, look, layout, panel)
        elif isinstance(layer, Texts):
            layout["annotations"] += _texts(layer, suffix, look)
        else:
            data += [trace | anchors for trace in _DRAWN[type(layer)](layer, look)]
    return data


def _domains(place: int, chart: Chart) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a panel lies on the page: left and right, bottom and top, as parts of 1."""
    row, column = divmod(place, chart.columns)
    gap_x = 0.24 / chart.columns if chart.columns > 1 else 0.0
    gap_y = 0.26 / chart.rows if chart.rows > 1 else 0.0
    width = (1.0 - gap_x * (chart.columns - 1)) / chart.columns
    height = (1.0 - gap_y * (chart.rows - 1)) / chart.rows
    left, top = column * (width + gap_x), 1.0 - row * (height + gap_y)
    return (left, left + width), (max(top - height, 0.0), top)


def _step(panel: Panel) -> int:
    """Whole numbers between the marks of an axis that counts: 1, 2, 5, 10, ..., about eight marks in all."""
    ends = [float(np.nanmax(layer.x)) for layer in panel.layers if isinstance(layer, Points | Line) and len(layer.x)]
    wanted = max(ends, default=1.0) / 8
    return next(step for step in STEPS if step >= wanted)


def _axis(axis: Axis, look: Theme, letters: int, size: int | None) -> Json:
    """letters: how many of that size fit along it."""
    found: Json = {
        "title": {"text": _safe(folded(axis.label, letters))} | ({"font": {"size": size}} if size else {}),
        "gridcolor": look.grid,
        "linecolor": look.soft,
        "zeroline": False,
        "showline": True,
        "automargin": True,
        "exponentformat": "power",
    }
    if axis.log:
        found |= {"type": "log", "dtick": 1} if _decades(axis) > 2 else {"type": "log"}
    if axis.values:
        found |= {
            "tickvals": list(range(len(axis.values))),
            "ticktext": [_safe(folded(name, ASIDE)) for name in axis.values],
        }
        found |= {"showgrid": False}
    if axis.span is not None:
        found["range"] = [math.log10(end) for end in axis.span] if axis.log else list(axis.span)
    if axis.hidden:
        found |= {"showticklabels": False, "showgrid": False, "showline": False}
    return found


def _decades(axis: Axis) -> float:
    return math.log10(axis.span[1] / axis.span[0]) if axis.span else 0.0


def _scene(panel: Panel, look: Theme) -> Json:
    assert panel.z is not None
    axes = {"xaxis": panel.x, "yaxis": panel.y, "zaxis": panel.z}
    common = {"gridcolor": look.grid, "backgroundcolor": look.ground, "linecolor": look.soft, "zeroline": False}
    found: Json = {
        name: {"title": {"text": _safe(folded(axis.label, ASIDE))}, "type": "log" if axis.log else "linear", **common}
        for name, axis in axes.items()
    }
    for name, axis in axes.items():
        found[name] |= {"tickfont": {"size": 10}} | ({"dtick": 1} if axis.log else {})
        found[name]["title"]["font"] = {"size": 11}
    return found | {"bgcolor": look.ground, "aspectmode": "cube", "camera": {"eye": {"x": 1.5, "y": 1.6, "z": 0.9}}}


def _safe(text: str) -> str:
    """A text that Plotly shows as it is: it takes some HTML for itself. Lines stay lines."""
    return "<br>".join(escape(legible(line), quote=False) for line in text.split("\n"))


def _list(values: Any) -> list[float | None]:
    """Numbers (N,) as JSON has them: null for what is none."""
    return [None if not math.isfinite(value) else value for value in np.asarray(values, dtype=float).tolist()]


def _named(name: str) -> Json:
    return {"name": _safe(name), "showlegend": bool(name)}


def _error(values: Any, colour: str) -> Json:
    return {"type": "data", "array": _list(values), "color": colour, "thickness": 1, "width": 0}


def _points(layer: Points, look: Theme) -> list[Json]:
    mark, colour = mark_of(layer.role), look.colour(layer.role)
    shape = f"{mark.plotly}-open" if mark.open else mark.plotly
    edge = {} if mark.open or layer.role == "measured" else {"line": {"width": 1, "color": look.ground}}
    found: Json = {
        "type": "scatter",
        "mode": "markers",
        "x": _list(layer.x),
        "y": _list(layer.y),
        "marker": {"symbol": shape, "size": mark.size * 1.25, "color": colour, **edge},
        "hoverinfo": "text" if layer.texts else "x+y",
        **_named(layer.name),
    }
    if layer.texts:
        found["hovertext"] = [_safe(text) for text in layer.texts]
    for axis, errors in (("error_x", layer.x_error), ("error_y", layer.y_error)):
        if errors is not None:
            found[axis] = _error(errors, colour)
    return [found]


def _points3d(layer: Points, look: Theme) -> Json:
    mark, colour = mark_of(layer.role), look.colour(layer.role)
    assert layer.z is not None
    found: Json = {
        "type": "scatter3d",
        "mode": "markers",
        "x": _list(layer.x),
        "y": _list(layer.y),
        "z": _list(layer.z),
        "marker": {"symbol": mark.plotly3d, "size": mark.size * 0.55, "color": colour},
        "hoverinfo": "text",
        "hovertext": [_safe(text) for text in layer.texts],
        **_named(layer.name),
    }
    for axis, errors in (("error_x", layer.x_error), ("error_y", layer.y_error), ("error_z", layer.z_error)):
        if errors is not None:
            found[axis] = _error(errors, colour)
    return found


def _line(layer: Line, look: Theme) -> list[Json]:
    dash = DASHES[layer.role % len(DASHES)][1] if isinstance(layer.role, int) else "dash" if layer.dashed else "solid"
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": _list(layer.x),
            "y": _list(layer.y),
            "line": {
                "color": look.colour(layer.role),
                "width": 1 if layer.faint or layer.dashed else 2,
                "shape": "hv" if layer.step else "linear",
                "dash": dash,
            },
            "opacity": 0.55 if layer.faint else 1.0,
            "hoverinfo": "skip",
            **_named(layer.name),
        }
    ]


def _band(layer: Band, look: Theme) -> list[Json]:
    around = np.concatenate([layer.high, layer.low[::-1]])
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": _list(np.concatenate([layer.x, layer.x[::-1]])),
            "y": _list(around),
            "fill": "toself",
            "fillcolor": _faded(look.colour(layer.role), 0.18),
            "line": {"width": 0},
            "hoverinfo": "skip",
            **_named(layer.name),
        }
    ]


def _faded(colour: str, share: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def _bars(layer: Bars, look: Theme) -> list[Json]:
    count = len(layer.labels)
    return [
        {
            "type": "bar",
            "orientation": "h",
            "x": _list(layer.values),
            "y": list(range(count)),
            "text": [_safe(text) for text in layer.texts],
            "textposition": "auto",
            "marker": {"color": [look.colour(place) for place in range(count)]},
            "hoverinfo": "text",
            "showlegend": False,
        }
    ]


def _map(layer: Map, look: Theme) -> list[Json]:
    scale = (
        [[0, look.against], [0.5, look.ground], [1, look.along]] if layer.diverging else [[0, look.low], [1, look.high]]
    )
    found: Json = {
        "type": "heatmap",
        "x": _list(layer.x),
        "y": _list(layer.y),
        "z": [_list(row) for row in layer.values],
        "zmin": layer.low,
        "zmax": layer.high,
        "colorscale": scale,
        "colorbar": {
            "title": {"text": _safe(folded(layer.name, LOW)), "side": "right", "font": {"size": 13}},
            "thickness": 14,
        },
        "hoverinfo": "x+y+z",
        "showlegend": False,
    }
    if layer.written:
        found |= {
            "text": [[number(value, 2) for value in row] for row in layer.values.tolist()],
            "texttemplate": "%{text}",
        }
        found |= {"hoverinfo": "z"}
    return [found]


def _limit(layer: Limit, suffix: str, look: Theme, layout: Json, panel: Panel) -> None:
    """A line across the panel, and its name beside it."""
    at = math.log10(layer.at) if (panel.x if layer.along == "x" else panel.y).log and layer.at > 0 else layer.at
    ends = {"x0": layer.at, "x1": layer.at, "y0": 0, "y1": 1, "xref": f"x{suffix}", "yref": f"y{suffix} domain"}
    words: Json = {
        "x": at,
        "y": 1,
        "xref": f"x{suffix}",
        "yref": f"y{suffix} domain",
        "textangle": -90,
        "yanchor": "top",
    }
    if layer.along == "y":
        ends = {"y0": layer.at, "y1": layer.at, "x0": 0, "x1": 1, "xref": f"x{suffix} domain", "yref": f"y{suffix}"}
        words = {
            "y": at,
            "x": 1,
            "xref": f"x{suffix} domain",
            "yref": f"y{suffix}",
            "yanchor": "bottom",
            "xanchor": "right",
        }
    line = {"color": look.soft, "width": 1, "dash": "dot"}
    layout["shapes"].append({"type": "line", "layer": "below", "line": line, **ends})
    if layer.name:
        layout["annotations"].append(
            {"text": _safe(layer.name), "showarrow": False, "font": {"color": look.soft, "size": 11}, **words}
        )


def _words(x: float, y: float, text: str, anchor: str) -> Json:
    return {"x": x, "y": y, "text": _safe(text), "showarrow": False, "yanchor": anchor}


def _texts(layer: Texts, suffix: str, look: Theme) -> list[Json]:
    anchor = {"centre": "middle", "below": "top", "above": "bottom"}[layer.where]
    places = zip(layer.x.tolist(), layer.y.tolist(), layer.texts, strict=True)
    own = {"xref": f"x{suffix}", "yref": f"y{suffix}", "font": {"color": look.soft, "size": 11}}
    return [_words(x, y, text, anchor) | own for x, y, text in places]


_DRAWN: dict[type[Layer], Callable[[Any, Theme], list[Json]]] = {
    Points: _points,
    Line: _line,
    Band: _band,
    Bars: _bars,
    Map: _map,
}
