"""Draw docs/pictures/gain.png: a sampled frontier with its cells, and where a measurement tells most about it.

python examples/picture.py docs/pictures/gain.png        (needs matplotlib: the extra `plots`)
"""

import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from pfes.information import coupled, prepare
from pfes.pareto import dominated_cells, non_dominated

INK, GREY, CURVE = "#1c2833", "#6b7785", "#c2410c"
TINTS = ("#dbe7f3", "#c6d9ec")
HEAT = LinearSegmentedColormap.from_list("nats", ["#ffffff", "#cfe1f2", "#7fb2d9", "#2f75b5", "#123f73"])
LOW, HIGH = -0.45, 1.65
SPREAD = 0.25


def frontier(points: int, bend: float = 0.0, size: float = 1.0) -> np.ndarray:
    """A bent quarter circle, (S, L): the trade-off curve as one sample of the model sees it."""
    angle = np.linspace(0.0, np.pi / 2, points)
    radius = size * (1.1 + bend * np.sin(4.0 * angle))
    curve = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return curve[non_dominated(curve)]


def draw_cells(axes: Axes, points: np.ndarray) -> None:
    """Draw the region that a frontier (S, L) dominates, as the disjoint cells it is cut into."""
    cells = dominated_cells(points)
    for number, cell in enumerate(np.argsort(cells.upper[:, 0])):
        corner = np.maximum(cells.lower[cell], LOW - 1.0)
        width, height = cells.upper[cell] - corner
        tint = TINTS[number % 2]
        axes.add_patch(Rectangle(tuple(corner), width, height, facecolor=tint, edgecolor="white", linewidth=1.2))
    axes.plot(*points.T, "o", color=CURVE, markersize=6, markeredgecolor="white", markeredgewidth=0.8, zorder=3)
    axes.set_title("One sampled frontier and the cells it dominates", color=INK, fontsize=11, loc="left")
    axes.annotate(r"dominated, down to $-\infty$", (-0.3, 0.2), color=INK, fontsize=10)
    axes.annotate("no point of the\nsample gets here", (0.95, 1.2), color=GREY, fontsize=10)


def draw_gain(axes: Axes, samples: list[np.ndarray]) -> None:
    """Draw the coupled gain of a candidate as a function of where its mean lies."""
    ticks = np.linspace(LOW, HIGH, 161)
    first, second = np.meshgrid(ticks, ticks)
    mean = np.column_stack([first.ravel(), second.ravel()])
    gain = coupled(mean, np.full_like(mean, SPREAD), prepare(samples), resolution=0.02).reshape(first.shape)
    heat = axes.contourf(first, second, gain, levels=np.linspace(0.0, np.ceil(4 * gain.max()) / 4, 101), cmap=HEAT)
    marks = [0.01, 0.1, 0.5, 1.0, 1.5]
    lines = axes.contour(first, second, gain, levels=marks, colors=INK, linewidths=0.7)
    diagonal = np.interp(marks, np.diag(gain), ticks)
    axes.clabel(lines, fmt="%g", fontsize=8.5, manual=[(place, place) for place in diagonal])
    for points in samples:
        axes.plot(*points.T, color=CURVE, linewidth=0.9, alpha=0.7)
    bar = axes.figure.colorbar(heat, ax=axes, ticks=np.arange(0.0, gain.max() + 0.25, 0.5), fraction=0.046, pad=0.03)
    bar.set_label("nats", color=INK)
    bar.ax.tick_params(colors=GREY)
    bar.outline.set_visible(False)
    title = rf"Information in measuring a candidate ($\sigma$ = {SPREAD}), {len(samples)} samples"
    axes.set_title(title, color=INK, fontsize=11, loc="left")


def main(path: str) -> None:
    """Draw both panels and save them."""
    rng = np.random.default_rng(2)
    samples = [
        frontier(120, bend, size) for bend, size in zip(rng.normal(0, 0.06, 8), rng.normal(1, 0.04, 8), strict=True)
    ]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 5.0), layout="constrained", facecolor="white")
    draw_cells(left, frontier(9, bend=0.05))
    draw_gain(right, samples)
    for axes, what in [(left, ""), (right, "mean of ")]:
        axes.set(xlim=(LOW, HIGH), ylim=(LOW, HIGH), aspect="equal")
        axes.set_xlabel(f"{what}objective 1  →  better", color=INK)
        axes.set_ylabel(f"{what}objective 2  →  better", color=INK)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set(xticks=[0.0, 0.5, 1.0, 1.5], yticks=[0.0, 0.5, 1.0, 1.5])
        axes.tick_params(colors=GREY)
    figure.savefig(path, dpi=150)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gain.png")
