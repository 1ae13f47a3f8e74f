"""The table that `export` wrote of one study, taken into another that has no trials yet: its rows become the trials.

Numbers stay as they are, so that what a lab book says of trial 7 stays true, and the same table can be taken in again
as it grows. What was charged is charged here, too. Only what was pending changes: nobody has promised this study to
measure it, so it is released; what is told of it later is welcome.
"""

from collections.abc import Sequence
from typing import Any

from pfes.ledger import VERDICTS, Ledger
from pfes.objectives import Objectives
from pfes.study.journal import Draft
from pfes.study.rows import Placed
from pfes.trials import TrialState

__all__ = ["is_copy", "restored"]

MOST = 10**9  # a number of a trial beyond it is a mistake
ELSEWHERE = "Asked for elsewhere, and taken in from a table."
PENDING = "it was pending where the table comes from"
OPEN = (TrialState.PENDING, TrialState.RELEASED, TrialState.ABANDONED)  # it may still be told, and charged for then


def is_copy(numbered: Sequence[Placed], ledger: Ledger) -> bool:
    """Whether rows with numbers are another study's trials: there are none here, and each says where and what of it.

    A list of what to measure, as `ask` writes it, has no states: imported into the wrong study it is refused.
    """
    whole = all(it.row.state and it.data is not None and 0 <= (it.row.number or 0) < MOST for it in numbered)
    return not ledger.trials and whole


def restored(numbered: Sequence[Placed], ledger: Ledger, objectives: Objectives) -> list[Draft]:
    """The events that make the rows this study's trials."""
    in_order = sorted(numbered, key=lambda it: it.row.number or 0)
    return [draft for it in in_order for draft in _trial(it, ledger, objectives)]


def _trial(it: Placed, ledger: Ledger, objectives: Objectives) -> list[Draft]:
    row, tried, measured = it.row, it.row.tried(objectives), {"values": it.row.values, "noise": it.row.noise}
    emptied = row.state == TrialState.DONE and not row.values
    drafts: list[Draft] = []
    if row.spent or row.state in OPEN or emptied:
        which = [objectives.index(name) for name in tried]
        asked = {"point": it.data, "objectives": tried, "cost": objectives.cost(which), "reason": ELSEWHERE}
        drafts.append(("asked", row.number, asked | _request(ledger)))
        if row.values:
            drafts.append(("told", row.number, measured))
    else:
        drafts.append(("added", row.number, {"point": it.data, **measured, "objectives": tried}))
    if row.state == TrialState.PENDING or emptied:
        drafts.append(("released", row.number, {"message": row.message or PENDING}))
    elif row.state in VERDICTS:
        drafts.append((row.state, row.number, {"message": row.message}))
    return drafts


def _request(ledger: Ledger) -> dict[str, Any]:
    """What an event says of the request it answers; a table counts as one request."""
    none = dict.fromkeys(("gain", "queued", "hypers"))
    return {"ask": ledger.asks, "read": len(ledger.events), "tries": 0, **none}
