import numpy as np
import pytest

from pfes.acquisition import FLOOR, METHODS, Method, Situation, gain_of, method_named, score_of, slope_of
from pfes.acquisition.ehvi import reference_point
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, Model, Posterior
from pfes.objectives import Objective, Objectives
from pfes.observations import Data
from pfes.space import Real, Space


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=f"wanted one of {', '.join(METHODS)}$"):
        method_named("entropy")


def test_every_method_says_what_it_does() -> None:
    for name, method in METHODS.items():
        assert method.name == name
        assert method.summary
        assert (method.build is None) == (method.promise == "")


def test_scores_keep_the_order_of_gains_of_both_signs() -> None:
    gains = np.array([-3.0, -1e-9, 0.0, 1e-300, 1e-9, 0.5, 2.0])
    scores = score_of(gains)
    assert (np.diff(scores) >= 0.0).all()
    assert scores[3] > FLOOR >= scores[2]
    np.testing.assert_allclose(gain_of(scores), gains, rtol=1e-12, atol=1e-11)


def test_the_slope_of_a_score_is_its_derivative() -> None:
    gains = np.array([-3.0, -0.1, 0.01, 0.5, 2.0])
    difference = (score_of(gains + 1e-6) - score_of(gains - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope_of(gains), difference, rtol=1e-4)


def test_the_reference_point_is_the_thresholds_or_lies_below_the_front() -> None:
    levels = np.array([[0.0, 2.0], [1.0, 1.0], [-9.0, -9.0]])
    np.testing.assert_allclose(reference_point(levels, np.array([-np.inf, 0.5])), [-0.25, 0.5])  # a quarter deviation
    np.testing.assert_allclose(reference_point(levels[:1], np.full(2, -np.inf)), [-0.25, 1.75])
    np.testing.assert_allclose(reference_point(10.0 * levels, np.full(2, -np.inf)), [-1.0, 9.0])  # a tenth of the range
    np.testing.assert_allclose(reference_point(levels[:0], np.array([-np.inf, 0.5])), [-1.0, 0.5])


def test_improvement_alone_is_over_draws_only_where_what_is_held_is_uncertain() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(8, 3))
    for noise, drawn in ((1e-12, False), (0.2, True)):
        hyper = Hyper("matern52", np.full(3, 0.5), 1.0, noise, 0.0)
        data = Data(x, np.sin(4.0 * x[:, 0]), np.ones(8), np.full(8, np.nan))
        model = Model((Posterior.of(data, np.arange(3), hyper),) * 2)
        situation = Situation(
            model=model, domain=Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1)), observed=x, held=x,
            options=Objectives([Objective("a"), Objective("b")]).options(decoupled=False),
            thresholds=np.full(2, -np.inf), noise=np.zeros(2), resolution=np.full(2, np.nan),
            frontiers=FrontierSettings(), estimator="matched", allowed=None, rng=rng,
        )  # fmt: skip
        made = METHODS["ehvi"].build(situation)
        assert (made.points.ndim == 3) == drawn
        assert (made.model is model) == (not drawn)
    mean, std = made.model.predict(x)  # of the last, noisy one: each draw is known to a thousandth of a deviation
    assert (std < 1.01e-3).any(axis=1).sum() == made.points.shape[1]
    known = (std < 1.01e-3).all(axis=1)
    np.testing.assert_allclose(mean[:, known], made.points, atol=5e-3)


def test_a_method_refuses_what_it_cannot_do() -> None:
    picky = Method("picky", "for pools of two objectives", None, spaces=False, least=2, most=2)
    picky.check(2, pool=True)
    with pytest.raises(InvalidInput, match="chooses from pools only"):
        picky.check(2, pool=False)
    for count in (1, 3):
        with pytest.raises(InvalidInput, match=f"made for 2 objectives, and got {count}"):
            picky.check(count, pool=True)
    with pytest.raises(InvalidInput, match="searches spaces only"):
        Method("wide", "for spaces", None, pools=False).check(2, pool=True)
    assert Method("a", "", None, least=2, most=3).counts == "2 to 3"
    assert Method("a", "", None).counts == "1 or more"
