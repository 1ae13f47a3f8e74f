"""A database that others hold, or that is damaged: pages say so soon, and lose nothing."""

import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pfes import Study
from pfes.cli.main import main
from web.conftest import cell_study, pool_study
from web.serving import LONG, Running, running, said

SOON = 8.0  # seconds on a busy machine; it was 25 and more


@contextmanager
def locked(path: Path, how: str) -> Iterator[None]:
    """Another program that holds the file: IMMEDIATE, it is about to write; EXCLUSIVE, nobody may even read."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute(f"BEGIN {how}")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_reading_does_not_wait_for_a_writer(cell: Study, served: Running, tmp_path: Path) -> None:
    browser = served.browser()
    with locked(tmp_path / "cell.db", "IMMEDIATE"):
        begun = time.monotonic()
        for path in ("/", "/record", "/trials", "/trials/8", "/settings", "/live", "/pictures/front"):
            assert browser.get(path).status_code == 200, path
        assert time.monotonic() - begun < SOON


def test_what_cannot_be_written_is_said_soon_and_stays_in_the_form(
    cell: Study, served: Running, tmp_path: Path
) -> None:
    browser, robot, before = served.browser(), served.robot(), cell.events
    with locked(tmp_path / "cell.db", "IMMEDIATE"):
        begun = time.monotonic()
        answer = browser.post("/record/8", v0="3,75", v1="")
        told = robot.post("/api/trials/8/tell", json={"values": {"power": 3.75}})
        assert time.monotonic() - begun < SOON
    assert answer.status_code == 503
    assert "database is locked" in said(answer)
    assert 'value="3,75"' in answer.text
    assert told.status_code == 503
    assert "database is locked" in told.json()["error"]
    assert int(told.headers["retry-after"]) > 0
    assert cell.events == before
    assert "still waiting for waste" in said(browser.post("/record/8", v0="3,75", v1=""))


def test_a_suggestion_waits_for_the_lock_and_keeps_no_page_waiting(
    cell: Study, served: Running, tmp_path: Path
) -> None:
    browser, robot = served.browser(), served.robot()
    with locked(tmp_path / "cell.db", "IMMEDIATE"):
        job = robot.post("/api/ask", json={}).json()["id"]
        time.sleep(4.0)  # longer than a page would wait
        begun = time.monotonic()
        assert browser.get("/").status_code == 200
        assert time.monotonic() - begun < SOON / 2
        assert robot.get(f"/api/jobs/{job}").json()["state"] == "running"
    assert robot.get(f"/api/jobs/{job}", params={"wait": 60}).json()["state"] == "done"
    assert len(cell.pending()) == 3


def test_many_who_cannot_even_read_are_all_told_soon(served: Running, tmp_path: Path) -> None:
    robots, answers = [served.robot() for _ in range(12)], []
    with locked(tmp_path / "cell.db", "EXCLUSIVE"):
        begun = time.monotonic()
        threads = [threading.Thread(target=lambda it=it: answers.append(it.get("/api/status"))) for it in robots]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        took = time.monotonic() - begun
        page = served.browser().get("/help")
    assert [answer.status_code for answer in answers] == [503] * 12
    assert all(answer.headers["retry-after"] for answer in answers)
    assert took < 2 * SOON
    assert page.status_code == 200
    assert robots[0].get("/api/status").status_code == 200


# Damage


def damaged(path: Path) -> None:
    """Overwrite what lies behind the first page of a database."""
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def test_a_file_that_is_damaged_while_it_is_served_names_the_cure(cell: Study, served: Running, tmp_path: Path) -> None:
    browser = served.browser()
    damaged(tmp_path / "cell.db")
    answer = browser.get("/")
    assert answer.status_code == 503
    assert "pfes doctor --repair" in said(answer)
    assert "retry-after" not in answer.headers
    assert "pfes doctor --repair" in served.robot().get("/api/status").json()["error"]


def test_a_damaged_file_names_the_cure_when_it_is_opened(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cell_study(tmp_path)
    damaged(tmp_path / "cell.db")
    assert main(["serve", str(tmp_path / "cell.db"), "--port", "0"]) == 1
    assert capfd.readouterr().err.count("pfes doctor --repair") == 1


def test_a_damaged_file_of_a_folder_is_shown_and_not_opened(tmp_path: Path) -> None:
    cell_study(tmp_path)
    pool_study(tmp_path)
    damaged(tmp_path / "cell.db")
    with running(tmp_path) as served:
        browser = served.browser()
        text = browser.get("/begin").text
        assert "pfes doctor --repair" in text
        assert re.search(r"cell\.db: .*malformed", text)
        assert "Open mix" in text
        assert browser.post("/open", place=str(tmp_path / "cell.db"), name="cell.db").status_code == 422
