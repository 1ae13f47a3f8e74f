"""The most probable hyper-parameters: L-BFGS-B on logarithms (and the log odds of a share), from several starts.

The constant mean is not searched for: at given other parameters the best one is known in closed form, and by the
envelope theorem the gradient in the others is as if it were fixed. With many data the starts compete on a random part
of them, and the best is taken to the maximum on all. Where the recipe leaves the kernel open, each start is tried with
each kernel: they have the same parameters and priors, so that their densities can be compared.

Levels of a category may be unlike the others in different degrees: of twelve ligands two cost ten times as much as the
rest, which cost much the same. One length scale makes all twelve as unlike as these two; one for each level does not,
but there are more of them to be wrong about. So the recipe's "auto" gives each its own only where the posterior density
is higher for it, in which every further length scale has to pay for its prior.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import one_blas_thread
from pfes.errors import InvalidInput
from pfes.gp.climb import climb
from pfes.gp.likelihood import Evidence, Integers, Likelihood, log_odds, log_posterior
from pfes.gp.recipe import MANY_GROUPS, Hyper, Recipe
from pfes.observations import Data

__all__ = ["fit"]

Array = NDArray[np.float64]

PART = 250  # points of a random part, on which the search runs first when there are more
MOST = 2000  # points that the last climb looks at
BRIEF = 8  # iterations from each start
CLOSE, APART = 1.0, 0.3  # nats, and of a logarithm: places so close in height and so far apart are all gone on with
LEAST_NOISE, MOST_NOISE = 1e-5, 0.3  # variances that a fit may begin with
LOG_ODDS = (-6.0, 6.0)  # of the main effects' share: from a quarter of a percent to all but that


class Coordinates(NamedTuple):
    """Where a parameter of the recipe lies in the vector that is searched: logarithms, log odds of a share."""

    recipe: Recipe
    groups: int
    shared: bool  # one length scale for all groups
    amplitude: bool  # searched for?
    noise: bool
    additive: bool

    def pack(self, hyper: Hyper) -> Array:
        """Hyper as a vector (K,), inside the bounds."""
        scales = np.exp(np.log(hyper.scales).mean(keepdims=True)) if self.shared else hyper.scales
        rest = [v for v, free in ((hyper.amplitude, self.amplitude), (hyper.noise, self.noise)) if free]
        odds = [log_odds(hyper.additive)] * self.additive
        low, high = np.array(self.bounds()).T
        return np.asarray(np.clip(np.append(np.log([*scales, *rest]), odds), low, high))

    def unpack(self, vector: Array) -> Hyper:
        """The inverse of `pack`; what is not searched for has the recipe's value."""
        known = self.recipe.mode(self.groups)
        values = np.exp(vector)
        scales = np.full(self.groups, values[0]) if self.shared else values[: self.groups]
        rest = iter(values[1 if self.shared else self.groups :].tolist())
        amplitude = next(rest) if self.amplitude else known.amplitude
        noise = next(rest) if self.noise else known.noise
        share = 1.0 / (1.0 + math.exp(-vector[-1])) if self.additive else known.additive
        return Hyper(known.kernel, scales, amplitude, noise, 0.0, share)

    def of_kind(self, kernel: str) -> "Coordinates":
        """The same with a kernel that is not open."""
        return self._replace(recipe=replace(self.recipe, kernel=kernel))

    def gradient(self, slopes: Likelihood) -> Array:
        """The slopes as a vector (K,)."""
        scales = [slopes.scales.sum()] if self.shared else slopes.scales
        rest = [v for v, free in ((slopes.amplitude, self.amplitude), (slopes.noise, self.noise)) if free]
        return np.array([*scales, *rest, *[slopes.additive] * self.additive])

    @property
    def scales(self) -> int:
        """How many coordinates are length scales; they come first."""
        return 1 if self.shared else self.groups

    def priors(self) -> tuple[Array, Array, Array]:
        """Of the prior of each coordinate but the length scales: place, width, and 1 where its density is that of the
        number, not of its log."""
        recipe = self.recipe
        logs = [recipe.amplitude_prior] * self.amplitude + [recipe.noise_prior] * self.noise
        odds = [(0.0, recipe.additive_deviation, 0.0)] * self.additive
        rows = np.array([*((prior.loc, prior.scale, 1.0) for prior in logs), *odds]).reshape(-1, 3)
        return rows[:, 0], rows[:, 1], rows[:, 2]

    def bounds(self) -> list[tuple[float, float]]:
        """Bounds of every coordinate."""
        scales = [self.recipe.prior_of_scales(self.groups).bounds()] * self.scales
        amplitude = [self.recipe.amplitude_prior.bounds()] * self.amplitude
        return [*scales, *amplitude, *[self.recipe.noise_prior.bounds()] * self.noise, *[LOG_ODDS] * self.additive]


def fit(data: Data, groups: Integers, recipe: Recipe, rng: np.random.Generator, start: Hyper | None = None) -> Hyper:
    """Fit a Gaussian process to standardised data: the hyper-parameters of highest posterior density.

    groups (D,) gives the group, hence the length scale, of each column; by the recipe the levels of a category may have
    one each (`Hyper.groups`). `start` is a fit of similar data, tried first. Without data: the priors' modes. Same
    arguments and generator, same result.
    """
    groups = np.asarray(groups)
    columns = np.arange(len(groups))
    count = _count(groups)
    if start is not None and len(start.scales) not in (count, len(columns)):
        raise InvalidInput(
            f"start: got {len(start.scales)} length scales, wanted {count}, one per group, or {len(columns)}, one per "
            "column; try start=None"
        )
    if len(data.y) == 0:
        return recipe.mode(count)
    levels = recipe.levels if count < len(columns) <= MANY_GROUPS and not recipe.is_isotropic(count) else "one"
    if levels != "auto":
        return _fit(data, groups if levels == "one" else columns, recipe, rng, start)
    one, each = (_fit(data, way, recipe, rng, start) for way in (groups, columns))
    more = log_posterior(data, columns, each, recipe).value - log_posterior(data, groups, one, recipe).value
    return each if more > 0.0 else one


