"""L independent Gaussian processes, one per objective, with their arrays side by side.

Objectives may have been measured at different points, and conditioned on different numbers of value vectors: where
one has R means and another a single one, the single one is repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfes.errors import InvalidInput
from pfes.gp.likelihood import Integers
from pfes.gp.posterior import Posterior, Prediction, Slopes
from pfes.gp.recipe import Hyper
from pfes.observations import Data

__all__ = ["Model", "measured_in"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """What is believed about L objectives, independent of one another."""

    posteriors: tuple[Posterior, ...]

    @staticmethod
    def of(data: Sequence[Data], groups: Integers, hypers: Sequence[Hyper]) -> "Model":
        """The model of L objectives' standardised data with fitted hyper-parameters; groups (D,) as in `fit`."""
        return Model(tuple(Posterior.of(d, hyper.groups(groups), hyper) for d, hyper in zip(data, hypers, strict=True)))

    def __len__(self) -> int:
        return len(self.posteriors)

    @property
    def amplitude(self) -> Array:
        """(L,) prior variance of each objective."""
        return np.array([posterior.hyper.amplitude for posterior in self.posteriors])

    def predict(self, x: Array) -> Prediction:
        """Means (N, L), or (R, N, L) after R value vectors were given, and deviations (N, L) at x (N, D)."""
        each = [posterior.predict(x) for posterior in self.posteriors]
        return Prediction(_side_by_side([p.mean for p in each], -1), _side_by_side([p.std for p in each], -1))

    def mean(self, x: Array) -> Array:
        """The means of `predict` alone, which are much quicker."""
        return _side_by_side([posterior.mean(x) for posterior in self.posteriors], -1)

    def predict_gradient(self, x: Array) -> Slopes:
        """`predict` with derivatives with respect to x (N, D): d_mean (..., N, L, D), d_std (N, L, D)."""
        each = [posterior.predict_gradient(x) for posterior in self.posteriors]
        return Slopes(
            _side_by_side([s.mean for s in each], -1),
            _side_by_side([s.std for s in each], -1),
            _side_by_side([s.d_mean for s in each], -2),
            _side_by_side([s.d_std for s in each], -2),
        )

    @property
    def steps(self) -> int:
        """T, the number of values of the objective that has most."""
        return max(len(posterior.x) for posterior in self.posteriors)

    def history(self, x: Array) -> Prediction:
        """What was believed at x (N, D) after t = 0, 1, ..., T values of every objective: mean and std (T + 1, N, L).

        T is `steps`; an objective that has fewer values stays as it is after its last.
        """
        each = [posterior.history(x) for posterior in self.posteriors]
        steps = np.arange(self.steps + 1)
        mean = [one.mean[np.minimum(steps, len(one.mean) - 1)] for one in each]
        std = [one.std[np.minimum(steps, len(one.std) - 1)] for one in each]
        return Prediction(np.stack(mean, axis=-1), np.stack(std, axis=-1))

    def draw(self, x: Array, count: int, rng: np.random.Generator) -> Array:
        """Joint draws at x (N, D): (count, N, L); with R means, (count, R, N, L)."""
        draws = [posterior.draw(x, count, rng) for posterior in self.posteriors]
        most = max(draw.ndim for draw in draws)
        return _side_by_side([draw if draw.ndim == most else draw[:, None] for draw in draws], -1)

    def given(self, x: Array, y: Array, noise: ArrayLike = 0.0) -> "Model":
        """The model after further values y (k, L), or R of them (R, k, L), at x (k, D); nan: not measured there.

        noise: variance of a value, one number or (L,), standardised.
        """
        values = np.asarray(y, dtype=np.float64)
        measured = measured_in(values)
        noises = np.broadcast_to(np.asarray(noise, dtype=np.float64), (len(self),))
        pairs = zip(self.posteriors, noises, strict=True)
        return Model(tuple(_given(one, x, values[..., l], measured[:, l], v) for l, (one, v) in enumerate(pairs)))


def _given(posterior: Posterior, x: Array, y: Array, measured: NDArray[np.bool_], noise: float) -> Posterior:
    """Condition on the measured ones of y (k,) or (R, k) at x (k, D)."""
    return posterior.given(x[measured], y[..., measured], noise) if measured.any() else posterior


def _side_by_side(pieces: list[Array], axis: int) -> Array:
    """Stack along a new axis, counted from the end; pieces without the leading axis R are repeated."""
    return np.stack(np.broadcast_arrays(*pieces), axis=axis)


def measured_in(values: Array) -> NDArray[np.bool_]:
    """Which (point, objective) pairs of values (k, L) or (R, k, L) are not nan: (k, L), the same in all R."""
    measured = np.asarray(~np.isnan(values).reshape(-1, *values.shape[-2:]).any(axis=0))
    if not np.isnan(values[..., ~measured]).all():
        raise InvalidInput(
            "y: got value vectors with nan in different places, wanted the same (point, objective) pairs in all of "
            "them; try conditioning on one vector at a time"
        )
    return measured
