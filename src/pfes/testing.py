"""Contracts as test classes: what every plug-in must keep, for pytest to collect from a subclass.

    class TestMine(AcquisitionContract):
        def make(self, model, order):
            return Mine(model, ...)

pfes runs the same classes on its own methods.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import Acquisition
from pfes.gp import Hyper, Model, Posterior
from pfes.observations import Data

__all__ = ["AcquisitionContract", "example_model"]

Array = NDArray[np.float64]

WIDTH = 3
STEP = 1e-5


def example_model(objectives: int, seed: int = 0, order: Sequence[int] | None = None) -> Model:
    """A model of L smooth random objectives on the cube of 3 inputs, 12 points each; order: permutes the objectives."""
    rng = np.random.default_rng(seed)
    posteriors = []
    for l in range(objectives):
        x = rng.uniform(size=(12, WIDTH))
        y = np.sin(3.0 * x @ rng.standard_normal(WIDTH) + l) + 0.1 * rng.standard_normal(12)
        hyper = Hyper("matern52", rng.uniform(0.4, 1.2, WIDTH), 1.0, 1e-3, 0.0)
        data = Data(x, y, np.ones(12), np.full(12, np.nan))
        posteriors.append(Posterior.of(data, np.arange(WIDTH), hyper))
    return Model(tuple(posteriors[l] for l in order or range(objectives)))


class AcquisitionContract(ABC):
    """What the maximiser relies on. Subclasses say how to make the acquisition, and for how many objectives."""

    objectives: int = 2
    tolerance: float = 1e-4  # of gradients against differences, relative to the largest

    @abstractmethod
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        """The acquisition for a model whose objectives stand in `order`, with all that belongs to them so permuted."""

    def acquisition(self) -> Acquisition:
        """The acquisition for the example model."""
        order = list(range(self.objectives))
        return self.make(example_model(self.objectives, order=order), order)

    @staticmethod
    def candidates(count: int = 40) -> Array:
        """Points of the cube, read-only, as the caller's arrays are to be taken."""
        x = np.random.default_rng(1).uniform(size=(count, WIDTH))
        x.setflags(write=False)
        return x

    def test_scores_are_finite_and_one_per_option(self) -> None:
        """Everywhere, corners included."""
        acquisition = self.acquisition()
        corners = np.array(np.meshgrid(*[[0.0, 1.0]] * WIDTH)).reshape(WIDTH, -1).T
        scores = acquisition.scores(np.vstack([self.candidates(), corners]))
        assert scores.shape == (48, len(acquisition.options))
        assert np.isfinite(scores).all()

    def test_a_batch_is_a_loop(self) -> None:
        """A candidate's score does not depend on its company."""
        acquisition, x = self.acquisition(), self.candidates()
        alone = np.vstack([acquisition.scores(point[None]) for point in x])
        np.testing.assert_allclose(acquisition.scores(x), alone, rtol=1e-9, atol=1e-12)

    def test_slopes_come_with_the_same_scores(self) -> None:
        """`slopes` is `scores` and more."""
        acquisition, x = self.acquisition(), self.candidates()
        score, d_x = acquisition.slopes(x)
        np.testing.assert_allclose(score, acquisition.scores(x), rtol=1e-8, atol=1e-10)
        assert d_x.shape == (*score.shape, WIDTH)

    def test_gradients_are_finite_differences(self) -> None:
        """Central differences, at points where the score is smooth at that scale."""
        acquisition, x = self.acquisition(), self.candidates()
        _, d_x = acquisition.slopes(x)
        for column in range(WIDTH):
            step = STEP * np.eye(WIDTH)[column]
            difference = (acquisition.scores(x + step) - acquisition.scores(x - step)) / (2.0 * STEP)
            np.testing.assert_allclose(
                d_x[:, :, column], difference, rtol=self.tolerance, atol=self.tolerance * np.abs(difference).max()
            )

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """Options are named by their objectives, and are worth the same under any order."""
        order = list(reversed(range(self.objectives)))
        plain, x = self.acquisition(), self.candidates()
        turned = self.make(example_model(self.objectives, order=order), order)
        named = {tuple(sorted(order[l] for l in option.which)): k for k, option in enumerate(turned.options)}
        columns = [named[option.which] for option in plain.options]
        np.testing.assert_allclose(turned.scores(x)[:, columns], plain.scores(x), rtol=1e-8, atol=1e-10)

    def test_asking_for_a_point_leaves_less_to_gain_there(self) -> None:
        """`given` knows that an answer is on its way, and leaves the original as it was."""
        acquisition, x = self.acquisition(), self.candidates()
        before = acquisition.scores(x)
        best = int(np.argmax(before[:, -1]))
        after = acquisition.given(x[best], acquisition.options[-1].which, np.random.default_rng(2))
        assert after.scores(x)[best, -1] < before[best, -1] - 0.1  # logarithms: a clear drop
        np.testing.assert_array_equal(acquisition.scores(x), before)
