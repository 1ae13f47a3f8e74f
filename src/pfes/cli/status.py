"""`pfes status`: how a study stands, as tables and plots of characters. Looking writes nothing."""

import itertools
from collections import Counter
from typing import Any

import click

from pfes.cli.arguments import json_option, opened, study_argument
from pfes.cli.output import Output
from pfes.cli.plot import Canvas, Series
from pfes.standing import Standing, front_table, gains, pending_table, sorted_points, warnings
from pfes.study import Study
from pfes.study.measured import Measured, Step, complete, measured_points
from pfes.trials import Trial

__all__ = ["status_verb"]

LAST = 5  # suggestions whose gain is shown
SHOWN = 15  # points of the front


@click.command()
@study_argument
@click.option("--no-plot", is_flag=True, help="Tables only.")
@json_option
def status_verb(study: str, name: str | None, no_plot: bool, as_json: bool) -> None:
    """Show how the study stands: cost, gain per cost, hypervolume, front, pending trials, warnings."""
    it, out = opened(study, name), Output(as_json)
    now = Standing(it)
    trials, steps = now.trials, now.steps
    out.data(_data(now))
    if as_json:
        return
    _head(now, out)
    _objectives(it, trials, out)
    _front(it, out)
    out.line()
    if not no_plot:
        _plots(it, steps, out)
    if it.pending():
        out.line("Pending", "bold")
        out.table(*pending_table(it, it.pending(), it.leases()))
    for warning in warnings(it, trials, it.leases()):
        out.line(f"! {warning}", "yellow")


def _head(now: Standing, out: Output) -> None:
    study, trials, steps = now.study, now.trials, now.steps
    states = Counter(str(trial.state) for trial in trials)
    before = sum(trial.added for trial in trials)
    counted = ", ".join(f"{count} {state}" for state, count in states.items())
    of = "" if study.budget is None else f" of {study.budget:g}"
    reserved = f", {study.reserved:g} reserved" if study.reserved else ""
    out.line(f"Study {study.name!r} ({study.storage}), method {study.method}, seed {study.seed}", "bold")
    out.line(
        f"Trials       {len(trials)}{f': {counted}' if trials else ''}{f' ({before} from before)' if before else ''}"
    )
    out.line(f"Cost         {study.spent:g}{of} spent{reserved}")
    if steps and len(study.objectives) > 1:
        corner = ", ".join(f"{name} {value:.4g}" for name, value in (now.reference or {}).items())
        out.line(f"Hypervolume  {steps[-1].hypervolume:.6g} (from {corner})")
    if learned := study.learned_model:
        out.line(f"Model        {learned.kind}: {learned.reason}")
        if learned.kind != "independent":
            pairs = [f"{a} and {b} {value:+.2f}" for (a, b), value in learned.correlations.items()]
            out.line(f"Correlation  {', '.join(pairs)} (of goals: below 0 they compete)")
    if promised := gains(trials)[-LAST:]:
        arrow = " → " if out.unicode else " -> "
        shown = arrow.join(f"{gain:.3g}" for _, gain in promised)
        out.line(f"Gain / cost  {shown} (promised by the last {len(promised)} suggestions)")


def _objectives(study: Study, trials: list[Trial], out: Output) -> None:
    spent = study.spent_on
    rows = []
    for item in study.objectives:
        values = [trial.values[item.name] for trial in trials if trial.usable and item.name in trial.values]
        best = None if not values else max(values) if item.goal == "max" else min(values)
        rows.append([item.name, item.goal, item.unit, len(values), best, item.cost, spent[item.name]])
    out.line()
    out.table(["objective", "goal", "unit", "measured", "best", "cost", "spent"], rows)


def _front(study: Study, out: Output) -> None:
    points, alone = sorted_points(study, study.front()), len(study.objectives) == 1
    out.line()
    if not points:
        out.line(
            "Nothing is measured yet." if alone else "No point has every objective measured yet, so there is no front."
        )
        return
    held = f"Front: {len(points)} point{'s' if len(points) > 1 else ''} that no other measured one beats"
    out.line(f"Best: {_best(study, points[0])}" if alone else held, "bold")
    out.table(*front_table(study, points[:SHOWN]))
    if len(points) > SHOWN:
        out.line(f"... and {len(points) - SHOWN} more: `pfes front`", "dim")


