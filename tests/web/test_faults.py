"""What should not happen, and what many at once may not do to one another."""

import logging
import re
import threading
import time

import httpx
import pytest

from pfes import Study
from pfes.web.shelf import Shelf
from web.serving import LONG, Browser, Running, said

SECRET = "a secret of the machine"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server whose study cannot be looked at, for a reason that nobody thought of."""

    def standing(self: Shelf) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(Shelf, "standing", standing)


def test_a_fault_is_a_sober_page_and_its_traceback_is_in_the_log(
    browser: Browser, broken: None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "pfes"):
        answer = browser.get("/")
    assert answer.status_code == 500
    assert "fault of pfes itself" in said(answer)
    assert "try it once more" in answer.text
    assert SECRET not in answer.text
    assert "Traceback" not in answer.text
    fault = caplog.records[0].getMessage().split()[1].rstrip(":")
    assert f"fault {fault}" in answer.text
    assert SECRET in caplog.text
    assert "Traceback" in caplog.text


def test_the_api_says_so_as_json_with_the_headers_of_every_answer(served: Running, broken: None) -> None:
    answer = served.robot().get("/api/status")
    assert answer.status_code == 500
    assert set(answer.json()) == {"error"}
    assert "fault of pfes itself" in answer.json()["error"]
    assert SECRET not in answer.text
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_a_picture_that_does_not_exist_is_not_found(browser: Browser) -> None:
    answer = browser.get("/pictures/nope")
    assert answer.status_code == 404
    assert "there is no picture nope" in answer.text


# Many at once


def test_a_hundred_who_wait_keep_nobody_else_waiting(served: Running) -> None:
    release = threading.Event()
    job = served.app.state.server.jobs.start("look", "for ever", lambda: release.wait(LONG))
    answers: list[httpx.Response] = []
    robots = [served.robot() for _ in range(100)]

    def poll(robot: httpx.Client) -> None:
        answers.append(robot.get(f"/api/jobs/{job.number}", params={"wait": 60}))

    threads = [threading.Thread(target=poll, args=(robot,)) for robot in robots]
    for thread in threads:
        thread.start()
    time.sleep(2.0)
    assert answers == []
    begun = time.monotonic()
    assert served.robot().get("/api/status").status_code == 200
    assert served.browser().get("/trials").status_code == 200
    assert time.monotonic() - begun < 30.0  # it was a minute, that of the first who waits
    release.set()
    for thread in threads:
        thread.join(LONG)
    assert [answer.json()["state"] for answer in answers] == ["done"] * 100


def test_waiting_ends_when_its_time_is_over(served: Running) -> None:
    release = threading.Event()
    job = served.app.state.server.jobs.start("look", "for ever", lambda: release.wait(LONG))
    answer = served.robot().get(f"/api/jobs/{job.number}", params={"wait": 0.5})
    release.set()
    assert answer.json()["state"] == "running"


# Numbers


@pytest.mark.parametrize("value", ["true", "false", '"1"'])
def test_what_is_no_number_is_not_taken_for_one(cell: Study, served: Running, value: str) -> None:
    before = cell.events
    robot = served.robot()
    robot.headers["content-type"] = "application/json"
    told = robot.post("/api/trials/8/tell", content=f'{{"values": {{"power": {value}}}}}')
    assert told.status_code == 422
    assert f"got {value}, wanted a number" in told.json()["error"]
    row = f'{{"x": 0.5, "t": 400, "dopant": "Er", "power": {value}}}'
    added = robot.post("/api/data", content=f'{{"rows": [{row}]}}')
    assert added.status_code == 422
    assert f"row 0, power: got {value}, wanted a number" in added.json()["error"]
    moved = robot.put("/api/reference", content=f'{{"values": {{"power": {value}, "waste": 1}}}}')
    assert moved.status_code == 422
    assert cell.events == before


def test_whole_numbers_are_numbers(cell: Study, served: Running) -> None:
    assert served.robot().post("/api/trials/8/tell", json={"values": {"power": 3}}).status_code == 200
    assert cell.trial(8).values == {"power": 3.0}


@pytest.mark.parametrize("held", ['{"x": 1e999}', '{"x": 7}', '{"t": 2.5}', '{"dopant": "Pb"}', '{"nothing": 1}'])
def test_what_nothing_can_be_held_at_is_refused_at_once(served: Running, held: str) -> None:
    robot = served.robot()
    robot.headers["content-type"] = "application/json"
    answer = robot.post("/api/ask", content=f'{{"fixed": {held}}}')
    assert (answer.status_code, "wanted" in answer.text or "is not in" in answer.text) == (422, True)


def test_what_was_typed_of_it_stays_in_the_form(browser: Browser) -> None:
    answer = browser.post("/ask", count="3", f0="inf")
    assert answer.status_code == 422
    assert "wanted a finite number" in said(answer)
    assert re.search(r'name="f0"[^>]*value="inf"', answer.text)
    assert re.search(r'name="count"[^>]*value="3"', answer.text)
