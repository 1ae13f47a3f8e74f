"""Distance to the front and uncertainty on it: by hand, against brute force, and whole suggestions."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acquisition.situations import NONE, everything, followed, situation, study
from pfes.acquisition import METHODS, Acquisition
from pfes.acquisition.distance import Distance, optimism
from pfes.acquisition.margin import margin, with_thresholds
from pfes.acquisition.pareto_uncertainty import ParetoUncertainty
from pfes.acquisition.protocol import gain_of
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Model, Posterior
from pfes.observations import Data
from pfes.pareto import non_dominated
from pfes.space import Pool
from pfes.testing import AcquisitionContract, example_model

BOTH = ["distance-ucb", "pareto-uncertainty"]
ANYWHERE = np.full(2, -np.inf)


class TestDistance(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        points = np.random.default_rng(4).uniform(-0.5, 0.5, (8, 3))[:, list(order)]
        low = np.array([-1.0, -np.inf, -1.4])[list(order)]
        return Distance(model, everything(order), points, low, 1.2, np.full(3, 1e-3), NONE)


class TestParetoUncertainty(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        front = np.random.default_rng(4).uniform(-0.5, 0.5, (8, 3))[:, list(order)]
        steps = np.array([0.1, 0.2, 0.3])[list(order)]
        return ParetoUncertainty(model, everything(order), front, steps, np.full(3, 1e-2), NONE)


def test_margins_by_hand() -> None:
    front = np.array([[0.0, 1.0], [1.0, 0.0]])
    # (1, 1) lies 1 beyond either point; (1/2, 1/2) a half; (0, 0) has to grow by nothing to be as good in one of each;
    # (-1, -2) has to grow by 2 before (1, 0) dominates it no more, and by 1 for (0, 1)
    y = np.array([[1.0, 1.0], [0.5, 0.5], [3.0, -9.0], [0.0, 0.0], [-1.0, -2.0]])
    value, d_y = margin(y, front)
    np.testing.assert_allclose(value, [1.0, 0.5, 2.0, 0.0, -2.0])
    np.testing.assert_array_equal(d_y[2], [1.0, 0.0])
    # with a threshold of 2 for the second objective nothing but its excess over that counts
    np.testing.assert_allclose(margin(y, with_thresholds(front, np.array([-np.inf, 2.0]))).value[:2], [-1.0, -1.5])
    assert len(with_thresholds(front, ANYWHERE)) == 2


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**31))
def test_a_margin_is_the_distance_to_the_edge_of_what_is_dominated(size: int, objectives: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    front, y = rng.normal(size=(size, objectives)), rng.normal(size=(1, objectives))
    found = float(margin(y, front).value[0])

    def dominated(point: np.ndarray) -> bool:
        return bool(np.any(np.all(front >= point, axis=1)))

    # the nearest point by the largest coordinate lies along the diagonal, in and out
    assert dominated(y[0] - found - 1e-9)
    assert not dominated(y[0] - found + 1e-9)
    assert (found > 0.0) == (not dominated(y[0])) or found == 0.0
    if objectives == 1:
        assert found == pytest.approx(float(y[0, 0] - front.max()))


def test_the_gain_is_that_of_a_lucky_candidate() -> None:
    one = Distance(example_model(2), everything([0, 1]), np.zeros((1, 2)), ANYWHERE, 2.0, np.full(2, 1e-3), NONE)
    mean, std = np.array([[-1.0, -1.0], [-1.0, -4.0]]), np.array([[1.0, 0.75], [0.25, 1.5]])
    # lucky: (1, 1/2) lies 1 beyond the origin; (-1/2, -1) falls short of it by 1/2
    np.testing.assert_allclose(gain_of(one.score(mean, std))[:, 0], [1.0, -0.5])


def test_optimism_is_a_fifth_of_the_bound() -> None:
    bound = 2.0 * math.log(30.0 ** (4 / 2 + 2) * math.pi**2 / 0.3)
    assert optimism(30, 4) ** 2 == pytest.approx(bound / 5.0)
    assert optimism(0, 4) == optimism(1, 4) > 0.0
    assert METHODS["distance-ucb"].build(situation(count=8)).luck == optimism(8, 3)


def test_the_widest_on_the_front_is_wanted_and_below_it_little() -> None:
    front, steps = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.1, 0.2])
    one = ParetoUncertainty(example_model(2), everything([0, 1]), front, steps, np.full(2, 1e-3), NONE)
    mean = np.array([[0.0, 1.0], [2.0, 2.0], [-0.1, 0.0], [-50.0, -50.0]])
    std = np.array([[0.3, 0.4], [0.3, 0.4], [0.3, 0.4], [0.3, 0.4]])
    # (-0.1, 0) lacks one resolution of the first objective of (0, 1), and nothing matters of the second
    expected = 0.5 * np.array([1.0, 1.0, math.exp(1.0 - math.sqrt(2.0))])
    np.testing.assert_allclose(gain_of(one.score(mean, std))[:3, 0], expected)
    assert np.isfinite(one.score(mean, std)).all()
    assert one.score(mean, std)[3, 0] < -200.0


def test_in_a_pool_the_widest_of_the_predicted_set_is_chosen() -> None:
    rng = np.random.default_rng(2)
    rows = rng.uniform(size=(60, 3))
    pool = Pool({name: rows[:, i] for i, name in enumerate("abc")}, inputs=list("abc"))
    model = example_model(2)
    one = METHODS["pareto-uncertainty"].build(situation(model, domain=pool))
    mean, std = model.predict(pool.x)
    best = np.flatnonzero(non_dominated(mean))
    np.testing.assert_allclose(np.sort(one.starts, axis=0), np.sort(pool.x[best], axis=0))
    widest = best[np.argmax(np.sum(std[best] ** 2, axis=1))]
    scores = one.scores(pool.x)[:, 0]
    assert np.argmax(np.where(np.isin(np.arange(60), best), scores, -np.inf)) == widest
    np.testing.assert_allclose(np.exp(scores[best]), np.sqrt(np.sum(std[best] ** 2, axis=1)))
    low, high = np.quantile(mean[best], [0.1, 0.9], axis=0)
    np.testing.assert_allclose(one.resolution, np.maximum(0.01 * (high - low), 1e-3))
    told = METHODS["pareto-uncertainty"].build(situation(model, domain=pool, resolution=np.array([0.2, np.nan])))
    np.testing.assert_allclose(told.resolution, [0.2, one.resolution[1]])


def test_in_a_space_nothing_beats_the_predicted_front() -> None:
    model = example_model(2)
    one = METHODS["pareto-uncertainty"].build(situation(model))
    anywhere = model.predict(np.random.default_rng(3).uniform(size=(3000, 3))).mean
    assert (margin(anywhere, one.front).value < 0.1).all()
    assert len(one.starts) > 20


def test_an_objective_that_does_not_vary_puts_nothing_on_the_front() -> None:
    # all are best in a constant objective: what counts is the other
    x = np.random.default_rng(4).uniform(size=(80, 3))
    pool = Pool({name: x[:, i] for i, name in enumerate("abc")}, inputs=["a", "b", "c"])
    (varied,) = example_model(1).posteriors
    none = Data(x[:12], np.zeros(12), np.ones(12), np.full(12, np.nan))
    constant = Posterior.of(none, np.arange(3), Hyper("matern52", np.full(3, 0.5), 1.0, 1e-6, 0.0))
    for order in ((varied, constant), (constant, varied)):
        one = METHODS["pareto-uncertainty"].build(situation(Model(order), domain=pool))
        mean, std = one.model.predict(pool.x)
        best = int(np.argmax(mean[:, order.index(varied)]))
        gains = gain_of(one.scores(pool.x))[:, 0]
        assert gains[best] == pytest.approx(np.linalg.norm(std[best]))
        far = mean[:, order.index(varied)] < mean[best, order.index(varied)] - 0.3
        assert far.sum() > 40
        assert (gains[far] < 1e-3 * gains[best]).all()
    alike = METHODS["pareto-uncertainty"].build(situation(Model((constant, constant)), domain=pool))
    np.testing.assert_allclose(
        gain_of(alike.scores(pool.x))[:, 0], np.linalg.norm(alike.model.predict(pool.x).std, axis=1)
    )


def test_thresholds_leave_the_part_beyond_them_if_there_is_any() -> None:
    model = example_model(2)
    whole = METHODS["pareto-uncertainty"].build(situation(model))
    low = float(np.median(whole.front[:, 0]))
    part = METHODS["pareto-uncertainty"].build(situation(model, thresholds=np.array([low, -np.inf])))
    assert (part.front[:-1, 0] > low).all()
    np.testing.assert_array_equal(part.front[-1], [low, np.inf])
    none = METHODS["pareto-uncertainty"].build(situation(model, thresholds=np.array([99.0, -np.inf])))
    assert np.isfinite(none.front).all()


@pytest.mark.parametrize("method", BOTH)
def test_next_to_nothing_and_certainty_are_no_trouble(method: str) -> None:
    x = AcquisitionContract.candidates()
    for count in (0, 1):
        one = METHODS[method].build(situation(count=count))
        assert np.isfinite(one.scores(x)).all()
    at = np.repeat(np.random.default_rng(6).uniform(size=(4, 3)), 2, axis=0)
    for y, noise in ((np.zeros(8), 1e-12), (1e6 * np.arange(8.0), 0.5)):
        hyper = Hyper("matern52", np.full(3, 0.5), 1.0, noise, 0.0)
        posterior = Posterior.of(Data(at, y, np.ones(8), np.full(8, np.nan)), np.arange(3), hyper)
        one = METHODS[method].build(
            situation(Model((posterior, posterior)), observed=at, held=at, resolution=np.zeros(2))
        )
        for _ in range(2):
            assert np.isfinite(one.scores(np.vstack([x, at]))).all()
            assert np.isfinite(one.slopes(np.vstack([x, at])).d_x).all()
            one = one.given(at[0], [0, 1], np.random.default_rng(0))
    mean = np.zeros((3, 2))
    assert all(np.isfinite(part).all() for part in replace(one).sensitivity(mean, np.full((3, 2), 1e-12)))


@pytest.mark.parametrize(
    ("method", "objectives", "pool"),
    [
        ("distance-ucb", 2, 0),
        ("distance-ucb", 3, 30),
        ("distance-ucb", 1, 0),
        ("pareto-uncertainty", 2, 0),
        ("pareto-uncertainty", 3, 30),
    ],
)
def test_a_study_is_led_by_it(method: str, objectives: int, pool: int) -> None:
    trials = followed(study(method, objectives, pool=pool, threshold=-0.5), 2, objectives)
    trials += study(method, objectives, pool=pool).ask(3)
    assert all("front" in trial.reason for trial in trials)
    assert len({(trial.params["a"], trial.params["b"]) for trial in trials[2:]}) == 3


def test_what_they_cannot_do_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'pareto-uncertainty' is made for 2 or more objectives, and got 1"):
        study("pareto-uncertainty", 1)
    for method in BOTH:
        with pytest.raises(InvalidInput, match=f"'{method}' cannot name single objectives"):
            study(method).ask(decoupled=True)