def _best(study: Study, point: Measured) -> str:
    """What a study of one objective has found."""
    item = study.objectives[0]
    return f"{item.name} {point.values[item.name]:.6g} {item.unit}".rstrip()


def _plots(study: Study, steps: list[Step], out: Output) -> None:
    width = max(30, min(64, out.width - 16))
    objectives = study.objectives
    whole = complete(measured_points(study.trials(), objectives), objectives)
    if len(objectives) > 1 and len(whole) > 1:
        x, y = objectives[0], objectives[1]
        front = study.front()
        canvas = Canvas(width, unicode=out.unicode)
        others = [point for point in whole if point not in front]
        for points, mark, plain, label in ((others, "·", ".", "measured"), (front, "●", "*", "front")):
            across, up = ([point.values[item.name] for point in points] for item in (x, y))
            canvas.add(Series(across, up, mark, plain, label))
        _draw(canvas, f"{_axis(x)}", f"{_axis(y)}", out)
    if len(steps) > 1:
        canvas = Canvas(width, 8, unicode=out.unicode)
        across, up, label = _held(study, steps)
        free = not any(across)  # data from before, or trials that cost nothing
        canvas.add(Series([float(i + 1) for i in range(len(up))] if free else across, up, "▪", "*", ""))
        _draw(canvas, "trials told" if free else "cost spent", label, out)


def _held(study: Study, steps: list[Step]) -> tuple[list[float], list[float], str]:
    """Cost, what was held by then, and what that is called: of one objective it is the best value."""
    if len(study.objectives) > 1:
        return [step.spent for step in steps], [step.hypervolume for step in steps], "hypervolume"
    item, trials = study.objectives[0], {trial.id: trial for trial in study.trials()}
    told = [(step.spent, trials[step.trial]) for step in steps]
    valued = [(spent, it.values[item.name]) for spent, it in told if it.usable and item.name in it.values]
    best = itertools.accumulate((value for _, value in valued), max if item.goal == "max" else min)
    return [spent for spent, _ in valued], list(best), f"best {_axis(item)}"


def _axis(item: Any) -> str:
    return f"{item.name}{f' [{item.unit}]' if item.unit else ''} ({item.goal})"


def _draw(canvas: Canvas, x_label: str, y_label: str, out: Output) -> None:
    for line in canvas.lines(x_label, y_label):
        out.line(line)
    out.line()


def _learned(study: Study) -> dict[str, Any] | None:
    learned = study.learned_model
    if learned is None:
        return None
    pairs = [{"objectives": [*pair], "correlation": value} for pair, value in learned.correlations.items()]
    return {"kind": learned.kind, "reason": learned.reason, "correlations": pairs}


def _data(now: Standing) -> dict[str, Any]:
    study, trials, steps = now.study, now.trials, now.steps
    return {
        "name": study.name,
        "storage": study.storage,
        "method": study.method,
        "model": study.model,
        "learned_model": _learned(study),
        "seed": study.seed,
        "trials": Counter(str(trial.state) for trial in trials),
        "budget": study.budget,
        "spent": study.spent,
        "reserved": study.reserved,
        "spent_on": study.spent_on,
        "reference": now.reference,
        "hypervolume": steps[-1].hypervolume if steps else None,
        "hypervolume_trace": [step._asdict() for step in steps],
        "gain_per_cost": [{"trial": number, "gain": gain} for number, gain in gains(trials)],
        "front": [{"row": p.row, "params": p.params, "values": p.values} for p in sorted_points(study, study.front())],
        "pending": [{"id": t.id, "missing": t.missing} for t in study.pending()],
        "leases": study.leases(),
        "warnings": warnings(study, trials, study.leases()),
    }
