"""What a report says: what was asked, what was found, how sure we are, what to do next, how it went."""

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pfes.display import cell
from pfes.errors import PfesError
from pfes.objectives import Objective
from pfes.plots import View, describe
from pfes.plots import pictures as offered
from pfes.plots.pictures import BEYOND
from pfes.plots.words import counted, estimate, number, parameter_label, percent
from pfes.points import given, read
from pfes.report.document import Block, Bullets, Document, Paragraph, Picture, Section, Table
from pfes.space import Choice, Pool
from pfes.standing import gains, warnings
from pfes.study import Measured, Study
from pfes.trials import Trial, TrialState

__all__ = ["document"]

SHOWN = 20  # rows of a table that are shown
DIGITS = 5
FRESH = 3  # suggestions made for a report
UNASKED = "Nothing is waited for. No suggestion was made for this report: asking the study gives one."


def document(study: Study, view: View, suggest: bool = True) -> Document:
    """The report of a study as it was looked at; suggest: also what would be suggested now, if nothing is pending."""
    sections = [
        Section("What was asked", tuple(_asked(study, view))),
        Section("What was found", tuple(_found(view))),
        Section("How sure we are", tuple(_sure(view))),
        Section("What to do next", tuple(_next(study, view, suggest)) or (Paragraph(UNASKED),)),
        Section("How it went", tuple(_went(view))),
    ]
    return Document(f"Report on {view.name}", tuple(_numbers(view)), tuple(sections), _foot(study))


def _foot(study: Study) -> str:
    events = study.events
    if not events:
        return "Written by pfes from a study in which nothing has happened yet."
    last = datetime.datetime.fromtimestamp(events[-1].time, datetime.UTC)
    return f"Written by pfes from {counted(len(events), 'event')}, the last of {last:%Y-%m-%d %H:%M} UTC."


def _numbers(view: View) -> Iterator[tuple[str, str]]:
    of = "" if view.study.budget is None else f" of {number(view.study.budget)}"
    yield "trials", f"{len(view.trials):,}"
    yield "values measured", f"{sum(view.counts.values()):,}"
    yield "cost spent", f"{number(view.spent)}{of}"
    yield ("best value" if len(view.objectives) == 1 else "points on the front"), _headline(view)
    if view.steps and len(view.objectives) > 1:
        yield "hypervolume held", number(view.steps[-1].hypervolume)


def _headline(view: View) -> str:
    if len(view.objectives) > 1:
        return f"{len(view.front):,}"
    item = view.objectives[0]
    best = view.best[item.name]
    return "none yet" if best is None else f"{number(best, DIGITS)} {item.unit}".strip()


# What was asked


def _asked(study: Study, view: View) -> Iterator[Block]:
    goals = [f"{'large' if item.goal == 'max' else 'small'} {item.name}" for item in view.objectives]
    where = view.space
    if isinstance(where, Pool):
        lead = f"Which of {counted(len(where), 'candidate')} have {_and(goals)}?"
    else:
        lead = f"Which settings of {counted(len(where.names), 'parameter')} give {_and(goals)}?"
    if len(goals) > 1:
        lead += " No point is best in everything; wanted are the best trade-offs, the front."
    yield Paragraph(lead)
    yield Table.of(
        ["objective", "unit", "goal", "cost", "threshold", "measured", "best"],
        [_objective(view, item) for item in view.objectives],
        "What is measured." + (" Values worse than a threshold are of no use." if _limited(view) else ""),
    )
    yield Table.of(["parameter", "unit", "values"], list(_parameters(where)), "What can be chosen.")
    if not isinstance(where, Pool) and where.constraints:
        yield Paragraph(f"Constraints: {'; '.join(str(limit) for limit in where.constraints)}.")
    budget = "" if study.budget is None else f", within a budget of {number(study.budget)}"
    yield Paragraph(f"Suggestions are made by the method {study.method}{budget}.")


