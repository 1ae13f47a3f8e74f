"""What `ask` hands out, and when there is nothing left."""

import threading
from typing import Any

import numpy as np
import pytest

from pfes import Bundle, Exhausted, InvalidInput, Objective, Plateau, Settings
from pfes.ledger import Event, Ledger
from pfes.observations import State
from pfes.space import Choice, Integer, Real, Space
from pfes.study import Study, create_study
from study.examples import OBJECTIVES, POINT, SPACE, measured, pool_study, space_study


def test_one_is_asked_for_by_default_and_a_list_by_number() -> None:
    study = space_study()
    trial = study.ask()
    assert (trial.id, trial.objectives, trial.cost, trial.state) == (0, ("power", "waste"), 6.0, "pending")
    assert SPACE.contains(trial.params)
    assert trial.reason
    assert np.isnan(trial.gain)
    assert [trial.id for trial in study.ask(3)] == [1, 2, 3]
    assert study.ask(0) == []


@pytest.mark.parametrize("n", [-1, 1.5, True, "two"])
def test_a_number_of_trials_is_a_number(n: Any) -> None:
    with pytest.raises(InvalidInput, match="wanted a number of trials"):
        space_study().ask(n)


def test_a_timeout_is_a_number() -> None:
    with pytest.raises(InvalidInput, match="timeout: got -1"):
        space_study().ask(timeout=-1)


def test_the_same_seed_and_events_give_the_same_trials() -> None:
    assert space_study(seed=3).ask(4) == space_study(seed=3).ask(4)
    assert space_study(seed=3).ask(4) != space_study(seed=4).ask(4)


def test_no_point_is_asked_for_twice() -> None:
    study = pool_study(7)
    rows = [study.ask().row for _ in range(7)]
    assert sorted(rows) == [f"c{i}" for i in range(7)]


def test_an_exhausted_pool_is_a_normal_end() -> None:
    study = pool_study(3)
    assert study.ended == ""
    assert len(study.ask(5)) == 3
    assert "every row of the pool" in study.ended
    assert study.ask(5) == []
    with pytest.raises(Exhausted, match="every row of the pool"):
        study.ask()
    assert len(study.trials()) == 3


def test_a_released_row_is_there_again() -> None:
    study = pool_study(3)
    first = study.ask(3)[0]
    study.release(first.id)
    assert study.ask().row == first.row
    assert study.ended == ""


def test_a_trial_of_a_pool_names_its_row_and_its_inputs() -> None:
    trial = pool_study().ask()
    number = int(trial.row[1:])
    assert trial.params == {"a": number / 6, "b": number % 3}


def test_parameters_can_be_held_fixed() -> None:
    study = space_study()
    assert {trial.params["dopant"] for trial in study.ask(5, fixed={"dopant": "Nb"})} == {"Nb"}
    assert {trial.params["b"] for trial in pool_study().ask(2, fixed={"b": 1})} == {1}
    with pytest.raises(InvalidInput, match="no parameter 'colour'"):
        study.ask(fixed={"colour": "red"})


def test_what_was_handed_out_belongs_to_its_reader() -> None:
    study = space_study()
    trial = study.ask()
    before = dict(trial.params)
    trial.params.clear()
    assert study.trial(trial.id).params == before


# What users want first


def test_enqueued_points_come_first_in_their_order() -> None:
    study = space_study()
    study.enqueue(POINT)
    study.enqueue({**POINT, "x": 0.5}, ["waste"])
    first, second, third = study.ask(3)
    assert (first.params, first.objectives, first.reason) == (POINT, ("power", "waste"), "Enqueued by the user.")
    assert (second.params["x"], second.objectives, second.cost) == (0.5, ("waste",), 1.0)
    assert third.reason != first.reason


def test_an_enqueued_row_is_not_suggested_again() -> None:
    study = pool_study(3)
    study.enqueue({"row": "c1"})
    assert study.ask(4)[0].row == "c1"
    assert len({trial.row for trial in study.trials()}) == 3


def test_a_point_can_be_enqueued_again_to_be_measured_again() -> None:
    study = space_study()
    for _ in range(2):
        study.enqueue(POINT)
        study.tell(study.ask().id, {"power": 1.0, "waste": 2.0})
    assert [trial.params for trial in study.trials()] == [POINT, POINT]


