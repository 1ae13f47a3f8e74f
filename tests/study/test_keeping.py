"""Studies that outlive their process: opened again they are the same, to the last bit."""

import math
import pickle
from pathlib import Path
from typing import Any

import pytest

from pfes import (
    Conflict,
    InvalidInput,
    Settings,
    StudyExists,
    UnknownStudy,
    create_study,
    delete_study,
    list_studies,
    open_study,
)
from pfes.frontiers import FrontierSettings
from pfes.objectives import Bundle, Objective
from pfes.request import Request
from pfes.search import SearchSettings
from pfes.space import Choice, Linear, Real, Space
from pfes.study import Study
from pfes.study.asking import answer
from pfes.study.snapshot import Snapshot
from postgres import Server
from processes import forked
from study.examples import OBJECTIVES, POINT, SPACE, measured, pool_study, space_study

QUICK = Settings(initial=3, frontiers=FrontierSettings(3, search=SearchSettings(16, 4, 2, 50), scouts=50))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: Any, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    server: Server = request.getfixturevalue("postgres")
    return server.url("keeping")


def test_opening_needs_nothing_but_the_place(place: str) -> None:
    made = create_study(
        place,
        space=Space(x=Real(0, 1), y=Choice(["a", ("b", 1)]), constraints=Linear({"x": 1}, upper=0.9)),
        objectives=[*OBJECTIVES, Objective("third", "min", threshold=3, transform="log")],
        bundles=[Bundle(["power", "waste"], 5.5)],
        seed=11,
        settings=Settings.paper(),
        budget=100,
        reference=[0, 1, 2],
    )
    found = open_study(place)
    assert (found.name, found.seed, found.budget, found.storage) == ("study", 11, 100.0, made.storage)
    assert (found.space, found.objectives, found.settings) == (made.space, made.objectives, made.settings)
    assert found.reference == {"power": 0.0, "waste": 1.0, "third": 2.0}
    assert found.trials() == []


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("make", [space_study, pool_study])
def test_a_study_in_a_file_goes_the_same_way_as_one_in_memory(make: Any, decoupled: bool, tmp_path: Path) -> None:
    """Opened again before every step, with a model: every number is the same, to the last bit."""
    file = tmp_path / "study.db"
    kept, plain = (make(storage=storage, method="pfes", settings=QUICK, seed=5) for storage in (file, None))
    for step in range(7):
        kept = open_study(file)
        trials = [study.ask(1 + step % 2, decoupled=decoupled) for study in (kept, plain)]
        assert repr([vars(trial) for trial in trials[0]]) == repr([vars(trial) for trial in trials[1]])
        for study in (kept, plain):
            for trial in trials[0][: 1 + step % 3]:  # some stay pending
                study.tell(trial.id, measured(trial))
    assert any(not math.isnan(trial.gain) for trial in plain.trials())
    assert [(e.kind, e.trial, e.payload) for e in open_study(file).events] == [
        (e.kind, e.trial, e.payload) for e in plain.events
    ]
    assert repr(open_study(file).predict(kept.trials()[0].params)) == repr(plain.predict(kept.trials()[0].params))


def test_a_suggestion_can_be_made_again_from_what_it_had_read(tmp_path: Path) -> None:
    study = space_study(storage=tmp_path / "a.db", method="pfes", settings=QUICK)
    for _ in range(5):
        study.tell(study.ask(), {"power": 1.0, "waste": 2.0})
    events = study.events
    asked = [event for event in events if event.kind == "asked"][-1]
    past = create_study(space=study.space, objectives=study.objectives, settings=study.settings)
    past._journal.write(lambda ledger, desk: [(e.kind, e.trial, e.payload) for e in events[: asked.payload["read"]]])
    with past._journal.now() as ledger:
        again = answer(past._task, Snapshot.of(ledger), Request(), 1).payloads[0]
    assert {**again, "tries": 0} == asked.payload


def test_every_tell_is_there_for_everybody_when_it_returns(place: str) -> None:
    mine, yours = space_study(storage=place), open_study(place)
    number = mine.ask().id
    mine.tell(number, {"waste": 1.0})  # a part
    assert yours.trial(number).values == {"waste": 1.0}
    yours.tell(number, {"waste": 1.0})  # the same again
    assert len(mine.events) == 2
    with pytest.raises(Conflict, match=r"but 1\.0 was told before"):
        yours.tell(number, {"waste": 2.0})
    yours.tell(number, {"waste": 2.0}, correct=True)
    assert mine.tell(number, {"power": 3.0}).state == "done"
    assert yours.trial(number).values == {"waste": 2.0, "power": 3.0}
    assert mine.trials() == yours.trials() == open_study(place).trials()


def test_every_state_and_its_reason_is_kept(place: str) -> None:
    study = space_study(storage=place)
    trials = study.ask(7)
    study.tell(trials[0], measured(trials[0]))
    study.tell(trials[1], failed="burnt")
    study.tell(trials[2], infeasible="melts")
    study.tell(trials[3], abandoned="no time")
    study.reject(trials[4], "not that one")
    study.release(trials[5], "ill")
    found = open_study(place).trials()
    assert [str(trial.state) for trial in found] == [
        "done",
        "failed",
        "infeasible",
        "abandoned",
        "rejected",
        "released",
        "pending",
    ]
    assert [trial.message for trial in found] == ["", "burnt", "melts", "no time", "not that one", "ill", ""]


