"""What a study can say of itself: its trials, the front among them, what the model makes of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from pfes.display import cell, html_table
from pfes.errors import InvalidInput, UnknownTrial
from pfes.ledger import Event, Ledger
from pfes.objectives import Objectives
from pfes.observations import Observations
from pfes.points import Domain, given, read, suggested
from pfes.space import Pool
from pfes.storage import Desk
from pfes.study.description import Description
from pfes.study.journal import Draft, Journal
from pfes.study.measured import (
    MeasuredPoints,
    Step,
    checked_reference,
    complete,
    front_of,
    infer_reference,
    measured_points,
    trace,
    volume,
)
from pfes.trials import Trial, Trials, TrialState, observations_of, shares

if TYPE_CHECKING:
    from pfes.study import models

__all__ = ["Classification", "Estimate", "Findings", "LearnedModel", "Recommendation"]

Array = NDArray[np.float64]
MODEL = 2  # the stream of random numbers of fits that no suggestion is made from
SPENDING = ("told", "added", "failed", "infeasible")  # events after which something is measured or paid for
SHOWN = 20  # trials that a notebook shows


class Estimate(NamedTuple):
    """What the model expects of one objective: mean and standard deviation, in the user's units."""

    mean: float
    std: float


@dataclass(frozen=True)
class Recommendation:
    """A point whose predicted means no other point's dominate."""

    params: dict[str, Any]
    row: Any
    estimates: dict[str, Estimate]


class Classification(NamedTuple):
    """The rows of a pool, by their ids."""

    pareto: list[Any]
    other: list[Any]  # not Pareto-optimal, or covered within the resolution by what is
    undecided: list[Any]


class LearnedModel(NamedTuple):
    """The model of several objectives that the last suggestion was made from."""

    kind: str  # "independent", "coregional" or "latent"
    reason: str
    correlations: dict[tuple[str, str], float]  # of pairs of objectives, larger being better: below 0 they compete