def _count(groups: Integers) -> int:
    return int(groups.max(initial=-1)) + 1


def _fit(data: Data, groups: Integers, recipe: Recipe, rng: np.random.Generator, start: Hyper | None) -> Hyper:
    """The fit with a length scale for each of these groups; a start with others is left out."""
    count = _count(groups)
    start = start if start is not None and len(start.scales) == count else None
    inferred = recipe.noise == "fit" and bool(np.isnan(data.noise).any())
    coordinates = Coordinates(
        recipe,
        count,
        count > 0 and recipe.is_isotropic(count),
        recipe.amplitude == "fit",
        inferred,
        recipe.fits_additive(count),
    )
    with one_blas_thread():
        if len(data.y) <= PART:
            return _best(data, groups, coordinates, _starts(coordinates, rng, start))
        first = _best(_part(data, PART, rng), groups, coordinates, _starts(coordinates, rng, start))
        return _Search(_part(data, MOST, rng), groups, coordinates.of_kind(first.kernel)).polished(first)


def _best(data: Data, groups: Integers, coordinates: Coordinates, starts: list[Hyper]) -> Hyper:
    """A short climb from every start, by every kernel; a long one from the best place, and from others as good."""
    searches = [_Search(data, groups, coordinates.of_kind(kernel)) for kernel in coordinates.recipe.kernels]
    runs = [(*search.brief(start), search) for search in searches for start in starts]
    first, *others = sorted(runs, key=lambda run: run[0])
    going_on = [first]
    for run in others:
        apart = all(run[2] is not kept[2] or np.abs(run[1] - kept[1]).max(initial=0.0) > APART for kept in going_on)
        if apart and run[0] < first[0] + CLOSE:
            going_on.append(run)
    ends = [(*search.thorough(at), search) for _, at, search in going_on]
    _, at, search = min(ends, key=lambda end: end[0])
    return search.hyper(at)


def _starts(coordinates: Coordinates, rng: np.random.Generator, start: Hyper | None) -> list[Hyper]:
    """Where to begin: the given fit, the priors' modes, and draws around rough functions, which are easily missed."""
    recipe, count = coordinates.recipe, coordinates.groups
    mode = recipe.mode(count)
    found = [mode] if start is None else [start, mode]
    fresh = recipe.starts - len(found)
    for k in range(fresh):
        common, own = rng.normal(), rng.normal(size=count)
        scales = 0.25 * math.sqrt(max(count, 1)) * np.exp(0.5 * (common + own))
        much = (k + rng.random()) / fresh  # of noise: from little to much, whatever chance says
        found.append(replace(mode, scales=scales, noise=LEAST_NOISE * (MOST_NOISE / LEAST_NOISE) ** much))
    return found


class _Search:
    """The log posterior density of given data as a function of a vector, and its maximum."""

    def __init__(self, data: Data, groups: Integers, coordinates: Coordinates) -> None:
        self.coordinates, self.recipe = coordinates, coordinates.recipe
        alone = coordinates.shared and not coordinates.additive and self.recipe.mode(coordinates.groups).additive == 0.0
        self.evidence = Evidence(data, groups, self.recipe.kernels[0], one_scale=alone)
        self.precision = self.recipe.mean_deviation**-2 if self.recipe.mean == "constant" else math.inf
        self.place, self.width, self.plain = coordinates.priors()
        self.effort = max(12, 15_000 // max(len(data.y), 100))  # iterations

    def brief(self, start: Hyper) -> tuple[float, Array]:
        """A few steps from a start: how low the cost is there, and where."""
        return self._climb(self.coordinates.pack(start), BRIEF)

    def thorough(self, vector: Array) -> tuple[float, Array]:
        """A climb to the top."""
        return self._climb(vector, self.effort)

    def polished(self, start: Hyper) -> Hyper:
        """One climb."""
        return self.hyper(self.thorough(self.coordinates.pack(start))[1])

    def hyper(self, vector: Array) -> Hyper:
        """A place as hyper-parameters, with the mean that is best there."""
        return self.evidence.at_best_mean(self.coordinates.unpack(vector), self.precision)[1]

    def _climb(self, vector: Array, iterations: int) -> tuple[float, Array]:
        return climb(self._cost, vector, self.coordinates.bounds(), iterations)

    def _cost(self, vector: Array) -> tuple[float, Array]:
        """Minus the log posterior density (`with_priors`), but for constants, and its gradient."""
        slopes, hyper = self.evidence.at_best_mean(self.coordinates.unpack(vector), self.precision)
        scales, rest = np.split(vector, [self.coordinates.scales])
        believed, d_scales = self.recipe.log_prior_of_scales(scales, self.coordinates.groups)
        z = (rest - self.place) / self.width
        value = slopes.value + believed - 0.5 * float(z @ z) - float(self.plain @ rest)
        if hyper.mean:
            value -= 0.5 * self.precision * hyper.mean**2
        slope = self.coordinates.gradient(slopes)
        return -value, -slope - np.concatenate([d_scales, -z / self.width - self.plain])


def _part(data: Data, size: int, rng: np.random.Generator) -> Data:
    """A random part of the data, or all if they are not more; the spread inside replicates shrinks with it."""
    if len(data.y) <= size:
        return data
    return data.part(np.sort(rng.choice(len(data.y), size, replace=False)))
