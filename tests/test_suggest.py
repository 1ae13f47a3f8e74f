"""From observations to a suggestion: what a suggestion promises, on spaces and pools."""

import itertools
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from pfes.belief import believe
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, linalg
from pfes.maximise import MaximiserSettings
from pfes.objectives import Bundle, Objective, Objectives
from pfes.observations import NO_ROW, Data, Observations, State, condensed
from pfes.recommend import recommend, recommended
from pfes.search import SearchSettings
from pfes.space import Choice, Integer, Pool, Real, Space
from pfes.suggest import Request, suggest
from pfes.task import Settings, Task

QUICK = Settings(
    frontiers=FrontierSettings(count=4, search=SearchSettings(population=24, generations=12)),
    maximiser=MaximiserSettings(scan=128, starts=4, iterations=10),
)
TWO = Objectives([Objective("up", cost=4.0), Objective("down", "min", cost=1.0)])
SQUARE = Space(x=Real(0, 1), y=Real(0, 1))
MIXED = Space(x=Real(0, 1), t=Integer(0, 9), kind=Choice(["a", "b", "c"]))
POOL = Pool(np.random.default_rng(0).uniform(size=(60, 2)))


def truth(x: np.ndarray) -> np.ndarray:
    """Two objectives of encoded points (N, D), in the user's direction: up is maximised, down minimised."""
    return np.column_stack([-np.sum((x - 0.2) ** 2, axis=1), np.sum((x - 0.8) ** 2, axis=1)])


def told(domain: Space | Pool, count: int, objectives: tuple[int, ...] = (0, 1), seed: int = 1) -> Observations:
    rng = np.random.default_rng(seed)
    rows = domain.random(count, rng) if isinstance(domain, Pool) else np.full(count, NO_ROW)
    x = domain.x[rows] if isinstance(domain, Pool) else domain.sobol(count, rng)
    known = Observations.none(domain.width)
    for point, row in zip(x, rows, strict=True):
        known = known.with_pending(point, objectives, int(row))
    values = np.column_stack([truth(known.x), known.x[:, 0]])[np.arange(len(known)), known.objective]
    return replace(known, state=np.full(len(known), State.MEASURED), value=values)


def first(task: Task, known: Observations, **request: Any):
    return suggest(task, known, task.generator(0), Request(**request)).items[0]


@pytest.mark.parametrize("domain", [SQUARE, MIXED, POOL], ids=["continuous", "mixed", "pool"])
@pytest.mark.parametrize("decoupled", [False, True])
def test_a_suggestion_names_a_new_point_its_cost_and_its_reason(domain: Space | Pool, decoupled: bool) -> None:
    known = told(domain, 8)
    item = first(Task(domain, TWO, QUICK), known, decoupled=decoupled)
    assert np.isfinite(item.gain)
    assert item.cost == TWO.cost(item.which)
    assert "nats about the Pareto frontier" in item.reason
    assert ("rows" if isinstance(domain, Pool) else "points") in item.reason
    assert "per unit of cost" in item.reason
    if isinstance(domain, Pool):
        assert item.row not in known.row
    else:
        assert domain.admissible(item.x[None])[0]
        assert not (np.abs(known.x - item.x).max(axis=1) < 1e-9).any()


def test_gain_is_what_the_acquisition_promises_per_cost_and_compared_with_all_options() -> None:
    item = first(Task(POOL, TWO, QUICK), told(POOL, 8), decoupled=True)
    others = {"up", "down", "up and down"} - {" and ".join(TWO.named(item.which))}
    assert all(f"{name} " in item.reason for name in others)
    assert f"{item.gain:.3g} nats" in item.reason
    assert f"{item.gain / item.cost:.3g} per unit of cost" in item.reason


def test_first_points_come_from_a_design_until_every_objective_has_five_values() -> None:
    task = Task(SQUARE, TWO, QUICK)
    assert np.isnan(first(task, told(SQUARE, 4)).gain)
    assert "up has 4 values" in first(task, told(SQUARE, 4)).reason
    assert np.isfinite(first(task, told(SQUARE, 5)).gain)


def test_a_decoupled_start_measures_only_what_is_lacking_and_completes_points() -> None:
    known = told(POOL, 6, (0,))
    item = first(Task(POOL, TWO, QUICK), known, decoupled=True)
    assert item.which == (1,)
    assert item.row in known.row


def test_where_the_lacking_objective_cannot_be_had_any_more_the_others_still_can() -> None:
    pool = Pool(np.random.default_rng(3).uniform(size=(7, 2)))
    known = told(pool, 6)
    lost = (known.objective == 1) & (np.arange(len(known)) > 3)
    known = replace(known, state=np.where(lost, State.FAILED, known.state), value=np.where(lost, np.nan, known.value))
    task = Task(pool, TWO, QUICK)
    items = suggest(task, known, task.generator(0), Request(decoupled=True), count=2).items
    assert sorted(item.which for item in items) == [(0,), (1,)]  # one row is left, for both


