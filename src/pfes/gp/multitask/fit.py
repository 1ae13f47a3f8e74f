"""The most probable hyper-parameters of a joint Gaussian process: L-BFGS-B from the objectives' own fits.

What is fitted, and what is believed of it beforehand, is the recipe's, function by function and objective by objective;
to it come the loadings of `loadings.py`. The constant means are known in closed form, as in `gp/fit.py`.

Functions are believed to be of one kind: their kernels' logarithms scatter around their average by TIED, and few data
predict better for it. A coregional model is the limit TIED = 0, so that its one kernel has the prior of all functions:
the power J of one.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import one_blas_thread
from pfes.errors import InvalidInput
from pfes.gp.climb import climb
from pfes.gp.fit import BRIEF, LOG_ODDS, MOST, PART, _part, fit
from pfes.gp.likelihood import Integers, log_odds
from pfes.gp.model import Model
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.likelihood import JointEvidence, JointLikelihood
from pfes.gp.multitask.loadings import LARGEST, Structure
from pfes.gp.recipe import Hyper, Recipe
from pfes.observations import Data

__all__ = ["Start", "fit_joint"]

Array = NDArray[np.float64]

SHRUNK = 0.9  # how much of a correlation between the objectives' own predictions a fit begins with
SMALL = 0.3  # loadings of a fit that begins almost without correlation; at 0 it would stay there
TIED, TIED_ODDS = 0.3, 0.75  # deviations of kernels' log scales, and of the log odds of shares, from their average
FEWEST = 50  # points of an objective in a random part


class Start(NamedTuple):
    """Where a fit begins: the objectives' own fits to these data, and a joint one of similar data and the same kind."""

    singles: Sequence[Hyper]
    joint: JointHyper | None = None