def test_wishes_notes_references_and_ends_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    study = pool_study(2, storage=file)
    study.enqueue({"row": "c1"})
    assert open_study(file).ask().row == "c1"
    study.tell(0, {"power": 1.0, "waste": 1.0})
    study.note(0, "odd")
    study.hypervolume()
    assert len(study.ask(5)) == 1
    found = open_study(file)
    assert (found.trial(0).notes, found.reference, found.ended) == (("odd",), study.reference, study.ended)
    assert found.reference is not None
    assert "every row" in found.ended


# Many studies in one place


def test_one_place_holds_many_studies(place: str) -> None:
    for name in ("first", "second"):
        space_study(storage=place, name=name).ask(2)
    open_study(place, "first").ask()
    assert [(listed.name, listed.events) for listed in list_studies(place)] == [("first", 3), ("second", 2)]
    with pytest.raises(UnknownStudy, match="holds 2 studies, wanted one of them by name=: 'first', 'second'"):
        open_study(place)
    study = open_study(place, "first")
    delete_study(place, "first")
    assert [trial.id for trial in open_study(place).trials()] == [0, 1]
    with pytest.raises(UnknownStudy, match="it was deleted"):
        study.tell(0, {"power": 1.0})
    with pytest.raises(UnknownStudy, match=r"got 'first', wanted one that .* holds: 'second'"):
        delete_study(place, "first")


def test_a_study_that_is_there_is_not_begun_again(place: str, caplog: pytest.LogCaptureFixture) -> None:
    space_study(storage=place, seed=3).ask()
    with pytest.raises(StudyExists, match="holds a study 'study' already; try open_study"):
        space_study(storage=place, seed=3)
    assert len(space_study(storage=place, seed=3, exist_ok=True).trials()) == 1
    assert not caplog.records
    assert space_study(storage=place, seed=4, budget=9, exist_ok=True).seed == 3
    assert "goes on with its own seed and budget" in caplog.text
    with pytest.raises(StudyExists, match="is there already, and not with the space given"):
        space_study(storage=place, space=Space(x=Real(0, 2)), exist_ok=True)
    with pytest.raises(StudyExists, match="is there already, and not with the objectives given"):
        space_study(storage=place, objectives=Objective("power"), exist_ok=True)
    assert space_study(storage=place, name="other", exist_ok=True).trials() == []


def test_what_makes_no_sense_leaves_no_file(tmp_path: Path) -> None:
    for options in ({"seed": -1}, {"reference": [1.0]}, {"budget": "much"}, {"name": ""}, {"objectives": []}):
        with pytest.raises(InvalidInput):
            space_study(storage=tmp_path / "study.db", **options)
    assert list(tmp_path.iterdir()) == []


# What cannot be kept


def hot(params: dict[str, Any]) -> bool:
    return bool(params["t"] > 350)


def test_a_function_has_to_be_given_again(tmp_path: Path) -> None:
    space = Space(SPACE.parameters, constraints=[hot])
    space_study(storage=tmp_path / "a.db", space=space).ask(3)
    with pytest.raises(
        InvalidInput, match=r"constraint hot, a function.*try open_study\(\.\.\., constraints=\[hot\]\)"
    ):
        open_study(tmp_path / "a.db")
    found = open_study(tmp_path / "a.db", constraints=[hot])
    assert found.space == space
    assert space_study(storage=tmp_path / "a.db", space=space, exist_ok=True).space == space


class Thing:
    pass


def test_a_choice_of_objects_can_only_be_remembered(tmp_path: Path) -> None:
    space = Space(x=Choice([Thing(), Thing()]))
    with pytest.raises(InvalidInput, match=r"space: got <.*Thing.*a file cannot keep.*keeps it in memory"):
        space_study(storage=tmp_path / "a.db", space=space)
    assert list(tmp_path.iterdir()) == []
    assert space_study(space=space).ask().id == 0


def test_points_outside_of_a_pool_keep_their_values(tmp_path: Path) -> None:
    study = pool_study(storage=tmp_path / "a.db")
    study.add([{"a": 0.123456789012345678, "b": 7, "power": 1.0}])
    assert open_study(tmp_path / "a.db").trials() == study.trials()
    assert study.trials()[0].outside


# Sent to another process


def test_a_study_travels_as_the_way_to_it(place: str) -> None:
    study = space_study(storage=place)
    found: Study = pickle.loads(pickle.dumps(study))
    found.tell(study.ask(), {"power": 1.0})
    assert study.trials() == found.trials()
    assert pickle.loads(pickle.dumps(study._journal.storage)).place == study.storage
    with pytest.raises(InvalidInput, match="a study in memory cannot be sent to another process"):
        pickle.dumps(space_study())


def test_a_forked_process_can_go_on_with_it(place: str) -> None:
    study = space_study(storage=place)
    study.ask()
    assert forked(lambda: study.tell(0, {"power": 1.0})) == 0
    assert study.tell(0, {"waste": 2.0}).values == {"power": 1.0, "waste": 2.0}


def test_a_run_in_a_file_is_the_run_in_memory(tmp_path: Path) -> None:
    kept, plain = (space_study(storage=storage) for storage in (tmp_path / "a.db", None))
    for study in (kept, plain):
        study.optimize(measured, budget=30, progress=False)
    assert open_study(tmp_path / "a.db").trials() == plain.trials()
    assert kept.leases() == {}
    assert kept.ask().params != POINT
