"""Functions drawn from a joint model: L objectives mixed from J independent paths, moved through all data together.

| symbol | meaning | shape | in code |
|---|---|---|---|
| u_j | prior path of kernel q_j, by random features; independent of one another | (R,) functions | |
| A | a factor of B with as few columns as it has rank, kernel by kernel | (L, J) | mixing |
| alpha | K^-1 (y - m - A u at the data - e), e ~ N(0, noise) | (R, n) | |

    f = m + A v,    v_j(x) = u_j(x) + sum_i A[t_i, j] k_q(x, x_i) alpha_i

Matheron's rule (theory 6) for all objectives at once: each v_j is an ordinary path of `gp/paths.py`, and only their sum
knows of the objectives. A path interpolates what was measured of every objective, as far as noise allows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.model import JointModel
from pfes.gp.paths import Paths, _frequencies, _sheaf
from pfes.gp.posterior import Posterior

__all__ = ["JointPaths", "draw_joint_paths"]

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-12  # eigenvalues of B, of the largest: rounding


@dataclass(frozen=True, eq=False)
class JointPaths:
    """R functions drawn from a joint model of L objectives: call them."""

    latent: Paths  # v, J of them
    mixing: Array  # (L, J)
    mean: Array  # (L,)

    @property
    def count(self) -> int:
        """R."""
        return self.latent.count

    def __len__(self) -> int:
        return len(self.mean)

    def __call__(self, x: Array) -> Array:
        """Values (R, N, L): of all paths at x (N, D), or of each path at its own points x (R, N, D)."""
        return np.asarray(self.latent(x) @ self.mixing.T + self.mean)

    def fast(self, x: NDArray[Any]) -> NDArray[np.float32]:
        """The same in single precision."""
        mixing, mean = self.mixing.astype(np.float32), self.mean.astype(np.float32)
        return np.asarray(self.latent.fast(x) @ mixing.T + mean)

    def slopes(self, x: NDArray[Any]) -> NDArray[np.float32]:
        """Gradients (R, N, L, D) of each path at its own points x (R, N, D), in single precision."""
        return np.asarray(self.mixing.astype(np.float32) @ self.latent.slopes(x))


def draw_joint_paths(model: JointModel, count: int, rng: np.random.Generator, *, features: int = 500) -> JointPaths:
    """Draw `count` functions from a joint model, to be called with points (N, D) or (R, N, D).

    A model with R means gives path r from its mean r: count must be R then. features: F, of how many cosines and sines
    each prior path u_j is made.

    Raises:
        InvalidInput: less than one path or two features, or a count that is not the model's R.
    """
    if count < 1 or features < 2:
        raise InvalidInput(
            f"got count={count}, features={features}; wanted at least 1 path and at least 2 features; "
            "try draw_joint_paths(model, 10, rng)"
        )
    if model.y.ndim == 2 and len(model.y) != count:
        raise InvalidInput(
            f"got count={count} for a model with {len(model.y)} means; wanted one path for each of them; "
            "try as many paths as value vectors were given"
        )
    mixing, part = _factor(model.hyper)
    carriers = [_carrier(model, int(q)) for q in part]
    waves = [_waves(carrier, count, features // 2, rng) for carrier in carriers]
    priors = [_sheaf(carrier, *wave) for carrier, wave in zip(carriers, waves, strict=True)]
    prior = Paths(tuple(priors), ())(model.x)  # (R, n, J)
    own = mixing[model.task]  # (n, J)
    error = rng.standard_normal(prior.shape[:2]) * np.sqrt(model.noise)
    alpha = model.weights - model.solve(np.sum(prior * own, axis=-1) + error)
    sheaves = tuple(
        _sheaf(carrier, *wave, model.gathered(alpha * own[:, j]))
        for j, (carrier, wave) in enumerate(zip(carriers, waves, strict=True))
    )
    return JointPaths(Paths(sheaves, tuple(sheaf.single() for sheaf in sheaves)), mixing, model.hyper.mean)


def _factor(hyper: JointHyper) -> tuple[Array, NDArray[np.intp]]:
    """A (L, J) with sum over j of kernel q of A_j A_j^T = B_q, and the kernels (J,); at least one column."""
    columns, part = [], []
    for q, tasks in enumerate(hyper.tasks):
        values, vectors = np.linalg.eigh(tasks)
        kept = values > NEGLIGIBLE * max(float(hyper.amplitude.max()), np.finfo(float).tiny)
        columns.append(vectors[:, kept] * np.sqrt(values[kept]))
        part += [q] * int(kept.sum())
    if not part:  # nothing varies: a column that does nothing
        return np.zeros((len(hyper.noise), 1)), np.zeros(1, dtype=np.intp)
    return np.concatenate(columns, axis=1), np.array(part)


def _carrier(model: JointModel, q: int) -> Posterior:
    """Kernel q at the distinct points of the data, in the form that `gp/paths.py` works with."""
    none = np.zeros(0)
    return Posterior(model.hyper.single(q), model.groups, model.points, none, none, np.zeros((0, 0)), none, none)


def _waves(carrier: Posterior, count: int, frequencies: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Frequencies (F/2, D), phases and heights (R, F/2) of prior paths of unit variance."""
    turns = _frequencies(carrier, frequencies, rng)
    a, b = rng.standard_normal((2, count, frequencies)) * frequencies**-0.5
    # a cos + b sin = height cos(angle + phase)
    return turns, np.arctan2(-b, a) / (2 * np.pi), np.hypot(a, b)
