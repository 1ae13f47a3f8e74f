"""Figures of docs/default.md: what is held over evaluations, and where the money goes over time."""

import statistics
from pathlib import Path
from typing import Any

__all__ = ["draw_costs", "draw_traces"]

Result = dict[str, Any]
PURPOSES = {"l": ("learn", "#0072B2"), "c": ("confirm", "#E69F00"), "d": ("doubt", "#999999")}


def draw_traces(results: list[Result], path: Path) -> None:
    """For every problem: the share of measurements made for each purpose, over the course of budgets of 50 and 60."""
    from matplotlib.figure import Figure

    runs = [r for r in results if r["part"] in ("continuous", "pools") and r["plan"][2] in (50.0, 60.0)]
    names = list(dict.fromkeys(r["plan"][0] for r in runs))
    if not names:
        return
    columns = 4
    figure = Figure(figsize=(12, 2.4 * -(-len(names) // columns)), layout="constrained")
    for number, name in enumerate(names, 1):
        axes = figure.add_subplot(-(-len(names) // columns), columns, number)
        mine = [r["purpose"][1:] for r in runs if r["plan"][0] == name]
        length = min(map(len, mine))
        lower = [0.0] * length
        for letter, (word, color) in PURPOSES.items():
            share = [statistics.fmean(purpose[i] == letter for purpose in mine) for i in range(length)]
            upper = [a + b for a, b in zip(lower, share, strict=True)]
            axes.fill_between(range(6, 6 + length), lower, upper, color=color, label=word, step="mid", linewidth=0)
            lower = upper
        axes.set(title=name, ylim=(0, 1), xlim=(6, 5 + length), xlabel="evaluation")
        if number == 1:
            axes.legend(loc="lower left", fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def draw_costs(results: list[Result], path: Path) -> None:
    """Share of the cost that each objective takes, in tenths of the budget: is it cheap first, then expensive?"""
    from matplotlib.figure import Figure

    runs = [r for r in results if r["part"] == "decoupled" and r["plan"][3]]
    cases = sorted({(r["plan"][0], tuple(r["plan"][5])) for r in runs})
    if not cases:
        return
    figure = Figure(figsize=(3.2 * len(cases), 3.0), layout="constrained")
    for number, (name, costs) in enumerate(cases, 1):
        axes = figure.add_subplot(1, len(cases), number)
        mine = [r for r in runs if r["plan"][0] == name and tuple(r["plan"][5]) == costs]
        spent = [[0.0] * 11 for _ in costs]
        for result in mine:
            for which, cost in zip(result["which"][1:], result["cost"][1:], strict=True):
                for letter in which:
                    spent[int(letter)][int(10 * (cost - 5.0) / (result["plan"][2] - 5.0))] += costs[int(letter)]
        total = [max(sum(column), 1e-300) for column in zip(*spent, strict=True)]
        lower = [0.0] * 10
        for l, row in enumerate(spent):
            share = [row[i] / total[i] for i in range(10)]
            axes.bar([i + 0.5 for i in range(10)], share, 0.95, bottom=lower, label=f"objective {l + 1}, {costs[l]:g}")
            lower = [a + b for a, b in zip(lower, share, strict=True)]
        axes.set(title=f"{name} {' : '.join(f'{c:g}' for c in costs)}", xlabel="tenths of the budget", ylim=(0, 1))
        axes.legend(fontsize="small", loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
