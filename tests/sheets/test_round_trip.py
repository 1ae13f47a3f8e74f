"""A study written as a table and read into an empty one is the same study; only what was pending is given up."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfes.errors import Conflict, InvalidInput, UnknownTrial
from pfes.objectives import Bundle
from pfes.sheets import Style, read_results, trials_as_csv
from pfes.space import Integer, Pool, Real, Space
from pfes.space.csv_table import sheet_of
from pfes.study import Study, create_study
from pfes.trials import Trial, TrialState
from study.examples import OBJECTIVES, POINT, pool_study, space_study

STYLES = {"plain": Style(), "excel": Style.excel()}


def continuous_study() -> Study:
    space = Space(x=Real(0, 1), y=Real(1e-6, 1e3, log=True), n=Integer(1, 9))
    bundle = Bundle(["power", "waste"], 5.5)
    return create_study(space=space, objectives=OBJECTIVES, bundles=[bundle], method="random", budget=1e6)


DOMAINS = {"continuous": continuous_study, "mixed": space_study, "pool": lambda: pool_study(9)}
SETS = [["power"], ["waste"], ["power", "waste"]]
VALUE = st.floats(-1e300, 1e300)
VERDICTS = st.sampled_from(["", "", "", "failed", "infeasible", "abandoned", "released", "rejected"])
TEXTS = st.sampled_from(["furnace tripped", "=1+1", "a;b,c", "−5 °C", "'"])


class Happened(NamedTuple):
    """What was asked for and measured at a point, what became of it and why, and whether its noise is known."""

    asked: list[str]
    measured: list[str]
    value: float
    verdict: str
    why: str
    noisy: bool


HAPPENED = st.builds(
    Happened, st.sampled_from(SETS), st.sampled_from([[], *SETS]), VALUE, VERDICTS, TEXTS, st.booleans()
)
STORY = st.lists(HAPPENED, max_size=8)


def lived(study: Study, story: list[Happened]) -> Study:
    """Have all this happen in a study."""
    first = study.ask()
    place = first.params if first.row is None else {"row": first.row}
    for asked, measured, value, verdict, why, noisy in story:
        study.enqueue(place, asked)
        trial = study.ask(1)[0]
        if measured:
            study.tell(trial.id, {name: value + i for i, name in enumerate(measured)}, noise=0.5 if noisy else None)
        trial = study.trial(trial.id)
        if verdict == "rejected":
            study.reject(trial.id, why)
        elif trial.state == "pending" and verdict == "released":
            study.release(trial.id, why)
        elif trial.state == "pending" and verdict:
            study.tell(trial.id, **{verdict: why})
        if noisy:
            study.add([{**place, "power": value}], noise=1.5)
    return study


def copied(study: Study, into: Study, style: Style = STYLES["plain"]) -> Study:
    table = sheet_of(trials_as_csv(study, study.trials(), style).encode(), "all.csv")
    into.merge(read_results(into, table).rows)
    return into


def comparable(trial: Trial) -> Trial:
    """What a table says of a trial; pending ones as the copy has them."""
    if trial.state == "pending":
        trial = replace(trial, state=TrialState.RELEASED, message="it was pending where the table comes from")
    names = tuple(sorted(trial.charged))
    return replace(trial, objectives=names, cost=0.0, reason="", purpose="", reserved=0.0, before=None, added=False)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("domain", DOMAINS)
@given(story=STORY)
@settings(max_examples=50)
def test_a_copy_has_the_same_trials(domain: str, style: str, story: list[Happened]) -> None:
    study = lived(DOMAINS[domain](), story)
    copy = copied(study, DOMAINS[domain](), STYLES[style])
    assert list(map(comparable, copy.trials())) == list(map(comparable, study.trials()))
    assert (copy.spent, copy.reserved) == (study.spent, 0.0)
    events = len(copy.events)
    copied(study, copy, STYLES[style])
    copied(copy, copy, STYLES[style])
    assert len(copy.events) == events
    for trial in study.pending():
        study.release(trial.id)
    for name, there in vars(study.observations()).items():
        np.testing.assert_array_equal(getattr(copy.observations(), name), there)


def taken(study: Study, text: str, *, numbers: bool = True) -> tuple[int, ...]:
    return study.merge(read_results(study, sheet_of(text.encode(), "t.csv"), numbers=numbers).rows).added


WHERE = "0.25,400,Er"


def test_numbers_stay_even_where_some_are_missing() -> None:
    study = space_study()
    table = f"id,state,x,t,dopant,power\n7,done,{WHERE},1\n3,failed,{WHERE},\n,,{WHERE},2\n"
    assert taken(study, table) == (3, 7, 8)
    assert [trial.id for trial in study.trials()] == [3, 7, 8]
    assert study.ask().id == 9
    assert study.trial(7).values == {"power": 1.0}


def test_what_was_pending_elsewhere_can_be_told_here() -> None:
    study = space_study()
    taken(study, f"id,state,x,t,dopant,power,waste,measure\n0,pending,{WHERE},1,,waste\n")
    assert (study.trial(0).state, study.spent) == ("released", 5.0)
    taken(study, f"id,state,x,t,dopant,power,waste\n0,done,{WHERE},1,2\n")
    assert (study.trial(0).state, study.spent, study.trial(0).message) == ("done", 6.0, "")


def test_a_row_whose_values_were_deleted_is_not_done() -> None:
    study = space_study()
    taken(study, f"id,state,x,t,dopant,power\n0,done,{WHERE},\n")
    assert (study.trial(0).state, study.trial(0).values) == ("released", {})


@pytest.mark.parametrize(
    "table",
    [
        f"id,x,t,dopant,power\n0,{WHERE},1\n",  # a list of what to measure, of another study
        f"id,state,x,t,dopant,power\n0,done,{WHERE},1\n1,,{WHERE},2\n",
        "id,state,power\n0,done,1\n",
        f"id,state,x,t,dopant,power\n-1,done,{WHERE},1\n",
        f"id,state,x,t,dopant,power\n{10**30},done,{WHERE},1\n",
    ],
)
def test_ids_of_no_trial_are_refused_where_the_table_is_not_an_exported_one(table: str) -> None:
    study = space_study()
    with pytest.raises(UnknownTrial, match="there is no trial"):
        taken(study, table)
    assert study.events == ()


def test_a_study_with_trials_takes_no_others_over() -> None:
    study = space_study()
    study.add([{**POINT, "power": 1.0}])
    with pytest.raises(UnknownTrial, match=r"t.csv, line 3: there is no trial 1"):
        taken(study, f"id,state,x,t,dopant,power\n0,done,{WHERE},1\n1,done,{WHERE},2\n")
    with pytest.raises(Conflict, match="were columns sorted apart"):
        taken(study, "id,state,x,t,dopant,power\n0,done,0.75,400,Er,1\n")
    assert len(study.events) == 1


def test_a_number_that_is_there_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"t.csv, line 3: trial 0 is in t.csv, line 2, too"):
        taken(space_study(), f"id,state,x,t,dopant,power\n0,done,{WHERE},1\n0,done,{WHERE},1\n")


def test_a_state_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"line 2: state: got 'faild', wanted an empty cell or one of 'pending'"):
        taken(space_study(), f"id,state,x,t,dopant,power\n0,faild,{WHERE},\n")


def test_a_candidates_own_column_called_state_is_not_read() -> None:
    pool = Pool({"name": ["a", "b"], "x": [1, 2], "state": ["solid", "liquid"]}, ["x"], ids="name")
    study = create_study(space=pool, objectives=OBJECTIVES)
    assert taken(study, "name,x,state,power\na,1,solid,5\nb,2,liquid,6\n") == (0, 1)


# As data from before: ids mean nothing


def test_failures_are_data_too() -> None:
    study = pool_study()
    table = "id,state,row,power,waste,spent,message\n4,failed,c1,1,,6,spilt\n5,infeasible,c2,,,6,\n6,done,c3,7,8,6,\n"
    assert taken(study, table, numbers=False) == (0, 1, 2)
    found = [(str(trial.state), trial.values, trial.message) for trial in study.trials()]
    assert found[:2] == [("failed", {"power": 1.0}, "spilt"), ("infeasible", {}, "so says the table")]
    assert found[2] == ("done", {"power": 7.0, "waste": 8.0}, "")
    assert study.spent == 0.0
    assert taken(study, table, numbers=False) == ()


def test_a_failure_reaches_the_trial_that_waits_there() -> None:
    study = pool_study()
    study.enqueue({"row": "c2"})
    study.ask()
    assert taken(study, "row,state,message\nc2,failed,spilt\n") == ()
    assert (study.trial(0).state, study.trial(0).message, study.leases()) == ("failed", "spilt", {})


def test_rejected_data_are_left_out_by_name() -> None:
    study = pool_study()
    table = sheet_of(b"row,state,power\nc1,rejected,5\nc2,done,6\n", "t.csv")
    merged = study.merge(read_results(study, table).rows)
    assert (merged.added, merged.rejected, merged.unchanged) == ((0,), ("t.csv, line 2",), 0)
