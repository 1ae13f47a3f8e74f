"""From observations to a model: scalings, hyper-parameters, posteriors; predictions in the user's units."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.distinct import distinct
from pfes.gp import Choice, Feasibility, Fitted, Hyper, JointHyper, JointModel, Model, Surrogate, choose, fit
from pfes.observations import MOST, NO_ROW, Data, Observations, State, condensed, merged
from pfes.pareto import quick_hypervolume
from pfes.scaling import Scaling
from pfes.space import Pool
from pfes.task import Task

__all__ = ["Belief", "believe", "is_small"]

Array = NDArray[np.float64]

HOPELESS = 1e6  # a deviation of levels, which are of size 1: worse measurements tell nothing, either
GROWN = 1e-3  # of the hypervolume held: less is no progress
MOSTLY = 0.75  # of the hypervolume held: what was tried before so much was held was tried in poor company


class Completed(NamedTuple):
    """The points where every objective has been measured, oldest first."""

    points: Array  # (m, D)
    row: NDArray[np.intp]  # (m,) the observation that completed each
    levels: Array  # (m, L)


@dataclass(frozen=True)
class Belief:
    """What is believed about the objectives after some observations."""

    task: Task
    observations: Observations
    scalings: tuple[Scaling, ...]
    hypers: Fitted
    model: Surrogate

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Mean and deviation, both (N, L), of the objectives at encoded points x (N, D), in the user's units."""
        mean, std = self.model.predict(x)
        pairs = [scaling.interval(mean[:, l], std[:, l]) for l, scaling in enumerate(self.scalings)]
        return np.column_stack([pair[0] for pair in pairs]), np.column_stack([pair[1] for pair in pairs])

    @cached_property
    def observed(self) -> Array:
        """(n, D) the distinct points where anything has been measured."""
        return distinct(self.observations.only(State.MEASURED).x).rows

    @cached_property
    def _completed(self) -> Completed:
        """Where every objective has been measured."""
        rows = self.observations.only(State.MEASURED)
        points, _, where = distinct(rows.x)
        at = (where, rows.objective)
        came = np.full((len(points), len(self.scalings)), len(rows))  # the row at which each value came; none: too late
        np.minimum.at(came, at, np.arange(len(rows)))
        last = came.max(axis=1, initial=0)
        order = np.argsort(last, kind="stable")[: np.count_nonzero(last < len(rows))]
        sums, counts = np.zeros(came.shape), np.zeros(came.shape)
        np.add.at(sums, at, self._levels(rows))
        np.add.at(counts, at, 1.0)
        return Completed(points[order], last[order], sums[order] / counts[order])

    def _levels(self, rows: Observations) -> Array:
        """(m,) the values of measured rows as levels."""
        levels = np.zeros(len(rows))
        for l, scaling in enumerate(self.scalings):
            own = rows.objective == l
            levels[own] = scaling.forward(rows.value[own])
        return levels

    @property
    def held(self) -> Array:
        """(m, D) the distinct points where every objective has been measured."""
        return self._completed.points

    @property
    def measured(self) -> Array:
        """(m, L) what was measured at `held`, as levels; replicates are averaged."""
        return self._completed.levels

    @property
    def stale(self) -> float:
        """What was spent, in prices of a whole point, since what is held last grew by a thousandth of its volume."""
        if not len(self.held):
            return 0.0
        costs = np.array([objective.cost for objective in self.task.objectives])
        since = self.observations.only(State.MEASURED).objective[self._held_since(1.0 - GROWN) + 1 :]
        return float(costs[since].sum() / costs.sum())

    @property
    def early(self) -> int:
        """How many of the observations were made before most of what is held was held."""
        if not len(self.held):
            return 0
        return int(np.flatnonzero(self.observations.state == State.MEASURED)[self._held_since(MOSTLY)]) + 1

    def _held_since(self, share: float) -> int:
        """The measured row with which that share of the hypervolume held today was held."""
        points, row, _ = self._completed
        levels = self.model.predict(points).mean
        reference = np.where(np.isfinite(self.thresholds), self.thresholds, levels.min(axis=0) - 0.1)
        enough = share * quick_hypervolume(levels, reference)

        def all_there(count: int) -> bool:
            return quick_hypervolume(levels[:count], reference) >= enough

        return int(row[bisect_left(range(1, len(points)), True, key=all_there)])

    @property
    def allowed(self) -> NDArray[np.bool_] | None:
        """(P,) the rows of a pool that can be measured, or have been; None in a space."""
        if not isinstance(self.task.domain, Pool):
            return None
        allowed = np.ones(len(self.task.domain), dtype=bool)
        infeasible = self.observations.only(State.INFEASIBLE).row
        allowed[infeasible[infeasible != NO_ROW]] = False
        return allowed

    @property
    def thresholds(self) -> Array:
        """(L,) levels below which nothing matters; -inf where there is no threshold."""
        return np.array(
            [
                -np.inf if s.objective.threshold is None else float(s.forward(s.objective.threshold))
                for s in self.scalings
            ]
        )

    @property
    def noise(self) -> Array:
        """(L,) deviation of a measurement, as levels."""
        return np.array([self._noise(l) for l in range(len(self.scalings))])

    def _noise(self, l: int) -> float:
        scaling, rows = self.scalings[l], self.observations.of(l)
        if scaling.objective.noise is not None:
            return float(scaling.deviation(scaling.objective.noise, self._typical(l)))
        if len(rows) and np.isfinite(rows.noise).all():  # known row by row: nothing was inferred
            return float(np.median(scaling.deviation(rows.noise, rows.value)))
        if isinstance(self.model, JointModel):
            return float(np.sqrt(self.model.hyper.noise[l]))
        return float(np.sqrt(self.model.posteriors[l].hyper.noise))

    @property
    def resolution(self) -> Array:
        """(L,) the user's resolutions as levels; nan where none was given."""
        given = [s.objective.resolution for s in self.scalings]
        return np.array(
            [
                np.nan if r is None else float(s.deviation(r, self._typical(l)))
                for l, (s, r) in enumerate(zip(self.scalings, given, strict=True))
            ]
        )

    def _typical(self, l: int) -> float:
        """A value of the objective as it is near the front: the third quartile of its levels."""
        values = self.observations.of(l).value
        return (
            float(self.scalings[l].backward(np.quantile(self.scalings[l].forward(values), 0.75)))
            if len(values)
            else 1.0
        )

    @cached_property
    def feasibility(self) -> Feasibility | None:
        """Where points can be measured at all; None as long as none was infeasible."""
        infeasible = distinct(self.observations.only(State.INFEASIBLE).x).rows
        if not len(infeasible):
            return None
        x = np.vstack([self.observed, infeasible])
        ok = np.arange(len(x)) < len(self.observed)
        return Feasibility.of(x, ok, self.task.domain.groups)