@pytest.mark.parametrize("method", ["sobol", "random", "ehvi"])
def test_other_methods_are_chosen_by_name(method: str) -> None:
    item = first(Task(SQUARE, TWO, replace(QUICK, method=method)), told(SQUARE, 8))
    assert np.isfinite(item.gain) == (method == "ehvi")
    assert item.which == (0, 1)


def test_a_method_that_cannot_name_single_objectives_says_so() -> None:
    with pytest.raises(InvalidInput, match="'ehvi' cannot name single objectives; try method='pfes'"):
        first(Task(SQUARE, TWO, replace(QUICK, method="ehvi")), told(SQUARE, 8), decoupled=True)


def test_a_cheaper_objective_is_preferred_when_it_tells_as_much() -> None:
    # up and down are equally hard to learn; one of them costs a hundredth
    objectives = Objectives([Objective("up", cost=100.0), Objective("down", "min", cost=1.0)])
    items = [first(Task(SQUARE, objectives, QUICK, seed), told(SQUARE, 8), decoupled=True) for seed in range(3)]
    assert {item.which for item in items} == {(1,)}


def test_a_cheap_bundle_is_taken_whole() -> None:
    objectives = Objectives(
        [Objective("up", cost=5.0), Objective("down", "min", cost=5.0)], [Bundle(["up", "down"], 5.01)]
    )
    assert first(Task(SQUARE, objectives, QUICK), told(SQUARE, 8), decoupled=True).which == (0, 1)


@pytest.mark.parametrize("method", ["pfes", "ehvi"])
def test_a_batch_has_distinct_points_and_heeds_what_is_pending(method: str) -> None:
    known = told(SQUARE, 8)
    task = Task(SQUARE, TWO, replace(QUICK, method=method))
    items = suggest(task, known, task.generator(0), count=4).items
    x = np.array([item.x for item in items])
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) + np.eye(4)
    assert apart.min() > 0.01
    # the same point, asked for again while the first is pending
    again = first(task, known.with_pending(items[0].x, items[0].which))
    assert np.linalg.norm(again.x - items[0].x) > 0.01


@pytest.mark.parametrize("decoupled", [False, True])
def test_confirming_completes_half_measured_rows_that_look_good(decoupled: bool) -> None:
    # everything is known of up; where down is known, too, the front is poor
    every = Observations.none(2)
    for row in range(len(POOL)):
        every = every.with_pending(POOL.x[row], (0, 1), row)
    every = replace(
        every, state=np.full(len(every), State.MEASURED), value=truth(every.x)[np.arange(len(every)), every.objective]
    )
    far = np.argsort(-np.abs(POOL.x - 0.5).sum(axis=1))[:10]
    known = every[(every.objective == 0) | np.isin(every.row, far)]
    item = first(Task(POOL, TWO, QUICK), known, decoupled=decoupled, confirm=True)
    assert item.purpose == "confirm"
    assert item.which == (1,)
    assert item.reason.startswith("To confirm: measuring down here")
    held = truth(POOL.x[far]) * [1.0, -1.0]
    gained = truth(item.x[None])[0] * [1.0, -1.0]
    assert not (held >= gained).all(axis=1).any()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("costs", "leading"), [((20.0, 1.0), {"up"}), ((1.0, 20.0), {"down"}), ((1.0, 1.0), {"up", "down"})]
)
def test_confirming_new_rows_begins_with_the_dearest_however_they_are_listed(
    order: tuple[int, int], costs: tuple[float, float], leading: set[str]
) -> None:
    # improvement per cost is that of the whole row, whichever objective comes first
    goals = [Objective("up", cost=costs[0]), Objective("down", "min", cost=costs[1])]
    objectives = Objectives([goals[number] for number in order])
    items = []
    for seed in range(8):
        known = told(POOL, 8, seed=seed)
        known = replace(known, objective=np.argsort(order)[known.objective])
        items.append(first(Task(POOL, objectives, QUICK, seed), known, decoupled=True, limit=sum(costs)))
    confirmed = [objectives.named(item.which) for item in items if item.purpose == "confirm"]
    assert len(confirmed) > 2
    # of equally dear ones that which tells most, now this and now that
    assert set(confirmed) == {(name,) for name in leading}


@pytest.mark.parametrize("price", [1.5, 1.0])
@pytest.mark.parametrize("limit", [1.0, 4.0])
def test_confirming_takes_a_bundle_that_is_cheaper_than_its_members(price: float, limit: float) -> None:
    both = [Objective("up", cost=1.0), Objective("down", "min", cost=1.0)]
    task = Task(POOL, Objectives(both, [Bundle(["up", "down"], price)]), QUICK)
    items = [
        first(replace(task, seed=seed), told(POOL, 8, seed=seed), decoupled=True, limit=limit * price)
        for seed in range(8)
    ]
    confirmed = [item.which for item in items if item.purpose == "confirm"]
    assert confirmed == [(0, 1)] * len(confirmed)
    assert len(confirmed) > 2


