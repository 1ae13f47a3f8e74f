"""The paper's explanatory figures, from numbers that jobs have computed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.plots.chart import Axis, Chart, Layer, Line, Map, Panel, Points
from pfes.plots.words import number
from pfes.report.document import Block, Paragraph, Picture, Section

__all__ = ["Dominated", "Truncation", "figures"]

Array = NDArray[np.float64]
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 73)


@dataclass(frozen=True)
class Dominated:
    """How likely values are dominated, before and after an observation; numbers as `pfes.bench.explain` gives them."""

    numbers: dict[str, Any]

    def chart(self) -> Chart:
        """Before on top, after below; an observation that tells much on the left, one that tells little beside it."""
        cases = self.numbers["cases"]
        above = [self._panel(self.numbers["before"], case, "before", True) for case in cases]
        below = [self._panel(case["after"], case, "after", False) for case in cases]
        return Chart("Probability of being dominated", (*above, *below), columns=2)

    def _panel(self, values: list[list[float]], case: dict[str, Any], when: str, predicted: bool) -> Panel:
        axes = [np.array(axis) for axis in self.numbers["axes"]]
        observed = np.array(self.numbers["observed"])
        layers: list[Layer] = [Map("probability of being dominated", axes[0], axes[1], np.array(values), 0.0, 1.0)]
        layers.append(Points("data", "observed", observed[:, 0], observed[:, 1]))
        if predicted:
            layers += _rings(case, "predicted, 1 and 2 deviations")
        star = np.array(case["star"])
        layers.append(Points("recommended", "drawn from the prediction", star[:1], star[1:]))
        title = f"{when} an observation that tells {number(case['gain'], 2)} nats"
        spans = [(float(axis[0]), float(axis[-1])) for axis in axes]
        return Panel(Axis("objective 1", span=spans[0]), Axis("objective 2", span=spans[1]), tuple(layers), title)


def _rings(case: dict[str, Any], name: str) -> list[Layer]:
    mean, std = case["mean"], case["std"]
    return [
        Line(
            "sample",
            name if k == 1 else "",
            mean[0] + k * std[0] * np.cos(CIRCLE),
            mean[1] + k * std[1] * np.sin(CIRCLE),
        )
        for k in (1, 2)
    ]


@dataclass(frozen=True)
class Truncation:
    """A prediction, cut off by a frontier; numbers as `pfes.bench.explain` gives them."""

    numbers: dict[str, Any]

    def chart(self) -> Chart:
        """The prediction, what is left of it below the frontier, the cells, and the first objective's density."""
        it, axes = self.numbers, [np.array(axis) for axis in self.numbers["axes"]]
        frontier = np.array(it["frontier"])
        most = float(max(np.max(it["truncated"]), np.max(it["density"])))
        dots = Points("front", "frontier", frontier[:, 0], frontier[:, 1])
        span = [(float(axis[0]), float(axis[-1])) for axis in axes]
        across, up = Axis("objective 1", span=span[0]), Axis("objective 2", span=span[1])
        maps = [Map("density", axes[0], axes[1], np.array(it[name]), 0.0, most) for name in ("density", "truncated")]
        density = Panel(
            Axis("objective 1", span=span[0]),
            Axis("density of objective 1"),
            (
                Line("limit", "predicted", axes[0], np.array(it["first"]), dashed=True),
                Line("sample", "given that the frontier dominates", axes[0], np.array(it["first_truncated"])),
            ),
            "(d) one objective",
        )
        panels = (
            Panel(across, up, (maps[0],), "(a) prediction"),
            Panel(across, up, (maps[1], dots), "(b) truncated by the frontier"),
            Panel(across, up, (*self._cells(span), dots), f"(c) {len(it['cells'])} cells"),
            density,
        )
        return Chart("Truncation by a frontier", panels, columns=2)

    def _cells(self, span: list[tuple[float, float]]) -> list[Layer]:
        lines: list[Layer] = []
        for number_, (lower, upper) in enumerate(self.numbers["cells"]):
            (left, bottom), (right, top) = (
                [value if value is not None else span[l][end] for l, value in enumerate(corner)]
                for end, corner in ((0, lower), (1, upper))
            )
            x, y = np.array([left, right, right, left, left]), np.array([bottom, bottom, top, top, bottom])
            lines.append(Line("model", "cells" if number_ == 0 else "", x, y))
        return lines


def figures(lines: Sequence[dict[str, Any]]) -> Iterator[Section]:
    """A section for each picture."""
    drawn = [line for line in lines if line["settings"]["kind"] == "picture" and "error" not in line]
    for line in drawn:
        name = line["settings"]["method"]["name"]
        blocks: tuple[Block, ...] = _dominated(line) if name == "dominated" else _truncation(line)
        yield Section(f"{line['method']}: {line['problem']}, seed {line['seed']}", blocks)


def _name(line: dict[str, Any]) -> str:
    return f"{line['settings']['method']['name']}-{line['id'][:6]}"


def _dominated(line: dict[str, Any]) -> tuple[Block, ...]:
    it = line["numbers"]
    doubt = [_doubt(values) for values in (it["before"], *(case["after"] for case in it["cases"]))]
    much, little = (number(case["gain"], 2) for case in it["cases"])
    words = (
        f"By 10 sampled frontiers. Before, the map's doubt (mean entropy of dominated or not) is {number(doubt[0], 3)} "
        f"nats; after an observation that was to tell {much} nats it is {number(doubt[1], 3)}, after one that was to "
        f"tell {little} nats {number(doubt[2], 3)}."
    )
    return Paragraph(words), Picture(_name(line), Dominated(it), "Before and after an observation.")


def _doubt(values: list[list[float]]) -> float:
    p = np.clip(np.array(values), 1e-12, 1.0 - 1e-12)
    return float(np.mean(-p * np.log(p) - (1.0 - p) * np.log(1.0 - p)))


def _truncation(line: dict[str, Any]) -> tuple[Block, ...]:
    it = line["numbers"]
    words = (
        f"The frontier dominates {number(it['probability'], 3)} of the prediction. Knowing that it dominates all of it "
        f"tells {number(it['gain'], 3)} nats about both objectives, {number(it['single_gains'][0], 3)} and "
        f"{number(it['single_gains'][1], 3)} about each alone."
    )
    return Paragraph(words), Picture(_name(line), Truncation(it), "Prediction, truncation, cells and one marginal.")