def test_what_is_held_fixed_holds_for_enqueued_points_too() -> None:
    study = space_study()
    study.enqueue(POINT)
    assert study.ask(fixed={"dopant": "Nb"}).params["dopant"] == "Nb"
    assert study.ask(fixed={"dopant": "Er"}).params == POINT
    pool = pool_study()
    pool.enqueue({"row": "c2"})
    assert pool.ask(fixed={"b": 1}).row != "c2"
    assert pool.ask(fixed={"b": 2}).row == "c2"


@pytest.mark.parametrize(
    ("params", "objectives", "message"),
    [
        ({**POINT, "x": 2.0}, None, "wanted a point of the space"),
        ({"x": 0.1}, None, "lacks 't', 'dopant'"),
        (POINT, ["speed"], "objective: got 'speed'"),
        (POINT, [], "got no objectives"),
        ([0.1, 400, "Er"], None, "wanted a dict of parameters"),
    ],
)
def test_what_cannot_be_measured_cannot_be_enqueued(params: Any, objectives: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        space_study().enqueue(params, objectives)


def test_a_point_that_is_not_in_the_pool_cannot_be_enqueued() -> None:
    with pytest.raises(InvalidInput, match="wanted a point of the pool"):
        pool_study().enqueue({"a": 0.01, "b": 1})
    with pytest.raises(InvalidInput, match="no row has the id 'c99'"):
        pool_study().enqueue({"row": "c99"})
    with pytest.raises(InvalidInput, match="wanted what the pool has there"):
        pool_study().enqueue({"row": "c1", "a": 0.9})


# Budgets


def test_a_budget_of_the_study_is_reserved_when_asking_and_never_exceeded() -> None:
    study = space_study(budget=15)
    assert len(study.ask(5)) == 2
    assert (study.spent, study.reserved) == (0.0, 12.0)
    assert study.ended == "the budget is spent: 3 is left, the next measurement would cost 6"
    with pytest.raises(Exhausted, match="the budget is spent"):
        study.ask()


def test_released_and_abandoned_trials_give_their_budget_back() -> None:
    study = space_study(budget=6)
    for give_back in (study.release, lambda number: study.tell(number, abandoned="no time")):
        give_back(study.ask().id)
        assert (study.spent, study.reserved) == (0.0, 0.0)
    study.tell(study.ask().id, failed="burnt")
    assert study.spent == 6.0
    assert study.ask(1) == []


def test_what_is_left_buys_a_part_if_parts_can_be_had() -> None:
    study = space_study(budget=8)
    study.ask(decoupled=True)
    last = study.ask(decoupled=True)
    assert last.objectives == ("waste",)
    assert "pays for waste only" in last.reason
    assert study.spent + study.reserved <= 8


def test_what_is_left_buys_nothing_where_all_that_can_be_paid_for_is_known() -> None:
    study = pool_study(1, budget=2, objectives=[*OBJECTIVES, Objective("third", cost=9)])
    study.add([{"row": "c0", "waste": 1.0}])
    assert study.ask(1, decoupled=True) == []
    assert "the budget is spent" in study.ended


def test_an_enqueued_point_that_is_too_dear_waits() -> None:
    study = space_study(budget=3)
    study.enqueue(POINT)
    study.enqueue(POINT, ["waste"])
    assert study.ask(2)[0].objectives == ("waste",)
    assert study.ask(1) == []


def test_sums_of_decimal_fractions_do_not_cost_a_trial() -> None:
    study = create_study(space=SPACE, objectives=Objective("a", cost=0.1), method="sobol", budget=0.3)
    assert len(study.ask(9)) == 3


# Signs, threads, files


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_flipping_a_goal_and_its_data_changes_no_trial(method: str) -> None:
    up, down = (two_goals(goal, method, 0) for goal in ("max", "min"))
    assert evolve(up, 1.0, 8) == evolve(down, -1.0, 8)


def test_flipping_a_goal_and_its_data_changes_no_suggestion_of_the_model() -> None:
    up, down = (two_goals(goal, "pfes", 3) for goal in ("max", "min"))
    assert evolve(up, 1.0, 4) == evolve(down, -1.0, 4)
    assert not np.isnan(up.trial(3).gain)


def two_goals(goal: Any, method: str, initial: int) -> Study:
    space = Space(x=Real(0, 1, step=0.1), y=Choice(["a", "b"]))
    objectives = [Objective("power", goal), Objective("waste", "min")]
    return create_study(space=space, objectives=objectives, settings=Settings(method=method, initial=initial))


def evolve(study: Study, sign: float, count: int) -> list[dict[str, Any]]:
    for _ in range(count):
        trial = study.ask()
        values = measured(trial)
        study.tell(trial.id, {name: value * (sign if name == "power" else 1.0) for name, value in values.items()})
    return [trial.params for trial in study.trials()]


def test_threads_that_ask_at_the_same_time_get_different_points() -> None:
    study = pool_study(40)

    def work() -> None:
        for trial in study.ask(2) + [study.ask() for _ in range(3)]:
            study.tell(trial.id, measured(trial))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(trial.id for trial in study.trials()) == list(range(40))
    assert len({trial.row for trial in study.trials()}) == 40
    assert {trial.state for trial in study.trials()} == {"done"}


def test_events_survive_being_written_and_read() -> None:
    study = two_goals("max", "pfes", 3)
    study.add([{"x": 7.0, "y": "b", "waste": 3.0}])
    study.enqueue({"x": 0.5, "y": "a"}, ["power"])
    evolve(study, 1.0, 5)
    study.tell(study.ask().id, failed="burnt")
    study.note(study.ask().id, "look at this")
    study.hypervolume()
    lines = [event.to_json() for event in study.events]
    again = Ledger(study.space, study.objectives, map(Event.from_json, lines))
    assert tuple(again.events) == study.events
    assert list(again.trials.values()) == study.trials()
    assert [trial.point for trial in again.trials.values()] == [trial.point for trial in study.trials()]
    assert again.reference == study.reference
    assert again.hypers is not None
    assert again.hypers[0].scales.shape == (2,)


def test_objects_that_json_does_not_know_come_back_as_themselves() -> None:
    study = space_study()
    study.enqueue({**POINT, "dopant": ("W", 2)})
    assert study.ask().params["dopant"] == ("W", 2)
    assert Event.from_json(study.events[-1].to_json()) == study.events[-1]


def test_pending_trials_are_seen_by_the_model() -> None:
    study = space_study()
    study.ask(2)
    assert (study.observations().state == State.PENDING).sum() == 4


# Making a study


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"storage": 3}, "storage: got 3, wanted a path"),
        ({"storage": ""}, "storage: got an empty path"),
        ({"model": "joint"}, "wanted one of 'independent'"),
        ({"space": {"x": Real(0, 1)}}, r"wanted a pfes\.Space"),
        ({"seed": -1}, "seed: got -1"),
        ({"objectives": [Objective("x")]}, "'x' is a parameter and an objective"),
        ({"objectives": ["power"]}, r"wanted one or more of pfes\.Objective"),
        ({"method": "guess"}, "method: got 'guess'"),
        ({"budget": "much"}, "budget: got 'much'"),
        ({"bundles": [Bundle(["power", "noise"], 1)]}, "bundle: got"),
        ({"reference": [1.0]}, "reference: got 1 values"),
        ({"reference": {"power": 1.0}}, "wanted a value for each of"),
        ({"reference": {"power": 1.0, "waste": np.nan}}, "reference of 'waste': got nan"),
        ({"reference": {"power": 1.0, "waste": 1.0, "x": 2}}, "reference: got .'x'."),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        space_study(**options)


def test_the_method_named_beside_settings_wins() -> None:
    assert space_study(settings=Settings(method="random"), method=None).settings.method == "random"
    assert space_study(settings=Settings(method="random", initial=2)).settings == Settings(method="sobol", initial=2)
    assert space_study(method=None).settings.method == "pfes"


def test_one_objective_is_enough() -> None:
    study = create_study(space=Space(n=Integer(0, 3)), objectives=Objective("only"), method="sobol")
    outcome = study.optimize(lambda trial: trial.params["n"], progress=False, stop=Plateau(50))
    assert outcome.trials == 4
    assert [point.params["n"] for point in study.front()] == [3]
