"""Functions drawn from a Gaussian process: cheap to evaluate anywhere, as often as a search wants (theory 6).

"features", the paper's random feature map: F cosines of random phase, with weights from the posterior of a Bayesian
linear model on them. "pathwise" (Matheron's rule): a prior path of F/2 cosines and F/2 sines, moved through the data by

    k(x, X) (K + noise)^-1 (y - path(X) - e),    e ~ N(0, noise)

with the exact kernel, so that the error of the features shows only where the data say nothing. A cosine and a sine of
one frequency are one cosine with a phase and a height of its own in each path, which halves the work.
All paths of an objective share its frequencies.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfes.compiled import spread
from pfes.errors import InvalidInput
from pfes.gp import linalg
from pfes.gp.model import Model
from pfes.gp.posterior import Posterior
from pfes.gp.sheaf import STEP, Sheaf

__all__ = ["Paths", "draw_paths"]

Array = NDArray[np.float64]
Kind = Literal["pathwise", "features"]

LANES = 512  # points of all paths evaluated together: what is added up for them stays in the nearest cache


@dataclass(frozen=True, eq=False)
class Paths:
    """R functions drawn from a model of L objectives: call them."""

    objectives: tuple[Sheaf, ...]
    quick: tuple[Sheaf, ...]  # the same in single precision

    @property
    def count(self) -> int:
        """R."""
        return len(self.objectives[0].heights)

    def __len__(self) -> int:
        return len(self.objectives)

    def __call__(self, x: Array) -> Array:
        """Values (R, N, L): of all paths at x (N, D), or of each path at its own points x (R, N, D)."""
        x = np.asarray(x, dtype=np.float64)
        return self._shared(self.objectives, x) if x.ndim == 2 else self._own(self.objectives, x)

    def fast(self, x: NDArray[Any]) -> NDArray[np.float32]:
        """The same in single precision."""
        x = np.asarray(x, dtype=np.float32)
        return self._shared(self.quick, x) if x.ndim == 2 else self._own(self.quick, x)

    def slopes(self, x: NDArray[Any]) -> NDArray[np.float32]:
        """Gradients (R, N, L, D) of each path at its own points x (R, N, D), in single precision."""
        x = np.asarray(x, dtype=np.float32)
        out = np.empty((len(self.quick), len(x), x.shape[2], x.shape[1]), np.float32)  # (L, R, D, N)

        def fill(piece: tuple[int, slice]) -> None:
            l, rows = piece
            out[l, :, :, rows] = self.quick[l].slopes(x[:, rows])

        spread(fill, self._pieces(x.shape[1], LANES // len(x)))
        return out.transpose(1, 3, 0, 2)

    def _own(self, sheaves: tuple[Sheaf, ...], x: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((len(sheaves), *x.shape[:2]), x.dtype)  # (L, R, N)

        def fill(piece: tuple[int, slice]) -> None:
            l, rows = piece
            out[l, :, rows] = sheaves[l].own(x[:, rows])

        spread(fill, self._pieces(x.shape[1], LANES // len(x)))
        return out.transpose(1, 2, 0)

    def _shared(self, sheaves: tuple[Sheaf, ...], x: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((len(sheaves), self.count, len(x)), x.dtype)  # (L, R, N)

        def fill(piece: tuple[int, slice]) -> None:
            l, rows = piece
            out[l, :, rows] = sheaves[l].shared(x[rows])

        spread(fill, self._pieces(len(x), LANES))
        return out.transpose(1, 2, 0)

    def _pieces(self, count: int, size: int) -> list[tuple[int, slice]]:
        """Objectives, and rows of `count` points, some `size` at a time."""
        size = -(-max(size, 1) // STEP) * STEP
        return [(l, slice(i, i + size)) for l in range(len(self.objectives)) for i in range(0, count, size)]


def draw_paths(
    model: Model, count: int, rng: np.random.Generator, *, features: int = 500, kind: Kind = "pathwise"
) -> Paths:
    """Draw `count` functions from a model, to be called with points (N, D) or (R, N, D).

    A model with R means (after `given` with R value vectors) gives path r from its mean r: count must be R then.

    Args:
        model: of L objectives.
        count: R, the number of paths.
        rng: where chance comes from.
        features: F, of how many cosines and sines a prior path is made.
        kind: "pathwise" or "features", see the module.

    Raises:
        InvalidInput: less than one path or two features, an unknown kind, or a count that is not the model's R.
    """
    if count < 1 or features < 2 or kind not in ("pathwise", "features"):
        raise InvalidInput(
            f"got count={count}, features={features}, kind={kind!r}; wanted at least 1 path, at least 2 features "
            "and kind 'pathwise' or 'features'; try draw_paths(model, 10, rng)"
        )
    means = {len(p.y) for p in model.posteriors if p.y.ndim == 2}
    if means - {count}:
        raise InvalidInput(
            f"got count={count} for a model with {means.pop()} means; wanted one path for each of them; "
            "try as many paths as value vectors were given"
        )
    draw = _pathwise if kind == "pathwise" else _features
    sheaves = tuple(draw(posterior, count, features, rng) for posterior in model.posteriors)
    return Paths(sheaves, tuple(sheaf.single() for sheaf in sheaves))


def _pathwise(posterior: Posterior, count: int, features: int, rng: np.random.Generator) -> Sheaf:
    frequencies = _frequencies(posterior, features // 2, rng)
    a, b = rng.standard_normal((2, count, len(frequencies))) * np.sqrt(posterior.hyper.amplitude / len(frequencies))
    # a cos + b sin = height cos(angle + phase)
    phases, heights = np.arctan2(-b, a) / (2 * np.pi), np.hypot(a, b)
    centred = Paths((_sheaf(posterior, frequencies, phases, heights),), ())
    prior = centred(posterior.x)[:, :, 0] - posterior.hyper.mean
    noise = rng.standard_normal(prior.shape) * np.sqrt(posterior.noise)
    moved = posterior.solve(prior + noise) if len(posterior.x) else prior
    pulls = posterior.hyper.amplitude * (posterior.weights - moved)
    return _sheaf(posterior, frequencies, phases, heights, pulls)


def _features(posterior: Posterior, count: int, features: int, rng: np.random.Generator) -> Sheaf:
    frequencies = _frequencies(posterior, features, rng)
    phases = rng.random(features)
    size = np.sqrt(2 * posterior.hyper.amplitude / features)
    basis = size * np.cos(2 * np.pi * (posterior.x @ frequencies.T + phases))  # (n, F)
    target = np.broadcast_to(posterior.y - posterior.hyper.mean, (count, len(basis)))
    draw = _dual if len(basis) < features else _primal
    weights = draw(basis, posterior.noise, target, rng)
    return _sheaf(posterior, frequencies, np.tile(phases, (count, 1)), size * weights)


def _dual(basis: Array, noise: Array, target: Array, rng: np.random.Generator) -> Array:
    """Weights (R, F) given target (R, n) = basis (n, F) . weights + noise: Matheron's rule, O(n^2 F)."""
    prior = rng.standard_normal((len(target), basis.shape[1]))
    error = rng.standard_normal(target.shape) * np.sqrt(noise)
    covariance = basis @ basis.T + np.diag(noise)
    lower = linalg.factorise(covariance, covariance.diagonal().max(initial=0.0)).lower
    return prior + linalg.solve(lower, (target - prior @ basis.T - error).T).T @ basis


