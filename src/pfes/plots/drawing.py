"""Parallel coordinates as SVG, drawn by ourselves: a strict content security policy lets nothing else draw them.

Colours are attributes, not styles; every line has a title that a pointer shows; texts of users are escaped.
"""

from html import escape

import numpy as np
from numpy.typing import NDArray

from pfes.plots.parallel import Parallel
from pfes.plots.theme import Theme, theme
from pfes.plots.words import folded, legible, number

__all__ = ["svg"]

Array = NDArray[np.float64]

TALL, TOP, BOTTOM, SIDE = 316, 69, 64, 84  # above the uppermost axis: legend, goal and best value; then names
LETTER, LINE = 7.8, 15  # how wide a letter is, about, and how high a line
MOST = 6  # lines of a name
LINES = {  # width, opacity and dashes by role
    "measured": (1.0, 0.35, ""),
    "recommended": (1.3, 0.8, "5 3"),
    "pending": (1.6, 0.9, "2 3"),
    "front": (1.8, 0.9, ""),
}


def svg(picture: Parallel, dark: bool = False, width: int = 900) -> str:
    """A picture of parallel coordinates, `width` units wide; it scales with the page."""
    look = theme(dark)
    count = len(picture.objectives)
    across = np.linspace(SIDE, width - SIDE, count) if count > 1 else np.array([width / 2.0])
    letters = int(min(2 * SIDE, (width - 2 * SIDE) / max(count - 1, 1)) / LETTER)
    names = [folded(label, letters, MOST).split("\n") for label in picture.labels]
    top = TOP + LINE * max(map(len, names))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-top} {width} {top + TALL}" width="100%" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{look.ink}">',
        f"<title>{_safe(picture.study)}: the front, objective by objective</title>",
        *_legend(picture, look, 14 - top),
        *(_axis(picture, l, x, names[l], look) for l, x in enumerate(across)),
        *_lines(picture, across, look),
        *_thresholds(picture, across, look),
        "</svg>",
    ]
    return "\n".join(parts)


def _safe(text: str) -> str:
    """Lines stay lines."""
    return "\n".join(escape(legible(line)) for line in text.split("\n"))


def _height(share: float) -> float:
    """Axes reach from 0, their upper end, down to the bottom."""
    return (1.0 - share) * (TALL - BOTTOM)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "middle", size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{_safe(text)}</text>'
    )


def _legend(picture: Parallel, look: Theme, y: float) -> list[str]:
    found, x = [], 10.0
    for role, name, _ in picture.clouds:
        stroke, _, dash = LINES[str(role)]
        found.append(
            f'<line x1="{x:.0f}" x2="{x + 26:.0f}" y1="{y:.0f}" y2="{y:.0f}" stroke="{look.colour(role)}" '
            f'stroke-width="{stroke + 0.6}" stroke-dasharray="{dash or "none"}"/>'
        )
        found.append(_text(x + 32, y + 4, name, look.ink, "start"))
        x += 32 + LETTER * len(name) + 24
    return found


def _axis(picture: Parallel, l: int, x: float, name: list[str], look: Theme) -> str:
    goal = "larger is better" if picture.objectives[l].goal == "max" else "smaller is better"
    return "\n".join(
        [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_height(0):.1f}" y2="{_height(1):.1f}" stroke="{look.soft}"/>',
            f"<g><title>{_safe(picture.labels[l])}</title>",
            *(_text(x, _height(1) - 38 - LINE * up, line, look.ink) for up, line in enumerate(reversed(name))),
            "</g>",
            _text(x, _height(1) - 23, goal, look.soft, size=11),
            _text(x, _height(1) - 7, number(float(picture.best[l]), 4), look.soft, size=12),
            _text(x, _height(0) + 16, number(float(picture.worst[l]), 4), look.soft, size=12),
        ]
    )


def _lines(picture: Parallel, across: Array, look: Theme) -> list[str]:
    found = []
    for role, _, cloud in picture.clouds:
        stroke, opacity, dash = LINES[str(role)]
        found.append(
            f'<g fill="none" stroke="{look.colour(role)}" stroke-width="{stroke}" stroke-opacity="{opacity}" '
            f'stroke-dasharray="{dash or "none"}" stroke-linejoin="round">'
        )
        for heights, text in zip(picture.heights(cloud.values), cloud.texts, strict=True):
            places = " ".join(f"{x:.1f},{_height(h):.1f}" for x, h in zip(across, heights, strict=True))
            found.append(f'<polyline points="{places}"><title>{_safe(text)}</title></polyline>')
        found.append("</g>")
    return found


def _thresholds(picture: Parallel, across: Array, look: Theme) -> list[str]:
    found = []
    for item, x, height in zip(picture.objectives, across, picture.thresholds, strict=True):
        if not np.isnan(height) and item.threshold is not None:
            y = _height(float(height))
            said = f"threshold of {item.name}: {number(item.threshold)}"
            tick = f'x1="{x - 9:.1f}" x2="{x + 9:.1f}" y1="{y:.1f}" y2="{y:.1f}"'
            word = _text(x + 13, y + 4, "threshold", look.ink, "start", 11)
            line = f'<line {tick} stroke="{look.ink}" stroke-width="2.5"/>'
            found.append(f"<g><title>{_safe(said)}</title>{line}{word}</g>")
    return found
