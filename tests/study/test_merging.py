"""Tables of results and studies: whole or not at all, and the same table again changes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pfes import Conflict, InvalidInput, UnknownTrial
from pfes.space import Space
from pfes.study.merging import Row
from study.examples import POINT, pool_study, space_study

VALUES = st.dictionaries(st.sampled_from(["power", "waste"]), st.sampled_from([1.0, 2.0, 3.0]))
ROWS = st.lists(
    st.builds(
        lambda place, name, values: row(place, {"row": name}, values),
        st.just("a row"),
        st.sampled_from(["c0", "c1", "c2"]),
        VALUES,
    )
)


def row(place: str, point: dict[str, Any] | None, values: dict[str, float], number: int | None = None) -> Row:
    return Row(place, number, point, values)


@given(rows=ROWS, asked=st.integers(0, 4), told=VALUES)
@settings(max_examples=60)
def test_the_same_table_again_changes_nothing(rows: list[Row], asked: int, told: dict[str, float]) -> None:
    study = pool_study()
    for trial in study.ask(asked):
        if told:
            study.tell(trial.id, told)
    study.merge(rows, replicates=True)
    events = len(study.events)
    assert study.merge(rows, replicates=True).unchanged == len(rows)
    assert study.merge(rows[::-1], replicates=True).told == ()
    assert len(study.events) == events


@given(rows=ROWS)
@settings(max_examples=60)
def test_every_value_of_a_table_is_in_the_study_as_often_as_in_the_table(rows: list[Row]) -> None:
    study = pool_study()
    study.ask(3)
    study.merge(rows)
    there = sorted((trial.row, *item) for trial in study.trials() for item in trial.values.items())
    wanted = sorted((it.point["row"], *item) for it in rows if it.point for item in it.values.items())
    assert there == wanted


def test_a_pending_trial_is_told_before_anything_is_added() -> None:
    study = space_study()
    study.enqueue(POINT)
    trial = study.ask()
    merged = study.merge([row("line 2", POINT, {"power": 1.0}), row("line 3", POINT, {"power": 2.0, "waste": 3.0})])
    assert (merged.told, merged.added) == ((trial.id,), (1,))
    assert study.trial(trial.id).values == {"power": 1.0}
    assert study.trial(1).values == {"power": 2.0, "waste": 3.0}


def test_a_correction_is_told_to_the_trial_it_corrects() -> None:
    study = space_study()
    study.add([{**POINT, "power": 1.0, "waste": 2.0}])
    with pytest.raises(Conflict, match=r"line 2, 'power': got 5.0, but trial 0 has 1.0 at this point; say whether"):
        study.merge([row("line 2", POINT, {"power": 5.0})])
    study.merge([row("line 2", POINT, {"power": 5.0})], correct=True)
    assert study.trial(0).values == {"power": 5.0, "waste": 2.0}
    study.merge([row("line 2", POINT, {"power": 6.0})], replicates=True)
    with pytest.raises(Conflict, match="there are several values, so give the id"):
        study.merge([row("line 2", POINT, {"power": 7.0})], correct=True)


def test_an_error_anywhere_leaves_the_study_as_it_was() -> None:
    study = space_study()
    study.ask(2)
    good = row("line 2", None, {"power": 1.0}, 0)
    for bad, error, why in [
        (row("line 3", None, {"power": 1.0}, 9), UnknownTrial, "line 3: there is no trial 9"),
        (row("line 3", None, {"power": 1.0}, 0), InvalidInput, "trial 0 is in line 2, too"),
        (row("line 3", None, {"power": 1.0}), InvalidInput, "got neither an id nor a point"),
        (row("line 3", {"x": 2}, {"power": 1.0}), InvalidInput, "line 3: row 0 lacks"),
        (row("line 3", None, {"nothing": 1.0}, 1), InvalidInput, "line 3: objective: got 'nothing'"),
        (row("line 3", POINT, {"power": 1.0}, 1), Conflict, "were columns sorted apart"),
    ]:
        before = len(study.events)
        with pytest.raises(error, match=why):
            study.merge([good, bad])
        assert len(study.events) == before


@given(rows=ROWS, asked=st.integers(0, 4))
@settings(max_examples=60)
def test_a_preview_says_what_will_change_and_changes_nothing(rows: list[Row], asked: int) -> None:
    study = pool_study()
    study.ask(asked)
    before = study.events
    foreseen = study.preview(rows, replicates=True)
    assert study.events == before
    merged = study.merge(rows, replicates=True)
    assert {it.trial for it in foreseen} == {*merged.told, *merged.added}
    assert {it.trial for it in foreseen if it.new} == {*merged.added}
    for change in foreseen:
        trial = study.trial(change.trial)
        assert (trial.row, trial.values[change.what]) == (change.row, change.after)


def test_a_preview_shows_the_value_that_a_correction_replaces_and_refuses_what_merge_would() -> None:
    study = pool_study()
    trial = study.ask()
    study.tell(trial.id, {"power": 1.0})
    rows = [row("a row", None, {"power": 2.0}, trial.id)]
    with pytest.raises(Conflict, match="a row"):
        study.preview(rows)
    change = study.preview(rows, correct=True)[0]
    assert (change.trial, change.new, change.what, change.before, change.after) == (trial.id, False, "power", 1.0, 2.0)
    gone = Row("a row", trial.id, state="failed", message="burnt")
    assert [(it.kind, it.after) for it in study.preview([gone])] == [("failed", "burnt")]


def test_a_long_table_is_placed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    encode = Space.encode

    def counted(self: Space, rows: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
        calls.append(len(rows))
        return encode(self, rows)

    monkeypatch.setattr(Space, "encode", counted)
    study = space_study()
    rows = [Row(f"line {i}", point=POINT | {"x": i / 500}, values={"power": float(i)}) for i in range(500)]
    changes = study.preview(rows)
    assert [change.params["x"] for change in changes] == [i / 500 for i in range(500)]
    assert len(calls) < 10


def test_a_fault_of_a_long_table_is_named_with_its_row() -> None:
    rows = [Row(f"line {i}", point=POINT | {"t": "hot" if i == 7 else 400}, values={"power": 1.0}) for i in range(9)]
    with pytest.raises(InvalidInput, match="line 7: 't' of row 0 is 'hot'"):
        space_study().preview(rows)