def _limited(view: View) -> bool:
    return any(item.threshold is not None for item in view.objectives)


def _objective(view: View, item: Objective) -> list[str]:
    best, threshold = view.best[item.name], item.threshold
    return [
        item.name,
        item.unit,
        "larger" if item.goal == "max" else "smaller",
        number(item.cost),
        "" if threshold is None else number(threshold),
        str(view.counts[item.name]),
        "" if best is None else number(best, DIGITS),
    ]


def _parameters(where: Any) -> Iterator[list[str]]:
    known = where.varied if isinstance(where, Pool) else where.parameters
    for name in where.names:
        it = known.get(name)
        if it is None:
            yield [name, "", "the same everywhere"]
        elif isinstance(it, Choice):
            values = ", ".join(map(cell, it.values[:12]))
            yield [name, it.unit, f"{values}, … ({len(it.values)} in all)" if len(it.values) > 12 else values]
        else:
            step = f", in steps of {number(it.step)}" if it.step and it.step != 1 else ""
            log = ", by its logarithm" if it.log else ""
            yield [name, it.unit, f"{number(it.low)} to {number(it.high)}{step}{log}"]


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# What was found


def _found(view: View) -> Iterator[Block]:
    if not view.points:
        yield Paragraph("Nothing has been measured yet.")
        return
    yield Paragraph(_held(view))
    yield from _drawn(view, _front_picture(view))
    if view.front:
        yield _front_table(view, view.front[:SHOWN])
        if len(view.front) > SHOWN:
            yield Paragraph(f"The first {SHOWN} of {len(view.front)} points are listed.")
    if view.recommended:
        what = "the point that is" if len(view.objectives) == 1 else "points that no other is"
        better = "predicted to be best" if len(view.objectives) == 1 else "predicted to better"
        yield Paragraph(
            f"The model's own view, measured or not: {what} {better}. Where prediction and measurement stand side by "
            "side, they can be compared."
        )
        yield _recommended_table(view)
    elif view.unmodelled:
        yield Paragraph(f"There are no predictions: {view.unmodelled}.")


def _held(view: View) -> str:
    if not view.front:
        return "No point has every objective measured yet, so nothing is held for certain."
    if len(view.objectives) == 1:
        item, best = view.objectives[0], view.front[0]
        return f"The best measured {item.name} is {number(best.values[item.name], DIGITS)} {item.unit}".strip() + "."
    half = len(view.points) - len(view.whole)
    partly = f" {counted(half, 'further point')} {'is' if half == 1 else 'are'} measured in part." if half else ""
    return (
        f"{counted(len(view.whole), 'point')} {'has' if len(view.whole) == 1 else 'have'} every objective measured; "
        f"{counted(len(view.front), 'of them is', 'of them are')} bettered by no other and "
        f"{'makes' if len(view.front) == 1 else 'make'} the front.{partly}"
    )


def _front_picture(view: View) -> tuple[tuple[str, str], ...]:
    front = "What was measured." if view.unmodelled else "What was measured, what is predicted, what was asked for."
    side = "The same, objective by objective."
    kinds: dict[int, tuple[tuple[str, str], ...]] = {
        1: (("progress", "What was measured, in the order it came, and the best so far."),)
    }
    kinds |= {2: (("front", front),), 3: (("front", front), ("parallel", side))}
    return kinds.get(len(view.objectives), (("parallel", front),))


def _drawn(view: View, wanted: Sequence[tuple[str, str]], **options: Any) -> Iterator[Block]:
    """Those of the pictures, (name, caption), that can be drawn, and why one that was to be expected cannot."""
    known = {picture.name: picture for picture in offered(view) if not (picture.model and view.unmodelled)}
    for picture, caption in [(known[name], caption) for name, caption in wanted if name in known]:
        if not picture.why:
            yield Picture(picture.name, describe(view, picture.name, **options), caption)
        elif picture.why == BEYOND:
            yield Paragraph(f"The picture “{picture.title}” is left out: {picture.why}.")


