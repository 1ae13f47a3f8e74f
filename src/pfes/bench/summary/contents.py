"""What a report on runs says, problem by problem and then over all of them."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pfes.bench.progress import duration
from pfes.bench.summary.arenas import Arena, Row, arenas_of
from pfes.bench.summary.pairs import pairs_of
from pfes.bench.summary.ranks import ranks_of
from pfes.bench.summary.seconds import seconds_of
from pfes.bench.summary.spending import shares_of, spending_of
from pfes.bench.summary.traces import ENOUGH, cost_to, finite_median, held_at, standard_error, traces_of
from pfes.errors import InvalidInput
from pfes.plots.words import counted, number, percent
from pfes.report.document import Block, Bullets, Document, Paragraph, Picture, Section, Table

__all__ = ["document", "slug"]

Line = dict[str, Any]
LEVEL = 0.05


def document(lines: Sequence[Line], title: str, against: str | None = None) -> Document:
    """All of it; against: the method that the others are compared with, by its label (the first)."""
    if not lines:
        raise InvalidInput("there are no runs to report on; `pfes bench run` makes some")
    arenas = [arena for arena in arenas_of(lines) if any(row.runs for row in arena.rows)]
    sections = [*_searches(arenas, against), *_others(lines), *_failures(lines), _circumstances(lines)]
    failed = sum("error" in line for line in lines)
    numbers = [("runs", f"{len(lines):,}"), ("failed", str(failed)), ("processor time", duration(_processor(lines)))]
    return Document(title, tuple(numbers), tuple(sections), _foot(lines))


def slug(text: str) -> str:
    """A text as a part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "picture"


def _processor(lines: Sequence[Line]) -> float:
    return math.fsum(line.get("processor_seconds", 0.0) for line in lines if "taken_from" not in line)


def _searches(arenas: Sequence[Arena], against: str | None) -> Iterator[Section]:
    for arena in arenas:
        yield Section(arena.name, tuple(_arena(arena)))
    if arenas:
        base = against or next(row.method for row in arenas[0].rows)
        known = {row.method for arena in arenas for row in arena.rows}
        if base not in known:
            raise InvalidInput(f"against: got {base!r}, wanted one of {', '.join(sorted(known))}")
        yield Section("Ranks", tuple(_ranks(arenas)))
        yield Section(f"{base} against the others", tuple(_pairs(arenas, base)))
        yield Section("Cost to hold 95 %", (_costs(arenas),))
        yield Section("Time per suggestion", (_seconds(arenas),))
        yield from _spending(arenas)


def _others(lines: Sequence[Line]) -> Iterator[Section]:
    """The kinds of runs that are no searches."""
    from pfes.bench.summary.figures import figures  # noqa: PLC0415 - rarely needed
    from pfes.bench.summary.timetable import timetables  # noqa: PLC0415

    yield from timetables(lines)
    yield from figures(lines)


# One problem


def _arena(arena: Arena) -> Iterator[Block]:
    spent = "evaluations" if arena.in_evaluations else "units of cost"
    first = arena.settings["start"]
    yield Paragraph(
        f"{number(arena.budget)} {spent}, of which {counted(first, 'random point')} came first, the same for all "
        "methods. Held is the hypervolume of points with every objective measured, at their true values, as a share "
        "of the optimum."
    )
    name = f"traces-{slug(arena.name)}"
    yield Picture(name, traces_of(arena), f"{arena.name}: share of the optimum held, as cost is spent.")
    yield _held(arena)


def _held(arena: Arena) -> Table:
    marks = arena.marks
    columns = ["method", "seeds", *(f"held at {number(mark)}" for mark in marks), "mean", "quartiles", "recommended"]
    rows = [[row.method, str(len(row.runs)), *_shares(arena, row, marks)] for row in arena.rows if row.runs]
    note = "Medians at each budget; mean ± standard error, and quartiles, at the last. "
    note += "Recommended: what the model would name as best, at its true values, median at the last mark."
    return Table.of(columns, rows, note)


def _shares(arena: Arena, row: Row, marks: Sequence[float]) -> list[str]:
    held = np.array([[held_at(line, mark * arena.unit) for mark in marks] for line in row.runs.values()])
    low, high = np.quantile(held[:, -1], [0.25, 0.75])
    mean = f"{held[:, -1].mean():.3f} ± {standard_error(held)[-1]:.3f}"
    return [
        *(f"{value:.3f}" for value in np.median(held, axis=0)),
        mean,
        f"{low:.3f} to {high:.3f}",
        _recommended(row),
    ]


def _recommended(row: Row) -> str:
    last = [
        line["recommended"][max(line["recommended"], key=float)] for line in row.runs.values() if line["recommended"]
    ]
    return f"{np.median(last):.3f}" if last else ""


# All problems


