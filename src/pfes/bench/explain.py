"""The numbers behind the paper's explanatory figures, from real models and frontiers of a problem with two objectives.

All in levels: standardised, larger is better. G is the number of places along each axis of a map.

dominated   how likely it is, by sampled frontiers, that values (y1, y2) are dominated: before an observation and after
            it, for an observation that tells much and for one that tells little
truncation  a prediction, the same given that a frontier dominates it, the frontier's cells, and one objective's density
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.belief import Belief, believe
from pfes.bench.methods.own import random_observations
from pfes.bench.stopwatch import candidates_of
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings, sample_frontiers
from pfes.information import exact, matched, prepare
from pfes.normal import cdf, pdf
from pfes.observations import NO_ROW, Observations, State
from pfes.pareto import dominated_cells
from pfes.problems import Problem
from pfes.task import Settings, Task

__all__ = ["EXPLAINED", "dominated", "truncation"]

Array = NDArray[np.float64]
G = 61
RESOLUTION = 0.01
CANDIDATES = 500
LITTLE = 0.01  # nats


def _believed(problem: Problem, seed: int, points: int) -> tuple[Belief, np.random.Generator]:
    if len(problem.objectives) != 2:
        raise InvalidInput(f"got {problem.name} with {len(problem.objectives)} objectives, wanted two: they are drawn")
    rng = np.random.default_rng([seed, points])
    return believe(Task(problem.space, problem.objectives), random_observations(problem, points, rng), rng), rng


def _frontiers(belief: Belief, settings: FrontierSettings, seed: int) -> list[Array]:
    """By the same random numbers each time: what differs between two maps differs because of what is believed."""
    rng, limits = np.random.default_rng([seed, 5]), np.full(2, -np.inf)
    return sample_frontiers(belief.model, belief.task.domain, belief.observed, limits, settings, rng).frontiers


# Before and after an observation


def dominated(problem: Problem, seed: int, points: int) -> dict[str, Any]:
    """Maps (G, G) of probabilities before, and after each of two observations; and what these are."""
    belief, rng = _believed(problem, seed, points)
    before = _frontiers(belief, FrontierSettings(), seed)
    x = candidates_of(problem, CANDIDATES, rng)
    mean, std = belief.model.predict(x)
    gain = matched.coupled(mean, std, prepare(before), RESOLUTION)
    observed = belief.model.predict(belief.observed).mean
    places = _places(np.vstack([observed, *before]))
    cases = []
    for which in (int(np.argmax(gain)), _dull(gain, std)):
        star = mean[which] + std[which] * rng.standard_normal(2)
        told = _after(belief, x[which], star, rng)
        after = [_in_levels_of(belief, told, points) for points in _frontiers(told, FrontierSettings(), seed)]
        cases.append(
            {
                "gain": float(gain[which]),
                "mean": mean[which].tolist(),
                "std": std[which].tolist(),
                "star": star.tolist(),
                "after": _rounded(_probability(places, after)),
            }
        )
    return {
        "axes": [axis.tolist() for axis in places],
        "observed": observed.tolist(),
        "before": _rounded(_probability(places, before)),
        "cases": cases,
    }


def _places(values: Array) -> tuple[Array, Array]:
    """G places along each axis that show values (N, 2) with some room around them."""
    low, high = np.quantile(values, 0.02, axis=0), values.max(axis=0)
    room = 0.25 * (high - low)
    first, second = (np.linspace(a, b, G) for a, b in zip(low - room, high + room, strict=True))
    return first, second


def _probability(places: tuple[Array, Array], frontiers: list[Array]) -> Array:
    """(G, G) the share of frontiers that dominate (y1, y2); rows are y2."""
    y1, y2 = np.meshgrid(*places)
    inside = [((points[:, 0, None, None] >= y1) & (points[:, 1, None, None] >= y2)).any(axis=0) for points in frontiers]
    return np.asarray(np.mean(inside, axis=0))


def _dull(gain: Array, std: Array) -> int:
    """A candidate (N,) that is known well, and tells little: about LITTLE nats."""
    known = std.max(axis=1) <= np.quantile(std.max(axis=1), 0.5)
    return int(np.flatnonzero(known)[np.argmin(np.abs(gain[known] - LITTLE))])


def _after(belief: Belief, x: Array, level: Array, rng: np.random.Generator) -> Belief:
    """What is believed after levels (2,) were observed at x (D,); hyper-parameters stay."""
    values = [float(scaling.backward(level[l])) for l, scaling in enumerate(belief.scalings)]
    old = belief.observations
    known = Observations(
        x=np.vstack([old.x, x, x]),
        row=np.append(old.row, [NO_ROW, NO_ROW]),
        objective=np.append(old.objective, [0, 1]),
        state=np.append(old.state, [State.MEASURED, State.MEASURED]).astype(np.intp),
        value=np.append(old.value, values),
        noise=np.append(old.noise, [np.nan, np.nan]),
    )
    task = replace(belief.task, settings=replace(Settings(), hypers=tuple(belief.hypers)))  # type: ignore[arg-type]
    return believe(task, known, rng)


def _in_levels_of(belief: Belief, told: Belief, frontier: Array) -> Array:
    """A frontier (S, 2) of another belief, whose levels are scaled by one point more, in the levels of the first."""
    pairs = zip(belief.scalings, told.scalings, frontier.T, strict=True)
    return np.column_stack([mine.forward(other.backward(levels)) for mine, other, levels in pairs])


def _rounded(values: Array) -> list[list[float]]:
    return [[float(value) for value in row] for row in np.round(values, 4)]


# Truncation


def truncation(problem: Problem, seed: int, points: int) -> dict[str, Any]:
    """A prediction near a coarse frontier: densities (G, G), cells, and the density of the first objective (G,)."""
    belief, rng = _believed(problem, seed, points)
    settings = replace(FrontierSettings(), count=1, points=4, observed=False)
    frontier = _frontiers(belief, settings, seed)[0]
    x = candidates_of(problem, CANDIDATES, rng)
    mean, std = belief.model.predict(x)
    gain = exact.coupled(mean, std, prepare([frontier]))
    centre = frontier.mean(axis=0)
    likely = np.abs((mean - centre) / std).max(axis=1) < 1.5  # near enough for the truncation to be seen
    which = int(np.flatnonzero(likely)[np.argmax(std[likely].min(axis=1))]) if likely.any() else int(np.argmax(gain))
    middle, deviation = mean[which], std[which]
    return {"mean": middle.tolist(), "std": deviation.tolist(), "frontier": frontier.tolist()} | _truncated(
        middle, deviation, frontier
    )


def _truncated(mean: Array, std: Array, frontier: Array) -> dict[str, Any]:
    """What a prediction of mean and deviation (2,) becomes below a frontier (S, 2)."""
    cells, prepared = dominated_cells(frontier), prepare([frontier])
    reach = np.concatenate([[mean - 3.5 * std, mean + 3.5 * std], frontier])
    low, high = reach.min(axis=0), reach.max(axis=0)
    places = tuple(np.linspace(low[l], high[l], G) for l in range(2))
    first, second = (pdf((places[l] - mean[l]) / std[l]) / std[l] for l in range(2))
    density = second[:, None] * first[None, :]
    inside = _probability((places[0], places[1]), [frontier]) > 0.0
    a, b = (cells.lower - mean) / std, (cells.upper - mean) / std
    mass = cdf(b) - cdf(a)  # (M, 2)
    total = float(np.prod(mass, axis=1).sum())
    there = (places[0][:, None] > cells.lower[:, 0]) & (places[0][:, None] <= cells.upper[:, 0])
    return {
        "axes": [axis.tolist() for axis in places],
        "density": _rounded(density),
        "truncated": _rounded(np.where(inside, density, 0.0) / total),
        "cells": [[_finite(lower), _finite(upper)] for lower, upper in zip(cells.lower, cells.upper, strict=True)],
        "probability": total,
        "first": first.tolist(),
        "first_truncated": (first * (there * mass[:, 1]).sum(axis=1) / total).tolist(),
        "gain": float(exact.coupled(mean[None], std[None], prepared)[0]),
        "single_gains": exact.decoupled(mean[None], std[None], prepared)[0].tolist(),
    }


def _finite(corner: Array) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in corner]


EXPLAINED: dict[str, Callable[[Problem, int, int], dict[str, Any]]] = {"dominated": dominated, "truncation": truncation}