class Findings:
    """A study as far as it can be looked at. Every look is at all that has been written by anyone."""

    def __init__(self, about: Description, journal: Journal) -> None:
        self._about, self._budget, self._journal = about, about.budget, journal
        self._belief: tuple[int, models.Belief] | None = None  # and how many events it was made from

    @property
    def _task(self) -> "models.Task":
        return self._about.task

    # What it is about

    @property
    def name(self) -> str:
        """What it is called."""
        return self._journal.entry.name

    @property
    def storage(self) -> str:
        """The file or the URL where it is kept; empty in memory."""
        return self._journal.storage.place

    @property
    def space(self) -> Domain:
        """Where it looks: a Space or a Pool."""
        return self._about.domain

    @property
    def objectives(self) -> Objectives:
        """What it measures."""
        return self._about.objectives

    @property
    def settings(self) -> "models.Settings":
        """How it makes suggestions."""
        return self._task.settings

    @property
    def method(self) -> str:
        """The way it chooses what to measure."""
        return self._about.method

    @property
    def model(self) -> str:
        """How its objectives are believed to be related, as was asked for; `learned_model` says what came of it."""
        return self._about.model

    @property
    def seed(self) -> int:
        """Of all its random numbers."""
        return self._about.seed

    @property
    def events(self) -> tuple[Event, ...]:
        """All that happened, in order."""
        with self._journal.now() as ledger:
            return tuple(ledger.events)

    # Trials and what they cost

    def trials(self) -> Trials:
        """All trials, by number."""
        with self._journal.now() as ledger:
            return Trials(trial.copy() for trial in ledger.trials.values())

    def trial(self, number: int | Trial) -> Trial:
        """One trial as it is now."""
        with self._journal.now() as ledger:
            return self._find(ledger, number).copy()

    def _find(self, ledger: Ledger, number: int | Trial) -> Trial:
        number = number.id if isinstance(number, Trial) else number
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        trials = ledger.trials
        if not whole or int(number) not in trials:
            known = f"0 to {ledger.next_id - 1}" if trials else "but there is none yet; try ask()"
            raise UnknownTrial(f"trial: got {number!r}, wanted a number of study {self.name!r}, {known}")
        return trials[int(number)]

    def pending(self) -> Trials:
        """The trials that were asked for and not yet told in full."""
        with self._journal.now() as ledger:
            found = ledger.trials.values()
            return Trials(trial.copy() for trial in found if trial.state is TrialState.PENDING)

    def leases(self) -> dict[int, float]:
        """For how many seconds each pending trial is still reserved; below 0: the next ask releases it."""
        left = self._journal.leases()
        return {trial.id: left[trial.id].left for trial in self.pending() if trial.id in left}

    @property
    def ended(self) -> str:
        """Why the last ask gave less than was asked for; empty if it did not."""
        with self._journal.now() as ledger:
            return ledger.ended

    @property
    def budget(self) -> float | None:
        """What all trials together may cost; None: no limit."""
        return self._budget

    @property
    def spent(self) -> float:
        """What has been charged so far."""
        return math.fsum(trial.spent for trial in self.trials())

    @property
    def reserved(self) -> float:
        """What pending trials may still cost."""
        return math.fsum(trial.reserved for trial in self.trials())

    @property
    def spent_on(self) -> dict[str, float]:
        """What has been charged so far, by objective."""
        parts = [shares(trial, self.objectives) for trial in self.trials()]
        return {name: math.fsum(part.get(name, 0.0) for part in parts) for name in self.objectives.names}

    # What is held

    def observations(self) -> Observations:
        """What a model is told: one row per (point, objective)."""
        return observations_of(self.trials(), self.objectives, self.space.width)

    def front(self) -> MeasuredPoints:
        """The measured points that no other dominates, of those where every objective was measured."""
        return front_of(measured_points(self.trials(), self.objectives), self.objectives)

    @property
    def reference(self) -> dict[str, float] | None:
        """The point that hypervolumes are measured from; None before it is given or first needed.

        One that the study chose stays, so that hypervolumes can be compared while data come in, until a value that it
        was chosen by is corrected or rejected: then it is chosen again when next needed.
        """
        with self._journal.now() as ledger:
            return ledger.reference

    def set_reference(self, values: Mapping[str, float] | Sequence[float]) -> None:
        """Measure hypervolumes from another point; suggestions do not depend on it."""
        found = checked_reference(values, self.objectives)
        draft = ("reference", None, {"values": found, "inferred": False})
        self._journal.write(lambda ledger, _: [draft] if found != ledger.reference or ledger.inferred else [])

    @property
    def has_volume(self) -> bool:
        """Whether hypervolumes say anything yet: there is a reference point, or enough data to choose one by."""
        held = complete(measured_points(self.trials(), self.objectives), self.objectives)
        return self.reference is not None or len(held) >= max(self._about.initial, 1)

    def hypervolume(self) -> float:
        """What the front dominates above the reference point, which is chosen now if it was not before."""
        with self._journal.now() as ledger:
            points = measured_points(ledger.trials.values(), self.objectives)
            if not complete(points, self.objectives):
                return 0.0
            return volume(points, self.objectives, self._settled_reference(ledger))

    def hypervolume_trace(self) -> list[Step]:
        """The hypervolume after every trial that was told anything or failed, in that order."""
        with self._journal.now() as ledger:
            last = {e.trial: i for i, e in enumerate(ledger.events) if e.trial is not None and e.kind in SPENDING}
            order = [ledger.trials[number] for number in sorted(last, key=last.__getitem__)]
            points = measured_points(order, self.objectives)
            if not complete(points, self.objectives):
                return trace(order, self.objectives, {})
            return trace(order, self.objectives, self._settled_reference(ledger))

    def _settled_reference(self, ledger: Ledger) -> dict[str, float]:
        if ledger.reference is None:
            self._journal.write(self._inferred)
        assert ledger.reference is not None
        return ledger.reference

    def _inferred(self, ledger: Ledger, _: Desk) -> list[Draft]:
        if ledger.reference is not None:  # somebody else was quicker
            return []
        points = measured_points(ledger.trials.values(), self.objectives)
        return [("reference", None, {"values": infer_reference(points, self.objectives), "inferred": True})]

    # What is learned

    @property
    def learned_model(self) -> LearnedModel | None:
        """Which model of the objectives together the last suggestion was made from; None: they are independent."""
        with self._journal.now() as ledger:
            choice = ledger.choice
        if choice is None:
            return None
        names, table = self.objectives.names, choice["correlation"]
        pairs = combinations(range(len(names)), 2)
        return LearnedModel(choice["kind"], choice["reason"], {(names[i], names[j]): table[i][j] for i, j in pairs})

    @overload
    def predict(self, params: Mapping[str, Any]) -> dict[str, Estimate]: ...
    @overload
    def predict(self, params: Sequence[Mapping[str, Any]]) -> list[dict[str, Estimate]]: ...
    def predict(
        self, params: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    ) -> dict[str, Estimate] | list[dict[str, Estimate]]:
        """What the model expects at a point, or at each of several: {objective: (mean, std)}."""
        several = [params] if isinstance(params, Mapping) else list(params)
        points = [read(self.space, given(self.space, one)) for one in several]
        if not points:
            return []
        mean, std = self.belief().predict(np.array([point.x for point in points]))
        found = [self._estimates(*pair) for pair in zip(mean, std, strict=True)]
        return found[0] if isinstance(params, Mapping) else found

    def recommend(self) -> list[Recommendation]:
        """The points the model thinks best, measured or not: the non-dominated set of its mean."""
        from pfes.study import models  # noqa: PLC0415 - see there

        belief = self.belief()
        best = models.recommended(belief, self._task.generator(belief.observations.value.size, MODEL))
        points = [read(self.space, suggested(self.space, x, int(row))) for x, row in zip(best.x, best.row, strict=True)]
        return [
            Recommendation(point.params, point.row, self._estimates(mean, std))
            for point, mean, std in zip(points, best.mean, best.std, strict=True)
        ]

    def classify(self) -> Classification:
        """The rows of the pool that are Pareto-optimal, that are not, and that are undecided, as PAL decides it.

        By the rule of "pal" if that is the study's method, else by that of "epal": within the objectives' resolutions.
        """
        from pfes.study import models  # noqa: PLC0415 - see there

        found = models.classify(self.belief())
        assert isinstance(self.space, Pool)  # classify has refused anything else
        ids = self.space.ids
        return Classification(*([ids[row] for row in np.flatnonzero(mask)] for mask in found))

    def _estimates(self, mean: Array, std: Array) -> dict[str, Estimate]:
        pairs = zip(self.objectives.names, mean.tolist(), std.tolist(), strict=True)
        return {name: Estimate(centre, deviation) for name, centre, deviation in pairs}

    def belief(self) -> "models.Belief":
        """The model of what is known now (pfes.belief), fitted once; InvalidInput if an objective has no value yet."""
        from pfes.study import models  # noqa: PLC0415 - see there

        with self._journal.now() as ledger:
            read_, hypers, known = len(ledger.events), ledger.hypers, self.observations()
            cached = self._belief
        if cached is not None and cached[0] == read_:
            return cached[1]
        if bare := [
            name for name, n in zip(self.objectives.names, known.counts(len(self.objectives)), strict=True) if not n
        ]:
            raise InvalidInput(f"nothing of {bare[0]!r} has been measured, so there is no model of it; try tell or add")
        belief = models.believe(self._task, known, self._task.generator(len(known), MODEL), hypers)
        self._belief = (read_, belief)
        return belief

    # How it shows itself

    def report(self, path: Any, *, model: bool = True, suggest: bool = True) -> tuple[Any, ...]:
        """Write a report for a colleague to a file, .html, .md or .png; the files written. See pfes.report."""
        write = import_module("pfes.report").write_report  # it looks at studies, so it is fetched by name, when called
        files: tuple[Any, ...] = write(self, path, model=model, suggest=suggest)
        return files

    def to_dataframe(self) -> Any:
        """A pandas data frame, a row per trial: id, state, row (pools), parameters, objectives, spent."""
        try:
            import pandas as pd  # noqa: PLC0415 - optional
        except ImportError:
            raise InvalidInput(
                "to_dataframe needs pandas, which is not installed; try pip install 'pfes[pandas]'"
            ) from None
        return pd.DataFrame([trial.as_row() for trial in self.trials()], columns=self._columns())

    def _columns(self) -> list[str]:
        row = ["row"] if isinstance(self.space, Pool) else []
        return ["id", "state", *row, *self.space.names, *self.objectives.names, "spent"]

    def __repr__(self) -> str:
        trials = self.trials()
        waiting = sum(trial.state is TrialState.PENDING for trial in trials)
        of = f" of {cell(self._budget)}" if self._budget is not None else ""
        return (
            f"<Study {self.name!r}: {len(trials)} trials, {waiting} pending; spent {cell(self.spent)}{of}; "
            f"{', '.join(f'{item.goal} {item.name}' for item in self.objectives)}; {self.method}>"
        )

    def _repr_html_(self) -> str:
        rows = [trial.as_row() for trial in self.trials()[-SHOWN:]]
        return html_table(rows, self._columns(), caption=repr(self)[1:-1])
