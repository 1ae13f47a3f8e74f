"""Joint entropy search: values against BoTorch, what it tends to, the contract, and whole studies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import pooled
from acquisition.test_contract import NONE, options_in, pfes
from acquisition.test_joint_models import joint_model
from acquisition.test_mesmo import NAMED, model_of
from acquisition.whole_studies import WholeStudies
from pfes.acquisition import METHODS, Acquisition, Pfes, gain_of
from pfes.acquisition.jes import Jes
from pfes.gp import Model, Surrogate
from pfes.information import Frontiers, prepare
from pfes.pareto import non_dominated
from pfes.testing import AcquisitionContract, example_model

SETS = np.random.default_rng(7).uniform(size=(3, 4, 3))  # optimal points of three functions of three inputs


def knowing(before: Pfes, sets: np.ndarray, values: list[np.ndarray], noise: float) -> Jes:
    """The method whose models know values (S, L) at sets (R, S, D)."""
    after = [
        replace(before, model=before.model.given(x, y, noise), frontiers=Frontiers([frontier]))
        for x, y, frontier in zip(sets, values, before.frontiers, strict=True)
    ]
    return Jes(before, tuple(after))


def jes(model: Surrogate, order: Sequence[int], decoupled: bool, **changes: object) -> Jes:
    """The method on the frontiers of `test_contract`, where objectives stand in the given order."""
    before = pfes(model, order, options_in(order, decoupled, bundle=decoupled and len(order) > 2), **changes)  # type: ignore[arg-type]
    return knowing(before, SETS, [frontier.points[:4] for frontier in before.frontiers], 1e-4)


class TestJesCoupled(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        before = pfes(model, order, options_in(order, False))
        values = [np.cos(np.arange(4)[:, None] + np.array(order)) for _ in SETS]
        return knowing(before, SETS, values, 1e-4)


class TestJesDecoupled(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        before = pfes(model, order, options_in(order, True, bundle=True))
        values = [np.cos(np.arange(4)[:, None] + np.array(order)) for _ in SETS]
        return knowing(before, SETS, values, 1e-4)


class TestJesWithoutNoise(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        before = pfes(model, order, options_in(order, True), estimator="exact", delta=0.0)
        values = [np.cos(np.arange(4)[:, None] + np.array(order)) for _ in SETS]
        return knowing(before, SETS, values, 1e-4)


class TestJesTogether(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        options = options_in(order, True)
        before = pfes(joint_model(order), order, options, estimator="exact", delta=0.0)  # type: ignore[arg-type]
        values = [np.cos(np.arange(4)[:, None] + np.array(order)) for _ in SETS]
        return knowing(before, SETS, values, 1e-4)


def test_what_is_known_without_noise_has_the_same_determinant_however_it_was_rounded() -> None:
    known = TestJesTogether().acquisition()
    rounded = np.array([[[1e-18, 0.0], [0.0, 1e-18]], [[2e-16, 0.0], [0.0, 1e-18]], [[2e-16, 2e-16], [2e-16, 2e-16]]])
    values = known._determinants(rounded).value
    np.testing.assert_allclose(values, values[:1].repeat(3, axis=0), atol=1e-3)  # nats


class TestStudies(WholeStudies):
    method = "jes"


def test_each_model_knows_the_best_of_its_own_function_and_is_cut_off_by_it() -> None:
    it = pooled(12)  # so few that no pair is left out
    built, x = METHODS["jes"].build(it), it.domain.x
    for values, one in zip(built.before.values(x), built.after, strict=True):
        best = non_dominated(values)
        mean, std = one.model.predict(x[best])
        np.testing.assert_allclose(mean, values[best], atol=2e-3)
        assert (std < 1.01e-3).all()  # known to a thousandth of a prior deviation
        assert (one.model.predict(x[~best]).std.max(axis=1) > 0.01).all()
        (frontier,) = one.frontiers
        assert sorted(frontier.points.tolist()) == sorted(values[best].tolist())


def like_botorch(case: dict[str, np.ndarray], estimator: str, delta: float) -> np.ndarray:
    size = case["y"].shape[1]
    before = Pfes(
        model_of(case), options_in(range(size), False), prepare(list(case["fronts"])), lambda x: x,
        np.full(size, delta), NONE, estimator,
    )  # fmt: skip
    made = knowing(before, case["sets"], list(case["fronts"]), float(case["noise"]))
    np.testing.assert_allclose(before.predicted(case["candidates"])[1], case["std"], rtol=1e-6)
    for one, own in zip(made.after, case["own"], strict=True):
        np.testing.assert_allclose(one.predicted(case["candidates"])[1], own, rtol=1e-6)
    return gain_of(made.scores(case["candidates"]))[:, 0]


@NAMED
def test_with_noise_it_is_botorchs_lower_bound(case: dict[str, np.ndarray]) -> None:
    found = like_botorch(case, "matched", np.sqrt(float(case["noise"])))
    assert np.ptp(case["jes_bound"]) > 0.2
    np.testing.assert_allclose(found, case["jes_bound"], atol=4e-5)  # BoTorch's 1e-6 beside variances of 0.04 and more


@NAMED
def test_without_noise_it_is_botorchs_other_estimate_but_for_the_noise_outside(case: dict[str, np.ndarray]) -> None:
    found = like_botorch(case, "exact", 0.0)
    noise = 0.5 * (np.log1p(case["noise"] / case["std"] ** 2) - np.log1p(case["noise"] / case["own"] ** 2).mean(axis=0))
    np.testing.assert_allclose(found, case["jes_exact"] - noise.sum(axis=1), rtol=1e-5, atol=1e-6)


def test_far_from_all_that_is_known_of_the_pareto_sets_it_is_pfes() -> None:
    before = pfes(example_model(2), [0, 1], options_in([0, 1], True))
    made = knowing(before, SETS + 60.0, [np.ones((4, 2))] * 3, 1e-4)
    x = np.random.default_rng(0).uniform(size=(20, 3))
    np.testing.assert_allclose(gain_of(made.scores(x)), gain_of(before.scores(x)), rtol=1e-9, atol=1e-13)


def test_at_a_point_of_all_pareto_sets_a_measurement_tells_what_its_noise_lets_it() -> None:
    before = pfes(example_model(2), [0, 1], options_in([0, 1], True))
    sets = np.repeat(SETS[:1, :1], 3, axis=0)
    made = knowing(before, sets, [np.full((1, 2), -5.0)] * 3, 1e-12)  # deep below the frontiers: they tell nothing more
    gain = gain_of(made.scores(SETS[0, :1]))[0]
    alone = 0.5 * np.log1p((before.model.predict(SETS[0, :1]).std[0] / before.delta) ** 2)
    np.testing.assert_allclose(gain, [*alone, alone.sum()], rtol=1e-6)


def test_pending_values_are_known_to_every_model() -> None:
    made = jes(example_model(2), [0, 1], True)
    x = np.array([0.3, 0.6, 0.2])
    after = made.given(x, [0], np.random.default_rng(0))
    assert after.model.predict(x[None]).mean.shape == (3, 1, 2)
    for one, mean in zip(after.after, after.model.predict(x[None]).mean, strict=True):
        np.testing.assert_allclose(one.model.predict(x[None]).mean[0, 0], mean[0, 0], atol=0.1)
        assert one.model.predict(x[None]).std[0, 0] <= 0.051


def test_points_that_are_known_or_far_give_numbers() -> None:
    for changes in ({}, {"estimator": "exact", "delta": 0.0}):
        made = jes(example_model(2), [0, 1], True, **changes)
        x = np.vstack([made.model.posteriors[0].x, SETS[0], np.full((1, 3), 40.0)])
        score, d_x = made.slopes(x)
        assert np.isfinite(score).all()
        assert np.isfinite(d_x).all()


def test_objectives_that_are_one_have_a_determinant() -> None:
    made = jes(example_model(2), [0, 1], True, estimator="exact", delta=0.0)
    one = made._determinants(np.ones((1, 2, 2)))
    assert np.isfinite(one.value).all()
    assert np.isfinite(one.d_spread).all()
    assert one.value[0, -1] < one.value[0, 0] - 5.0


@pytest.mark.parametrize("objectives", [2, 3])
def test_determinants_are_those_of_the_objectives_measured(objectives: int) -> None:
    made = jes(example_model(objectives), range(objectives), True)
    root = np.random.default_rng(0).normal(size=(6, objectives, objectives))
    covariance = root @ np.swapaxes(root, 1, 2)
    found = made._determinants(covariance)
    for k, option in enumerate(made.options):
        part = covariance[:, option.which][:, :, option.which] + np.diag(made.delta[list(option.which)] ** 2)
        np.testing.assert_allclose(found.value[:, k], 0.5 * np.log(np.linalg.det(part)))
    std = np.sqrt(np.einsum("nll->nl", covariance))
    alone = made._determinants(std).value
    np.testing.assert_allclose(alone[:, -1], alone[:, :objectives].sum(axis=1))
