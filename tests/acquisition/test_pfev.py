"""PFEV: values against integrals and a hand-worked case, the contract, extreme predictions, and whole studies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from acquisition.situations import pooled
from acquisition.test_contract import options_in, pfes
from acquisition.whole_studies import WholeStudies
from pfes.acquisition import METHODS, Acquisition, gain_of
from pfes.acquisition.mass import below, undominating
from pfes.acquisition.pfev import DOUBT, Pfev, best_mixture
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, Model, Posterior
from pfes.information import prepare
from pfes.observations import Data
from pfes.testing import AcquisitionContract, example_model


def pfev(model: Model, order: Sequence[int], delta: float) -> Pfev:
    """The method on the frontiers and functions of `test_contract`, where objectives stand in the given order."""
    like = pfes(model, order, options_in(order, False), delta=delta)
    errors = like.delta * np.random.default_rng(5).standard_normal((3, 4))[:, list(order)]
    over, under = tuple(map(below, like.frontiers)), tuple(map(undominating, like.frontiers))
    return Pfev(model, like.options, over, under, like.values, errors, like.delta, like.starts)


class TestPfev(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfev(model, order, 0.05)


class TestPfevWithMuchNoise(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfev(model, order, 0.5)


class TestPfevWithPendingPoints(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return pfev(model, order, 0.05).given(np.full(3, 0.5), range(2), np.random.default_rng(0))

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """The noise of what is pending is drawn objective by objective: no two orders draw alike."""


class TestStudies(WholeStudies):
    method = "pfev"


def test_measurements_of_sampled_functions_err_as_measurements_do() -> None:
    built = METHODS["pfev"].build(pooled(frontiers=FrontierSettings(count=400), noise=np.array([0.1, 0.3])))
    np.testing.assert_allclose(built.errors.std(axis=0), built.delta, rtol=0.1)
    np.testing.assert_allclose(built.delta, [0.1, 0.3], rtol=0.02)  # the resolution is small beside it
    np.testing.assert_allclose(np.corrcoef(built.errors.T)[0, 1], 0.0, atol=0.15)


def dominated(points: np.ndarray, mean: np.ndarray, std: np.ndarray) -> float:
    """P(f <= some point), two objectives: strips of the first, each below the highest point to its right."""
    ends = np.sort(points[:, 0])
    below_ends = np.diff(norm.cdf((ends - mean[0]) / std[0]), prepend=0.0)
    tops = np.array([points[points[:, 0] >= end, 1].max() for end in ends])
    return float(below_ends @ norm.cdf((tops - mean[1]) / std[1]))


def plain_gain(made: Pfev, points: list[np.ndarray], x: np.ndarray) -> float:
    """The gain at x (D,), from the definition."""
    (mean,), (std,) = made.model.predict(x[None])
    left = 1.0 / np.sqrt(1.0 / std**2 + 1.0 / made.delta**2)
    ratios = []
    for frontier, value, error in zip(points, made.values(x[None])[:, 0], made.errors, strict=True):
        given = left**2 * (mean / std**2 + (value + error) / made.delta**2)
        before, after = mean - 2.0 * left, given - 2.0 * left
        over = dominated(frontier, after, left) / dominated(frontier, before, std)
        under = (1.0 - dominated(-frontier, -after, left)) / (1.0 - dominated(-frontier, -before, std))
        ratios.append((under, over))

    def loss(rate: float) -> float:
        return -float(np.mean([np.log(DOUBT + (1.0 - DOUBT) * (rate * u + (1.0 - rate) * o)) for u, o in ratios]))

    best = max(-minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded").fun, -loss(0.0), -loss(1.0))
    return min(best, 0.5 * float(np.log(1.0 + (std / made.delta) ** 2).sum()))


@pytest.mark.parametrize("few", [False, True])
def test_values_are_those_of_a_plain_computation(few: bool) -> None:
    # of few points much is neither dominated nor dominating: there the other truncation is what counts
    model, x = example_model(2), np.random.default_rng(6).uniform(size=(20, 3))
    made = pfev(model, [0, 1], 0.1)
    points = [frontier.points for frontier in pfes(model, [0, 1], made.options).frontiers]
    if few:
        points = [scale * np.array([[1.0, -0.4], [-0.2, 0.9]]) for scale in (0.8, 1.0, 1.3)]
        frontiers = prepare(points)
        made = replace(made, over=tuple(map(below, frontiers)), under=tuple(map(undominating, frontiers)))
        blind = replace(made, under=made.over)
        assert np.abs(gain_of(made.scores(x)) - gain_of(blind.scores(x))).max() > 0.05
    wanted = [plain_gain(made, points, point) for point in x]
    np.testing.assert_allclose(gain_of(made.scores(x))[:, 0], wanted, atol=1e-6)


def one_of_two() -> Pfev:
    """One of two points of one objective, N(0, 1) each, of which nothing is known; draws on a grid of 32 by 32."""
    side = np.arange(32) / 32
    shares = np.stack(np.meshgrid(side + 0.25 / 32, side + 0.75 / 32)).reshape(2, -1)
    draws, count = norm.ppf(shares), shares.shape[1]
    empty = Data(np.zeros((0, 1)), np.zeros(0), np.zeros(0), np.zeros(0))
    model = Model((Posterior.of(empty, np.arange(1), Hyper("rbf", np.ones(1), 1.0, 1e-12, 0.0)),))
    frontiers = prepare([[[top]] for top in draws.max(axis=0)])
    return Pfev(
        model, options_in([0], False), tuple(map(below, frontiers)), tuple(map(undominating, frontiers)),
        lambda x: np.repeat(draws[0][:, None, None], len(x), axis=1), np.zeros((count, 1)), np.full(1, 1e-6),
        np.zeros((0, 1)),
    )  # fmt: skip


def test_a_hand_worked_case() -> None:
    # the larger of both has the distribution function Phi^2, so that E[-log Phi(larger)], the published gain, is the
    # integral of -log(u) 2 u du = 1/2. Of half of the functions this is the best point, on the edge of both regions:
    # without an error the margin leaves Phi(2) of it. The doubt takes a little, too
    sides = [
        quad(lambda u, p=p: np.log(DOUBT + (1.0 - DOUBT) * p / u) * 2.0 * u, 0.0, 1.0)[0] for p in (1, norm.cdf(2))
    ]
    assert np.mean(sides) == pytest.approx(0.5, abs=0.02)
    assert gain_of(one_of_two().scores(np.zeros((1, 1))))[0, 0] == pytest.approx(np.mean(sides), abs=0.01)


def test_the_margin_leaves_most_of_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    made = one_of_two()
    errors = 1e-6 * np.random.default_rng(0).permutation(norm.ppf((np.arange(1024) + 0.5) / 1024))[:, None]
    noisy = replace(made, errors=errors)
    assert gain_of(noisy.scores(np.zeros((1, 1))))[0, 0] == pytest.approx(0.45, abs=0.02)
    monkeypatch.setattr("pfes.acquisition.pfev.MARGIN", 0.0)
    assert gain_of(noisy.scores(np.zeros((1, 1))))[0, 0] == pytest.approx(0.01, abs=0.02)


def test_the_best_mixture_is_neither_end_where_each_truncation_errs() -> None:
    # of one function f lies outside what its frontier dominates, of the others deep inside
    under = np.log(np.array([[1.1], [1.1], [1.1]]))
    over = np.log(np.array([[3.0], [3.0], [1e-9]]))
    mixed = best_mixture(under, over)
    assert 0.1 < mixed.rate[0] < 0.9
    rates = np.linspace(0.0, 1.0, 1001)[:, None]
    grid = DOUBT + (1.0 - DOUBT) * (rates * np.exp(under[:, 0]) + (1.0 - rates) * np.exp(over[:, 0]))
    assert mixed.gain[0] == pytest.approx(np.log(grid).mean(axis=1).max(), abs=1e-5)
    assert best_mixture(under, under + 1.0).rate[0] < 1e-9
    assert best_mixture(under, under - 1.0).rate[0] > 1.0 - 1e-9


def test_a_function_that_exceeds_its_own_frontier_costs_no_more_than_the_doubt() -> None:
    made = pfev(example_model(2), [0, 1], 0.05)
    high = replace(made, values=lambda x: np.full((3, len(x), 2), 50.0))
    gain = gain_of(high.scores(np.random.default_rng(0).uniform(size=(5, 3))))
    assert np.isfinite(gain).all()
    assert (gain > np.log(DOUBT) - 1e-9).all()


@pytest.mark.parametrize("height", [0.3, 0.8, 3.0])
def test_a_known_point_tells_nothing_wherever_it_lies(height: float) -> None:
    made = pfev(example_model(2), [0, 1], 0.05)
    candidates = np.random.default_rng(0).uniform(size=(50, 3))
    best = candidates[[np.argmax(made.scores(candidates)[:, 0])]]
    known = made.model.given(best, np.full((1, 2), height), 1e-12)
    beside = replace(made, model=known, values=lambda at: np.repeat(known.predict(at).mean[None], 3, axis=0))
    assert gain_of(made.scores(best))[0, 0] > 0.1
    assert gain_of(beside.scores(best))[0, 0] < 1e-3


def test_far_and_near_nothing_is_lost() -> None:
    for delta in (1e-6, 0.1):
        made = pfev(example_model(2), [0, 1], delta)
        x = np.vstack([made.model.posteriors[0].x, np.full((1, 3), 40.0)])
        for height in (-1e6, 0.0, 1e6):
            moved = replace(made, values=lambda at, height=height: np.full((3, len(at), 2), height))
            score, d_x = moved.slopes(x)
            assert np.isfinite(score).all()
            assert np.isfinite(d_x).all()
