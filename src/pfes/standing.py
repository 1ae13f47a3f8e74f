"""How a study stands, as plain values: what the command line prints and the web page shows.

Looking changes nothing: a reference point that the study has not settled on is chosen for the look alone.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from pfes.space import Pool
from pfes.study import Measured, MeasuredPoints, Step, Study
from pfes.study.measured import complete, front_of, infer_reference, measured_points, trace
from pfes.trials import Trial, Trials, TrialState, shares

__all__ = [
    "Standing",
    "as_data",
    "front_table",
    "gains",
    "pending_table",
    "sorted_points",
    "time_left",
    "trial_as_data",
    "warnings",
]

SPENDING = ("told", "added", "failed", "infeasible")  # events after which something is measured or paid for


class Standing:
    """A study at one moment. Each part is worked out when it is first looked at, and once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._happened = study.events
        self.trials: Trials = study.trials()

    @property
    def events(self) -> int:
        """How many events it is made from."""
        return len(self._happened)

    @cached_property
    def states(self) -> Counter[str]:
        """How many trials there are of each state."""
        return Counter(str(trial.state) for trial in self.trials)

    @cached_property
    def pending(self) -> Trials:
        """The trials that were asked for and not yet told in full."""
        return Trials(trial for trial in self.trials if trial.state is TrialState.PENDING)

    @cached_property
    def spent(self) -> float:
        """What has been charged so far."""
        return math.fsum(trial.spent for trial in self.trials)

    @cached_property
    def reserved(self) -> float:
        """What pending trials may still cost."""
        return math.fsum(trial.reserved for trial in self.trials)

    @cached_property
    def spent_on(self) -> dict[str, float]:
        """What has been charged so far, by objective."""
        parts = [shares(trial, self.study.objectives) for trial in self.trials]
        return {name: math.fsum(part.get(name, 0.0) for part in parts) for name in self.study.objectives.names}

    @cached_property
    def points(self) -> list[Measured]:
        """Where anything was measured."""
        return measured_points(self.trials, self.study.objectives)

    @cached_property
    def whole(self) -> list[Measured]:
        """Where everything was measured."""
        return complete(self.points, self.study.objectives)

    @cached_property
    def front(self) -> MeasuredPoints:
        """The points that no other measured one dominates, from one end of the first objective to the other."""
        return sorted_points(self.study, front_of(self.points, self.study.objectives))

    @cached_property
    def reference(self) -> dict[str, float] | None:
        """The point that hypervolumes are measured from; None while there are too few data to choose one by."""
        settled = self.study.reference
        if settled is not None or not self.whole or not self.study.has_volume:
            return settled
        return infer_reference(self.points, self.study.objectives)

    @cached_property
    def steps(self) -> list[Step]:
        """The hypervolume after every trial that was told anything or failed, in that order; none without reference."""
        return [] if self.reference is None else trace(self.history, self.study.objectives, self.reference)

    @cached_property
    def history(self) -> list[Trial]:
        """The trials that were told anything or failed, in that order."""
        last = {e.trial: i for i, e in enumerate(self._happened) if e.trial is not None and e.kind in SPENDING}
        by_id = {trial.id: trial for trial in self.trials}
        return [by_id[number] for number in sorted(last, key=last.__getitem__) if number in by_id]

    @cached_property
    def best(self) -> dict[str, float | None]:
        """The best value of each objective on its own."""
        found: dict[str, float | None] = {}
        for item in self.study.objectives:
            values = [t.values[item.name] for t in self.trials if t.usable and item.name in t.values]
            found[item.name] = None if not values else max(values) if item.goal == "max" else min(values)
        return found

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many values of each objective are used."""
        names = self.study.objectives.names
        return {name: sum(name in t.values for t in self.trials if t.usable) for name in names}


def gains(trials: Sequence[Trial]) -> list[tuple[int, float]]:
    """What suggestions of a model promised per unit of cost: (trial, gain), the newest last."""
    return [(t.id, t.gain / t.cost) for t in trials if math.isfinite(t.gain) and t.cost > 0.0]


def warnings(study: Study, trials: Sequence[Trial], leases: Mapping[int, float]) -> list[str]:
    """What the experimenter should know."""
    found = []
    if late := [number for number, left in leases.items() if left <= 0.0]:
        numbers = ", ".join(map(str, late))
        found.append(f"trials {numbers}: reserved no longer, the next ask releases them; `pfes extend` keeps them")
    if outside := [t.id for t in trials if t.outside and t.usable]:
        found.append(f"{len(outside)} trials lie outside the space (the first is {outside[0]}): used, never suggested")
    closed = [t for t in trials if not t.added and t.state not in (TrialState.PENDING, TrialState.RELEASED)]
    failed = sum(t.state is TrialState.FAILED for t in closed[-10:])
    if failed > len(closed[-10:]) / 2:
        found.append(f"{failed} of the last {len(closed[-10:])} trials failed, the last one because: {_last(closed)}")
    if ended := study.ended:
        found.append(f"the last ask gave less than was asked for: {ended}")
    return found


def _last(closed: Sequence[Trial]) -> str:
    return next((t.message for t in reversed(closed) if t.state is TrialState.FAILED), "")


def sorted_points(study: Study, points: Sequence[Measured]) -> MeasuredPoints:
    """Points from one end of the first objective to the other."""
    first = study.objectives[0]
    return MeasuredPoints(sorted(points, key=lambda point: -first.sign * point.values[first.name]))


def front_table(study: Study, points: Sequence[Measured]) -> tuple[list[str], list[list[Any]]]:
    """Measured points as a table: columns and rows."""
    named, names = isinstance(study.space, Pool), study.objectives.names
    rows = [
        [
            *([p.row] if named else []),
            *(p.params[name] for name in study.space.names),
            *(p.values[name] for name in names),
            ", ".join(map(str, p.trials)),
        ]
        for p in points
    ]
    return [*(["row"] if named else []), *study.space.names, *names, "trials"], rows


def pending_table(
    study: Study, trials: Sequence[Trial], leases: Mapping[int, float]
) -> tuple[list[str], list[list[object]]]:
    """What is pending, as a table: columns and rows."""
    named = any(trial.row is not None for trial in trials)
    rows = [
        [
            trial.id,
            *([trial.row] if named else []),
            *trial.params.values(),
            " + ".join(trial.missing),
            trial.reserved,
            trial.purpose,
            time_left(leases.get(trial.id)),
        ]
        for trial in trials
    ]
    columns = ["id", *(["row"] if named else []), *study.space.names, "measure", "cost", "purpose", "reserved"]
    return columns, rows


def time_left(seconds: float | None) -> str:
    """How long a lease still lasts, in words."""
    if seconds is None:
        return "without end"
    if seconds <= 0.0:
        return "run out"
    for length, unit in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.0f} s"


def as_data(value: Any) -> Any:
    """A value as JSON has it: numbers that are none are null."""
    if isinstance(value, Mapping):
        return {str(name): as_data(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def trial_as_data(trial: Trial) -> dict[str, Any]:
    """All of a trial that a program may want."""
    return {
        "id": trial.id,
        "state": str(trial.state),
        "row": trial.row,
        "params": trial.params,
        "objectives": trial.objectives,
        "missing": trial.missing,
        "values": trial.values,
        "noise": trial.noise,
        "cost": trial.cost,
        "spent": trial.spent,
        "gain": trial.gain,
        "purpose": trial.purpose,
        "reason": trial.reason,
        "message": trial.message,
        "notes": trial.notes,
        "outside": trial.outside,
        "added": trial.added,
    }
