"""What a measurement is worth: its parts against their definitions, and the stake against cases worked by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from acquisition.situations import pooled, situation
from pfes.acquisition import Ehvi, Pfes, Worth
from pfes.acquisition.stages import outcomes
from pfes.acquisition.worth import at_stake, pfes
from pfes.gp import Model
from pfes.improvement import expected_improvement
from pfes.information import matched, prepare
from pfes.maximise import Found
from pfes.objectives import Objective, Objectives, Option
from pfes.pareto import quick_hypervolume
from pfes.space import Pool
from pfes.suggestion import promise_of
from pfes.testing import example_model

TWO = Objectives([Objective("a", cost=3.0), Objective("b", cost=1.0)])
X = np.random.default_rng(5).uniform(size=(12, 3))
REFERENCE = np.array([-1.0, -1.0])
KINDS = Pool({"kind": ["one", "two", "three"]})  # three columns, as many as the model has


def information(model: Model, paths: list[Callable[[np.ndarray], np.ndarray]], frontiers: list, starts=X) -> Pfes:
    """PFES whose sampled paths are given functions."""
    return Pfes(
        model, TWO.options(decoupled=True), prepare(frontiers), lambda x: np.stack([path(x) for path in paths]),
        np.full(2, 0.05), starts,
    )  # fmt: skip


def made(completing: Callable[[np.ndarray], np.ndarray], weight: float = 0.5) -> Worth:
    model = example_model(2)
    learn = information(model, [lambda x: x[:, :2]], [np.array([[0.0, 0.5], [0.5, 0.0]])])
    hold = Ehvi(model, learn.options, np.array([[0.0, 0.1], [0.2, -0.3]]), REFERENCE, np.full(2, 1e-3), X[:2])

    def prices(x: np.ndarray) -> np.ndarray:
        return np.tile(completing(x)[:, None], 3)  # costs add up

    return Worth(learn, hold, stake=0.7, time=0.5, whole=2.0, completing=prices, weight=weight)


def test_the_parts_are_improvement_by_share_of_cost_and_stake_by_information() -> None:
    worth = made(lambda x: np.where(np.arange(len(x)) < 6, 4.0, 1.0))
    mean, std = worth.model.predict(X)
    improvement = expected_improvement(mean, std, worth.hold.fronts[0])
    now, later, nats = worth.parts(X)
    # a point that lacks both costs 4: a pays three quarters of it; one that lacks b only is completed by b
    np.testing.assert_allclose(now[:6], improvement[:6, None] * [0.75, 0.25, 1.0], rtol=1e-9)
    np.testing.assert_allclose(now[6:, 1], improvement[6:], rtol=1e-9)
    np.testing.assert_allclose(nats[:, :2], matched.decoupled(mean, std, worth.learn.frontiers, worth.delta), rtol=1e-9)
    np.testing.assert_allclose(later, 0.7 * (1.0 - np.exp(-nats)), rtol=1e-9, atol=1e-15)


def test_to_learn_is_the_geometric_mean_and_to_confirm_is_improvement_alone() -> None:
    worth = made(lambda x: np.full(len(x), 4.0))
    now, _, nats = worth.parts(X)
    np.testing.assert_allclose(worth.scores(X), (np.log(now) + np.log(nats)) / 2.0, rtol=1e-9)
    np.testing.assert_allclose(worth.confirming().scores(X), np.log(now), rtol=1e-9)


def test_at_least_is_what_two_deviations_below_the_mean_would_add() -> None:
    worth = made(lambda x: np.full(len(x), 4.0))
    poor = replace(worth, hold=replace(worth.hold, points=np.array([[-8.9, -8.9]]), reference=np.full(2, -9.0)))
    mean, std = worth.model.predict(X)
    boxes = np.prod(mean - 2.0 * std + 9.0, axis=1) - 0.1**2  # all of them are better than the one that is held
    np.testing.assert_allclose([poor.at_least(x) for x in X], boxes, rtol=1e-9)
    beaten = replace(worth, hold=replace(worth.hold, points=np.array([[50.0, 50.0]])))
    assert [beaten.at_least(x) for x in X] == [0.0] * len(X)
    nothing = replace(poor, hold=replace(poor.hold, points=np.empty((0, 2))))
    np.testing.assert_allclose([nothing.at_least(x) for x in X], boxes + 0.1**2, rtol=1e-9)


def test_doubt_widens_the_deviations() -> None:
    worth = made(lambda x: np.full(len(x), 4.0)).doubting(3.0)
    assert worth.weight == 1.0
    assert worth.doubt
    mean, std = worth.model.predict(X)
    np.testing.assert_allclose(
        worth.parts(X).now[:, 2], expected_improvement(mean, 3.0 * std, worth.hold.fronts[0]), rtol=1e-9
    )


def test_a_search_in_vain_widens_deviations_to_learn_and_to_confirm() -> None:
    worth = made(lambda x: np.full(len(x), 4.0))
    wary = replace(worth, hold=replace(worth.hold, caution=2.0))
    mean, std = worth.model.predict(X)
    wide = np.log(expected_improvement(mean, 2.0 * std, worth.hold.fronts[0]))
    np.testing.assert_allclose(wary.scores(X)[:, 2], (np.log(wary.parts(X).nats[:, 2]) + wide) / 2.0, rtol=1e-9)
    np.testing.assert_allclose(wary.confirming().scores(X)[:, 2], wide, rtol=1e-9)
    np.testing.assert_allclose(wary.parts(X).now[:, 2], np.exp(wide), rtol=1e-9)  # both are weighed alike
    np.testing.assert_array_equal(wary.parts(X).nats, worth.parts(X).nats)  # information stays as believed
    assert wary.given(X[0], [0, 1], np.random.default_rng(0)).hold.caution == 2.0
    assert not wary.confirming().doubt
    trusting = replace(wary, wary=False)  # as every other time: what is expected stays as believed
    np.testing.assert_array_equal(trusting.scores(X), wary.scores(X))
    np.testing.assert_array_equal(trusting.parts(X).now, worth.parts(X).now)
    np.testing.assert_array_equal(trusting.confirming().scores(X), worth.confirming().scores(X))


def test_who_asks_to_confirm_is_not_given_a_doubt() -> None:
    worth = made(lambda x: np.full(len(x), 4.0))
    wary = replace(worth, hold=replace(worth.hold, caution=2.0), wariness=1.0)
    np.testing.assert_array_equal(wary.trusting().scores(X), worth.confirming().scores(X))
    assert not wary.trusting().given(X[0], [0, 1], np.random.default_rng(0)).wary


def test_a_promise_says_when_the_model_is_not_trusted() -> None:
    worth = made(lambda x: np.full(len(x), 4.0))
    wary = replace(worth, hold=replace(worth.hold, caution=2.5))
    found = Found(X[0], -1, 2, 0.0, np.zeros(3), np.zeros(3), 12)
    errs = "of the front's hypervolume if the model errs 2.5 times as much as it thinks, since nothing better was found"
    assert errs in promise_of(wary.confirming(), found).words
    assert promise_of(wary.confirming(), found).purpose == "confirm"
    assert "at once if the model errs 2.5 times as much as it thinks" in promise_of(wary, found).words
    for trusting in (worth, worth.confirming(), wary.trusting()):
        assert "errs" not in promise_of(trusting, found).words
    assert "errs 4 times as much as it thinks; if not, little is left" in promise_of(wary.doubting(4.0), found).words


def test_members_of_a_batch_take_turns_in_trusting_the_model_but_not_in_doubt() -> None:
    worth = replace(made(lambda x: np.full(len(x), 4.0)), wariness=0.5)
    rng = np.random.default_rng(0)
    assert {worth.given(X[0], [0, 1], rng).wary for _ in range(20)} == {True, False}
    assert {replace(worth, wariness=0.0).given(X[0], [0, 1], rng).wary for _ in range(20)} == {False}
    assert {worth.doubting(2.0).given(X[0], [0, 1], rng).wary for _ in range(20)} == {True}


@pytest.mark.parametrize(
    ("stale", "caution", "heeded"), [(0.0, 1.0, 0.0), (2.0, 2.0, 1 / 2), (4.0, 3.0, 2 / 3), (100.0, 4.0, 3 / 4)]
)
def test_the_longer_in_vain_the_warier_a_search_among_categories_becomes(
    stale: float, caution: float, heeded: float
) -> None:
    some = situation(count=4).held
    worth = pfes(situation(domain=KINDS, stale=stale, held=some, observed=some))
    assert worth.hold.caution == caution
    had = quick_hypervolume(worth.hold.points, worth.hold.reference) / worth.whole
    assert had > 0.0
    assert worth.wariness == pytest.approx(heeded * min(had, 1.0))
    late = pfes(situation(domain=KINDS, stale=stale, held=some, observed=some, left=5.0))  # half a budget of ten
    assert late.wariness == pytest.approx(worth.wariness / 2.0)


def test_hopes_are_not_doubted_while_nothing_is_held_nor_among_numbers_nor_while_rows_are_half_measured() -> None:
    rows = situation(count=4).held
    assert pfes(situation(domain=KINDS, stale=6.0, held=rows[:0], observed=rows[:0])).wariness == 0.0
    half = situation(domain=KINDS, stale=6.0, held=rows[:3], observed=rows)
    for trusted in (half, situation(stale=6.0), pooled(stale=6.0, held=rows, observed=rows)):
        worth = pfes(trusted)
        assert worth.wariness == 0.0
        assert not worth.wary
        assert worth.hold.caution == 2.5  # where one learns
    assert pfes(situation(stale=100.0)).hold.caution == 8.0


def test_a_point_that_cannot_be_completed_adds_next_to_nothing_and_stays_finite() -> None:
    worth = made(lambda x: np.full(len(x), np.inf))
    assert np.isfinite(worth.scores(X)).all()
    assert (worth.parts(X).now < 1e-8).all()


def test_nothing_is_at_stake_where_all_paths_agree_with_the_recommendation() -> None:
    # the paths are the model's mean itself, their frontiers what it recommends
    model = example_model(2)
    mean = model.predict(X).mean
    learn = information(model, [lambda x: model.predict(x).mean] * 2, [mean, mean])
    stake, whole = at_stake(learn, REFERENCE, X[:0])
    assert stake == pytest.approx(0.0, abs=1e-12)
    assert whole > 0.0


def test_the_stake_is_what_each_paths_frontier_has_beyond_what_is_recommended_and_held() -> None:
    # every path is 0 wherever one looks; the first has a frontier of volume 4, the second one of 2, above (-1, -1)
    model = example_model(2)
    zero = [lambda x: np.zeros((len(x), 2))] * 2
    learn = information(model, zero, [np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])])
    stake, whole = at_stake(learn, REFERENCE, X[:1])
    assert whole == pytest.approx(3.0)
    assert stake == pytest.approx((4.0 - 1.0 + 2.0 - 1.0) / 2.0)


def test_thresholds_take_no_part_in_the_stake() -> None:
    model = example_model(2)
    virtual = [[0.5, np.inf], [np.inf, 0.5]]
    learn = information(model, [lambda x: np.zeros((len(x), 2))], [np.array([[1.0, 1.0], *virtual])])
    assert at_stake(learn, np.array([0.5, 0.5]), X[:1]) == pytest.approx((0.25, 0.25))
    learn = information(model, [lambda x: np.zeros((len(x), 2))], [np.array(virtual)])
    assert at_stake(learn, np.array([0.5, 0.5]), X[:1]) == (0.0, 0.0)


def test_a_pending_point_is_held_when_nothing_is_lacking_any_more() -> None:
    hold = made(lambda x: np.ones(len(x))).hold
    rng = np.random.default_rng(0)
    half = hold.given(X[0], [0], rng)
    assert len(half.points) == len(hold.points)
    assert len(half.given(X[0], [1], rng).points) == len(hold.points) + 1
    assert len(hold.given(X[0], [0, 1], rng).points) == len(hold.points) + 1


def test_options_are_those_that_information_is_weighed_for() -> None:
    assert made(lambda x: np.ones(len(x))).options == (Option((0,), 3.0), Option((1,), 1.0), Option((0, 1), 4.0))


def test_the_less_is_held_the_longer_untried_levels_wait() -> None:
    patience = {}
    for count in (1, 30):
        some = pooled().domain.x[:count]
        worth = pfes(pooled(held=some, observed=some))
        share = min(1.0, quick_hypervolume(worth.hold.points, worth.hold.reference) / worth.whole)
        patience[count] = 2.0 / share**2
        assert not worth.venture
        assert not pfes(pooled(held=some, observed=some, stale=0.99 * patience[count])).venture
        assert pfes(pooled(held=some, observed=some, stale=1.01 * patience[count])).venture
    assert patience[1] > patience[30] > 2.0


def test_untried_levels_do_not_come_first_when_nothing_is_held_or_a_user_confirms() -> None:
    some = situation(count=4).held
    assert pfes(situation(stale=1e6)).venture  # in a space, too
    assert not pfes(pooled(held=some, observed=some, stale=1e6)).trusting().venture
    assert not pfes(pooled(stale=1e6)).venture


def scouting(rest: float = 3.0) -> Worth:
    """In doubt twice; every option leaves objectives to be measured that cost `rest`, the bundle none."""
    worth = made(lambda x: np.full(len(x), 4.0)).scouting()
    left = np.array([rest, rest, 0.0])
    return replace(worth, completing=lambda x: np.tile(left + [option.cost for option in worth.options], (len(x), 1)))


def test_a_scout_weighs_first_objectives_by_the_best_rule_when_to_go_on_and_doubts_the_model() -> None:
    worth = scouting()
    assert (worth.hold.caution, worth.weight, worth.wary, worth.wariness) == (2.0, 1.0, True, 1.0)
    mean, std = worth.model.predict(X)
    front = worth.hold.fronts[0]
    now = worth.parts(X).now
    np.testing.assert_allclose(np.log(now), worth.scores(X), rtol=1e-9)
    np.testing.assert_allclose(now[:, 2], expected_improvement(mean, 2.0 * std, front), rtol=1e-9)  # nothing after it
    for k, option in enumerate(worth.options[:2]):
        seen = outcomes(mean, 2.0 * std, k, float(worth.hold.delta[k]))
        each = np.array([expected_improvement(means, seen.spread, front) for means in seen.mean])
        rules = []
        for least in [-np.inf, *np.unique(each)]:  # go on wherever there is as much to be gained
            go = (each >= least) * np.exp(seen.log_weight)[:, None]
            rules.append((go * each).sum(axis=0) / (option.cost + 3.0 * go.sum(axis=0)))
        np.testing.assert_allclose(now[:, k] / option.cost, np.nanmax(rules, axis=0), rtol=1e-6)
        share = option.cost / (option.cost + 3.0)
        assert (now[:, k] > share * now[:, 2] * (1.0 + 1e-3)).all()  # to stop is worth something


def test_a_scout_that_completes_a_point_is_the_doubt_it_always_was() -> None:
    np.testing.assert_array_equal(scouting(0.0).scores(X), made(lambda x: np.ones(len(x))).doubting(2.0).scores(X))


def test_a_scout_stays_one_in_a_batch_and_is_none_when_a_user_confirms() -> None:
    worth = scouting()
    after = worth.given(X[0], [0, 1], np.random.default_rng(0))
    assert after.staged
    assert after.wary
    assert not worth.trusting().staged
    assert not worth.trusting().wary


def test_categories_are_scouted_one_objective_at_a_time_while_little_is_held() -> None:
    rows = situation(count=4).held
    few = {"held": rows[:1], "observed": rows}
    wanted = {"thresholds": np.full(2, -3.0)}
    worth = pfes(situation(domain=KINDS, apart=True, **few, **wanted))
    assert worth.share < 0.9
    assert worth.staged
    assert pfes(situation(domain=KINDS, apart=True, stale=40.0, **few, **wanted)).hold.caution == 8.0  # long in vain
    together, numbers = situation(domain=KINDS, **few, **wanted), pooled(apart=True, **few, **wanted)
    open_, half = situation(domain=KINDS, apart=True, **few), {"thresholds": np.array([-3.0, -np.inf])}
    for other in (together, numbers, open_, situation(domain=KINDS, apart=True, **few, **half)):
        assert not pfes(other).staged
        assert pfes(other).weight == 0.5


def test_scouting_ends_when_nearly_all_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = situation(count=4).held

    def worth() -> Worth:
        low = np.full(2, -3.0)  # the same frontiers every time
        return pfes(situation(domain=KINDS, apart=True, held=rows, observed=rows, thresholds=low))

    share = worth().share
    monkeypatch.setattr("pfes.acquisition.worth.MOSTLY", share * 1.001)
    assert worth().staged
    monkeypatch.setattr("pfes.acquisition.worth.MOSTLY", share * 0.999)
    assert not worth().staged


def test_a_scout_says_that_the_rest_may_not_be_worth_measuring() -> None:
    worth = scouting()
    first, whole = (Found(X[0], -1, option, 0.0, np.zeros(3), np.zeros(3), 12) for option in (1, 2))
    assert promise_of(worth, first).purpose == "learn"
    words = "show whether the rest is worth measuring here (its share of what that may add: "
    assert promise_of(worth, first).words.startswith(words)
    assert promise_of(worth, whole).purpose == "confirm"
    held = "if the model errs 2 times as much as it thinks, since less than nine tenths of what may be there is held"
    assert held in promise_of(worth, whole).words
    vain = replace(worth, hold=replace(worth.hold, caution=3.0))
    assert "errs 3 times as much as it thinks, since nothing better was found for long" in promise_of(vain, whole).words


def test_what_the_nodes_miss_is_worth_its_share_at_least() -> None:
    worth = scouting()
    far = replace(worth, hold=replace(worth.hold, reference=np.full(2, 40.0), points=np.empty((0, 2))))
    share = np.log([option.cost / (option.cost + 3.0) for option in far.options[:2]])
    whole = far.scores(X)[:, [2]]
    assert np.isfinite(whole).all()
    assert (far.scores(X)[:, :2] >= whole + share - 1e-9).all()


def test_thresholds_beyond_all_hopes_are_no_reason_to_scout() -> None:
    rows = situation(count=4).held
    worth = pfes(situation(domain=KINDS, apart=True, held=rows[:1], observed=rows, thresholds=np.full(2, 50.0)))
    assert worth.whole == 0.0
    assert not worth.staged
