"""Methods of pfes itself, run as a user would run them: a study is told, and asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pfes.acquisition import METHODS
from pfes.belief import believe
from pfes.bench.experiment import MethodTable
from pfes.bench.methods.protocol import Record, Start, Wish
from pfes.frontiers import FrontierSettings
from pfes.gp import Recipe
from pfes.maximise import MaximiserSettings
from pfes.objectives import Objective, Objectives
from pfes.observations import Observations, State
from pfes.problems import Problem
from pfes.space import Pool
from pfes.study import Study, create_study
from pfes.task import Settings, Task

__all__ = ["Asked", "is_own", "random_observations", "settings_of", "wanted_of"]

RECIPES = {"default": Recipe, "paper": Recipe.paper, "botorch": Recipe.botorch}


def is_own(name: str) -> bool:
    """Whether a method of that name is one of pfes."""
    return name in METHODS


def settings_of(entry: MethodTable) -> Settings:
    """The settings that an entry of an experiment means."""
    recipe = RECIPES[entry.recipe]()
    if entry.noise is not None:
        recipe = replace(recipe, noise=entry.noise)
    frontiers = FrontierSettings.paper() if entry.sampling == "paper" else FrontierSettings()
    frontiers = replace(
        frontiers,
        count=entry.frontiers if entry.frontiers is not None else frontiers.count,
        points=entry.points if entry.points is not None else frontiers.points,
    )
    plain = Settings(method=entry.name, recipe=recipe, frontiers=frontiers)
    return replace(
        plain,
        estimator=entry.estimator or plain.estimator,
        model=entry.model or plain.model,
        maximiser=MaximiserSettings(kind=entry.maximiser) if entry.maximiser else plain.maximiser,
    )


def wanted_of(problem: Problem, entry: MethodTable, thresholds: bool) -> list[Objective]:
    """The problem's objectives with the resolutions of the entry and, if methods are told, the thresholds."""
    nothing = [None] * len(problem.objectives)
    resolutions: Sequence[float | None] = entry.resolution or nothing
    limits: Sequence[float | None] = problem.reference.tolist() if thresholds else nothing
    return [
        replace(item, resolution=resolution if resolution is not None else item.resolution, threshold=limit)
        for item, resolution, limit in zip(problem.objectives, resolutions, limits, strict=True)
    ]


class Asked:
    """A study that is told what was measured and asked what comes next; it also knows what its model recommends."""

    def __init__(self, start: Start, entry: MethodTable) -> None:
        self._start, self._problem = start, start.problem
        wanted = wanted_of(start.problem, entry, start.thresholds)
        settings = settings_of(entry)
        if entry.fitted_on is not None:
            settings = replace(settings, hypers=_fitted_on(start, settings, wanted, entry.fitted_on))
        self._study = create_study(
            space=start.space, objectives=wanted, seed=start.seed, settings=settings, budget=start.budget
        )
        self._told = 0
        self._pending: list[int] = []

    def __call__(self, record: Record) -> list[Wish]:
        """Tell what is new, and ask."""
        self._take(record)
        trials = self._study.ask(self._start.batch, decoupled=self._start.decoupled)
        self._pending = [trial.id for trial in trials]
        index = self._problem.names.index
        return [
            Wish(
                trial.point.index if self._start.pooled else np.array(trial.point.x),
                tuple(index(name) for name in trial.objectives),
                trial.gain,
                trial.purpose,
            )
            for trial in trials
        ]

    def _take(self, record: Record) -> None:
        for number in range(self._told, len(record)):
            values = dict(zip(self._problem.names, record.values[number].tolist(), strict=True))
            known = {name: value for name, value in values.items() if not np.isnan(value)}
            if self._pending:
                self._study.tell(self._pending.pop(0), known)
            else:
                self._study.add([_place(self._problem, record, number) | known])
        self._told = len(record)

    def recommended(self, record: Record) -> Any:
        """True values (S, L) of the points that the model recommends."""
        self._take(record)
        return _recommended(self._problem, self._study)


def _recommended(problem: Problem, study: Study) -> Any:
    best, space = study.recommend(), problem.space
    if isinstance(space, Pool):
        return problem.values(np.array([space.index_of(point.row) for point in best], dtype=np.intp))
    return problem.values([point.params for point in best])


def _place(problem: Problem, record: Record, number: int) -> dict[str, Any]:
    """A point as `add` understands it."""
    if isinstance(problem.space, Pool):
        return {"row": problem.space.ids[int(record.rows[number])]}
    return problem.space.decode(record.x[number][None])[0]


def _fitted_on(start: Start, settings: Settings, wanted: list[Objective], count: int) -> Any:
    """Hyper-parameters fitted to `count` random points with all objectives measured, as the paper's materials had."""
    task = Task(start.space, Objectives(wanted), settings)
    rng = np.random.default_rng([start.seed, 100, count])
    observations = random_observations(start.problem, count, rng)
    return believe(task, observations, rng).hypers


def random_observations(problem: Problem, count: int, rng: np.random.Generator) -> Observations:
    """All objectives at `count` random points, with the problem's noise."""
    L, space = len(problem.objectives), problem.space
    if isinstance(space, Pool):
        rows = rng.choice(len(space), min(count, len(space)), replace=False)
        x, values = space.x[rows], problem.values(rows)
    else:
        x = space.random(count, rng)
        rows, values = np.full(count, -1), problem.values(x)
    values = values + problem.noise * rng.standard_normal(values.shape)
    many = len(values) * L
    return Observations(
        x=np.repeat(x, L, axis=0),
        row=np.repeat(rows, L).astype(np.intp),
        objective=np.tile(np.arange(L), len(values)),
        state=np.full(many, State.MEASURED, dtype=np.intp),
        value=values.ravel(),
        noise=np.full(many, np.nan),
    )
