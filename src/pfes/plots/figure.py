"""Pictures for files and papers: the one door to matplotlib. Texts of users are never read as formulas."""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pfes.errors import InvalidInput
from pfes.plots.chart import Axis, Band, Bars, Chart, Layer, Limit, Line, Map, Panel, Points, Texts
from pfes.plots.pictures import Description
from pfes.plots.theme import DASHES, Theme, mark_of, theme
from pfes.plots.words import folded, legible, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_on", "figure", "figure_size", "poster", "save", "styled"]

SHADES = 10  # of a map
LETTERS = 12.0  # on an inch
ASIDE, SHORTEST = 22, 8  # letters of a line of a name beside an axis, and the least below one
WIDTH = {1: 6.8, 2: 9.0, 3: 11.0, 4: 12.0}  # inches, by columns


def figure(picture: Description | Chart, dark: bool = False, *, size: tuple[float, float] | None = None) -> "Figure":
    """A matplotlib Figure of a picture; size: width and height in inches."""
    chart = picture if isinstance(picture, Chart) else picture.chart()
    look = theme(dark)
    with styled(look):
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional

        drawn = Figure(figsize=size or figure_size(chart), layout="constrained", facecolor=look.ground)
        draw_on(drawn, chart, look)
        return drawn


def save(
    picture: Description | Chart,
    target: str | os.PathLike[str] | IO[Any],
    dark: bool = False,
    *,
    dpi: float = 150,
    **how: Any,
) -> None:
    """Write a picture to a file (PNG, SVG, PDF by its name) or a stream; how: further arguments of savefig."""
    with styled(theme(dark)):
        figure(picture, dark).savefig(target, dpi=dpi, **how)


def figure_size(chart: Chart) -> tuple[float, float]:
    """Inches that show all panels well."""
    width = WIDTH.get(chart.columns, 13.0)
    if isinstance(chart.panels[0].layers[0], Bars) if chart.panels and chart.panels[0].layers else False:
        return width, 1.1 + 0.5 * len(chart.panels[0].y.values)
    if len(chart.panels) == 1:
        return (5.6, 4.6) if chart.panels[0].square else (6.4, 5.8) if chart.panels[0].z else (width, 4.5)
    each = width / chart.columns * (0.95 if chart.panels[0].square else 0.78)
    return width, each * chart.rows + 0.7


