"""Files and servers as users name them: what is opened, what is refused and how it is said."""

import json
import pickle
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import pfes
from pfes import InvalidInput, StorageError, create_study, delete_study, list_studies, open_study
from pfes.storage import Memory, database, open_storage, upgrades
from pfes.storage.database import Database
from pfes.storage.tables import VERSION
from postgres import Server
from storage.released import FOLDER, contents
from study.examples import OBJECTIVES, SPACE, space_study

RELEASED = [int(path.stem.split("_")[1]) for path in sorted(FOLDER.glob("layout_*.json"))]


# What users write


def test_a_path_and_its_url_are_the_same_place(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    study = space_study(storage=file)
    assert study.storage == str(file)
    assert open_study(f"sqlite:///{file}").storage == open_study(str(file)).storage == str(file)


@pytest.mark.parametrize("place", ["study.db", "sqlite:///study.db"])
def test_a_study_is_where_it_was_when_the_directory_changes(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = space_study(storage=place)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert study.ask().id == 0
    assert len(pickle.loads(pickle.dumps(study)).trials()) == 1
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        ("mysql://host/name", InvalidInput, "got a URL of 'mysql', wanted a file"),
        ("sqlite://", InvalidInput, "wanted a file; None keeps a study in memory"),
        ("://", InvalidInput, "wanted a path or a URL"),
        ("no/such/folder/x.db", StorageError, "there is no directory"),
        (".", StorageError, "this is a directory, wanted a file; try ./study.db"),
        ("postgresql://nobody@/x?host=.", StorageError, "encoding with 'idna' codec failed"),
        ("postgresql://no.such.host.invalid/x", StorageError, "failed to resolve host"),
    ],
)
def test_what_is_no_place_is_refused(
    place: str, kind: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        space_study(storage=place)
    assert list(tmp_path.iterdir()) == []


def test_opening_makes_no_file(tmp_path: Path) -> None:
    for call in (open_study, list_studies, lambda place: delete_study(place, "study")):
        with pytest.raises(StorageError, match=r"there is no such file; try create_study"):
            call(tmp_path / "study.db")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput, match="what was in memory cannot be opened again"):
        open_study(None)


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, " * 100)
    for call in (open_study, lambda place: space_study(storage=place)):
        with pytest.raises(StorageError, match=r"notes.txt: file is not a database"):
            call(file)
    assert file.read_text() == "not a database, " * 100


def test_a_database_of_something_else_holds_no_studies(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    with pytest.raises(StorageError, match="there are no studies in it; try create_study"):
        open_study(file)
    space_study(storage=file)
    with sqlite3.connect(file) as connection:
        assert ("mine",) in connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()


def test_a_server_that_does_not_know_the_database_says_so_at_once(postgres: Server) -> None:
    with pytest.raises(StorageError, match='database "absent" does not exist'):
        open_study(f"postgresql://pfes@/absent?host={postgres.home}")


def test_a_server_that_does_not_answer_is_given_some_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "FIRST_CONTACT", 0.2)
    with pytest.raises(StorageError, match=r"for 0.2 s; try again when .* the database is running"):
        open_study(f"postgresql://pfes@/x?host={tmp_path}")


def test_a_password_is_not_shown() -> None:
    from pfes.storage.places import engine_for

    _, place = engine_for("postgres://me:secret@host/name", create=False)
    assert place == "postgresql://me:***@host/name"


def test_the_driver_of_postgresql_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(StorageError, match=r"try pip install 'pfes\[postgres\]'"):
        open_study("postgresql://host/name")


# How SQLite is used


def test_sqlite_syncs_everything_and_keeps_no_log_behind(tmp_path: Path) -> None:
    kept = Database(str(tmp_path / "a.db"), create=True)
    with kept._engine.begin() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 3  # EXTRA: FULL, and the directory
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "delete"
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_only_writers_lock_others_out(tmp_path: Path) -> None:
    from pfes.storage.places import writing

    kept = Database(str(tmp_path / "a.db"), create=True)
    said: list[str] = []
    for engine in (kept._engine, writing(kept._engine)):
        with engine.connect() as connection, connection.begin():
            connection.connection.driver_connection.set_trace_callback(said.append)  # type: ignore[union-attr]
        with engine.connect() as connection:
            connection.connection.driver_connection.set_trace_callback(said.append)  # type: ignore[union-attr]
            with connection.begin():
                pass
    assert [line for line in said if line.startswith("BEGIN")] == ["BEGIN", "BEGIN IMMEDIATE"]


