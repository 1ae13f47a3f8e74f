"""Databases that are busy, gone for a moment, or whose last word was lost: nothing is lost and nothing done twice."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from pfes import StorageError, create_study
from pfes.ledger import Event
from pfes.storage import patience, places
from pfes.storage.database import Database
from pfes.storage.patience import patiently
from pfes.study import Study
from postgres import Server
from study.examples import OBJECTIVES, POINT, SPACE


def study_on(place: Database) -> Study:
    return create_study(place, space=SPACE, objectives=OBJECTIVES, method="random")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(places, "BUSY", 0.05)
    if request.param == "sqlite":
        return Database(str(tmp_path / "study.db"), create=True)
    return Database(request.getfixturevalue("postgres").url("patience"), create=True)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Somebody else writes to the file."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_locked_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "BUSY", 0.05)  # so that waiting is ours, not SQLite's
    study = study_on(Database(str(tmp_path / "study.db"), create=True))
    held = threading.Event()

    def hold() -> None:
        with locked(tmp_path / "study.db"):
            held.set()
            time.sleep(0.5)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    study.tell(study.ask().id, {"power": 1.0})
    thread.join()
    assert study.trial(0).values == {"power": 1.0}


def test_whoever_waits_is_told_why(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(patience, "WORD", 0.0)

    def work(attempt: int) -> int:
        if attempt < 3:
            raise OperationalError("", {}, sqlite3.OperationalError("database is locked"))
        return attempt

    assert patiently(work, "here", 60.0) == 3
    assert [record.getMessage() for record in caplog.records] == [
        "here: database is locked; trying again for 60 s at most"
    ]


def test_a_file_that_stays_locked_is_given_up_with_a_clear_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "BUSY", 0.05)
    study = study_on(Database(str(tmp_path / "study.db"), create=True, patience=0.2))
    with locked(tmp_path / "study.db"), pytest.raises(StorageError, match=r"database is locked, for 0.2 s; try again"):
        study.ask()
    assert study.trials() == []


def test_what_waiting_does_not_cure_is_not_waited_for() -> None:
    def work(attempt: int) -> None:
        raise OperationalError("", {}, sqlite3.OperationalError("attempt to write a readonly database"))

    begun = time.monotonic()
    with pytest.raises(StorageError, match="here: attempt to write a readonly database"):
        patiently(work, "here")
    assert time.monotonic() - begun < 1


class Lost:
    """The word that a commit came through is lost, or the commit itself."""

    def __init__(self, place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        dialect = place._engine.dialect
        self.commit, self.mode, self.error = dialect.do_commit, "", dialect.loaded_dbapi.OperationalError
        self.then: Callable[[], object] = lambda: None  # what happens before the second attempt
        self.next = ""  # what the next transaction that writes events is to suffer
        monkeypatch.setattr(dialect, "do_commit", self)
        event.listen(place._engine, "before_cursor_execute", self.look)

    def look(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if self.next and statement.startswith("INSERT INTO pfes_events"):
            self.mode, self.next = self.next, ""

    def __call__(self, connection: Any) -> None:
        mode, self.mode = self.mode, ""
        if mode != "before":
            self.commit(connection)
        if mode:
            self.then()
            raise self.error("the connection was lost")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_answer_neither_loses_nor_doubles(place: Database, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study, lost = study_on(place), Lost(place, monkeypatch)
    lost.next = when
    assert [trial.id for trial in study.ask(2)] == [0, 1]
    lost.next = when
    assert study.tell(0, {"power": 1.0}, noise=0.1).values == {"power": 1.0}
    lost.next = when
    assert [trial.id for trial in study.add([{**POINT, "power": 2.0}])] == [2]
    lost.next = when
    study.enqueue(POINT)
    kinds = ["asked", "asked", "told", "added", "enqueued"]
    assert [event.kind for event in place.read(place.find().number)] == kinds
    assert [event.kind for event in study.events] == kinds
    assert place.leases(place.find().number).keys() == {0, 1}


def test_what_others_wrote_after_a_lost_answer_is_read(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    study, lost = study_on(place), Lost(place, monkeypatch)
    lost.then = lambda: place.write(place.find().number, lambda desk: [Event("noted", 0, {"text": "quick"})])
    lost.next = "after"
    assert study.ask().notes == ("quick",)
    assert [event.kind for event in study.events] == ["asked", "noted"]


def test_studies_are_made_and_deleted_once(place: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Lost(place, monkeypatch)
    lost.mode = "after"
    entry = place.create("a", "{}")
    assert place.find("a") == entry
    lost.mode = "after"
    place.delete("a")
    assert place.studies() == []


def test_a_server_may_be_killed_and_started_again(postgres: Server) -> None:
    study = study_on(Database(postgres.url("restarted"), create=True))
    trials = study.ask(3)
    study.tell(trials[0], {"power": 1.0})
    postgres.kill()
    again = threading.Timer(0.5, postgres.start)
    again.start()
    study.tell(trials[1], {"power": 2.0})  # waits until there is a server
    again.join()
    assert [trial.values.get("power") for trial in study.trials()] == [1.0, 2.0, None]