def _place_columns(view: View) -> list[str]:
    """Columns that say which point is meant: the row of a pool, the parameters."""
    parameters = {} if isinstance(view.space, Pool) else view.space.parameters
    named = ["row"] if isinstance(view.space, Pool) else []
    return [*named, *(parameter_label(name, parameters.get(name)) for name in view.space.names)]


def _place(view: View, point: Any) -> list[str]:
    named = [cell(point.row) if point.row is not None else "none"] if isinstance(view.space, Pool) else []
    values = [point.params[name] for name in view.space.names]
    return [*named, *(number(value, DIGITS) if isinstance(value, float) else cell(value) for value in values)]


def _labels(view: View) -> list[str]:
    return [f"{item.name} [{item.unit}]" if item.unit else item.name for item in view.objectives]


def _front_table(view: View, points: Sequence[Measured]) -> Table:
    rows = [[*_place(view, point), *_values(view, point), ", ".join(map(str, point.trials))] for point in points]
    return Table.of([*_place_columns(view), *_labels(view), "trials"], rows, "Measured, and bettered by no other.")


def _values(view: View, point: Measured) -> list[str]:
    return [number(point.values[name], DIGITS) if name in point.values else "" for name in view.objectives.names]


def _recommended_table(view: View) -> Table:
    first = view.objectives[0]
    best = sorted(view.recommended, key=lambda point: -first.sign * point.estimates[first.name].mean)
    step = max(1, -(-len(best) // SHOWN))
    known = _known(view)
    rows = []
    for point in best[::step]:
        data = {"row": point.row} if point.row is not None else point.params
        there = known.get(read(view.space, given(view.space, data)).key)
        predicted = [estimate(*point.estimates[name]) for name in view.objectives.names]
        rows.append([*_place(view, point), *predicted, _measured_there(view, there)])
    some = "" if step == 1 else f" {len(rows)} of {len(best)}, evenly chosen."
    caption = f"Recommended by the model, mean ± deviation.{some}"
    return Table.of([*_place_columns(view), *_labels(view), "measured there"], rows, caption)


def _known(view: View) -> dict[Any, Measured]:
    keys = {trial.id: trial.point.key for trial in view.trials}
    return {keys[point.trials[0]]: point for point in view.points}


def _measured_there(view: View, point: Measured | None) -> str:
    return "not yet" if point is None else " / ".join(value or "–" for value in _values(view, point))


# How sure we are


def _sure(view: View) -> Iterator[Block]:
    if view.belief is None:
        yield Paragraph(f"Nothing can be said of uncertainties: {view.unmodelled}.")
        return
    from pfes.plots.calibration import calibration  # noqa: PLC0415 - loads models

    yield Paragraph("The model was tried on what is known: every value predicted from all others.")
    yield Bullets(tuple(item.words for item in calibration(view).items))
    caption = "Measured against predicted. An honest model has its dots on the line, as far as their bars reach."
    yield from _drawn(view, [("calibration", caption)])
    if doubts := _doubts(view):
        yield Paragraph(doubts)
    yield from _drawn(
        view,
        [
            ("attainment", "How likely it is, by the model, that something better than these values exists."),
            ("slices", f"What the model has learned: each parameter changed alone, from {_centre(view)}."),
            ("correlations", "Goals that go together, and goals that compete."),
        ],
    )


def _centre(view: View) -> str:
    return "the best point" if len(view.objectives) == 1 else "a compromise on the front"


def _doubts(view: View) -> str:
    """How uncertain what is recommended is, beside the range of what is measured."""
    parts = []
    for item in view.objectives:
        values = [point.values[item.name] for point in view.points if item.name in point.values]
        deviations = sorted(point.estimates[item.name].std for point in view.recommended)
        if deviations and max(values) > min(values):
            middle = deviations[len(deviations) // 2]
            share = middle / (max(values) - min(values))
            parts.append(f"{item.name} ± {number(middle, 2)} ({percent(share)} of the range measured)")
    return f"At the recommended points the model's uncertainty is, in the middle, {_and(parts)}." if parts else ""


# What to do next


def _next(study: Study, view: View, suggest: bool) -> Iterator[Block]:
    if view.pending:
        yield Paragraph(f"{counted(len(view.pending), 'trial')} asked for and not yet told in full:")
        yield _trial_table(view, view.pending[:SHOWN])
        yield from _reasons(view.pending[:SHOWN])
    elif suggest:
        yield from _fresh(study, view)
    if study.budget is not None:
        left = max(study.budget - view.spent - view.reserved, 0.0)
        yield Paragraph(f"Of the budget of {number(study.budget)}, {number(left)} is left.")
    yield from _worth(view)
    yield from _drawn(view, [("gains", "What suggestions promised per unit of cost.")])
    if found := warnings(study, view.trials, study.leases()):
        yield Bullets(tuple(found))


def _fresh(study: Study, view: View) -> Iterator[Block]:
    """What would be suggested now; nothing is reserved."""
    asked = [trial for trial in view.trials if not trial.added]
    decoupled = any(len(trial.objectives) < len(view.objectives) for trial in asked)
    try:
        found = study.suggestions(FRESH, decoupled=decoupled)
    except PfesError as error:
        yield Paragraph(f"Nothing is suggested: {error}.")
        return
    if not found:
        yield Paragraph("Nothing is left to suggest.")
        return
    yield Paragraph("Nothing is pending. Asked now, the study would suggest:")
    yield _trial_table(view, found)
    yield from _reasons(found)


def _trial_table(view: View, trials: Sequence[Trial]) -> Table:
    rows = [
        [str(trial.id), *_place(view, trial), " + ".join(trial.missing), number(trial.cost), trial.purpose]
        for trial in trials
    ]
    return Table.of(["trial", *_place_columns(view), "measure", "cost", "to"], rows)


def _reasons(trials: Sequence[Trial]) -> Iterator[Block]:
    said = [f"Trial {trial.id}: {trial.reason}" for trial in trials[:FRESH] if trial.reason]
    if said:
        yield Bullets(tuple(said))


def _worth(view: View) -> Iterator[Block]:
    rates = [rate for _, rate in gains(view.trials)]
    if len(rates) >= 6:
        early, late = sum(rates[:3]) / 3, sum(rates[-3:]) / 3
        if early > 0.0 and late >= 0.0:
            yield Paragraph(
                f"The last three suggestions promised {number(late, 2)} per unit of cost, the first three "
                f"{number(early, 2)}: {_trend(late / early)}."
            )


def _trend(ratio: float) -> str:
    if ratio < 0.1:
        return "little is left to learn for its cost"
    return "it becomes harder to gain more" if ratio < 0.6 else "going on is still worth as much as at the beginning"


# How it went


def _went(view: View) -> Iterator[Block]:
    states = Counter(str(trial.state) for trial in view.trials)
    before = sum(trial.added for trial in view.trials)
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    yield Paragraph(
        f"{counted(len(view.trials), 'trial')}{f': {counts}' if counts else ''}."
        + (f" {counted(before, 'of them was', 'of them were')} known before the study." if before else "")
    )
    wanted = [("costs", "What was spent, trial by trial."), ("spending", "Where the cost went.")]
    if len(view.objectives) > 1:  # of one, the best so far says the same
        wanted.insert(0, ("volume", "The hypervolume of the front: what all points that are held together achieve."))
    yield from _drawn(view, wanted)
    broken = [trial for trial in view.trials if trial.state in (TrialState.FAILED, TrialState.INFEASIBLE)]
    if broken:
        rows = [[str(t.id), *_place(view, t), str(t.state), t.message] for t in broken[-SHOWN:]]
        caption = "Measurements that did not work, and points that cannot be measured."
        yield Table.of(["trial", *_place_columns(view), "state", "why"], rows, caption)
