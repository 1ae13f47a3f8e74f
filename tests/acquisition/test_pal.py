"""PAL and epsilon-PAL: boxes against models of the first data, classes against their definition, and whole studies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfes
from acquisition.situations import NONE, everything, situation, study, values
from acquisition.test_joint_models import joint_model
from pfes.acquisition import METHODS, Acquisition
from pfes.acquisition.boxes import Boxes, betas, boxes
from pfes.acquisition.epal import epal_slack
from pfes.acquisition.pal import Pal, classified, pal_slack, rows_of
from pfes.errors import Exhausted, InvalidInput
from pfes.gp import Hyper, JointModel, Model, Posterior
from pfes.objectives import Objective
from pfes.observations import Data
from pfes.pareto import non_dominated
from pfes.space import Pool
from pfes.study import Study
from pfes.testing import AcquisitionContract, example_model

X = np.random.default_rng(3).uniform(size=(25, 3))
FREE = np.full(2, -np.inf)


def made(model: Model, order: Sequence[int], slack: float = 0.05) -> Pal:
    order = list(order)
    size = len(order)
    rows = rows_of(Pool(X), None)
    return Pal(
        model, model, everything(order), rows, slack * (1.0 + np.array(order)), np.full(size, -np.inf),
        np.full(size, 1e-3), NONE,
    )  # fmt: skip


class TestPal(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


class TestPalOfThree(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


# Boxes


def intersected(model: Model, x: np.ndarray, rows: int) -> Boxes:
    """By fitting a model to the first data, the first two, ..."""
    low, high = np.full((len(x), len(model)), -np.inf), np.full((len(x), len(model)), np.inf)
    for l, posterior in enumerate(model.posteriors):
        for t in range(1, len(posterior.x) + 1):
            data = Data(posterior.x[:t], posterior.y[:t], np.ones(t), np.full(t, np.nan))
            mean, std = Posterior.of(data, posterior.groups, posterior.hyper).predict(x)
            reach = np.sqrt(2.0 * np.log(len(model) * rows * np.pi**2 * t**2 / (6.0 * 0.05)) / 9.0)
            new_low, new_high = mean - reach * std, mean + reach * std
            for n in range(len(x)):
                if new_low[n] > high[n, l] or new_high[n] < low[n, l]:
                    low[n, l], high[n, l] = new_low[n], new_high[n]
                else:
                    low[n, l], high[n, l] = max(low[n, l], new_low[n]), min(high[n, l], new_high[n])
    return Boxes(low, high)


def test_boxes_are_those_of_all_times_intersected() -> None:
    model = example_model(2)
    found, want = boxes(model, X, 25), intersected(model, X, 25)
    np.testing.assert_allclose(found.low, want.low, atol=1e-8)
    np.testing.assert_allclose(found.high, want.high, atol=1e-8)
    last = np.sqrt(betas(12, 2, 25)[-1]) * model.predict(X).std
    assert ((found.high - found.low) < 2.0 * last - 1e-3).any()  # the past does narrow them


def test_boxes_do_not_depend_on_how_many_points_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = boxes(example_model(2), X, 25)
    monkeypatch.setattr("pfes.acquisition.boxes.NUMBERS", 100)
    for one, other in zip(whole, boxes(example_model(2), X, 25), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_before_there_are_data_boxes_are_those_of_the_prior() -> None:
    nothing = Data(np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros(0))
    prior = Model((Posterior.of(nothing, np.arange(3), Hyper("rbf", np.ones(3), 4.0, 1e-4, 1.0)),))
    found = boxes(prior, X, 25)
    reach = 2.0 * np.sqrt(betas(1, 1, 25)[0])
    np.testing.assert_allclose(found.low, 1.0 - reach)
    np.testing.assert_allclose(found.high, 1.0 + reach)


def test_the_history_of_a_joint_model_is_that_of_its_first_values() -> None:
    model = joint_model([0, 1])
    mean, std = model.history(X)
    assert mean.shape == std.shape == (13, 25, 2)
    for t in (0, 1, 5, 12):
        data = []
        for l in (0, 1):
            own = model.task == l
            data.append(Data(model.x[own][:t], model.y[own][:t], np.ones(t), np.full(t, np.nan)))
        want = JointModel.of(data, np.arange(3), model.hyper).predict(X)
        np.testing.assert_allclose(mean[t], want.mean, atol=1e-8)
        np.testing.assert_allclose(std[t], want.std, atol=1e-8)


def test_objectives_with_fewer_values_stay_as_they_are_after_their_last() -> None:
    long, short = example_model(2).posteriors
    short = Posterior.of(Data(short.x[:4], short.y[:4], np.ones(4), np.full(4, np.nan)), short.groups, short.hyper)
    mean, std = Model((long, short)).history(X)
    assert len(mean) == 13
    np.testing.assert_allclose(mean[-1, :, 1], short.predict(X).mean, atol=1e-9)
    np.testing.assert_allclose(std[-1, :, 0], long.predict(X).std, atol=1e-9)


# Classes


def test_classes_by_hand() -> None:
    low = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [0.5, 0.5], [0.4, -1.0]])
    high = np.array([[2.2, 0.2], [0.2, 2.2], [-0.5, 1.9], [0.8, 0.8], [0.9, -0.5]])
    pareto, other, undecided = classified(Boxes(low, high), np.zeros(2), FREE)
    # the third cannot beat the second; the fourth has no rival; the fifth's best is not better than the first's worst
    assert pareto.tolist() == [True, True, False, True, False]
    assert other.tolist() == [False, False, True, False, True]
    assert not undecided.any()
    # a row that may beat the fourth, or be beaten by it
    unsure = Boxes(np.vstack([low, [0.3, 0.3]]), np.vstack([high, [1.0, 1.0]]))
    assert np.flatnonzero(classified(unsure, np.zeros(2), FREE).undecided).tolist() == [3, 5]
    # with so much slack the two are as good as one another, or covered
    assert not classified(unsure, np.full(2, 0.6), FREE).undecided.any()


def test_rows_within_slack_of_one_another_do_not_all_vanish() -> None:
    level = np.array([[0.0, 0.1], [0.1, 0.0], [0.05, 0.05], [0.05, 0.05]])
    found = classified(Boxes(level, level + 1e-6), np.full(2, 0.2), FREE)
    assert found.pareto.any()
    assert not found.undecided.any()


def test_what_is_surely_below_a_threshold_is_of_no_interest() -> None:
    box = Boxes(np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([[2.1, 0.1], [0.1, 2.1]]))
    assert classified(box, np.zeros(2), np.array([1.0, -np.inf])).other.tolist() == [False, True]


@given(st.integers(1, 25), st.integers(1, 4), st.floats(0.0, 0.5), st.integers(0, 2**31))
def test_classes_are_those_of_the_definition(count: int, objectives: int, slack: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = np.round(rng.normal(size=(count, objectives)), 1)  # rounded: ties
    high = low + np.round(rng.exponential(0.5, size=(count, objectives)), 1)
    tolerance = np.full(objectives, slack)
    pareto, other, undecided = classified(Boxes(low, high), tolerance, np.full(objectives, -np.inf))
    assert (pareto.astype(int) + other + undecided == 1).all()
    pessimistic = [not any((q >= p).all() and (q > p).any() for q in low) for p in low]
    for n in range(count):
        beaten = any((low[s] >= high[n] - tolerance).all() for s in range(count) if pessimistic[s])
        assert other[n] == (beaten and not pessimistic[n])
        left = [s for s in range(count) if s != n and not other[s]]
        if not other[n]:
            assert pareto[n] == (not any((high[s] >= low[n] + tolerance).all() for s in left))


@given(st.integers(2, 30), st.integers(0, 2**31))
def test_if_the_boxes_hold_so_do_the_classes(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(count, 2))
    box = Boxes(truth - rng.exponential(0.3, truth.shape), truth + rng.exponential(0.3, truth.shape))
    pareto, other, _ = classified(box, np.zeros(2), FREE)
    best = non_dominated(truth)
    assert best[pareto].all()
    assert not best[other].any()
    # within epsilon: for every Pareto-optimal row something that is not discarded is as good
    slack = np.full(2, 0.3)
    left = truth[~classified(box, slack, FREE).other]
    assert all((left >= point - slack).all(axis=1).any() for point in truth[best])


def test_slacks_are_the_resolutions_or_their_defaults() -> None:
    given_ = np.array([0.1, np.nan])
    np.testing.assert_allclose(pal_slack(given_), [0.2, 0.0])
    levels = np.array([[0.0, -1.0], [1.0, 4.0]])
    np.testing.assert_allclose(epal_slack(given_, levels, np.ones(2)), [0.1, 0.05])
    np.testing.assert_allclose(epal_slack(np.full(2, np.nan), levels[:0], np.full(2, 4.0)), [2e-3, 2e-3])


# What is measured next


def test_the_widest_box_that_is_not_discarded_is_measured() -> None:
    one = made(example_model(2), [0, 1])
    gain = np.exp(one.scores(one.rows.x)[:, 0])
    widths = np.linalg.norm(one.boxes.high - one.boxes.low, axis=1)
    assert one.classes.other.any()
    np.testing.assert_allclose(gain[~one.classes.other], widths[~one.classes.other], rtol=1e-9)
    assert (one.scores(one.rows.x)[one.classes.other] < -1e3).all()


def test_what_is_under_way_narrows_boxes_and_decides_nothing() -> None:
    one = made(example_model(2), [0, 1])
    after = one.given(X[0], [0, 1], np.random.default_rng(0))
    assert (after.scores(X) <= one.scores(X) + 1e-12).all()
    for before, then in zip(one.classes, after.classes, strict=True):
        np.testing.assert_array_equal(before, then)


def test_rows_of_equal_inputs_are_decided_together_and_counted_each() -> None:
    twins = rows_of(Pool(np.vstack([X, X[:5]])), np.arange(30) != 1)
    assert (len(twins.x), twins.twins.sum()) == (25, 29)  # the second row cannot be measured, its twin can
    assert twins.which[1] == -1
    assert (twins.which[25:30] == twins.which[[0, 26, 2, 3, 4]]).all()
    np.testing.assert_array_equal(twins.x[twins.which[[0, 7, 28]]], Pool(np.vstack([X, X[:5]])).x[[0, 7, 28]])


@pytest.mark.parametrize("method", ["pal", "epal"])
@pytest.mark.parametrize("count", [0, 1])
def test_next_to_nothing_is_enough(method: str, count: int) -> None:
    one = METHODS[method].build(situation(count=count, domain=Pool(X), measured=np.zeros((count, 2))))
    assert np.isfinite(one.scores(X)).all()
    assert "are undecided" in one.standing


def test_ties_and_certainty_are_no_trouble() -> None:
    sharp = Hyper("rbf", np.full(3, 5.0), 1.0, 1e-24, 0.0)
    data = Data(X[:8], np.zeros(8), np.ones(8), np.full(8, np.nan))
    one = made(Model((Posterior.of(data, np.arange(3), sharp),) * 2), [0, 1], slack=0.0)
    assert np.isfinite(one.scores(np.vstack([X, X + 1e-9]))).all()
    assert isinstance(one.ended, str)


# Whole studies


def run(made: Study, most: int = 80, objectives: int = 2) -> str:
    """Ask and tell to the end; why it ended."""
    for _ in range(most):
        try:
            trial = made.ask()
        except Exhausted as end:
            return str(end)
        made.tell(trial.id, values(trial.params, objectives))
    return "not at all"


def test_epal_ends_when_every_row_is_decided_and_its_rows_cover_the_front() -> None:
    it = study("epal", pool=60, measured=5)
    assert run(it).startswith("every row is decided: of the pool, ")
    assert it.ended.startswith("every row is decided")
    assert len(it.trials()) < 45  # long before all are measured
    found = it.classify()
    assert not found.undecided
    truth = np.array([list(values(it.space.params(row)).values()) for row in range(60)])
    left = truth[found.pareto]
    epsilon = 0.02 * np.ptp(truth, axis=0)  # twice, because the classes are those of a model
    assert all((left >= point - epsilon).all(axis=1).any() for point in truth[non_dominated(truth)])


def test_pal_decides_for_certain() -> None:
    it = study("pal", pool=40, measured=5)
    why = run(it)
    assert "of the pool, " in why
    truth = np.array([list(values(it.space.params(row)).values()) for row in range(40)])
    best, found = set(np.flatnonzero(non_dominated(truth)).tolist()), it.classify()
    assert set(found.pareto) <= best <= set(found.pareto) | set(found.undecided)
    measured = {trial.row for trial in it.trials()}
    assert set(found.undecided) <= measured  # nothing more can be learned of them


def test_reasons_count_the_classes() -> None:
    trial = study("epal", pool=30).ask()
    assert "Pareto-optimal" in trial.reason
    assert "undecided" in trial.reason


def test_a_study_opened_again_goes_on_as_it_would_have(tmp_path: Path) -> None:
    def begun(place: Any) -> Study:
        rng = np.random.default_rng(3)
        pool = Pool({"a": rng.uniform(size=30), "b": rng.uniform(size=30)}, inputs=["a", "b"])
        it = pfes.create_study(place, space=pool, objectives=[Objective("y0"), Objective("y1")], method="epal", seed=1)
        it.add([{"row": row, **values(pool.params(row))} for row in range(6)])
        for _ in range(2):
            trial = it.ask()
            it.tell(trial.id, values(trial.params))
        return it

    begun(tmp_path / "s.db")
    again, never = pfes.open_study(tmp_path / "s.db"), begun(None)
    one, other = again.ask(), never.ask()
    assert (one.row, one.reason) == (other.row, other.reason)


def test_one_objective_has_one_best_row() -> None:
    it = study("pal", 1, pool=40, measured=5)
    assert "of the pool, " in run(it, objectives=1)
    best = max(range(40), key=lambda row: values(it.space.params(row), 1)["y0"])
    found = it.classify()
    assert best in found.pareto + found.undecided
    assert len(found.pareto) + len(found.undecided) <= 3  # the noise that is inferred hides what is nearly as good


@pytest.mark.parametrize(("method", "objectives"), [("pal", 2), ("epal", 3)])
def test_a_batch_is_of_rows_that_are_apart(method: str, objectives: int) -> None:
    trials = study(method, objectives, pool=40, threshold=-0.9).ask(3)
    assert len({trial.row for trial in trials}) == 3


def test_objectives_believed_together_have_boxes_too() -> None:
    trial = study("epal", pool=30, model="coregional").ask()
    assert "narrow a box" in trial.reason


def test_rows_that_cannot_be_measured_are_not_pareto_optimal() -> None:
    it = study("epal", pool=30)
    trial = it.ask()
    it.tell(trial.id, infeasible="it melts")
    found = it.classify()
    assert trial.row in found.other
    assert sorted(found.pareto + found.other + found.undecided) == list(range(30))


def test_what_they_cannot_do_is_refused() -> None:
    for method in ("pal", "epal"):
        with pytest.raises(InvalidInput, match=f"'{method}' chooses from pools only"):
            study(method)
        with pytest.raises(InvalidInput, match=f"'{method}' cannot name single objectives"):
            study(method, pool=30).ask(decoupled=True)
    with pytest.raises(InvalidInput, match="classify: got a space, wanted a pool"):
        study("parego").classify()


def test_any_study_of_a_pool_can_be_classified() -> None:
    found = study("parego", pool=30, measured=12).classify()
    assert sorted(found.pareto + found.other + found.undecided) == list(range(30))