def _primal(basis: Array, noise: Array, target: Array, rng: np.random.Generator) -> Array:
    """The same in O(n F^2), for n >= F: precision I + basis^T basis / noise."""
    scaled = basis / np.maximum(noise, 1e-12)[:, None]
    precision = np.eye(basis.shape[1]) + basis.T @ scaled
    lower = linalg.factorise(precision, precision.diagonal().max()).lower
    mean = linalg.solve(lower, (target @ scaled).T).T
    return mean + linalg.solve_upper(lower, rng.standard_normal(mean.T.shape)).T


def _frequencies(posterior: Posterior, count: int, rng: np.random.Generator) -> Array:
    """Draws (count, D) from the kernel's spectral density, in turns: normal, or Student's t (theory 6).

    With main effects it is a mixture: of all groups together and of each alone, where the others' frequency is 0. Each
    has its share of the draws, as evenly as whole numbers allow.
    """
    z = rng.standard_normal((count, posterior.x.shape[1]))
    if posterior.hyper.kernel == "matern52":
        z /= np.sqrt(rng.chisquare(5, size=(count, 1)) / 5)
    share, groups = posterior.hyper.additive, posterior.groups
    if share > 0.0:
        many = len(posterior.hyper.scales)
        alone = many * ((np.arange(count) + rng.random()) / count - (1.0 - share)) / share
        z *= (alone < 0.0)[:, None] | (np.minimum(np.floor(alone), many - 1)[:, None] == groups)
    return z / (2 * np.pi * posterior.column_scales)


def _sheaf(
    posterior: Posterior, frequencies: Array, phases: Array, heights: Array, pulls: Array | None = None
) -> Sheaf:
    used = slice(None) if pulls is not None else slice(0)
    return Sheaf(
        mean=posterior.hyper.mean,
        kernel=posterior.hyper.kernel,
        scales=posterior.column_scales,
        frequencies=frequencies,
        phases=phases,
        heights=heights,
        centres=posterior.x[used] / posterior.column_scales,
        pulls=np.zeros((len(heights), 0)) if pulls is None else pulls,
        groups=np.ascontiguousarray(posterior.groups, np.int64),
        additive=posterior.hyper.additive if len(posterior.groups) else 0.0,
    )
