"""Every method keeps the contract; a new one is a class of a few lines here."""

from collections.abc import Sequence

import numpy as np
import pytest

from pfes.acquisition import Acquisition, Capacity, Ehvi, Pfes, Worth
from pfes.errors import InvalidInput
from pfes.gp import Model
from pfes.information import exact, matched, prepare
from pfes.objectives import Bundle, Objective, Objectives, Option
from pfes.testing import AcquisitionContract, example_model

NONE = np.zeros((0, 3))


def options_in(order: Sequence[int], decoupled: bool, bundle: bool = False) -> tuple[Option, ...]:
    names = [f"y{l}" for l in order]
    bundles = [Bundle(["y0", "y1"], 1.5)] if bundle else []
    return Objectives([Objective(name) for name in names], bundles).options(decoupled)


def pfes(
    model: Model, order: Sequence[int], options: tuple[Option, ...], estimator: str = "matched", delta: float = 0.05
) -> Pfes:
    """PFES on smooth frontiers that lie about the model's values, their objectives in the given order."""
    rng = np.random.default_rng(3)
    directions = np.abs(rng.standard_normal((30, len(order))))
    sphere = directions / np.linalg.norm(directions, axis=1)[:, None]
    frontiers = [scale * sphere[:, list(order)] for scale in (0.8, 1.0, 1.3)]
    deltas = delta * (1.0 + np.array(order))

    def values(x: np.ndarray) -> np.ndarray:
        each = np.stack([np.cos((l + 1) * x.sum(axis=1)) for l in order], axis=-1)
        return np.stack([scale * each for scale in (0.8, 1.0, 1.3)])

    return Pfes(model, options, prepare(frontiers), values, deltas, NONE, estimator)


class TestPfesCoupled(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(model, order, options_in(order, decoupled=False))


class TestPfesDecoupled(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(model, order, options_in(order, decoupled=True, bundle=True))


class TestPfesOfThePaper(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(model, order, options_in(order, decoupled=True), estimator="exact", delta=0.0)


class TestPfesByEntropyPower(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(model, order, options_in(order, decoupled=True, bundle=True), estimator="power")


class TestPfesByQuadrature(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        singles = tuple(option for option in options_in(order, decoupled=True) if len(option.which) == 1)
        return pfes(model, order, singles, estimator="noisy")


class TestEhvi(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        points = np.random.default_rng(4).uniform(-0.5, 0.5, (8, 3))
        reference = np.array([-1.0, -1.2, -1.4])[list(order)]
        return Ehvi(
            model, options_in(order, decoupled=False), points[:, list(order)], reference, np.full(3, 1e-3), NONE
        )


def worth(model: Model, order: Sequence[int], options: tuple[Option, ...], weight: float) -> Worth:
    """Information by `pfes` above, improvement on points in between, a stake of one half."""
    points = np.random.default_rng(4).uniform(-0.5, 0.5, (8, len(order)))[:, list(order)]
    reference = np.array([-1.0, -1.2, -1.4])[list(order)]
    hold = Ehvi(model, options, points, reference, np.full(len(order), 1e-3), NONE, caution=1.7)
    everything = max(option.cost for option in options)
    return Worth(pfes(model, order, options), hold, 0.5, 0.8, 2.0, lambda x: np.full((len(x), 1), everything), weight)


class TestWorthLearning(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return worth(model, order, options_in(order, decoupled=True, bundle=True), 0.5)


class TestWorthConfirming(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return worth(model, order, options_in(order, decoupled=False), 1.0)


class TestWorthInDoubt(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return worth(model, order, options_in(order, decoupled=False), 0.5).doubting(4.0)


class TestCapacity(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return Capacity(model, options_in(order, decoupled=True, bundle=True), 0.05 * (1.0 + np.array(order)), NONE)


# What PFES is made of


def test_pfes_gives_the_information_of_each_option() -> None:
    model, order = example_model(3), [0, 1, 2]
    made = pfes(model, order, options_in(order, decoupled=True, bundle=True))
    mean, std = model.predict(np.random.default_rng(5).uniform(size=(20, 3)))
    scores = made.score(mean, std)
    alone = matched.decoupled(mean, std, made.frontiers, made.delta)
    together = matched.coupled(mean, std, made.frontiers, made.delta)
    np.testing.assert_allclose(np.exp(scores[:, :3]), alone, rtol=1e-9)
    np.testing.assert_allclose(np.exp(scores[:, 4]), together, rtol=1e-9)


def test_a_bundle_of_one_objective_and_a_blind_one_is_the_objective_alone() -> None:
    # the trick behind bundles, an infinite delta for what is left out, must reproduce what is known of single ones
    model = example_model(2)
    made = pfes(model, [0, 1], options_in([0, 1], decoupled=True))
    mean, std = model.predict(np.random.default_rng(5).uniform(size=(20, 3)))
    blind = np.array([made.delta[0], 1e9])
    alone = matched.decoupled(mean, std, made.frontiers, made.delta)[:, 0]
    np.testing.assert_allclose(matched.coupled(mean, std, made.frontiers, blind), alone, rtol=1e-7, atol=1e-18)


def test_the_papers_form_is_theorem_1() -> None:
    model = example_model(2)
    made = pfes(model, [0, 1], options_in([0, 1], decoupled=False), estimator="exact", delta=0.0)
    mean, std = model.predict(np.random.default_rng(5).uniform(size=(20, 3)))
    np.testing.assert_allclose(np.exp(made.score(mean, std)[:, 0]), exact.coupled(mean, std, made.frontiers))


@pytest.mark.parametrize("estimator", ["exact", "noisy"])
def test_an_estimator_that_cannot_weigh_bundles_says_so(estimator: str) -> None:
    with pytest.raises(InvalidInput, match=r"cannot weigh objectives \[0, 1\] measured together"):
        pfes(example_model(3), [0, 1, 2], options_in([0, 1, 2], decoupled=True, bundle=True), estimator)


def test_pending_values_are_each_paths_own() -> None:
    # three paths that disagree at the pending point: three means there, one common deviation, near the resolution
    model = example_model(2)
    made = pfes(model, [0, 1], options_in([0, 1], decoupled=True), delta=1e-3)
    x = np.array([0.3, 0.6, 0.2])
    after = made.given(x, [0], np.random.default_rng(0))
    mean, std = after.model.predict(x[None])
    assert mean.shape == (3, 1, 2)
    np.testing.assert_allclose(mean[:, 0, 0], made.values(x[None])[:, 0, 0], atol=0.01)
    assert np.ptp(mean[:, 0, 1]) == 0.0  # the other objective was not asked for
    assert std[0, 0] < 1.1e-3 < std[0, 1]
