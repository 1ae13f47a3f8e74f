"""What may be told, how often, and what it means."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pfes import Bundle, Conflict, InvalidInput, Objective, UnknownTrial
from pfes.observations import State
from pfes.study import Study
from pfes.trials import Trial
from study.examples import OBJECTIVES, POINT, measured, pool_study, space_study

BOTH = {"power": 1.0, "waste": 2.0}


def asked(study: Study | None = None, **options: Any) -> tuple[Study, int]:
    study = study or space_study()
    return study, study.ask(**options).id


def states(study: Study) -> list[State]:
    return [State(state) for state in study.observations().state]


# Values


def test_values_may_come_in_parts_and_in_any_order() -> None:
    one, number = asked()
    other, _ = asked()
    one.tell(number, {"waste": 2.0})
    assert (one.trial(number).state, one.trial(number).missing) == ("pending", ("power",))
    one.tell(number, {"power": 1.0})
    other.tell(number, BOTH)
    assert one.trials() == other.trials()
    assert one.trial(number).state == "done"


def test_telling_the_same_again_changes_nothing() -> None:
    study, number = asked()
    study.tell(number, BOTH, noise=0.1)
    before = study.events
    study.tell(number, BOTH)
    study.tell(number, {"power": np.float64(1.0)}, noise=0.1)
    study.tell(number, {"waste": 2}, correct=True)
    assert study.events == before


def test_a_different_value_is_a_conflict_that_names_both() -> None:
    study, number = asked()
    study.tell(number, BOTH)
    with pytest.raises(Conflict, match=r"'power': got 3\.0, but 1\.0 was told before; try correct=True"):
        study.tell(number, {"power": 3.0})
    study.tell(number, {"power": 3.0}, correct=True)
    assert study.trial(number).values == {"power": 3.0, "waste": 2.0}


def test_nothing_is_written_if_any_of_it_is_wrong() -> None:
    study, number = asked()
    before = study.events
    for wrong in ({"power": 1.0, "waste": math.nan}, {"power": 1.0, "speed": 1.0}):
        with pytest.raises(InvalidInput):
            study.tell(number, wrong)
    assert study.events == before


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_no_number_is_refused_with_a_pointer(value: float) -> None:
    study, number = asked()
    with pytest.raises(InvalidInput, match="failed='why'"):
        study.tell(number, {"power": value})


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"speed": 1.0}, {}, "objective: got 'speed'"),
        ({"power": "high"}, {}, "value of 'power': got 'high', wanted a number"),
        ({"power": True}, {}, "value of 'power': got True, wanted a number, not a truth value"),
        ({"power": np.bool_(False)}, {}, "got np.False_, wanted a number, not a truth value"),
        (None, {}, "got nothing, wanted values"),
        ({}, {}, "got nothing, wanted values"),
        (1.0, {}, "wanted {name: value}"),
        (None, {"failed": "a", "infeasible": "b"}, "got failed and infeasible, wanted one"),
        (None, {"failed": True}, "got True, wanted a text that says why"),
        ({"power": 1.0}, {"noise": -1.0}, "noise of 'power': got -1.0"),
        ({"power": 1.0}, {"noise": {"waste": 1.0}}, "wanted it with a value"),
        ({"power": 1.0}, {"noise": True}, "noise of 'power': got True"),
    ],
)
def test_what_cannot_be_told_is_refused(values: Any, options: dict[str, Any], message: str) -> None:
    study, number = asked()
    with pytest.raises(InvalidInput, match=message):
        study.tell(number, values, **options)


@pytest.mark.parametrize("number", [7, -1, "0", 0.0, None, True])
def test_a_trial_that_does_not_exist_is_unknown(number: Any) -> None:
    study, _ = asked()
    with pytest.raises(UnknownTrial, match="wanted a number of study 'study', 0 to 0") as caught:
        study.tell(number, BOTH)
    assert not isinstance(caught.value, KeyError)
    with pytest.raises(UnknownTrial, match="there is none yet"):
        space_study().tell(number, BOTH)


def test_a_trial_can_be_named_by_itself_and_by_numpys_integers() -> None:
    study = space_study()
    first, second = study.ask(2)
    study.tell(first, BOTH)
    study.tell(np.int64(second.id), BOTH)
    assert {trial.state for trial in study.trials()} == {"done"}


def test_a_bare_number_will_do_where_one_objective_was_asked_for() -> None:
    study = space_study()
    study.enqueue(POINT, ["waste"])
    _, number = asked(study)
    assert study.tell(number, 0.5).values == {"waste": 0.5}


def test_what_was_not_asked_for_is_taken_and_charged() -> None:
    study = space_study()
    study.enqueue(POINT, ["waste"])
    _, number = asked(study)
    study.tell(number, {"power": 1.0})
    assert (study.trial(number).state, study.spent, study.reserved) == ("pending", 5.0, 1.0)
    study.tell(number, {"waste": 1.0})
    assert (study.trial(number).state, study.spent_on) == ("done", {"power": 5.0, "waste": 1.0})


def test_known_noise_reaches_the_model() -> None:
    study, number = asked()
    study.tell(number, BOTH, noise={"waste": 0.3})
    assert np.array_equal(study.observations().noise, [np.nan, 0.3], equal_nan=True)
    study.tell(number, {"power": 1.0}, noise=0.2)
    assert study.observations().noise.tolist() == [0.2, 0.3]
    with pytest.raises(Conflict, match=r"noise of 'power': got 0\.4, but 0\.2"):
        study.tell(number, {"power": 1.0}, noise=0.4)
    study.tell(number, {"power": 1.5}, correct=True)
    assert study.observations().noise.tolist() == [0.2, 0.3]


# Verdicts


def test_a_failed_trial_is_charged_in_full_and_not_asked_for_again() -> None:
    study = pool_study(2)
    trial = study.ask()
    study.tell(trial.id, failed="furnace tripped")
    assert (study.trial(trial.id).state, study.trial(trial.id).message) == ("failed", "furnace tripped")
    assert (study.spent, study.reserved, states(study)) == (6.0, 0.0, [State.FAILED] * 2)
    assert [other.row for other in study.ask(3)] != [trial.row]
    assert len(study.trials()) == 2


def test_what_was_measured_before_a_failure_is_kept() -> None:
    study, number = asked()
    study.tell(number, {"waste": 2.0}, failed="power meter broke")
    assert states(study) == [State.FAILED, State.MEASURED]
    assert study.trial(number).state == "failed"


def test_an_infeasible_point_is_so_for_every_objective() -> None:
    study = space_study()
    study.enqueue(POINT, ["waste"])
    _, number = asked(study)
    study.tell(number, infeasible="melts")
    assert (states(study), study.spent) == ([State.INFEASIBLE] * 2, 1.0)


def test_an_abandoned_trial_tells_nothing_and_costs_what_was_measured() -> None:
    study, number = asked()
    study.tell(number, {"waste": 1.0}, abandoned="no time")
    assert (study.spent, states(study)) == (1.0, [State.MEASURED])
    study, number = asked()
    study.tell(number, abandoned="no time")
    assert (study.spent, states(study)) == (0.0, [])


@pytest.mark.parametrize("close", ["failed", "infeasible", "abandoned", "released", "rejected"])
def test_late_values_are_accepted(close: str) -> None:
    study, number = asked()
    closed(study, number, close)
    study.tell(number, {"power": 1.0})
    assert (study.trial(number).state, study.trial(number).values) == (close, {"power": 1.0})
    assert State.MEASURED in states(study)
    study.tell(number, {"waste": 2.0})
    assert (study.trial(number).state, states(study)) == ("done", [State.MEASURED] * 2)
    assert study.spent == 6.0


def closed(study: Study, number: int, how: str, why: str = "why") -> None:
    if how in ("released", "rejected"):
        {"released": study.release, "rejected": study.reject}[how](number, why)
    else:
        study.tell(number, **{how: why})


@pytest.mark.parametrize("close", ["failed", "infeasible", "abandoned", "released", "rejected"])
def test_the_same_verdict_again_changes_nothing(close: str) -> None:
    study, number = asked()
    closed(study, number, close)
    before = study.events
    closed(study, number, close)
    assert study.events == before


def test_verdicts_that_contradict_each_other_are_a_conflict() -> None:
    study, number = asked()
    study.tell(number, failed="burnt")
    with pytest.raises(Conflict, match=r"got infeasible='melts', but it is failed \('burnt'\); try correct=True"):
        study.tell(number, infeasible="melts")
    study.tell(number, infeasible="melts", correct=True)
    assert study.trial(number).state == "infeasible"


def test_a_finished_trial_cannot_fail_but_be_rejected() -> None:
    study, number = asked()
    study.tell(number, BOTH)
    with pytest.raises(Conflict, match=r"all that was asked for is told; try reject\(0, 'burnt'\)"):
        study.tell(number, failed="burnt", correct=True)
    study.reject(number, "burnt")
    with pytest.raises(Conflict, match="but all that was asked for is told"):
        study.tell(number, failed="burnt")


def test_a_late_verdict_on_a_refused_suggestion_is_accepted_but_rejected_data_stay_rejected() -> None:
    study, number = asked()
    study.reject(number, "too hot")
    study.tell(number, failed="too hot indeed")
    assert (study.trial(number).state, study.spent) == ("failed", 6.0)
    study, number = asked()
    study.tell(number, {"power": 1.0})
    study.reject(number, "wrong sample")
    with pytest.raises(Conflict, match=r"its data were rejected \('wrong sample'\)"):
        study.tell(number, failed="burnt")


# Rejecting, releasing, noting


def test_rejected_data_are_not_used_any_more_but_stay_paid_for() -> None:
    study, number = asked()
    study.tell(number, BOTH)
    study.reject(number, "wrong sample")
    assert (study.trial(number).state, study.trial(number).values) == ("rejected", BOTH)
    assert (states(study), study.front(), study.spent) == ([], [], 6.0)
    study.tell(number, {"power": 9.0}, correct=True)
    assert (study.trial(number).state, states(study)) == ("rejected", [])


def test_a_trial_that_failed_stays_paid_for_whatever_is_said_later() -> None:
    study, number = asked()
    study.tell(number, failed="burnt")
    study.reject(number, "wrong sample")
    study.tell(number, abandoned="no time")
    study.reject(number, "still wrong")
    assert (study.trial(number).state, study.spent) == ("rejected", 6.0)


def test_a_refused_suggestion_costs_nothing_and_does_not_come_back() -> None:
    study = pool_study(3)
    refused = study.ask()
    study.reject(refused.id, "poisonous")
    assert (study.spent, study.reserved) == (0.0, 0.0)
    assert refused.row not in [trial.row for trial in study.ask(5, decoupled=True)]


def test_values_told_after_a_refusal_can_be_rejected_too() -> None:
    study, number = asked()
    study.reject(number, "no")
    study.tell(number, {"power": 1.0})
    study.reject(number, "no")
    assert states(study) == []
    assert study.spent == 5.0


def test_looking_for_what_is_pending_copies_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    study, number = asked()
    study.add([POINT | BOTH] * 3)
    copied: list[int] = []
    copy = Trial.copy
    monkeypatch.setattr(Trial, "copy", lambda self: copied.append(self.id) or copy(self))
    assert [it.id for it in study.pending()] == [number] == copied


def test_only_pending_trials_can_be_released() -> None:
    study, number = asked()
    study.tell(number, BOTH)
    with pytest.raises(InvalidInput, match="trial 0 is done, wanted a pending one"):
        study.release(number)


def test_notes_are_kept_in_order() -> None:
    study, number = asked()
    study.note(number, "first")
    study.note(number, "second")
    assert study.trial(number).notes == ("first", "second")
    for empty in ("", None):
        with pytest.raises(InvalidInput, match="note: got"):
            study.note(number, empty)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="reject: got 3, wanted a text"):
        study.reject(number, 3)  # type: ignore[arg-type]


# Costs of bundles


def test_a_bundle_told_in_parts_never_costs_more_than_itself() -> None:
    study = space_study(bundles=[Bundle(["power", "waste"], 3)])
    number = study.ask().id
    assert study.reserved == 3.0
    study.tell(number, {"power": 1.0})
    assert study.spent + study.reserved == 3.0
    study.tell(number, {"waste": 1.0})
    assert study.spent == 3.0
    assert study.spent_on == {"power": 2.5, "waste": 0.5}


# Data from before


def test_added_data_cost_nothing_and_may_be_partial_and_repeated() -> None:
    study = space_study()
    added = study.add([{**POINT, "power": 1.0}, {**POINT, "power": 3.0}, {**POINT, "waste": 2.0, "power": None}])
    assert [trial.state for trial in added] == ["done"] * 3
    assert (study.spent, study.reserved) == (0.0, 0.0)
    assert study.front()[0].values == {"power": 2.0, "waste": 2.0}
    assert study.tell(added[2].id, {"power": 2.0}).spent == 0.0


def test_data_outside_the_space_are_kept_used_and_flagged() -> None:
    study = space_study()
    inside, outside = study.add([{**POINT, **BOTH}, {**POINT, "x": 1.5, **BOTH}])
    assert (inside.outside, outside.outside, outside.params["x"]) == (False, True, 1.5)
    assert len(study.observations()) == 4


def test_data_of_a_pool_are_added_by_row_or_by_inputs() -> None:
    study = pool_study(6)
    by_row, by_inputs, elsewhere = study.add(
        [{"row": "c3", "waste": 1.0}, {"a": 0.5, "b": 0, "power": 2.0}, {"a": 0.55, "b": 0, "power": 2.0}]
    )
    assert (by_row.row, by_inputs.row, by_inputs.outside) == ("c3", "c3", False)
    assert (elsewhere.row, elsewhere.outside) == (None, True)
    assert study.front()[0].trials == (0, 1)
    assert "c3" not in [trial.row for trial in study.ask(6)]


def test_one_row_and_no_rows_can_be_added() -> None:
    study = space_study()
    assert len(study.add({**POINT, **BOTH})) == 1
    assert study.add([]) == []
    assert study.add([POINT]) == []


def test_a_data_frame_is_added_with_empty_cells_as_not_measured() -> None:
    frame = pd.DataFrame([{**POINT, "power": 1.0, "waste": None}, {**POINT, "power": np.nan, "waste": 2.0}])
    study = space_study()
    assert [trial.values for trial in study.add(frame)] == [{"power": 1.0}, {"waste": 2.0}]
    with_na = frame.convert_dtypes()
    assert with_na.isna().sum().sum() == 2
    assert len(study.add(with_na)) == 2


@pytest.mark.parametrize("make", [space_study, pool_study])
def test_what_one_study_exports_another_takes(make: Any) -> None:
    study = make()
    for trial in study.ask(3):
        study.tell(trial.id, measured(trial))
    study.ask()
    other = make()
    other.add(study.to_dataframe())
    assert [trial.params for trial in other.trials()] == [trial.params for trial in study.trials()][:3]
    assert other.front()[0].values == study.front()[0].values


def test_noise_of_added_data_is_given_for_all_or_row_by_row() -> None:
    rows = [{**POINT, "power": 1.0}, {**POINT, **BOTH}]
    study = space_study()
    for noise, wanted in [
        (0.1, [{"power": 0.1}, {"power": 0.1, "waste": 0.1}]),
        ({"waste": 0.2}, [{}, {"waste": 0.2}]),
        ([None, {"power": 0.3}], [{}, {"power": 0.3}]),
    ]:
        assert [trial.noise for trial in study.add(rows, noise=noise)] == wanted


@pytest.mark.parametrize(
    ("rows", "noise", "message"),
    [
        ("x.csv", None, "add: got 'x.csv', wanted a list of dicts"),
        (3, None, "add: got 3"),
        ([1, 2], None, "row 0: got 1, wanted a dict"),
        ([{**POINT, **BOTH}, {**POINT, "speed": 1.0}], None, "row 1: got .'speed'., wanted names among"),
        ([{**POINT, **BOTH}, {"x": 0.1, **BOTH}], None, "row 1 lacks 't', 'dopant'"),
        ([{**POINT, "power": math.nan}], None, "row 0: value of 'power': got nan"),
        ([{**POINT, **BOTH}], [1.0, 2.0], "noise: got 2 entries for 1 rows"),
        ([{**POINT, **BOTH}], {"speed": 1.0}, "objective: got 'speed'"),
    ],
)
def test_data_that_make_no_sense_are_refused_as_a_whole(rows: Any, noise: Any, message: str) -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match=message):
        study.add(rows, noise=noise)
    assert study.events == ()


def test_rows_that_a_pool_does_not_have_are_refused() -> None:
    with pytest.raises(InvalidInput, match="row 0: no row has the id 'c77'"):
        pool_study().add([{"row": "c77", "power": 1.0}])
    with pytest.raises(InvalidInput, match=r"row 0: row 'c1': got a=0\.9"):
        pool_study().add([{"row": "c1", "a": 0.9, "power": 1.0}])


def test_a_threshold_and_a_log_scale_change_nothing_about_telling() -> None:
    study = space_study(objectives=[Objective("power", transform="log", threshold=1.0), OBJECTIVES[1]])
    number = study.ask().id
    with pytest.raises(InvalidInput, match="wanted > 0, as transform is 'log'"):
        study.tell(number, {"power": -1.0})
    study.tell(number, BOTH)
    study.hypervolume()
    assert study.reference is not None
    assert study.reference["power"] == 1.0
