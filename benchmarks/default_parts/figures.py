"""Figures of docs/default.md: why measurements are made, where the money goes, and what is held for it."""

import statistics
from pathlib import Path

from default_parts.runs import Run, Runs

__all__ = ["draw_costs", "draw_held", "draw_traces"]

METHODS = {"one at a time": "#0072B2", "together": "#E69F00", "qLogNEHVI": "#999999"}
PURPOSES = {"l": ("learn", "#0072B2"), "c": ("confirm", "#E69F00"), "d": ("doubt", "#999999")}


def draw_traces(runs: Runs, path: Path) -> None:
    """For every problem: the share of measurements made for each purpose, over the course of budgets of 50 and 60."""
    from matplotlib.figure import Figure

    longest = [run for run in runs if run.budget in (50.0, 60.0)]
    names = list(dict.fromkeys(run.name for run in longest))
    if not names:
        return
    columns = 4
    figure = Figure(figsize=(12, 2.4 * -(-len(names) // columns)), layout="constrained")
    for number, name in enumerate(names, 1):
        axes = figure.add_subplot(-(-len(names) // columns), columns, number)
        mine = [run.purpose for run in longest if run.name == name]
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


def draw_costs(runs: Runs, path: Path) -> None:
    """Share of the cost that each objective takes, in tenths of the budget: is it cheap first, then expensive?"""
    from matplotlib.figure import Figure

    cases = sorted({(run.name, run.costs) for run in runs})
    if not cases:
        return
    columns = 4
    lines = -(-len(cases) // columns)
    figure = Figure(figsize=(3.2 * columns, 3.0 * lines), layout="constrained")
    for number, (name, costs) in enumerate(cases, 1):
        axes = figure.add_subplot(lines, columns, number)
        mine = [run for run in runs if run.name == name and run.costs == costs]
        spent = [[0.0] * 11 for _ in costs]
        for run in mine:
            for which, cost in zip(run.which, run.cost[1:], strict=True):
                for l in which:
                    spent[l][int(10 * (cost - run.cost[0]) / (run.budget - run.cost[0]))] += costs[l]
        total = [max(sum(column), 1e-300) for column in zip(*spent, strict=True)]
        lower = [0.0] * 10
        for l, row in enumerate(spent):
            share = [row[i] / total[i] for i in range(10)]
            label = f"{mine[0].objectives[l]}, {costs[l]:g}"
            axes.bar([i + 0.5 for i in range(10)], share, 0.95, bottom=lower, label=label)
            lower = [a + b for a, b in zip(lower, share, strict=True)]
        axes.set(title=f"{name} {' : '.join(f'{c:g}' for c in costs)}", xlabel="tenths of the budget", ylim=(0, 1))
        axes.legend(fontsize="small", loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def draw_held(groups: dict[str, list[list[Run]]], path: Path) -> None:
    """Mean of what is held for how much, by searches one at a time, together and the rival's of the same seeds."""
    from matplotlib.figure import Figure

    columns = 4
    lines = -(-len(groups) // columns)
    figure = Figure(figsize=(3.4 * columns, 2.9 * lines), layout="constrained")
    for number, (title, trio) in enumerate(groups.items(), 1):
        axes = figure.add_subplot(lines, columns, number)
        marks = range(5, 1 + round(trio[0][0].budget))
        for (name, color), runs in zip(METHODS.items(), trio, strict=True):
            held = [statistics.fmean(run.at(mark) for run in runs) for mark in marks]
            axes.plot(marks, held, color=color, label=name)
        axes.set_title(f"{title} ({len(trio[0])})", fontsize="medium")
        axes.set(ylim=(0.5, 1.0), xlim=(5, marks[-1]), xlabel="spent, in full points", ylabel="held, mean")
        axes.grid(alpha=0.3)
        if number == 1:
            axes.legend(fontsize="small", loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
