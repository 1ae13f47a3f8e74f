"""Methods on a model of objectives together: the contract, and what covariances change."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acquisition.test_contract import NONE, options_in, pfes, worth
from pfes.acquisition import Acquisition, Capacity, Ehvi, Pfes
from pfes.gp import JointHyper, JointModel, Model
from pfes.information import beams, exact
from pfes.observations import Data
from pfes.testing import WIDTH, AcquisitionContract

MIXING = np.array([[1.0, 0.2, 0.0], [0.8, 0.0, 0.4], [-0.7, 0.3, 0.5], [0.6, -0.4, 0.3]])


def joint_model(order: Sequence[int], n: int = 12) -> JointModel:
    """Correlated objectives of three inputs, each at n points of its own, in the given order."""
    rng = np.random.default_rng(0)
    data = []
    for l in range(len(MIXING)):
        x = rng.uniform(size=(n, WIDTH))
        y = np.sin(3.0 * x @ np.arange(1.0, 4.0)) * MIXING[l, 0] + 0.1 * rng.standard_normal(n)
        data.append(Data(x, y, np.ones(n), np.full(n, np.nan)))
    size = len(MIXING)
    hyper = JointHyper(
        "matern52",
        rng.uniform(0.4, 1.2, (3, WIDTH)),
        np.full(3, 0.3),
        MIXING[list(order)],
        np.arange(3),
        np.full(size, 1e-3)[list(order)],
        np.zeros(size)[list(order)],
    )
    return JointModel.of([data[l] for l in order], np.arange(WIDTH), hyper)


class Turned(AcquisitionContract):
    """The contract for sums over nodes, which lie elsewhere when objectives are turned."""

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """But for the nodes."""
        order = list(reversed(range(self.objectives)))
        plain, x = self.acquisition(), self.candidates()
        turned = self.make(Model(()), order)
        named = {tuple(sorted(order[l] for l in option.which)): k for k, option in enumerate(turned.options)}
        error = turned.scores(x)[:, [named[option.which] for option in plain.options]] - plain.scores(x)
        assert np.median(np.abs(error)) < 0.05


class Together(Turned):
    """The contract for beams: as a function of x they have small steps, whose sum their gradients know."""

    rough = 0.06  # error of gradients, as a part of their usual size

    def test_gradients_are_finite_differences(self) -> None:
        """Over steps that are wide enough to see the sum."""
        acquisition, x, step = self.acquisition(), self.candidates(), 0.01
        _, d_x = acquisition.slopes(x)
        moves = step * np.eye(WIDTH)
        differences = [(acquisition.scores(x + move) - acquisition.scores(x - move)) / (2.0 * step) for move in moves]
        told = acquisition.scores(x) > np.log(0.01)  # tails are rough
        error, size = np.abs(d_x - np.stack(differences, axis=-1))[told], np.abs(np.stack(differences, axis=-1))[told]
        assert np.median(error) < self.rough * np.median(size)
        assert np.quantile(error, 0.9) < 2.0 * self.rough * np.quantile(size, 0.9)


class TestPfesTogether(Together):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(joint_model(order), order, options_in(order, decoupled=True))


class TestPfesOfThreeTogether(Together):
    objectives = 3
    rough = 0.2

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(joint_model(order), order, options_in(order, decoupled=True, bundle=True))


class TestWorthTogether(Together):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return worth(joint_model(order), order, options_in(order, decoupled=True), 0.5)


class TestEhviTogether(Turned):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        points = np.random.default_rng(4).uniform(-0.5, 0.5, (8, 2))[:, list(order)]
        reference = np.array([-1.0, -1.2])[list(order)]
        return Ehvi(joint_model(order), options_in(order, decoupled=False), points, reference, np.full(2, 1e-3), NONE)


class TestPfesOfThePaperTogether(AcquisitionContract):
    """Exact integrals: their gradients in covariances are led through the model's to the last digit."""

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfes(joint_model(order), order, options_in(order, decoupled=True), estimator="exact", delta=0.0)


class TestCapacityTogether(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        options = options_in(order, decoupled=True, bundle=True)
        return Capacity(joint_model(order), options, 0.05 * (1.0 + np.array(order)), NONE)


def made(objectives: int, estimator: str = "matched") -> Pfes:
    order, delta = range(objectives), 0.0 if estimator == "exact" else 0.05
    return pfes(joint_model(order), order, options_in(order, decoupled=True), estimator, delta)


@pytest.mark.parametrize("objectives", [2, 4])
def test_options_are_weighed_by_the_covariance(objectives: int) -> None:
    acquisition, x = made(objectives), np.random.default_rng(5).uniform(size=(20, WIDTH))
    assert isinstance(acquisition.model, JointModel)
    mean, covariance = acquisition.model.predict_joint(x)
    sets = [option.which for option in acquisition.options]
    want = beams.of_sets(mean, covariance, acquisition.frontiers, acquisition.delta, sets)
    np.testing.assert_allclose(np.exp(acquisition.scores(x))[want > 0], want[want > 0], rtol=1e-9)


def test_the_papers_form_knows_covariances_too() -> None:
    acquisition, x = made(2, "exact"), np.random.default_rng(5).uniform(size=(20, WIDTH))
    assert isinstance(acquisition.model, JointModel)
    mean, covariance = acquisition.model.predict_joint(x)
    np.testing.assert_allclose(
        np.exp(acquisition.scores(x)[:, -1]), exact.coupled(mean, covariance, acquisition.frontiers), rtol=1e-9
    )


@pytest.mark.parametrize(("objectives", "estimator"), [(4, "exact"), (2, "power"), (3, "power")])
def test_what_knows_no_covariances_looks_at_each_objective_alone(objectives: int, estimator: str) -> None:
    acquisition, x = made(objectives, estimator), np.random.default_rng(5).uniform(size=(20, WIDTH))
    assert not acquisition.together
    np.testing.assert_array_equal(acquisition.scores(x), acquisition.score(*acquisition.model.predict(x)))
    assert np.isfinite(acquisition.slopes(x).d_x).all()


def test_an_objective_that_is_known_leaves_little_to_learn_of_its_twin() -> None:
    # two all but equal objectives: with one of them measured at x, the other has nothing left to tell there
    model = joint_model([0, 1])
    twins = replace(model.hyper, mixing=np.array([[1.0, 0.05, 0.0], [1.0, 0.0, 0.05]]))
    data = [Data(model.x[model.task == l], model.y[model.task == l], np.ones(12), np.full(12, np.nan)) for l in (0, 1)]
    acquisition = pfes(JointModel.of(data, np.arange(WIDTH), twins), [0, 1], options_in([0, 1], decoupled=True))
    x = np.array([[0.9, 0.1, 0.9]])
    after = acquisition.given(x[0], [0], np.random.default_rng(0))
    before, left = np.exp(acquisition.scores(x)[0]), np.exp(after.scores(x)[0])
    alone = {option.which: k for k, option in enumerate(acquisition.options)}[(1,)]
    assert left[alone] < 0.2 * before[alone]