def test_confirming_weighs_whatever_half_measured_points_lack() -> None:
    # two of three objectives together are more than the paper's estimator can weigh
    three = Objectives([Objective("up"), Objective("down", "min"), Objective("also")])
    known = told(SQUARE, 8, (0, 1, 2))
    known = known[(known.objective == 0) | (np.arange(len(known)) < 15)]  # three points lack two objectives
    paper = replace(QUICK, estimator="exact", initial=3)
    assert first(Task(SQUARE, three, paper), known, confirm=True).purpose == "confirm"


def test_staleness_is_what_was_spent_since_the_front_grew() -> None:
    task = Task(SQUARE, TWO, QUICK)

    def after(values: list[tuple[float, float]]) -> float:
        known = Observations.none(2)
        for number, _ in enumerate(values):
            known = known.with_pending(np.array([0.1 * number, 0.5]), (0, 1))
        told = np.array(values).ravel() * np.tile([1.0, -1.0], len(values))
        known = replace(known, state=np.full(len(known), State.MEASURED), value=told)
        return believe(task, known, np.random.default_rng(0)).stale

    front = [(0.0, 0.0), (1.0, 1.0), (3.0, 3.0)]
    assert after(front) == 0.0
    assert after([*front, (2.0, 2.0), (1.0, 2.0)]) == 2.0
    assert after([*front, (2.0, 2.0), (2.0, 6.0)]) == 0.0
    assert believe(task, Observations.none(2), np.random.default_rng(0)).stale == 0.0
    half = told(SQUARE, 6, (0,))
    assert believe(task, half, np.random.default_rng(0)).stale == 0.0


def test_the_last_measurement_confirms_and_pure_information_never_does() -> None:
    known, whole = told(SQUARE, 8), TWO.cost((0, 1))
    for seed in range(3):
        task = Task(SQUARE, TWO, QUICK, seed)
        assert first(task, known, limit=whole).purpose == "confirm"
        learning = replace(task, settings=replace(QUICK, method="information"))
        assert first(learning, known, limit=whole).purpose == "learn"


def test_what_pays_for_single_objectives_only_is_spent_on_learning() -> None:
    item = first(Task(SQUARE, TWO, QUICK), told(SQUARE, 8), decoupled=True, limit=1.0)
    assert (item.purpose, item.which) == ("learn", (1,))


def test_a_search_that_believes_it_has_everything_doubts_and_does_not_repeat_itself() -> None:
    # nothing varies, so nothing is expected of the rows that are left
    flat = Objectives([Objective("up"), Objective("down", "min")])
    pool = Pool({"x": np.r_[np.linspace(0.0, 0.4, 12), 0.9, 1.0]})
    known = Observations.none(pool.width)
    for row in range(12):
        known = known.with_pending(pool.x[row], (0, 1), row)
    known = replace(known, state=np.full(len(known), State.MEASURED), value=np.where(known.objective == 0, 1.0, -1.0))
    result = suggest(Task(pool, flat, QUICK), known, np.random.default_rng(0), count=3)
    assert sorted(item.row for item in result.items) == [12, 13]
    assert {item.purpose for item in result.items} <= {"doubt", "learn", "confirm"}


KINDS = ["a", "b", "c", "d", "e", "f"]
LEVELS = Pool({"kind": np.repeat(KINDS, 8).tolist(), "x": np.tile(np.linspace(0.0, 1.0, 8), 6)})
ROOMS = Space(kind=Choice(KINDS), x=Real(0, 1))


def in_vain(domain: Space | Pool) -> Observations:
    """The best came first, of kind a; then others of a and b in vain. Of c only the cheap objective is known."""
    known = Observations.none(domain.width)
    pairs = [("a", 3), ("a", 0), ("a", 1), ("b", 2), ("b", 3), ("b", 4), ("a", 7), ("c", 3)]
    for number, (kind, step) in enumerate(pairs):
        params = {"kind": kind, "x": step / 7}
        x = domain.encode([params])[0]
        row = KINDS.index(kind) * 8 + step if isinstance(domain, Pool) else NO_ROW
        known = known.with_pending(x, (1,) if kind == "c" else (0, 1), row)
        known.value[known.state == State.PENDING] = 10.0 - number
        known.state[known.state == State.PENDING] = State.MEASURED
    good = np.where(known.objective == 0, known.value, -known.value)  # worse and worse in both
    return replace(known, value=good)


def kind_of(domain: Space | Pool, item: Any) -> str:
    return str((domain.params(item.row) if isinstance(domain, Pool) else domain.decode(item.x[None])[0])["kind"])


