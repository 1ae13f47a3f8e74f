"""Trials and measured points as CSV that spreadsheets open and `read_results` reads again."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfes.sheets.cells import written
from pfes.space import Pool
from pfes.study import Measured, Study
from pfes.trials import Trial

__all__ = ["NOISE", "Style", "front_as_csv", "trials_as_csv"]

NOISE = "noise of "  # and an objective: the column of its known deviations


@dataclass(frozen=True)
class Style:
    """How cells are parted and decimals written; mark: a byte-order mark, by which Excel knows UTF-8."""

    delimiter: str = ","
    decimal: str = "."
    mark: bool = False

    @staticmethod
    def excel() -> "Style":
        """Semicolons and decimal commas: what Excel reads and writes in much of Europe."""
        return Style(";", ",", mark=True)


def trials_as_csv(study: Study, trials: Iterable[Trial], style: Style, *, asked: bool = False) -> str:
    """One row per trial: id, state, parameters, objectives and known deviations, what was spent and said.

    asked: for whoever is to measure them: what to measure and why, with cells to fill in.
    """
    trials = list(trials)
    names = [*study.space.names, *study.objectives.names]
    known = [NOISE + name for name in study.objectives.names if any(name in trial.noise for trial in trials)]
    own = ["measure", "purpose", "reason"] if asked else [*known, "measure", "message"]
    last = [name for name in own if name not in names]  # users' names come first
    first = ["id", *([] if asked else ["state"]), *(["row"] if isinstance(study.space, Pool) else [])]
    columns = [*first, *names, *([] if asked else ["spent"]), *last]
    return _csv(columns, (_row(trial) for trial in trials), style)


def _row(trial: Trial) -> dict[str, Any]:
    said = {"purpose": trial.purpose, "reason": trial.reason, "message": trial.message}
    known = {NOISE + name: deviation for name, deviation in trial.noise.items()}
    return {"measure": " + ".join(trial.missing), **said, **known, **trial.as_row()}


def front_as_csv(study: Study, points: Sequence[Measured], style: Style) -> str:
    """One row per measured point: its parameters, its values, and the trials they come from."""
    names = [*study.space.names, *study.objectives.names]
    columns = [*(["row"] if isinstance(study.space, Pool) else []), *names]
    return _csv(columns, ({"row": point.row, **point.params, **point.values} for point in points), style)


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], style: Style) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=style.delimiter, lineterminator="\r\n")
    writer.writerow([written(column) for column in columns])
    writer.writerows([written(row.get(column), style.decimal) for column in columns] for row in rows)
    return ("\ufeff" if style.mark else "") + text.getvalue()
