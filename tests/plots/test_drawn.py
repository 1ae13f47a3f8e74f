"""Every picture of every study is drawn by everyone who draws; what is drawn is what matplotlib and Plotly accept."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pfes import InvalidInput, Objective, Real, Space, create_study, plots
from pfes.plots.chart import Axis, Chart, Map, Panel
from pfes.study import Study
from plots import cases

STUDIES: dict[str, Callable[[], Study]] = {
    **{f"L{count}": lambda count=count: cases.space_study(count) for count in (1, 2, 3, 6)},
    "empty": lambda: cases.space_study(2, 0),
    "one": lambda: cases.space_study(2, 1),
    "three": lambda: cases.space_study(3, 3),
    "pool": cases.pool_study,
    "lively": cases.lively_study,
    "thresholds": lambda: cases.space_study(3, 8, objectives=cases.objectives(3, threshold=0.5)),
    "logarithms": lambda: cases.space_study(1, objectives=[cases.Objective("f0", transform="log", threshold=0.1)]),
}


PRINTED = ("L1", "lively", "thresholds", "one")  # all pictures are among theirs; matplotlib takes a second for each


@cache
def seen(kind: str) -> plots.View:
    """A study, looked at once."""
    return plots.look(STUDIES[kind]())


@pytest.mark.parametrize("kind", STUDIES)
def test_every_picture_is_drawn_by_all(kind: str, tmp_path: Path) -> None:
    import plotly.graph_objects as go

    view = seen(kind)
    offered = plots.pictures(view)
    drawn = [picture.name for picture in offered if not picture.why]
    assert drawn or kind == "empty"
    for name in drawn:
        picture = plots.describe(view, name)
        if kind in PRINTED:
            plots.save(picture, tmp_path / f"{name}.png", dpi=40)
            assert (tmp_path / f"{name}.png").stat().st_size > 1000
        for dark in (False, True):
            found = plots.plotly_json(picture, dark)
            go.Figure(json.loads(json.dumps(found, allow_nan=False)))  # refuses what Plotly does not know
        if name == "parallel":
            ElementTree.fromstring(plots.svg(picture))


@pytest.mark.parametrize("kind", STUDIES)
def test_pictures_that_cannot_be_drawn_say_why_and_can_be_described_or_refused(kind: str) -> None:
    view = plots.look(STUDIES[kind](), model=False)
    for picture in plots.pictures(view):
        if picture.why and not picture.model:
            plots.plotly_json(plots.describe(view, picture.name))
        elif picture.name in ("slices", "attainment"):
            with pytest.raises(InvalidInput, match="model"):
                plots.describe(view, picture.name)


def test_a_page_uses_only_what_a_strict_policy_allows() -> None:
    kinds = set()
    for kind in STUDIES:
        view = seen(kind)
        for picture in plots.pictures(view):
            if not picture.why:
                kinds |= {trace["type"] for trace in plots.plotly_json(plots.describe(view, picture.name))["data"]}
    assert kinds == {"scatter", "scatter3d", "bar", "heatmap"}


def test_the_name_of_a_scale_of_colours_is_no_longer_than_the_scale() -> None:
    name, at = "probability that something better exists", np.arange(2.0)
    colours = Map(name, at, at, np.zeros((2, 2)), 0.0, 1.0)
    (drawn,) = plots.plotly_json(Chart("", (Panel(Axis("x"), Axis("y"), (colours,)),)))["data"]
    lines = drawn["colorbar"]["title"]["text"].split("<br>")
    assert " ".join(lines) == name
    assert max(map(len, lines)) <= 24  # a phone's picture has room for as many


def test_an_unknown_picture_and_a_wrong_number_of_objectives_are_refused() -> None:
    study = cases.space_study(4, 4)
    with pytest.raises(InvalidInput, match="got 'fornt', wanted one of progress, front"):
        plots.describe(study, "fornt")
    with pytest.raises(InvalidInput, match="got 4 objectives, wanted 2 to 3"):
        plots.describe(study, "front")


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidInput, match=r"pip install 'pfes\[plots\]'"):
        plots.figure(plots.describe(cases.space_study(2, 4), "front"))


def test_looking_without_a_model_loads_none_and_no_optional_package(fresh_python: Callable[..., str]) -> None:
    code = "import json, sys; from pfes import plots; print(json.dumps(list(sys.modules)))"
    loaded = set(json.loads(fresh_python(code)))
    assert loaded & {"matplotlib", "plotly", "numba", "scipy", "pfes.gp"} == set()


# Names and counts

LONG_NAMES = ("conductivity of the electrolyte at room temperature", "price of a kilogram of raw material", "energy")


@cache
def long_view() -> plots.View:
    goals = [cases.Objective(name, unit="EUR/kg") for name in LONG_NAMES]
    study = cases.create_study(space=cases.SPACE, objectives=goals, method="sobol")
    points = [{name: row[name] for name in cases.SPACE.names} for row in cases.rows(3, 9)]
    study.add([point | dict(zip(LONG_NAMES, cases.truth(point, 3), strict=True)) for point in points])
    return plots.look(study, model=False)


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+|…", text)


def test_long_names_are_whole_on_parallel_axes_and_stay_on_the_paper() -> None:
    drawn = ElementTree.fromstring(plots.svg(plots.describe(long_view(), "parallel")))
    space = "{http://www.w3.org/2000/svg}"
    left, top, width, height = map(float, drawn.attrib["viewBox"].split())
    texts = list(drawn.iter(f"{space}text"))
    shown = " ".join("".join(it.itertext()) for it in texts)
    assert "…" not in shown
    for name in LONG_NAMES:
        assert all(word in shown for word in name.split())
    for it in texts:
        x, y, said = float(it.attrib["x"]), float(it.attrib["y"]), "".join(it.itertext())
        half = 7.8 * len(said) / 2 if it.attrib["text-anchor"] == "middle" else 0.0
        assert left <= x - half <= x + half <= left + width, said
        assert top <= y <= top + height, said


def test_long_names_are_whole_beside_maps() -> None:
    figure = plots.figure(plots.describe(long_view(), "correlations"))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [words_of(label.get_text()) for label in labels] == [words_of(name) for name in LONG_NAMES]
        for label in labels:
            box = label.get_window_extent()
            assert box.x0 >= 0.0
            assert box.y0 >= 0.0
            assert box.x1 <= figure.bbox.width
    found = plots.plotly_json(plots.describe(long_view(), "correlations"))["layout"]["xaxis"]["ticktext"]
    assert [words_of(text.replace("<br>", " ")) for text in found] == [words_of(name) for name in LONG_NAMES]


@pytest.mark.parametrize(("kind", "name"), [("L1", "progress"), ("L2", "volume"), ("lively", "costs")])
def test_axes_that_count_have_whole_numbers(kind: str, name: str) -> None:
    picture = plots.describe(seen(kind), name)
    figure = plots.figure(picture)
    figure.draw_without_rendering()
    marks = figure.axes[0].get_xticks()
    assert len(marks) > 1
    assert all(float(mark).is_integer() for mark in marks)
    step = plots.plotly_json(picture)["layout"]["xaxis"]["dtick"]
    assert isinstance(step, int)
    assert step >= 1


@pytest.mark.parametrize("width", [320, 390, 700, 1200])
def test_names_of_axes_are_folded_to_the_width_of_the_page(width: int) -> None:
    names = ["specific capacity after a hundred cycles of charging and discharging", "x" * 60]
    study = create_study(space=Space(x=Real(0, 1)), objectives=[Objective(name) for name in names], method="sobol")
    study.add([{"x": i / 4, names[0]: i, names[1]: -i} for i in range(4)])
    layout = plots.plotly_json(plots.describe(plots.look(study, model=False), "front"), width=width)["layout"]
    for axis in ("xaxis", "yaxis"):
        lines = layout[axis]["title"]["text"].split("<br>")
        each = layout[axis]["title"].get("font", {"size": 16})["size"] * 0.5  # pixels of a letter
        assert max(map(len, lines)) * each < (width if axis == "xaxis" else 380), axis
        assert "".join(lines).replace(" ", "").startswith(names[axis == "yaxis"].replace(" ", "")[:60])