class Coordinates(NamedTuple):
    """Where a parameter lies in the vector that is searched: logarithms, log odds of shares, loadings."""

    recipe: Recipe
    structure: Structure
    groups: int
    shared: bool  # one length scale for all groups
    amplitude: bool  # searched for?
    noise: NDArray[np.bool_]  # (L,) searched for?
    additive: bool

    @property
    def _cuts(self) -> list[int]:
        """Where length scales, shares, amplitudes and noises end."""
        parts, each = self.structure.parts, 1 if self.shared else self.groups
        sizes = (parts * each, parts * self.additive, self.structure.objectives * self.amplitude, int(self.noise.sum()))
        return list(accumulate(sizes))

    def pack(self, hyper: JointHyper) -> Array:
        """Hyper as a vector (K,), inside the bounds."""
        scales = np.log(hyper.scales)
        scales = scales.mean(axis=1) if self.shared else scales
        odds = [log_odds(float(share)) for share in hyper.additive if self.additive]
        amplitude = [math.log(max(a, np.finfo(float).tiny)) for a in hyper.amplitude.tolist() if self.amplitude]
        loadings = self.structure.loadings(hyper.mixing).ravel()
        vector = np.concatenate([scales.ravel(), odds, amplitude, np.log(hyper.noise[self.noise]), loadings])
        return np.asarray(np.clip(vector, *np.array(self.bounds()).reshape(-1, 2).T))

    def unpack(self, vector: Array) -> JointHyper:
        """The inverse of `pack`; what is not searched for has the recipe's value."""
        known, structure = self.recipe.mode(self.groups), self.structure
        scales, odds, _, noise, _ = np.split(vector, self._cuts)
        scales = scales.reshape(structure.parts, -1)
        noises = np.full(structure.objectives, known.noise)
        noises[self.noise] = np.exp(noise)
        return JointHyper(
            kernel=known.kernel,
            scales=np.exp(np.repeat(scales, self.groups, axis=1) if self.shared else scales),
            additive=1.0 / (1.0 + np.exp(-odds)) if self.additive else np.full(structure.parts, known.additive),
            mixing=structure.mixing(self.loadings(vector), self.deviation(vector)),
            part=structure.part,
            noise=noises,
            mean=np.zeros(structure.objectives),
        )

    def deviation(self, vector: Array) -> Array:
        """(L,) prior deviations of the objectives."""
        if not self.amplitude:
            return np.full(self.structure.objectives, math.sqrt(self.recipe.mode(self.groups).amplitude))
        return np.asarray(np.exp(0.5 * vector[self._cuts[1] : self._cuts[2]]))

    def loadings(self, vector: Array) -> Array:
        """(L, K) loadings."""
        return vector[self._cuts[3] :].reshape(self.structure.objectives, self.structure.shared)

    def gradient(self, vector: Array, hyper: JointHyper, slopes: JointLikelihood) -> Array:
        """The likelihood's slopes as a vector (K,)."""
        # d/dA = 2 (d/dB) A, kernel by kernel
        mixing = 2.0 * np.einsum("jlm,mj->lj", slopes.tasks[hyper.part], hyper.mixing)
        loadings, log_deviation = self.structure.pulled_back(self.loadings(vector), self.deviation(vector), mixing)
        return np.concatenate(
            [
                slopes.scales.sum(axis=1) if self.shared else slopes.scales.ravel(),
                slopes.additive if self.additive else [],
                0.5 * log_deviation if self.amplitude else [],
                slopes.noise[self.noise],
                loadings.ravel(),
            ]
        )

    def log_prior(self, vector: Array) -> tuple[float, Array]:
        """Log density of all that is searched for, but for constants, and its derivatives (K,)."""
        place, width, plain = self._priors()
        own = vector[: self._cuts[3]]
        scales, rest = np.split(own, [self._cuts[0]])
        z = (rest - place) / width
        value, slopes = self.structure.log_prior(self.loadings(vector))
        value -= 0.5 * float(z @ z) + float(plain @ rest)
        each = [self.recipe.log_prior_of_scales(part, self.groups) for part in np.split(scales, self.structure.parts)]
        value += self._power * sum(believed for believed, _ in each)
        tie, d_tie = self._tied(own)
        d_own = np.concatenate([*(self._power * slope for _, slope in each), -z / width - plain])
        return value + tie, np.concatenate([d_tie + d_own, slopes.ravel()])

    def _tied(self, own: Array) -> tuple[float, Array]:
        """Log density of the kernels' differences from their average, and its derivatives."""
        value, slopes = 0.0, np.zeros_like(own)
        begin, (scales, odds, *_) = 0, self._sizes()
        for size, deviation in ((scales, TIED), (odds, TIED_ODDS)):
            each = own[begin : begin + size].reshape(self.structure.parts, -1)
            z = (each - each.mean(axis=0)) / deviation
            value -= 0.5 * float(np.sum(z * z))
            slopes[begin : begin + size] = (-z / deviation).ravel()
            begin += size
        return value, slopes

    def _priors(self) -> tuple[Array, Array, Array]:
        """Place and width of every prior but the scales' and the loadings', and 1 where it is the density of a log's
        number."""
        recipe, _, odds, amplitude, noise = self.recipe, *self._sizes()
        rows = [(0.0, recipe.additive_deviation * self._power**-0.5, 0.0)] * odds
        logs = [recipe.amplitude_prior] * amplitude + [recipe.noise_prior] * noise
        table = np.array(rows + [(prior.loc, prior.scale, 1.0) for prior in logs]).reshape(-1, 3)
        return table[:, 0], table[:, 1], table[:, 2]

    @property
    def _power(self) -> float:
        """How many objectives' kernels each kernel stands for."""
        return len(self.structure.part) / self.structure.parts

    def bounds(self) -> list[tuple[float, float]]:
        """Bounds of every coordinate."""
        recipe, scales, odds, amplitude, noise = self.recipe, *self._sizes()
        found = [recipe.prior_of_scales(self.groups).bounds()] * scales + [LOG_ODDS] * odds
        found += [recipe.amplitude_prior.bounds()] * amplitude + [recipe.noise_prior.bounds()] * noise
        return found + [(-LARGEST, LARGEST)] * (self.structure.objectives * self.structure.shared)

    def _sizes(self) -> list[int]:
        return [end - begin for begin, end in pairwise([0, *self._cuts])]