def is_small(task: Task, observations: Observations) -> bool:
    """Whether linear algebra is quicker on one thread."""
    rows = len(task.domain) if isinstance(task.domain, Pool) else 0
    return int(observations.counts(len(task.objectives)).max()) <= 300 and rows <= 20_000


def believe(task: Task, observations: Observations, rng: np.random.Generator, hypers: Fitted | None = None) -> Belief:
    """Fit Gaussian processes to the objectives. hypers: where the search for hyper-parameters starts, or stays."""
    scalings, datas = [], []
    for l, objective in enumerate(task.objectives):
        rows = observations.of(l)
        scaling = Scaling.of(rows.value, objective)
        scalings.append(scaling)
        datas.append(_data(rows, scaling))
    if task.settings.model == "independent":
        chosen: Fitted = _hypers(task, datas, rng, hypers)
    else:
        datas = [condensed(data, MOST // len(datas)) for data in datas]  # one matrix holds all of them
        chosen = _choice(task, datas, rng, hypers)
    return Belief(task, observations, tuple(scalings), chosen, _model(datas, task.domain.groups, chosen))


def _model(datas: list[Data], groups: NDArray[np.intp], chosen: Fitted) -> Surrogate:
    if isinstance(chosen, Choice) and chosen.kind != "independent":
        return JointModel.of(datas, groups, chosen.hyper)
    return Model.of(datas, groups, chosen.singles if isinstance(chosen, Choice) else chosen)


def _data(rows: Observations, scaling: Scaling) -> Data:
    """One objective's rows as levels, with the noise that is known: the row's own, else the objective's."""
    typical = scaling.objective.noise
    noise = rows.noise if typical is None else np.where(np.isnan(rows.noise), typical, rows.noise)
    variance = np.minimum(scaling.deviation(noise, rows.value), HOPELESS) ** 2
    return condensed(merged(rows.x, scaling.forward(rows.value), variance))


def _hypers(task: Task, datas: list[Data], rng: np.random.Generator, hypers: Fitted | None) -> tuple[Hyper, ...]:
    """The objectives' own hyper-parameters."""
    settings = task.settings
    if settings.hypers is not None:
        assert isinstance(settings.hypers, tuple)  # Settings saw to it
        return settings.hypers
    before = hypers.singles if isinstance(hypers, Choice) else hypers
    if before is not None and settings.refit == "once":
        return before
    warm = before or (None,) * len(datas)
    streams = rng.spawn(len(datas))
    recipe = settings.recipe.settled(numbers=isinstance(task.domain, Pool) and task.domain.numeric)
    return tuple(
        fit(data, task.domain.groups, recipe, stream, start)
        for data, stream, start in zip(datas, streams, warm, strict=True)
    )


def _choice(task: Task, datas: list[Data], rng: np.random.Generator, hypers: Fitted | None) -> Choice:
    """The model of all objectives together that was asked for, or that leaving points out speaks for."""
    settings = task.settings
    if isinstance(settings.hypers, JointHyper):
        return Choice("latent", settings.hypers, (), "its hyper-parameters were given", {}, {})
    before = hypers if isinstance(hypers, Choice) else None
    if before is not None and settings.refit == "once":
        return before
    return choose(datas, task.domain.groups, settings.recipe, settings.model, rng, before)