# Layouts of tables


def test_a_newer_layout_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    space_study(storage=file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE pfes_schema SET version = 99")
    connection.close()
    before = file.read_bytes()
    for call in (open_study, list_studies, lambda place: space_study(storage=place, name="other")):
        with pytest.raises(
            StorageError, match=r"written by a newer pfes \(layout 99, this one knows up to 1\); try pip"
        ):
            call(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_older_layouts_are_led_upwards_step_by_step(
    where: str, tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "a.db") if where == "sqlite" else postgres.url("upgrade")
    space_study(storage=place).ask()
    steps: list[int] = []

    def step(number: int) -> Any:
        def upgrade(connection: Any) -> None:
            steps.append(number)
            connection.execute(text(f"CREATE TABLE added_{number} (a INTEGER)"))

        return upgrade

    monkeypatch.setattr(upgrades, "VERSION", VERSION + 2)
    monkeypatch.setattr(upgrades, "UPGRADES", {VERSION: step(1), VERSION + 1: step(2)})
    assert len(open_study(place).trials()) == 1
    open_study(place)
    assert steps == [1, 2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upgrades, "VERSION", VERSION)
        with pytest.raises(StorageError, match="written by a newer pfes"):
            open_study(place)


def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.db"
    space_study(storage=file).ask()

    def stumble(connection: Any) -> None:
        connection.execute(text("CREATE TABLE half (a INTEGER)"))
        raise ZeroDivisionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upgrades, "VERSION", VERSION + 1)
        patch.setattr(upgrades, "UPGRADES", {VERSION: stumble})
        with pytest.raises(ZeroDivisionError):
            open_study(file)
    assert len(open_study(file).trials()) == 1


def test_there_is_a_fixture_of_every_layout() -> None:
    assert list(range(1, VERSION + 1)) == RELEASED


@pytest.mark.parametrize("version", RELEASED)
def test_files_of_every_released_layout_open(version: int, tmp_path: Path) -> None:
    shutil.copy(FOLDER / f"layout_{version}.db", tmp_path / "study.db")
    check_contents(str(tmp_path / "study.db"), version)


@pytest.mark.parametrize("version", RELEASED)
def test_databases_of_every_released_layout_open(version: int, postgres: Server) -> None:
    import psycopg

    url = postgres.url("released")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((FOLDER / f"layout_{version}.sql").read_bytes())
    check_contents(url, version)


def check_contents(place: str, version: int) -> None:
    expected = json.loads((FOLDER / f"layout_{version}.json").read_text())
    assert [listed.name for listed in list_studies(place)] == [one["name"] for one in expected]
    for one in expected:
        study = open_study(place, one["name"])
        assert json.loads(json.dumps(contents(study))) == one
        trial = study.trials()[-1]
        study.note(trial.id, "still alive")
        assert study.trial(trial.id).notes[-1] == "still alive"


# What is loaded when


def test_sqlalchemy_is_loaded_with_the_first_database(fresh_python: Any) -> None:
    code = """
import sys, pfes
study = pfes.create_study(space=pfes.Space(x=pfes.Real(0, 1)), objectives=pfes.Objective("a"), method="sobol")
study.ask()
assert "sqlalchemy" not in sys.modules
pfes.create_study("x.db", space=study.space, objectives=study.objectives)
assert "sqlalchemy" in sys.modules and "psycopg" not in sys.modules
"""
    fresh_python(code)


def test_anything_that_keeps_events_can_be_a_storage() -> None:
    place = Memory()
    create_study(place, space=SPACE, objectives=OBJECTIVES, method="sobol").ask()
    assert len(open_study(place).trials()) == 1
    assert open_storage(place) is place
    assert pfes.storage.Memory is Memory
