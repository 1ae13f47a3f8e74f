"""Max-value entropy search: values against BoTorch, draws and quadrature, the contract, and whole studies."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from acquisition.situations import pooled
from acquisition.test_contract import options_in, pfes
from acquisition.whole_studies import WholeStudies
from pfes.acquisition import METHODS, Acquisition, gain_of
from pfes.acquisition.channel import received
from pfes.acquisition.mesmo import Mesmo
from pfes.gp import Hyper, Model, Posterior
from pfes.observations import Data
from pfes.testing import AcquisitionContract, example_model

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "botorch_entropy.json").read_text(encoding="utf-8"))
CASES = [{k: v if isinstance(v, str) else np.array(v) for k, v in case.items()} for case in FIXTURE["cases"]]
NAMED = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


def model_of(case: dict[str, np.ndarray]) -> Model:
    """The Gaussian processes that BoTorch was given."""
    posteriors = []
    for l, (scales, amplitude) in enumerate(zip(case["scales"], case["amplitude"], strict=True)):
        data = Data(case["x"], case["y"][:, l], np.ones(len(case["x"])), np.full(len(case["x"]), np.nan))
        hyper = Hyper("matern52", scales, float(amplitude), float(case["noise"]), 0.0)
        posteriors.append(Posterior.of(data, np.arange(2), hyper))
    return Model(tuple(posteriors))


def mesmo(model: Model, order: Sequence[int], decoupled: bool, delta: float) -> Mesmo:
    """MESMO with the largest values of the frontiers in `test_contract`, where objectives stand in the given order."""
    like = pfes(model, order, options_in(order, decoupled), delta=delta)
    maxima = np.stack([frontier.points.max(axis=0) for frontier in like.frontiers])
    return Mesmo(model, like.options, maxima, like.values, like.delta, like.starts)


class TestMesmoCoupled(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return mesmo(model, order, False, 0.05)


class TestMesmoDecoupled(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return mesmo(model, order, True, 0.05)


class TestMesmoWithoutNoise(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return mesmo(model, order, True, 0.0)


class TestMesmoWithPendingPoints(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return mesmo(model, order, True, 0.05).given(np.full(3, 0.5), range(2), np.random.default_rng(0))

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """The noise of what is pending is drawn objective by objective: no two orders draw alike."""


class TestStudies(WholeStudies):
    method = "mesmo"


@NAMED
def test_without_noise_it_is_what_botorch_makes_of_one_cell(case: dict[str, np.ndarray]) -> None:
    size = case["y"].shape[1]
    maxima, zero = case["fronts"].max(axis=1), np.zeros(size)
    one = Mesmo(model_of(case), options_in(range(size), False), maxima, lambda x: x, zero, case["x"][:0])
    np.testing.assert_allclose(gain_of(one.scores(case["candidates"]))[:, 0], case["mesmo"], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("threshold", [-np.inf, 0.2])
def test_the_largest_values_are_those_of_the_sampled_functions_whatever_the_thresholds(threshold: float) -> None:
    it = pooled(thresholds=np.full(2, threshold))
    built = METHODS["mesmo"].build(it)
    drawn = built.values(it.domain.x)
    np.testing.assert_allclose(built.maxima, drawn.max(axis=1), rtol=1e-12)
    assert (drawn < 0.2).any(axis=(1, 2)).all()  # the threshold would leave something out


def test_an_option_is_worth_the_sum_of_its_objectives() -> None:
    made = mesmo(example_model(3), [0, 1, 2], True, 0.05)
    gains = gain_of(made.scores(np.random.default_rng(0).uniform(size=(20, 3))))
    names = [option.which for option in made.options]
    np.testing.assert_allclose(gains[:, names.index((0, 1, 2))], gains[:, :3].sum(axis=1), rtol=1e-12)


def test_a_term_is_the_entropy_that_draws_below_the_largest_value_have_lost() -> None:
    # by spacings of sorted draws: the entropy of the half million that is left is known to about 2e-3
    rng = np.random.default_rng(0)
    made = replace(mesmo(example_model(1), [0], False, 0.0), maxima=np.array([[0.4]]))
    mean, std = np.array([[0.1]]), np.array([[0.7]])
    draws = mean + std * rng.standard_normal(1_000_000)
    kept = np.sort(draws[draws <= 0.4])
    m = 1000
    spacing = np.log((kept[m:] - kept[:-m]) * (len(kept) + 1) / m)
    lost = 0.5 * np.log(2 * np.pi * np.e * 0.7**2) - spacing.mean()
    assert gain_of(made.score(mean, std))[0, 0] == pytest.approx(lost, abs=0.01)


def information_by_quadrature(mean: float, std: float, top: float, delta: float) -> float:
    """H[y] - H[y | f <= top] of y = f + e, on a fine grid."""
    total, left = np.hypot(std, delta), std * delta / np.hypot(std, delta)
    y = np.linspace(mean - 12.0 * total, mean + 12.0 * total, 20_001)
    prior = norm.pdf(y, mean, total)
    f = mean + (std / total) ** 2 * (y - mean)
    log_ratio = norm.logcdf((top - f) / left) - norm.logcdf((top - mean) / std)
    given = prior * np.exp(log_ratio)
    log_given = norm.logpdf(y, mean, total) + log_ratio
    return float(np.trapezoid(given * log_given - prior * norm.logpdf(y, mean, total), y))


@pytest.mark.parametrize("delta", [0.01, 0.1, 0.5, 2.0])
def test_with_noise_it_is_a_little_above_the_information_of_a_noisy_measurement(delta: float) -> None:
    # the bound by entropy power: exact as the noise vanishes, less than a third too high where it prevails
    made = replace(mesmo(example_model(1), [0], False, delta), maxima=np.array([[0.5]]))
    mean, std = np.random.default_rng(1).normal(size=(60, 1)), np.geomspace(0.2, 2.0, 60)[:, None]
    exact = np.array([information_by_quadrature(m, s, 0.5, delta) for m, s in zip(mean[:, 0], std[:, 0], strict=True)])
    seen = exact > 1e-6  # of the others the quadrature's rounding is seen
    ratio = gain_of(made.score(mean, std))[seen, 0] / exact[seen]
    assert ratio.min() > 1.0 - 1e-6
    assert ratio.max() < (1.07 if delta == 0.01 else 1.33)


def test_nats_through_the_channel_lie_between_nothing_and_the_capacity() -> None:
    g, std = np.array([0.0, 1e-9, 0.3, 400.0, 1e15])[:, None, None], np.array([[1e-12], [1e-3], [1.0], [50.0]])
    gain = received(g, std, np.array([0.1])).gain
    capacity = 0.5 * np.log1p((std / 0.1) ** 2)
    assert ((gain >= 0.0) & (gain <= capacity * (1.0 + 1e-12)) & (gain <= g)).all()
    np.testing.assert_allclose(gain[-1], capacity, rtol=1e-6)
    np.testing.assert_allclose(received(g, std, np.zeros(1)).gain, np.broadcast_to(g, gain.shape))


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_far_and_near_nothing_is_lost(delta: float) -> None:
    made = mesmo(example_model(2), [0, 1], True, delta)
    mean = np.array([[-1e6, -1e6], [-30.0, 1.0], [0.8, 1.0], [30.0, 30.0], [1e6, 1e6]])
    for std in (1e-12, 1e-6, 1.0, 1e3):
        score, d_mean, d_std = made.sensitivity(mean, np.full((5, 2), std))
        assert np.isfinite(score).all()
        assert np.isfinite(d_mean).all()
        assert np.isfinite(d_std).all()
