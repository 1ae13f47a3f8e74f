"""A study at one moment, gathered once for all its pictures. Looking writes nothing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pfes.objectives import Objectives
from pfes.points import Domain
from pfes.study import Measured, Recommendation, Study
from pfes.study.measured import complete, front_of, infer_reference, measured_points
from pfes.trials import Trial, TrialState

if TYPE_CHECKING:
    from pfes.belief import Belief

__all__ = ["View", "lacking", "look"]

LEAST = 3  # values of each objective with which a model says anything


@dataclass(frozen=True)
class View:
    """What is known of a study now.

    trials       by number; history: those that were told anything or failed, in that order
    points       where anything was measured; whole: every objective; front: those that no other dominates
    reference    where hypervolumes are measured from, the study's or what it would choose; None: nothing to choose by
    belief       the model; None: there is none, and `unmodelled` says why
    recommended  points that the model thinks best
    """

    name: str
    space: Domain
    objectives: Objectives
    budget: float | None
    seed: int
    trials: tuple[Trial, ...]
    history: tuple[Trial, ...]
    points: tuple[Measured, ...]
    whole: tuple[Measured, ...]
    front: tuple[Measured, ...]
    reference: dict[str, float] | None
    belief: "Belief | None"
    unmodelled: str
    recommended: tuple[Recommendation, ...]

    @property
    def pending(self) -> tuple[Trial, ...]:
        """Trials that were asked for and not told in full."""
        return tuple(trial for trial in self.trials if trial.state is TrialState.PENDING)

    def counts(self) -> dict[str, int]:
        """How many values of each objective are used."""
        told = [trial.values for trial in self.trials if trial.usable]
        return {name: sum(name in values for values in told) for name in self.objectives.names}


def look(study: Study, model: bool = True) -> View:
    """A study as it is now. model: fit it, which takes from a tenth of a second to a minute; else without one."""
    trials, objectives = tuple(study.trials()), study.objectives
    points = measured_points(trials, objectives)
    whole = complete(points, objectives)
    why = lacking(trials, objectives) if model else "no model was asked for"
    return View(
        name=study.name,
        space=study.space,
        objectives=objectives,
        budget=study.budget,
        seed=study.seed,
        trials=trials,
        history=tuple(study.history()),
        points=tuple(points),
        whole=tuple(whole),
        front=tuple(front_of(points, objectives)),
        reference=study.reference or (infer_reference(points, objectives) if whole else None),
        belief=None if why else study.belief(),
        unmodelled=why,
        recommended=() if why else tuple(study.recommend()),
    )


def lacking(trials: tuple[Trial, ...], objectives: Objectives) -> str:
    """Why there is no model; empty if there can be one."""
    for name in objectives.names:
        count = sum(name in trial.values for trial in trials if trial.usable)
        if count < LEAST:
            return f"a model wants {LEAST} values of each objective, and {name} has {count or 'none'}"
    return ""