def fit_joint(
    data: Sequence[Data],
    groups: Integers,
    recipe: Recipe,
    kind: str,
    rng: np.random.Generator,
    start: Start | None = None,
) -> JointHyper:
    """Fit a joint Gaussian process to L objectives' standardised data: highest posterior density.

    kind: "coregional" or "latent", see `loadings.py`; groups (D,) as in `fit`. start: the L objectives' own fits, which
    are made where they are not given, and perhaps an earlier joint one. Same arguments and generator, same result.
    """
    groups, structure = np.asarray(groups), Structure.of(kind, len(data))
    count = int(groups.max(initial=-1)) + 1
    recipe = replace(recipe, levels="one")
    coordinates = Coordinates(
        recipe,
        structure,
        count,
        count > 0 and recipe.is_isotropic(count),
        recipe.amplitude == "fit",
        np.array([recipe.noise == "fit" and bool(np.isnan(d.noise).any()) for d in data], dtype=bool),
        recipe.fits_additive(count),
    )
    with one_blas_thread():
        starts = _starts(data, groups, coordinates, rng, start)
        some = [_part(d, max(PART // len(data), FEWEST), rng) for d in data]
        first = _Search(some, groups, coordinates).best(starts)
        most = [_part(d, MOST // len(data), rng) for d in data]
        if sum(len(d.y) for d in most) == sum(len(d.y) for d in some):
            return first
        return _Search(most, groups, coordinates).polished(first)


def _starts(
    data: Sequence[Data], groups: Integers, coordinates: Coordinates, rng: np.random.Generator, start: Start | None
) -> list[JointHyper]:
    """Where to begin: the given fit; the objectives' own fits, correlated as their predictions are, and almost not."""
    structure, recipe = coordinates.structure, coordinates.recipe
    joint = None if start is None else start.joint
    if joint is not None:
        wanted = (structure.parts, coordinates.groups), (structure.objectives, len(structure.part))
        if (joint.scales.shape, joint.mixing.shape) != wanted:
            raise InvalidInput(
                f"start: got length scales {joint.scales.shape} and mixing {joint.mixing.shape}, wanted {wanted[0]} "
                f"and {wanted[1]}; try start=None"
            )
    singles = [] if start is None else list(start.singles)
    if not singles:
        singles = [fit(d, groups, recipe, stream) for d, stream in zip(data, rng.spawn(len(data)), strict=True)]
    faint = SMALL * rng.choice([-1.0, 1.0], (structure.objectives, structure.shared))
    guess = structure.explaining(_guessed(data, groups, singles))
    found = [_embedded(structure, singles, loadings) for loadings in (guess, faint)]
    return found if joint is None else [joint, *found]


def _embedded(structure: Structure, singles: Sequence[Hyper], loadings: Array) -> JointHyper:
    """The objectives' own fits as a joint one with these loadings (L, K); what is shared has an average kernel."""
    scales = np.log([hyper.scales for hyper in singles]).reshape(len(singles), -1)
    odds = np.array([log_odds(hyper.additive) for hyper in singles])
    common = scales.mean(axis=0, keepdims=True), odds.mean(keepdims=True)
    if structure.parts == 1:
        scales, odds = common
    else:
        shared = structure.shared
        scales, odds = np.vstack([*[common[0]] * shared, scales]), np.concatenate([*[common[1]] * shared, odds])
    return JointHyper(
        kernel=singles[0].kernel,
        scales=np.exp(scales),
        additive=1.0 / (1.0 + np.exp(-odds)),
        mixing=structure.mixing(loadings, np.sqrt([hyper.amplitude for hyper in singles])),
        part=structure.part,
        noise=np.array([hyper.noise for hyper in singles]),
        mean=np.array([hyper.mean for hyper in singles]),
    )


def _guessed(data: Sequence[Data], groups: Integers, singles: Sequence[Hyper]) -> Array:
    """Correlations (L, L) of the objectives' own predictions at all points of the data, a little shrunk."""
    x = np.concatenate([_some(d.x) for d in data])
    found = np.eye(len(data))
    if len(x) < 2:
        return found
    mean = Model.of([_part_of(d) for d in data], groups, singles).predict(x).mean
    mean = mean - mean.mean(axis=0)
    length = np.sqrt((mean**2).sum(axis=0))
    unit = mean / np.where(length > 1e-9, length, np.inf)  # constants are correlated with nothing
    return np.asarray(np.where(found == 1.0, 1.0, SHRUNK * unit.T @ unit))


def _some(x: Array) -> Array:
    """At most PART rows of x (n, D), evenly."""
    return x[:: -(-len(x) // PART) if len(x) else 1]


def _part_of(data: Data) -> Data:
    return data.part(np.arange(0, len(data.y), -(-len(data.y) // PART) if len(data.y) else 1))


class _Search:
    """The log posterior density of given data as a function of a vector, and its maximum."""

    def __init__(self, data: Sequence[Data], groups: Integers, coordinates: Coordinates) -> None:
        self.coordinates, recipe = coordinates, coordinates.recipe
        self.evidence = JointEvidence(data, groups, recipe.kernels[0], coordinates.structure.parts)
        self.precision = recipe.mean_deviation**-2 if recipe.mean == "constant" else math.inf
        self.effort = max(12, 15_000 // max(self.evidence.size, 100))  # iterations

    def best(self, starts: list[JointHyper]) -> JointHyper:
        """A short climb from every start, a long one from the best place reached."""
        runs = [self._climb(self.coordinates.pack(start), BRIEF) for start in starts]
        return self._hyper(self._climb(min(runs, key=lambda run: run[0])[1], self.effort)[1])

    def polished(self, start: JointHyper) -> JointHyper:
        """One climb."""
        return self._hyper(self._climb(self.coordinates.pack(start), self.effort)[1])

    def _hyper(self, vector: Array) -> JointHyper:
        return self.evidence.at_best_mean(self.coordinates.unpack(vector), self.precision)[1]

    def _climb(self, vector: Array, iterations: int) -> tuple[float, Array]:
        return climb(self.cost, vector, self.coordinates.bounds(), iterations)

    def cost(self, vector: Array) -> tuple[float, Array]:
        """Minus the log posterior density at vector (K,), but for constants, and its gradient (K,)."""
        slopes, hyper = self.evidence.at_best_mean(self.coordinates.unpack(vector), self.precision)
        value, d_prior = self.coordinates.log_prior(vector)
        value += slopes.value
        if math.isfinite(self.precision):
            value -= 0.5 * self.precision * float(hyper.mean @ hyper.mean)
        return -value, -d_prior - self.coordinates.gradient(vector, hyper, slopes)
