"""Trials: what was asked for at a point, and what became of it. Frozen values; only a ledger makes new ones."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from pfes.display import cell, html_table
from pfes.objectives import Objectives
from pfes.observations import Observations, State
from pfes.points import Point

__all__ = ["WHOLE", "Trial", "TrialState", "Trials", "observations_of", "settled", "shares"]


class TrialState(StrEnum):
    """What became of a trial."""

    PENDING = "pending"  # asked for, not all of it told
    DONE = "done"  # all that was asked for is told
    FAILED = "failed"  # the measurement did not work; it is charged, and not asked for again
    INFEASIBLE = "infeasible"  # the point can never be measured; charged, and learned from
    ABANDONED = "abandoned"  # given up; the point may be suggested again
    RELEASED = "released"  # given back before it was begun; the point may be suggested again
    REJECTED = "rejected"  # a suggestion refused, or data that are not to be used


WHOLE = (TrialState.DONE, TrialState.FAILED, TrialState.INFEASIBLE)  # states in which all that was asked is charged


@dataclass(frozen=True, repr=False)
class Trial:
    """One measurement, asked for or added.

    params      the point, in the user's units; for a pool `row` names its row
    objectives  the names to measure now
    gain        what the suggestion promised (PFES: nats); nan where no model was asked
    purpose     "learn", "confirm" or "doubt"; "begin": without a model; empty where pfes did not choose
    cost        of what was asked for; `spent` is what has been charged, `reserved` what may still be
    values      what has been told, `noise` the known deviations of these values
    message     why it failed, was rejected, ...; outside: the point is not one of the space
    """

    id: int
    params: dict[str, Any]
    objectives: tuple[str, ...]
    row: Any = None
    gain: float = math.nan
    cost: float = 0.0
    reason: str = ""
    purpose: str = ""
    state: TrialState = TrialState.PENDING
    values: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    spent: float = 0.0
    reserved: float = 0.0
    outside: bool = False
    added: bool = False
    message: str = ""
    notes: tuple[str, ...] = ()
    point: Point = field(default_factory=lambda: Point({}, ()), compare=False)
    before: TrialState | None = None  # the state it was rejected in
    usable: bool = True  # False: its values were rejected

    @property
    def missing(self) -> tuple[str, ...]:
        """What was asked for and has not been told."""
        return tuple(name for name in self.objectives if name not in self.values)

    @property
    def charged(self) -> frozenset[str]:
        """The objectives that cost: those asked for and those measured without being asked for."""
        return frozenset(self.objectives) | frozenset(self.values)

    def copy(self) -> "Trial":
        """The same with dicts of its own, which their reader may edit."""
        return replace(self, params=dict(self.params), values=dict(self.values), noise=dict(self.noise))

    def as_row(self) -> dict[str, Any]:
        """One row of a table: id, state, row, parameters, objectives, spent."""
        return {
            "id": self.id,
            "state": str(self.state),
            "row": self.row,
            **self.params,
            **self.values,
            "spent": self.spent,
        }

    def __repr__(self) -> str:
        where = f"row={self.row!r}, " if self.row is not None else ""
        told = f", values={self.values}" if self.values else ""
        message = f", message={self.message!r}" if self.message else ""
        return (
            f"Trial(id={self.id}, {where}params={self.params}, objectives={list(self.objectives)}, "
            f"cost={cell(self.cost)}, state={str(self.state)!r}{told}{message})"
        )

    def _repr_html_(self) -> str:
        shown = {**self.params, **{name: self.values.get(name) for name in self.objectives}, **self.values}
        rows = [{"": name, f"trial {self.id}": value} for name, value in shown.items()]
        rows += [{"": "state", f"trial {self.id}": str(self.state)}, {"": "why", f"trial {self.id}": self.reason}]
        return html_table(rows, ["", f"trial {self.id}"])


class Trials(list[Trial]):
    """A list of trials that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        names = dict.fromkeys(name for trial in self for name in (*trial.params, *trial.objectives, *trial.values))
        rows = ["row"] if any(trial.row is not None for trial in self) else []
        return html_table((trial.as_row() for trial in self), ["id", "state", *rows, *names, "spent"])


def settled(trial: Trial, objectives: Objectives) -> Trial:
    """The trial with its state and charges as they follow from what has been told.

    Once all that was asked for is told it is done, whatever was said before; but data that were rejected stay so.
    Done, failed and infeasible trials are charged in full, others for what was measured; added data cost nothing.
    """
    state = TrialState.DONE if trial.usable and not trial.missing else trial.state
    if state is TrialState.DONE:  # why it had failed, or was given up, is true no longer
        trial = replace(trial, message="")
    if trial.added:
        return replace(trial, state=state)
    whole = _cost(objectives, trial.charged)
    spent = min(whole, _cost(objectives, _paid_for(trial, state)))
    return replace(trial, state=state, spent=spent, reserved=whole - spent if state is TrialState.PENDING else 0.0)


def _paid_for(trial: Trial, state: TrialState) -> frozenset[str]:
    """The objectives a trial is charged for; a rejection gives nothing back."""
    return trial.charged if state in WHOLE or trial.before in WHOLE else frozenset(trial.values)


def _cost(objectives: Objectives, names: frozenset[str]) -> float:
    return objectives.cost(objectives.index(name) for name in names)


def shares(trial: Trial, objectives: Objectives) -> dict[str, float]:
    """What a trial has cost, by objective; the cost of a bundle is shared as its members' own costs are."""
    paid = [item for item in objectives if item.name in _paid_for(trial, trial.state)]
    total = sum(item.cost for item in paid)
    return {item.name: trial.spent * item.cost / total for item in paid}


def observations_of(trials: Iterable[Trial], objectives: Objectives, width: int) -> Observations:
    """All that trials tell a model, one row per (point, objective); points have `width` encoded columns.

    Measured values of rejected trials are left out. What is still missing is pending, failed or infeasible (then
    nothing can be measured there); a suggestion refused before anything was told counts as failed everywhere, so that
    its point does not come back.
    """
    rows = [(trial, l, _state(trial, name)) for trial in trials for l, name in enumerate(objectives.names)]
    kept = [(trial, l, state) for trial, l, state in rows if state is not None]
    if not kept:
        return Observations.none(width)
    names = objectives.names
    return Observations(
        x=np.array([trial.point.x for trial, _, _ in kept]).reshape(len(kept), width),
        row=np.array([trial.point.index for trial, _, _ in kept], dtype=np.intp),
        objective=np.array([l for _, l, _ in kept], dtype=np.intp),
        state=np.array([state for _, _, state in kept], dtype=np.intp),
        value=np.array([trial.values[names[l]] if state is State.MEASURED else np.nan for trial, l, state in kept]),
        noise=np.array([trial.noise.get(names[l], np.nan) for trial, l, _ in kept]),
    )


def _state(trial: Trial, name: str) -> State | None:
    """What a trial says about one objective at its point; None: nothing."""
    if not trial.usable:
        return None
    if name in trial.values:
        return State.MEASURED
    if trial.state is TrialState.INFEASIBLE:
        return State.INFEASIBLE
    if trial.state is TrialState.REJECTED:
        return State.FAILED
    unsettled = {TrialState.PENDING: State.PENDING, TrialState.FAILED: State.FAILED}
    return unsettled.get(trial.state) if name in trial.objectives else None