@contextmanager
def styled(look: Theme) -> Iterator[None]:
    """Matplotlib's settings for a theme, as long as the context lasts; InvalidInput if it is not installed."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - optional
    except ImportError:
        raise InvalidInput("pictures need matplotlib, which is not installed; try pip install 'pfes[plots]'") from None
    settings: dict[Any, Any] = {
        "text.parse_math": False,
        "axes.unicode_minus": True,
        "font.size": 10.0,
        "text.color": look.ink,
        "axes.edgecolor": look.soft,
        "axes.labelcolor": look.ink,
        "axes.facecolor": look.ground,
        "axes.titlesize": 10.0,
        "xtick.color": look.soft,
        "ytick.color": look.soft,
        "xtick.labelcolor": look.ink,
        "ytick.labelcolor": look.ink,
        "grid.color": look.grid,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "legend.fontsize": 9.0,
        "svg.fonttype": "none",
        "svg.hashsalt": "pfes",
    }
    with mpl.rc_context(settings):
        yield


def draw_on(drawn: Any, chart: Chart, look: Theme) -> None:
    """Draw a chart on a matplotlib figure, or on a part of one."""
    for place, panel in enumerate(chart.panels):
        kind = {"projection": "3d"} if panel.z is not None else {}
        axes = drawn.add_subplot(chart.rows, chart.columns, place + 1, **kind)
        _panel(axes, panel, look)
    _legend(drawn, chart)
    if chart.note:
        drawn.supxlabel(
            _wrapped(legible(chart.note), 15 * drawn.bbox.width / 100), fontsize=8.5, color=look.soft, x=0.01, ha="left"
        )


def poster(count: int, head: str, look: Theme) -> tuple[Any, list[Any]]:
    """A figure with a heading and room for `count` charts, two in a row: the figure, and where to draw."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional

    rows, columns = -(-count // 2) or 1, min(count, 2) or 1
    whole = Figure(figsize=(6.6 * columns, 4.6 * rows + 0.8), layout="constrained", facecolor=look.ground)
    first, _, second = head.partition("\n")
    whole.suptitle(f"{first}\n{second}", x=0.01, ha="left", fontsize=13)
    rooms: Any = whole.subfigures(rows, columns, squeeze=False, wspace=0.03, hspace=0.03).ravel() if count else []
    for room in rooms:
        room.set_facecolor(look.ground)
    return whole, list(rooms)[:count]


def _wrapped(text: str, width: float) -> str:
    import textwrap  # noqa: PLC0415 - rarely needed

    return textwrap.fill(text, max(30, int(width)))


def _legend(drawn: Any, chart: Chart) -> None:
    """One legend for all panels, above them."""
    found: dict[str, Any] = {}
    for axes in drawn.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    if found:
        columns = 2 if chart.columns == 1 else 3
        names = list(found)[::-1]  # what is drawn last matters most
        handles = [found[name] for name in names]
        drawn.legend(handles, names, loc="outside upper left", ncols=columns, handletextpad=0.5)


def _panel(axes: Any, panel: Panel, look: Theme) -> None:
    for layer in panel.layers:
        _DRAWN[type(layer)](axes, layer, look)
    wide, high = _room(axes)
    _axis(axes, "x", panel.x, wide)
    _axis(axes, "y", panel.y, high)
    if panel.z is not None:
        _axis(axes, "z", panel.z, high)
        axes.grid(True)
        axes.tick_params(labelsize=8)
        for each in (axes.xaxis, axes.yaxis, axes.zaxis):
            each.set_pane_color((0.0, 0.0, 0.0, 0.0))
            each.label.set_size(9)
        axes.set_box_aspect(None, zoom=0.95)
    if panel.square and panel.x.span is None:
        axes.set_aspect("equal")
    elif panel.square:
        axes.set_box_aspect(1.0)
    if panel.title:
        axes.set_title(legible(panel.title), loc="left")


def _room(axes: Any) -> tuple[float, float]:
    """Letters that fit side by side along a panel, and along its height."""
    rows, columns = axes.get_subplotspec().get_gridspec().get_geometry()
    box, dots = axes.figure.bbox, axes.figure.dpi
    return LETTERS * box.width / dots / columns, LETTERS * box.height / dots / rows


def _axis(axes: Any, which: str, axis: Axis, room: float) -> None:
    getattr(axes, f"set_{which}label")(folded(axis.label, int(0.8 * room)))
    own = getattr(axes, f"{which}axis")
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
    if axis.span is not None:
        getattr(axes, f"set_{which}lim")(axis.span)
    if axis.log:
        _powers(own)
    if axis.values:
        _names(own, which, axis.values, room)
    elif axis.whole:
        own.get_major_locator().set_params(integer=True)
    elif not axis.log:
        own.set_major_formatter(_plain())
    if axis.hidden:
        own.set_ticks([])
        axes.spines["left" if which == "y" else "bottom"].set_visible(False)


def _names(own: Any, which: str, names: tuple[str, ...], room: float) -> None:
    """Names instead of numbers, whole: on several lines or, where there are many side by side, aslant."""
    each = int(0.7 * room / len(names)) if which == "x" else ASIDE
    longest = max(len(word) for name in names for word in ["", *name.split()])
    aslant = each < max(longest, SHORTEST) and sum(map(len, names)) > 0.7 * room
    own.set_ticks(range(len(names)), labels=[folded(name, ASIDE if aslant else each) for name in names])
    own.grid(False)
    if aslant:
        for label in own.get_ticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")


def _plain() -> Any:
    """Numbers on a line; long ones share a power of ten, which is not written as a formula."""
    from matplotlib.ticker import ScalarFormatter  # noqa: PLC0415 - optional

    found = ScalarFormatter(useMathText=False)
    found.set_powerlimits((-3, 5))
    return found


def _powers(own: Any) -> None:
    """Powers of ten, and numbers between them where there are few powers, without formulas."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: PLC0415 - optional

    own.set_major_formatter(FuncFormatter(lambda value, _: power(value)))
    low, high = sorted(own.get_view_interval())
    if low > 0.0 and math.log10(high / low) < 2.0:
        own.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        own.set_major_formatter(FuncFormatter(lambda value, _: number(value, 3)))
    own.set_minor_formatter(NullFormatter())


SUPER = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(value: float) -> str:
    """A power of ten, from 0.01 to 1000 written out."""
    exponent = round(math.log10(value)) if value > 0.0 else 0
    return number(value) if -2 <= exponent <= 3 else f"10{str(exponent).translate(SUPER)}"


def _label(name: str) -> str:
    """What the legend says; one that begins with _ would be left out."""
    return "_" if not name else f"\u200b{legible(name)}" if name.startswith("_") else legible(name)


def _points(axes: Any, layer: Points, look: Theme) -> None:
    mark, colour = mark_of(layer.role), look.colour(layer.role)
    places = [layer.x, layer.y] if layer.z is None else [layer.x, layer.y, layer.z]
    errors = {"xerr": layer.x_error, "yerr": layer.y_error, "zerr": layer.z_error if layer.z is not None else None}
    given = {name: value for name, value in errors.items() if value is not None}
    if given:
        axes.errorbar(*places, fmt="none", ecolor=colour, elinewidth=0.9, alpha=0.55, zorder=3, **given)
    faint = layer.role in ("measured", "half")
    axes.plot(
        *places,
        linestyle="none",
        marker=mark.matplotlib,
        markersize=mark.size,
        color=colour,
        markerfacecolor=look.ground if mark.open else colour,
        markeredgecolor=colour if mark.open else look.ground,
        markeredgewidth=1.2 if mark.open else 0.0 if faint else 0.7,
        alpha=0.8 if faint else 1.0,
        label=_label(layer.name),
        zorder=2 if faint else 4,
    )


def _line(axes: Any, layer: Line, look: Theme) -> None:
    dash = DASHES[layer.role % len(DASHES)][0] if isinstance(layer.role, int) else "--" if layer.dashed else "-"
    axes.plot(
        layer.x,
        layer.y,
        linestyle=dash,
        drawstyle="steps-post" if layer.step else "default",
        color=look.colour(layer.role),
        linewidth=0.8 if layer.faint or layer.role == "limit" else 1.2 if layer.dashed else 1.7,
        alpha=0.5 if layer.faint else 1.0,
        label=_label(layer.name),
        zorder=2,
    )


def _band(axes: Any, layer: Band, look: Theme) -> None:
    axes.fill_between(
        layer.x, layer.low, layer.high, color=look.colour(layer.role), alpha=0.18, linewidth=0, label=_label(layer.name)
    )


def _bars(axes: Any, layer: Bars, look: Theme) -> None:
    count = len(layer.labels)
    colours = [look.colour(place) for place in range(count)]
    found = axes.barh(np.arange(count), layer.values, color=colours, height=0.62)
    axes.bar_label(found, labels=[f" {legible(text)}" for text in layer.texts], fontsize=9, color=look.ink)
    axes.set_ylim(count - 0.5, -0.5)
    axes.margins(x=0.45)
    axes.set_xlim(left=0.0)


def _limit(axes: Any, layer: Limit, look: Theme) -> None:
    across = axes.axvline if layer.along == "x" else axes.axhline
    across(layer.at, color=look.soft, linewidth=1.0, linestyle=":", label=_label(layer.name), zorder=1)


def _map(axes: Any, layer: Map, look: Theme) -> None:
    axes.grid(False)
    if layer.written:
        _cells(axes, layer, look)
        return
    # colours of one hue, more or less opaque: they stay right when a page exchanges the theme's colours
    levels = np.linspace(layer.low, layer.high, SHADES + 1)
    shades = [(look.high, 0.7 * k / (SHADES - 1)) for k in range(SHADES)]
    filled = axes.contourf(layer.x, layer.y, layer.values, levels, colors=shades)
    bar = axes.figure.colorbar(filled, ax=axes, shrink=0.85, pad=0.02)
    bar.set_label(layer.name)
    bar.outline.set_visible(False)


def _cells(axes: Any, layer: Map, look: Theme) -> None:
    """A square for each value around 0, and the value in it."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - optional

    for row, column in np.ndindex(layer.values.shape):
        value = float(layer.values[row, column])
        x, y, share = (
            float(layer.x[column]),
            float(layer.y[row]),
            min(abs(value) / layer.high, 1.0) if np.isfinite(value) else 0.0,
        )
        hue = look.along if value > 0.0 else look.against
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1.0, 1.0, facecolor=hue, alpha=share, edgecolor="none"))
        ink = look.ground if share > 0.6 else look.ink
        axes.text(x, y, number(value, 2), ha="center", va="center", color=ink)
    axes.set(xlim=(layer.x[0] - 0.5, layer.x[-1] + 0.5), ylim=(layer.y[-1] + 0.5, layer.y[0] - 0.5))


def _texts(axes: Any, layer: Texts, look: Theme) -> None:
    where = {"centre": "center", "below": "top", "above": "bottom"}[layer.where]
    for x, y, text in zip(layer.x, layer.y, layer.texts, strict=True):
        axes.text(x, y, legible(text), ha="center", va=where, fontsize=8.5, color=look.soft)


_DRAWN: dict[type[Layer], Callable[[Any, Any, Theme], None]] = {
    Points: _points,
    Line: _line,
    Band: _band,
    Bars: _bars,
    Limit: _limit,
    Map: _map,
    Texts: _texts,
}
