"""The methods by name. A new one is a file of its own and a line here."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition.ehvi import Ehvi, contenders, reference_point
from pfes.acquisition.pfes import Pfes
from pfes.acquisition.protocol import Acquisition
from pfes.acquisition.situation import Situation
from pfes.acquisition.worth import Worth, at_stake
from pfes.errors import InvalidInput
from pfes.frontiers import sample_frontiers
from pfes.information import prepare
from pfes.pareto import non_dominated

__all__ = ["METHODS", "Method", "method_named"]

Array = NDArray[np.float64]

PATIENCE = 4.0  # measurements of everything without progress, after which the model is thought to err twice as much
MOST_CAUTIOUS = 8.0
DRAWS = 8  # of what is held
KNOWN = 0.01  # deviations of a level below this are none: what is held is as predicted
STARTS = 20  # points of each sampled Pareto set that a search may start from


@dataclass(frozen=True)
class Method:
    """A way to choose what to measure: a model-based acquisition, or (build None) points spread by a plain design."""

    name: str
    summary: str
    build: Callable[[Situation], Acquisition] | None
    decoupled: bool  # can name single objectives
    promise: str = ""  # what a gain means: "is expected to {promise}"
    informed: bool = False  # weighs options by an estimator of the information


def information(situation: Situation) -> Pfes:
    """Sample frontiers, choose the resolution, and ask what measurements tell about them."""
    sampled = sample_frontiers(
        situation.model,
        situation.domain,
        situation.observed,
        situation.thresholds,
        situation.frontiers,
        situation.rng,
        allowed=situation.allowed,
    )
    exact = situation.estimator == "exact"
    delta = (
        np.zeros(len(situation.noise)) if exact else np.hypot(situation.noise, resolution(situation, sampled.frontiers))
    )
    return Pfes(
        situation.model,
        situation.options,
        prepare(sampled.frontiers),
        sampled.at,
        delta,
        np.vstack([points[:: 1 + len(points) // STARTS] for points in sampled.sets]),
        situation.estimator,
    )


def pfes(situation: Situation) -> Worth:
    """Learn the frontier while much is at stake, and hold it when it is known or time runs out."""
    learn = information(situation)
    likely = np.vstack([situation.held, learn.starts])
    reference = reference_point(situation.model.predict(likely).mean, situation.thresholds)
    hold = replace(improvement(situation), reference=reference)  # draws of it cost more and found no more
    stake, whole = at_stake(learn, reference, situation.held)
    time = 1.0 - 1.0 / max(situation.left, 1.0)  # nothing comes after the last measurement
    caution = min(MOST_CAUTIOUS, 1.0 + situation.stale / PATIENCE)  # the longer in vain, the less the model is trusted
    return Worth(learn, hold, replace(hold, caution=caution), stake, time, whole, situation.completing)


def resolution(situation: Situation, frontiers: list[Array]) -> Array:
    """(L,) what the user gave, else 1 % of the spread of the sampled frontiers, at least 1e-3 prior deviations."""
    points = np.vstack(frontiers)
    points = points[np.isfinite(points).all(axis=1)]  # without the thresholds' virtual points
    low, high = np.quantile(points, [0.1, 0.9], axis=0) if len(points) else np.zeros((2, len(situation.noise)))
    default = np.maximum(0.01 * (high - low), smallest(situation))
    return np.where(np.isnan(situation.resolution), default, situation.resolution)


def smallest(situation: Situation) -> Array:
    """(L,) 1e-3 of the prior deviations: no difference smaller than that is worth knowing unless the user says so."""
    return 1e-3 * np.sqrt(situation.model.amplitude)


def improvement(situation: Situation) -> Ehvi:
    """Improve on the front of the predicted means at the points where everything has been measured."""
    levels = situation.model.predict(situation.held).mean
    reference = reference_point(levels, situation.thresholds)
    delta = np.hypot(situation.noise, smallest(situation))
    starts = situation.held[non_dominated(levels)] if len(levels) else situation.held
    return Ehvi(situation.model, situation.options, levels, reference, delta, starts)


def ehvi(situation: Situation) -> Ehvi:
    """The same, over what is held as well as it is known: drawn, where it is uncertain and may be on the front."""
    plain, held = improvement(situation), situation.held
    if not len(held):
        return plain
    levels, std = situation.model.predict(held)
    near = contenders(levels, std)
    if std[near].max() <= KNOWN:
        return plain
    draws = situation.model.draw(held[near], DRAWS, situation.rng)
    return replace(plain, points=draws, model=situation.model.given(held[near], draws, smallest(situation) ** 2))


METHODS = {
    method.name: method
    for method in (
        Method(
            "pfes",
            "learn the Pareto frontier, then hold it: information and improvement per unit of cost",
            pfes,
            decoupled=True,
            promise="tell {:.3g} nats about the Pareto frontier",
            informed=True,
        ),
        Method(
            "information",
            "information about the Pareto frontier per unit of cost, and nothing else, as in the paper",
            information,
            decoupled=True,
            promise="tell {:.3g} nats about the Pareto frontier",
            informed=True,
        ),
        Method(
            "ehvi",
            "expected hypervolume improvement, exact for independent objectives",
            ehvi,
            decoupled=False,
            promise="add {:.3g} to the hypervolume, in deviations of the data",
        ),
        Method("sobol", "points spread evenly, without a model (pools: far from one another)", None, decoupled=False),
        Method("random", "points drawn at random, without a model", None, decoupled=False),
    )
}


def method_named(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise InvalidInput(f"method: got {name!r}, wanted one of {', '.join(METHODS)}")
    return METHODS[name]