@pytest.mark.parametrize("domain", [LEVELS, ROOMS], ids=["pool", "space"])
@pytest.mark.parametrize("decoupled", [False, True])
def test_when_nothing_better_is_found_untried_levels_come_first(domain: Space | Pool, decoupled: bool) -> None:
    known, task = in_vain(domain), Task(domain, TWO, QUICK)
    assert believe(task, known, np.random.default_rng(0)).stale > 2.0
    items = suggest(task, known, task.generator(0), Request(decoupled=decoupled), count=4).items
    for item in items:
        kind = kind_of(domain, item)
        assert kind in "cdef"
        assert kind != "c" or 0 in item.which  # its cheap objective was tried
        assert f"so this comes first: kind = {kind}, not tried for " in item.reason
    tried: set[tuple[str, int]] = set()
    for item in items:  # every member of a batch tries what those before it did not
        new = {(kind_of(domain, item), l) for l in item.which}
        assert not new <= tried
        tried |= new


@pytest.mark.parametrize("domain", [LEVELS, ROOMS], ids=["pool", "space"])
def test_a_level_that_showed_itself_best_is_held_before_others_are_tried(
    domain: Space | Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    goals = Objectives([Objective("up", cost=4.0, threshold=-30.0), Objective("down", "min", cost=1.0, threshold=30.0)])
    known, task = in_vain(domain), Task(domain, goals, QUICK)
    # the cheap objective was tried everywhere; the dear one of d is better than all before, and lacks the cheap one
    for kind, step in [*itertools.product("cdef", (0, 7)), ("d", 3)]:
        row = KINDS.index(kind) * 8 + step if isinstance(domain, Pool) else NO_ROW
        known = known.with_pending(domain.encode([{"kind": kind, "x": step / 7}])[0], (0,) if step == 3 else (1,), row)
    new = known.state == State.PENDING
    known.value[new], known.state[new] = np.where(known.objective[new] == 0, 15.0, -5.0), State.MEASURED
    item = first(task, known, decoupled=True)
    assert item.which == (1,)
    np.testing.assert_array_equal(item.x, known.x[-1])
    assert "this comes first" not in item.reason
    monkeypatch.setattr("pfes.acquisition.worth.SURE", 1e3)  # were it not as good as sure
    assert "this comes first" in first(task, known, decoupled=True).reason


@pytest.mark.parametrize("model", ["independent", "latent"])
@pytest.mark.parametrize("domain", [LEVELS, ROOMS], ids=["pool", "space"])
def test_a_fit_may_begin_from_one_with_other_length_scales(domain: Space | Pool, model: str) -> None:
    known, hypers = in_vain(domain), None
    for levels in ("one", "each", "auto", "one"):
        recipe = replace(QUICK.recipe, levels=levels)
        task = Task(domain, TWO, replace(QUICK, recipe=recipe, model=model))
        found = suggest(task, known, task.generator(1), Request(decoupled=True), hypers=hypers)
        hypers = found.hypers
        assert len(found.items) == 1
        assert np.isfinite(found.items[0].gain)
        if model == "independent" and levels != "auto":
            assert [len(hyper.scales) for hyper in hypers] == [2 if levels == "one" else domain.width] * 2


WANTED = Objectives([Objective("up", cost=4.0, threshold=-1.0), Objective("down", "min", cost=1.0, threshold=6.0)])


def growing(rows: int) -> Observations:
    """Random rows of LEVELS: the dear objective grows with the kind and with x, the cheap one falls."""
    known = Observations.none(LEVELS.width)
    for row in np.random.default_rng(0).permutation(len(LEVELS))[:rows].tolist():
        known = known.with_pending(LEVELS.x[row], (0, 1), row)
        kind, x = KINDS.index(str(LEVELS.params(row)["kind"])), float(LEVELS.params(row)["x"])
        new = known.state == State.PENDING
        known.value[new], known.state[new] = (kind * x, 5.0 - kind - x), State.MEASURED
    return known


def test_categories_are_scouted_one_objective_at_a_time_until_most_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    known, task = growing(6), Task(LEVELS, WANTED, QUICK)
    rest = "is expected to show whether the rest is worth measuring here (its share of what that may add: "
    items = suggest(task, known, task.generator(0), Request(decoupled=True), count=3).items
    for item in items:  # every member of a batch
        assert item.which == (1,)  # the cheap one first
        assert (item.purpose, item.gain > 0.0) == ("learn", True)
        assert f"To learn: measuring down here {rest}" in item.reason
        assert "of the front's hypervolume if the model errs 2 times as much as it thinks" in item.reason
    assert rest not in first(task, known).reason  # all together
    assert rest not in first(task, known, confirm=True, decoupled=True).reason
    assert rest not in first(Task(POOL, WANTED, QUICK), told(POOL, 6), decoupled=True).reason  # numbers
    assert rest not in first(Task(LEVELS, TWO, QUICK), known, decoupled=True).reason  # most of what? no thresholds
    monkeypatch.setattr("pfes.acquisition.worth.MOSTLY", 0.0)
    assert rest not in first(task, known, decoupled=True).reason


@pytest.mark.parametrize("limit", [np.inf, 5.0, 4.0, 1.0])
def test_scouting_respects_what_is_left(limit: float) -> None:
    task = Task(LEVELS, WANTED, QUICK)
    items = suggest(task, growing(8), task.generator(1), Request(decoupled=True, limit=limit), count=2).items
    assert items
    assert sum(item.cost for item in items) <= limit
    assert all(np.isfinite(item.gain) for item in items)


def test_objectives_believed_together_are_not_scouted() -> None:
    task = Task(LEVELS, WANTED, replace(QUICK, model="latent"))
    assert "whether the rest" not in first(task, growing(6), decoupled=True).reason


def test_a_single_objective_is_no_more_scouted_one_at_a_time_than_together() -> None:
    known = growing(6)
    one = replace(known, **{name: getattr(known, name)[known.objective == 0] for name in vars(known)})
    task = Task(LEVELS, Objectives([WANTED[0]]), QUICK)
    apart, together = (first(task, one, decoupled=decoupled) for decoupled in (True, False))
    np.testing.assert_array_equal(apart.x, together.x)
    assert apart.reason == together.reason


def test_untried_levels_wait_while_the_front_grows_or_the_budget_ends_or_the_user_confirms() -> None:
    known, task = in_vain(LEVELS), Task(LEVELS, TWO, QUICK)
    words = "this comes first"
    assert words not in first(task, known, confirm=True).reason
    assert words not in first(task, known, limit=4.9 * TWO.cost((0, 1))).reason
    assert words in first(task, known, limit=6.0 * TWO.cost((0, 1))).reason
    learning = replace(task, settings=replace(QUICK, method="information"))
    assert words not in first(learning, known).reason
    growing = replace(known, value=-known.value)  # the latest is the best
    assert words not in first(task, growing).reason


def test_what_was_tried_before_most_was_held_is_tried_again_in_better_company(monkeypatch: pytest.MonkeyPatch) -> None:
    known, task = in_vain(LEVELS), Task(LEVELS, TWO, QUICK)
    poor = Observations.none(LEVELS.width)
    for row in (24, 32, 40, 17):  # of d, e, f and c, before anything good was found
        poor = poor.with_pending(LEVELS.x[row], (0, 1), row)
    poor.value[:], poor.state[:] = np.where(poor.objective == 0, -20.0, 20.0), State.MEASURED
    both = Observations(*(np.concatenate([getattr(it, f.name) for it in (poor, known)]) for f in fields(poor)))
    belief = believe(task, both, np.random.default_rng(0))
    assert belief.early == len(poor) + 2  # the first good point has two values
    kinds = set()
    for seed in range(8):  # every other time, if it was long in vain: here after 6 measurements, 10 are wanted
        assert kind_of(LEVELS, first(replace(task, seed=seed), both)) in "ab"
        monkeypatch.setattr("pfes.suggest.AGAIN", 2.0)
        kinds.add(kind_of(LEVELS, first(replace(task, seed=seed), both)))
        monkeypatch.undo()
    assert kinds & set("cdef")
    assert kinds & set("ab")
    assert believe(task, Observations.none(LEVELS.width), np.random.default_rng(0)).early == 0


def test_untried_levels_that_promise_nothing_are_passed_over() -> None:
    # the cheap objective of d, e and f is known and beyond its threshold: whatever the other is, nothing is gained
    goals = Objectives([Objective("up", cost=4.0, threshold=0.0), Objective("down", "min", cost=1.0, threshold=5.0)])
    known = in_vain(LEVELS)
    for row in range(24, 48):
        known = known.with_pending(LEVELS.x[row], (1,), row)
    dear = known.state == State.PENDING
    known.value[dear], known.state[dear] = 60.0, State.MEASURED
    task = Task(LEVELS, goals, QUICK)
    for decoupled in (False, True):
        for item in suggest(task, known, task.generator(0), Request(decoupled=decoupled), count=3).items:
            assert kind_of(LEVELS, item) in "abc"


def test_a_batch_leaves_enough_of_the_budget_to_make_use_of_a_better_level() -> None:
    known, task = in_vain(LEVELS), Task(LEVELS, TWO, QUICK)
    limit = 6.5 * TWO.cost((0, 1))
    items = suggest(task, known, task.generator(0), Request(limit=limit), count=4).items
    assert [("this comes first" in item.reason) for item in items] == [True, True, False, False]


def test_a_fixed_category_has_no_other_level_to_be_tried() -> None:
    task = Task(ROOMS, TWO, QUICK)
    item = first(task, in_vain(ROOMS), fixed={"kind": "a"})
    assert kind_of(ROOMS, item) == "a"
    assert "this comes first" not in item.reason


def test_when_every_level_was_tried_the_search_goes_on_as_before() -> None:
    known, task = in_vain(LEVELS), Task(LEVELS, TWO, QUICK)
    for row in (24, 32, 40):
        known = known.with_pending(LEVELS.x[row], (0, 1), row)
    known = known.with_pending(LEVELS.x[17], (0,), 17)
    assert "comes first" not in first(task, known).reason


def test_where_nothing_can_be_learned_the_least_known_points_are_suggested_each_once() -> None:
    hopeless = Objectives([Objective("up", threshold=1e6), Objective("down", "min", threshold=-1e6)])
    task = Task(SQUARE, hopeless, QUICK)
    items = suggest(task, told(SQUARE, 8), task.generator(0), count=3).items
    x = np.array([item.x for item in items])
    assert (np.linalg.norm(x[:, None] - x[None], axis=2) + np.eye(3)).min() > 0.05
    assert [item.gain for item in items] == [0.0, 0.0, 0.0]
    assert "none being expected about the frontier" in items[0].reason


def test_near_what_failed_nothing_is_tried_again() -> None:
    task, known = Task(SQUARE, TWO, QUICK), told(SQUARE, 8)
    for _ in range(3):
        item = first(task, known)
        failed = known.state == State.FAILED
        assert not len(known.x[failed]) or np.linalg.norm(known.x[failed] - item.x, axis=1).min() > 0.02
        known = known.with_pending(item.x, item.which)
        known = replace(known, state=np.where(known.state == State.PENDING, State.FAILED, known.state))


def test_noise_known_row_by_row_counts_like_noise_known_of_the_objective() -> None:
    known = told(SQUARE, 10)
    by_row = replace(known, noise=np.full(len(known), 0.3))
    of_all = Objectives([Objective("up", noise=0.3), Objective("down", "min", noise=0.3)])
    plain = believe(Task(SQUARE, TWO, QUICK), by_row, np.random.default_rng(0))
    other = believe(Task(SQUARE, of_all, QUICK), known, np.random.default_rng(0))
    np.testing.assert_allclose(plain.noise, other.noise)


def test_an_estimator_of_single_objectives_cannot_be_asked_for_all() -> None:
    with pytest.raises(InvalidInput, match="weighs single objectives only"):
        first(Task(SQUARE, TWO, replace(QUICK, estimator="noisy")), told(SQUARE, 8))
    item = first(Task(POOL, TWO, replace(QUICK, estimator="noisy")), told(POOL, 8), decoupled=True)
    assert len(item.which) == 1


def test_points_that_lack_what_an_estimator_cannot_weigh_are_completed_at_last() -> None:
    three = Objectives([*TWO, Objective("third")])
    few = Pool(np.random.default_rng(3).uniform(size=(8, 2)))
    known = told(few, 8, (0, 1, 2))
    known = known[(known.row != 5) | (known.objective == 0)]  # row 5 lacks two of three: neither one nor all
    item = first(Task(few, three, replace(QUICK, estimator="exact")), known)
    assert (item.row, item.which) == (5, (1, 2))


def test_a_design_goes_on_when_what_is_lacking_is_used_up() -> None:
    one = Pool([[0.5, 0.5]])
    known = told(one, 1, (0,))
    task = Task(one, TWO, replace(QUICK, method="random", initial=1))
    found = suggest(task, known, task.generator(0), Request(decoupled=True, replicates=True), count=2)
    assert [item.which for item in found.items] == [(1,), (0,)]


def test_a_model_can_be_asked_before_anything_is_measured() -> None:
    for method in ("pfes", "ehvi"):
        task = Task(SQUARE, TWO, replace(QUICK, initial=0, method=method))
        assert np.isfinite(first(task, Observations.none(2)).gain)


def test_hyper_parameters_given_must_be_one_set_per_objective() -> None:
    with pytest.raises(InvalidInput, match="got 0 sets of hyper-parameters, wanted one for each of 2"):
        Task(SQUARE, TWO, replace(QUICK, hypers=()))


@pytest.mark.parametrize("count", [3, 5])
def test_length_scales_given_are_one_per_parameter_or_one_per_column(count: int) -> None:
    hypers = (Hyper("rbf", np.ones(count), 1.0, 1e-4, 0.0),) * 2
    task = Task(MIXED, TWO, replace(QUICK, hypers=hypers))
    assert np.isfinite(first(task, told(MIXED, 6)).gain)


@pytest.mark.parametrize("count", [0, 2, 4, 6])
def test_another_number_of_length_scales_is_refused(count: int) -> None:
    good, bad = (Hyper("rbf", np.ones(number), 1.0, 1e-4, 0.0) for number in (3, count))
    with pytest.raises(InvalidInput, match=f"got {count} length scales, wanted 3, one per parameter or 5, one per enc"):
        Task(MIXED, TWO, replace(QUICK, hypers=(good, bad)))


def test_a_pool_ends_with_a_reason_and_every_row_once() -> None:
    pool = Pool(np.random.default_rng(3).uniform(size=(12, 2)))
    task = Task(pool, TWO, QUICK)
    known = told(pool, 6)
    result = suggest(task, known, task.generator(0), count=20)
    assert sorted([*known.row[::2], *(item.row for item in result.items)]) == list(range(12))
    assert "every row of the pool" in result.ended


def test_partly_measured_rows_are_completed_for_the_missing_objective_only() -> None:
    pool = Pool(np.random.default_rng(3).uniform(size=(8, 2)))
    known = told(pool, 8)
    missing = known[~((known.objective == 0) & (known.row >= 6))]
    task = Task(pool, TWO, QUICK)
    items = suggest(task, missing, task.generator(0), count=5).items
    assert sorted((item.row, item.which, item.cost) for item in items) == [(6, (0,), 4.0), (7, (0,), 4.0)]


def test_fixed_parameters_are_kept() -> None:
    item = first(Task(MIXED, TWO, QUICK), told(MIXED, 8), fixed={"kind": "b", "t": 3})
    assert {"t": 3, "kind": "b"}.items() <= MIXED.decode(item.x[None])[0].items()
    pool = Pool({"x": [0.1, 0.2, 0.3, 0.4] * 4, "kind": ["a", "b"] * 8})
    known = told(pool, 6)
    row = first(Task(pool, TWO, QUICK), known, fixed={"kind": "b"}).row
    assert pool.params(row)["kind"] == "b"


def test_replicates_are_suggested_only_when_asked_for() -> None:
    pool = Pool({"x": [0.0, 0.3, 0.5, 0.7, 1.0]})
    known = told(pool, 5)
    task = Task(pool, Objectives([Objective("up", noise=0.3), Objective("down", "min", noise=0.3)]), QUICK)
    assert suggest(task, known, task.generator(0)).items == ()
    assert first(task, known, replicates=True).row in range(5)


def test_infeasible_regions_are_avoided() -> None:
    known = told(SQUARE, 30)
    bad = known.x[:, 0] > 0.5
    state = np.where(bad, State.INFEASIBLE, State.MEASURED)
    known = replace(known, state=state, value=np.where(bad, np.nan, known.value))
    items = [first(Task(SQUARE, TWO, QUICK, seed), known) for seed in range(3)]
    assert max(item.x[0] for item in items) < 0.7


def test_a_pool_of_infeasible_rows_comes_to_a_normal_end() -> None:
    pool = Pool({"x": [0.0, 0.5, 1.0]})
    known = replace(told(pool, 3), state=np.full(6, State.INFEASIBLE), value=np.full(6, np.nan))
    result = suggest(Task(pool, TWO, QUICK), known, np.random.default_rng(0))
    assert (result.items, result.ended[:21]) == ((), "every row of the pool")


def test_failed_points_are_not_repeated() -> None:
    pool = Pool(np.random.default_rng(3).uniform(size=(8, 2)))
    known = told(pool, 7)
    rest = next(iter(set(range(8)) - set(known.row)))
    failed = known.with_pending(pool.x[rest], (0, 1), rest)
    failed = replace(failed, state=np.where(failed.row == rest, State.FAILED, failed.state))
    assert suggest(Task(pool, TWO, QUICK), failed, np.random.default_rng(0)).items == ()


def test_thresholds_draw_the_search_into_the_wanted_box() -> None:
    free = Task(SQUARE, Objectives([Objective("up"), Objective("down", "min")]), QUICK)
    # only points close to (0.2, 0.2) have up > -0.02
    tight = Task(SQUARE, Objectives([Objective("up", threshold=-0.02), Objective("down", "min")]), QUICK)
    known = told(SQUARE, 12)

    def distance(task: Task) -> float:
        return float(np.mean([np.linalg.norm(first(replace(task, seed=s), known).x - 0.2) for s in range(3)]))

    assert distance(tight) < min(0.35, distance(free))


def test_a_timeout_gives_the_best_so_far() -> None:
    item = first(Task(SQUARE, TWO, QUICK), told(SQUARE, 8), timeout=0.0)
    assert np.isfinite(item.gain)


def test_a_limit_is_never_exceeded_and_what_it_pays_for_is_found() -> None:
    task, known = Task(POOL, TWO, QUICK), told(POOL, 8)
    result = suggest(task, known, task.generator(0), Request(decoupled=True, limit=6.0), count=9)
    assert sum(item.cost for item in result.items) <= 6.0
    assert sum(item.cost for item in result.items) > 5.0  # down costs 1: there is always one more until all is spent
    assert "the budget is spent" in result.ended
    early = suggest(task, told(POOL, 2), task.generator(0), Request(decoupled=True, limit=1.5), count=2)
    assert [item.which for item in early.items] == [(1,)]
    assert suggest(task, known, task.generator(0), Request(limit=3.0)).items == ()


def test_the_papers_recipe_runs() -> None:
    paper = Settings.paper()
    quick = replace(paper, maximiser=replace(paper.maximiser, scan=64), frontiers=replace(paper.frontiers, count=2))
    item = first(Task(SQUARE, TWO, quick), told(SQUARE, 8))
    assert np.isfinite(item.gain)


def test_hyper_parameters_can_be_fitted_once_or_given() -> None:
    known, more = told(SQUARE, 8), told(SQUARE, 12)
    once = Task(SQUARE, TWO, replace(QUICK, refit="once"))
    hypers = suggest(once, known, once.generator(0)).hypers
    assert suggest(once, more, once.generator(1), hypers=hypers).hypers is hypers
    given = replace(once, settings=replace(QUICK, hypers=hypers))
    assert suggest(given, more, once.generator(1)).hypers is hypers


def test_predictions_are_in_the_users_units_and_interpolate() -> None:
    known = told(SQUARE, 25)
    belief = believe(Task(SQUARE, TWO, QUICK), known, np.random.default_rng(0))
    x = known.x[::2]
    mean, std = belief.predict(x)
    np.testing.assert_allclose(mean, truth(x), atol=0.02)
    assert (std < 0.05).all()


def test_what_is_held_has_the_levels_that_were_measured_and_replicates_their_average() -> None:
    known = told(SQUARE, 8)
    again = known[known.objective == 1]
    again = again.scaled(again.value + np.where(np.arange(8) == 3, 0.2, 0.0), again.noise)
    both = Observations(*(np.concatenate([getattr(known, name), getattr(again, name)]) for name in vars(known)))
    belief = believe(Task(SQUARE, TWO, QUICK), both, np.random.default_rng(0))
    assert belief.measured.shape == (8, 2)
    for x, levels in zip(belief.held, belief.measured, strict=True):
        here = (known.x == x).all(axis=1)
        values = known.value[here] + [0.0, 0.1 * (x == again.x[3]).all()]
        want = [float(scaling.forward(value)) for scaling, value in zip(belief.scalings, values, strict=True)]
        np.testing.assert_allclose(levels, want, atol=1e-9)


def test_too_many_points_are_condensed_to_the_best_and_an_even_choice_of_the_rest() -> None:
    y = np.random.default_rng(0).permutation(1000).astype(float)
    data = Data(np.arange(1000.0)[:, None], y, np.ones(1000), np.full(1000, np.nan), 3.0)
    small = condensed(data, most=100)
    assert len(small.y) == len(np.unique(small.x)) == 100
    assert set(range(950, 1000)) <= set(small.y.astype(int))
    assert np.diff(np.sort(small.x[small.y < 950, 0])).max() < 60
    np.testing.assert_array_equal(y[small.x[:, 0].astype(int)], small.y)
    assert condensed(data) is data


@pytest.mark.parametrize("domain", [SQUARE, MIXED, POOL], ids=["continuous", "mixed", "pool"])
def test_what_is_recommended_is_near_the_true_front(domain: Space | Pool) -> None:
    advice = recommend(Task(domain, TWO, QUICK), told(domain, 30), np.random.default_rng(0))
    assert len(advice.x) >= 2
    values = truth(advice.x)
    np.testing.assert_allclose(advice.mean, values, atol=0.15)
    signed = values * TWO.signs
    worse = (signed[:, None] > signed[None] + 0.1).all(axis=2).any(axis=0)
    assert worse.mean() < 0.2


def test_a_recommendation_solves_nothing_while_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []
    own = linalg.solve_lower
    monkeypatch.setattr(linalg, "solve_lower", lambda *given: solved.append(1) or own(*given))
    task = Task(SQUARE, TWO, QUICK)
    belief = believe(task, told(SQUARE, 12), np.random.default_rng(0))
    solved.clear()
    assert len(recommended(belief, np.random.default_rng(0)).x) > 1
    assert len(solved) <= 2  # the deviations of what is recommended; 80 generations wanted them of everything before


def test_nothing_is_recommended_before_anything_is_measured() -> None:
    assert len(recommend(Task(SQUARE, TWO, QUICK), Observations.none(2), np.random.default_rng(0)).x) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "method: got 'magic'"),
        ({"estimator": "magic"}, "estimator: got 'magic', wanted one of matched"),
        ({"initial": -1}, "initial: got -1"),
        ({"refit": "never"}, "refit: got 'never'"),
        ({"frontiers": 10}, "frontiers: got 10, wanted a FrontierSettings"),
        ({"recipe": "paper"}, "recipe: got 'paper', wanted a Recipe"),
        ({"maximiser": "direct"}, "maximiser: got 'direct', wanted a MaximiserSettings"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Settings(**settings)
