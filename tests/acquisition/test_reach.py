"""The reach of a measurement, against conditioning, hypervolumes and loops."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import pooled, situation
from acquisition.test_joint_models import joint_model
from pfes import create_study
from pfes.acquisition.reach import BLOCK, PLACES, Reach
from pfes.acquisition.worth import pfes
from pfes.gp import Surrogate
from pfes.objectives import Objective, Objectives
from pfes.pareto import quick_hypervolume
from pfes.space import Pool
from pfes.testing import example_model

Array = np.ndarray
RNG = np.random.default_rng(4)
X = RNG.uniform(size=(7, 3))
LIKELY = RNG.uniform(size=(25, 3))
HELD = RNG.uniform(size=(3, 3))
REFERENCE = np.full(2, -1.5)
APART = Objectives([Objective("a"), Objective("b")]).options(decoupled=True)
DELTA = np.array([0.05, 0.2])


def waves(x: Array) -> Array:
    """Three functions of two objectives, (3, N, 2)."""
    turns = np.array([[1.0, 2.0], [2.5, 0.5], [4.0, 3.0]])
    return np.stack([np.column_stack([np.sin(3.0 * x @ [1, u, 0]), np.cos(3.0 * x @ [0, 1, v])]) for u, v in turns])


def reach(model: Surrogate | None = None, values: Callable[[Array], Array] = waves, held: Array = HELD) -> Reach:
    return Reach(model or example_model(2), values, LIKELY, held, REFERENCE, DELTA)


def explained(model: Surrogate, x: Array, place: Array, which: tuple[int, ...]) -> Array:
    """(L,) by conditioning: how much smaller the variances at a place are after a measurement."""
    seen = np.full((1, 2), np.nan)
    seen[0, list(which)] = 0.0
    after = model.given(x[None], seen, DELTA**2)
    return 1.0 - (after.predict(place[None]).std[0] / model.predict(place[None]).std[0]) ** 2


@pytest.mark.parametrize("model", [example_model(2), joint_model([0, 1])], ids=["independent", "joint"])
def test_reach_is_what_may_be_won_times_what_conditioning_explains(model: Surrogate) -> None:
    made = reach(model)
    own, had = waves(LIKELY), waves(HELD)
    expected = np.zeros((len(X), len(APART)))
    for values, held in zip(own, had, strict=True):
        without = quick_hypervolume(held, REFERENCE)
        gains = np.array([quick_hypervolume(np.vstack([held, one]), REFERENCE) - without for one in values])
        best = np.argsort(-gains)[:PLACES]
        for n, x in enumerate(X):
            for k, option in enumerate(APART):
                told = [gains[t] * explained(model, x, LIKELY[t], option.which).mean() for t in best]
                expected[n, k] += max(told) / len(own)
    np.testing.assert_allclose(made.of(X, APART), expected, rtol=5e-3)  # gains are of values known to 1e-3


def test_everything_together_tells_at_least_as_much_as_any_part_of_it() -> None:
    for model in (example_model(2), joint_model([0, 1])):
        told = reach(model).of(X, APART)
        assert (told[:, 2:] >= told[:, :2] * (1.0 - 1e-12)).all()
        assert (told > 0.0).all()


def test_functions_that_add_nothing_to_what_is_held_leave_nothing_to_reach() -> None:
    low = reach(values=lambda x: np.full((2, len(x), 2), -2.0))  # below the reference
    assert low.places is not None or not low.of(X, APART).any()
    assert low.of(X, APART) == pytest.approx(0.0, abs=1e-9)


def test_nothing_may_be_held_yet() -> None:
    made = reach(held=HELD[:0])
    assert (made.of(X, APART) > 0.0).all()


def test_what_is_under_way_is_won_already_and_told_already() -> None:
    made = reach()
    place = made.places.x[0]
    before = made.of(place[None], APART)[0, 2]
    model = made.model.given(place[None], np.zeros((1, 2)), 1e-8)
    after = made.given(model, place, complete=True)
    assert len(after.held) == len(HELD) + 1
    assert after.of(place[None], APART)[0, 2] < 0.05 * before
    half = made.given(model, place, complete=False)
    assert len(half.held) == len(HELD)


def test_arguments_are_left_alone() -> None:
    model = example_model(2)
    made = replace(reach(model), likely=LIKELY.copy())
    x = X.copy()
    x.setflags(write=False)
    made.likely.setflags(write=False)
    np.testing.assert_array_equal(made.of(x, APART), made.of(X, APART))


def test_pools_are_searched_by_reach_and_spaces_by_improvement() -> None:
    rows = pooled().domain.x[:6]
    worth = pfes(pooled(held=rows, observed=rows))
    x = pooled().domain.x[6:]
    reached = np.log(worth.reach.of(x, worth.options))
    np.testing.assert_allclose(worth.scores(x), (np.log(worth.parts(x).nats) + reached) / 2.0, rtol=1e-9)
    np.testing.assert_allclose(worth.confirming().scores(x), worth.expected.scores(x), rtol=1e-9)
    assert pfes(situation()).reach is None


def test_improvement_is_looked_for_in_vain_and_where_rows_are_half_measured() -> None:
    rows = pooled().domain.x[:6]
    assert pfes(pooled(held=rows, observed=rows, stale=3.0)).reach is not None
    assert pfes(pooled(held=rows, observed=rows, stale=4.0)).reach is None
    assert pfes(pooled(held=rows, observed=rows, options=APART)).reach is None


def test_slopes_are_those_of_the_scores() -> None:
    rows = pooled().domain.x[:6]
    worth = pfes(pooled(held=rows, observed=rows))
    score, d_x = worth.slopes(X)
    np.testing.assert_allclose(score, worth.scores(X), rtol=1e-9)
    step = np.array([0.0, 1e-6, 0.0])
    differences = (worth.scores(X + step) - worth.scores(X - step)) / 2e-6
    np.testing.assert_allclose(d_x[:, :, 1], differences, rtol=1e-3, atol=1e-3)


def test_a_batch_does_not_reach_for_the_same_row_twice() -> None:
    rows = pooled().domain.x[:6]
    worth = pfes(pooled(held=rows, observed=rows))
    x = pooled().domain.x[6:]
    best = x[np.argmax(worth.scores(x)[:, 0])]
    after = worth.given(best, [0, 1], np.random.default_rng(0))
    assert len(after.reach.held) == 7
    assert after.scores(best[None])[0, 0] < worth.scores(best[None])[0, 0] - 1.0


def test_many_candidates_are_looked_at_in_blocks() -> None:
    many = np.random.default_rng(1).uniform(size=(BLOCK + 3, 3))
    made = reach()
    np.testing.assert_allclose(made.of(many, APART)[-5:], made.of(many[-5:], APART), rtol=1e-9)
    assert made.of(many[:0], APART).shape == (0, 3)


@pytest.mark.parametrize("model", [example_model(2), joint_model([0, 1])], ids=["independent", "joint"])
def test_without_noise_a_known_candidate_stays_finite(model: Surrogate) -> None:
    known = model.given(X, np.zeros((len(X), 2)), 0.0)
    told = replace(reach(known), delta=np.zeros(2)).of(np.vstack([X, X + 1e-9]), APART)
    assert np.isfinite(told).all()
    assert (told >= 0.0).all()


@pytest.mark.parametrize("rows", [40, 4000], ids=["drawn jointly", "paths"])
def test_pools_of_any_size_are_searched_in_batches(rows: int) -> None:
    rng = np.random.default_rng(0)
    table = {"a": rng.uniform(size=rows), "b": rng.uniform(size=rows)}
    goals = [Objective("u"), Objective("v", "min")]
    study = create_study(space=Pool(table, inputs=["a", "b"]), objectives=goals, seed=0)
    study.add([{"row": i, "u": table["a"][i], "v": table["b"][i] ** 2} for i in range(6)])
    asked = study.ask(3)
    assert len({trial.row for trial in asked}) == 3
    assert asked[0].purpose in {"learn", "confirm"}


def test_before_anything_is_held_all_of_a_function_may_be_won() -> None:
    worth = pfes(pooled())
    assert np.isfinite(worth.scores(pooled().domain.x)).all()
    assert (worth.reach.places.gains > 0.0).all()
