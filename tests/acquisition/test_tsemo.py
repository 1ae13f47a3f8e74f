"""Thompson sampling: against hypervolumes, against the model it draws from, and whole suggestions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import NONE, everything, followed, pooled, situation, study
from pfes.acquisition import METHODS, Acquisition
from pfes.acquisition.tsemo import Tsemo, tsemo
from pfes.gp import Model
from pfes.pareto import hypervolume
from pfes.testing import AcquisitionContract

SLOPES = np.random.default_rng(3).standard_normal((3, 3))


class TestTsemo(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        order = list(order)
        held = np.random.default_rng(4).uniform(-0.5, 0.5, (6, 3))[:, order]
        return Tsemo(
            model, everything(order), lambda x: np.sin(3.0 * x @ SLOPES)[None][..., order], held,
            np.full(len(order), -2.0), np.full(len(order), 0.05), np.full(len(order), 0.1), NONE,
        )  # fmt: skip


class TestTsemoOfThree(TestTsemo):
    objectives = 3


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_the_gain_is_what_the_draw_adds_to_the_hypervolume(objectives: int) -> None:
    one = replace(tsemo(situation(objectives=objectives)), fine=np.full(objectives, 1e-9))
    x = np.vstack([np.random.default_rng(0).uniform(size=(50, 3)), one.starts])
    before = hypervolume(one.points, one.reference)
    added = [hypervolume(np.vstack([one.points, value]), one.reference) - before for value in one.drawn(x)[0]]
    np.testing.assert_allclose(np.exp(one.scores(x)[:, 0]), added, rtol=1e-6, atol=1e-8)
    assert np.count_nonzero(np.array(added) > 1e-6) >= 1


def test_noise_promises_nothing() -> None:
    noisy = tsemo(situation(noise=np.array([0.4, 0.4])))
    assert (noisy.delta > 0.4).all()
    assert (np.exp(noisy.scores(situation().held)) < 1e-2 * np.exp(noisy.scores(noisy.starts)).max()).all()


def test_draws_are_the_models() -> None:
    it = pooled(40)
    x = it.domain.x
    draws = np.array([tsemo(replace(it, rng=np.random.default_rng(seed))).drawn(x)[0] for seed in range(300)])
    mean, std = it.model.predict(x)
    assert np.abs((draws.mean(axis=0) - mean) / std).max() < 5.0 / np.sqrt(300)
    np.testing.assert_allclose(draws.std(axis=0) / std, 1.0, atol=0.25)


def test_what_is_under_way_adds_nothing_again() -> None:
    one = tsemo(situation())
    best = one.starts[np.argmax(one.scores(one.starts)[:, 0])]
    after = one.given(best, (0, 1), np.random.default_rng(0))
    assert after.scores(best[None])[0, 0] < one.scores(best[None])[0, 0] - 3.0
    np.testing.assert_allclose(after.model.predict(best[None]).mean, one.drawn(best[None])[0], atol=1e-2)


def test_nothing_held_is_no_obstacle() -> None:
    one = tsemo(situation(observed=NONE, held=NONE))
    assert np.isfinite(one.scores(one.starts)).all()


@pytest.mark.parametrize(("objectives", "pool"), [(1, 0), (2, 0), (2, 30), (3, 30)])
def test_whole_suggestions(objectives: int, pool: int) -> None:
    made = study("tsemo", objectives, pool=pool)
    trials = followed(made, 3, objectives)
    assert all(trial.gain > 0.0 for trial in trials)
    assert "hypervolume, if a function drawn" in trials[-1].reason
    batch = made.ask(3)
    places = np.array([[trial.params["a"], trial.params["b"]] for trial in batch])
    assert len(np.unique(places.round(6), axis=0)) == 3


def test_it_is_listed() -> None:
    assert METHODS["tsemo"].source == "Bradford et al. 2018"