def _ranks(arenas: Sequence[Arena]) -> Iterator[Block]:
    found = ranks_of(arenas)
    if not found.methods:
        yield Paragraph("No problem has two methods with finished runs of the same seeds yet.")
        return
    order = np.argsort(np.where(np.isnan(found.overall), np.inf, found.overall), kind="stable")
    rows = [
        [found.methods[i], *(_or_empty(value) for value in found.means[i]), _or_empty(found.overall[i])] for i in order
    ]
    heads = [f"{name} ({seeds})" for name, seeds in zip(found.arenas, found.seeds, strict=True)]
    caption = (
        "Mean rank by what was held in the end, 1 the best; in brackets the seeds that all methods have finished. "
    )
    yield Table.of(["method", *heads, "all"], rows, caption + "All: over the problems on which every method ran.")


def _or_empty(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"


def _pairs(arenas: Sequence[Arena], base: str) -> Iterator[Block]:
    found = pairs_of(arenas, base)
    if not found:
        yield Paragraph("There are no pairs of finished runs yet.")
        return
    rows = [
        [it.arena, it.other, str(it.pairs), f"{it.ahead:+.4f}".replace("-", "−"), f"{it.won:g}", _chance(it.chance),
         _chance(it.corrected), "yes" if it.corrected < LEVEL else "no"]
        for it in found
    ]  # fmt: skip
    columns = ["problem", "against", "pairs", "ahead", "won", "p", "p, Holm", f"below {LEVEL}"]
    yield Table.of(
        columns,
        rows,
        f"Ahead: median difference of the share held in the end, {base} less the other. p: Wilcoxon's signed-rank "
        "test, two-sided; corrected by Holm for all comparisons of this table.",
    )


def _chance(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}".replace("-", "−")


def _costs(arenas: Sequence[Arena]) -> Table:
    methods = list(dict.fromkeys(row.method for arena in arenas for row in arena.rows if row.runs))
    cells = [[method, *(_cost(arena, method) for arena in arenas)] for method in methods]
    return Table.of(
        ["method", *(arena.name for arena in arenas)],
        cells,
        f"What had been spent, first points included, when {percent(ENOUGH)} of the optimum was held: median over "
        "seeds, in brackets how many seeds reached it. In evaluations of everything, or in cost, as the budget is.",
    )


def _cost(arena: Arena, method: str) -> str:
    row = next((row for row in arena.rows if row.method == method and row.runs), None)
    if row is None:
        return ""
    costs = [cost_to(line) / arena.unit for line in row.runs.values()]
    middle, reached = finite_median(costs), sum(map(math.isfinite, costs))
    return f"{'not reached' if math.isinf(middle) else number(middle, 3)} ({reached} of {len(costs)})"


def _seconds(arenas: Sequence[Arena]) -> Table:
    rows = []
    for arena in arenas:
        for row in arena.rows:
            if found := seconds_of(row):
                times = (found.median, found.longest, found.processor, found.run)
                rows.append([arena.name, row.method, *(number(value, 3) for value in times), str(found.suggestions)])
    columns = ["problem", "method", "median, s", "longest, s", "processor, s", "whole run, s", "suggestions"]
    return Table.of(columns, rows, "Kernels on one thread. The longest may have compiled them.")


def _spending(arenas: Sequence[Arena]) -> Iterator[Section]:
    blocks: list[Block] = []
    rows = []
    for arena in arenas:
        for row in (row for row in arena.rows if row.decoupled and row.runs):
            costs = next(iter(row.runs.values()))["objectives"]
            found = spending_of(arena, row, costs)
            blocks.append(
                Picture(f"spending-{slug(f'{arena.name} {row.method}')}", found, f"{arena.name}, {row.method}.")
            )
            dear = int(np.argmax(list(costs.values())))
            quarters = shares_of(arena, row, len(costs), 4)[:, dear]
            rows.append([arena.name, row.method, *map(percent, quarters.tolist())])
    if rows:
        caption = "Share of measurements of the dearest objective, by quarters of the budget beyond the first points."
        table = Table.of(["problem", "method", "first", "second", "third", "last"], rows, caption)
        yield Section("Cheap first, then expensive?", (table, *blocks))


# What went wrong, and where it was run


def _failures(lines: Sequence[Line]) -> Iterator[Section]:
    failed = [line for line in lines if "error" in line]
    cut = [line for line in lines if line.get("ended") == "time limit"]
    if failed or cut:
        items = [f"{line['problem']}, {line['method']}, seed {line['seed']}: {line['error']}" for line in failed]
        items += [
            f"{line['problem']}, {line['method']}, seed {line['seed']}: cut off by the time limit" for line in cut
        ]
        yield Section("What went wrong", (Bullets(tuple(items)),))


def _circumstances(lines: Sequence[Line]) -> Section:
    machines = Counter(f"{it['processor']}, {it['cores']} cores" for it in (line["machine"] for line in lines))
    versions = Counter(", ".join(f"{k} {v}" for k, v in line["versions"].items()) for line in lines)
    items = [f"{machine}: {counted(count, 'run')}" for machine, count in machines.items()]
    items += [f"{words}: {counted(count, 'run')}" for words, count in versions.items()]
    return Section("Machine and versions", (Bullets(tuple(items)),))


def _foot(lines: Sequence[Line]) -> str:
    times = sorted(line["finished"] for line in lines if "finished" in line)  # runs of other programs may not say
    when = f", finished from {times[0]} to {times[-1]}" if times else ""
    return f"Written by pfes bench from {counted(len(lines), 'run')}{when}."
