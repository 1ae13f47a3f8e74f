"""Where a server may listen, its token, and the verb."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from pfes import InvalidInput, Objective, Real, Space, create_study, open_study
from pfes.cli.main import main
from pfes.web import create_app, render, running
from pfes.web.jobs import Jobs
from pfes.web.keys import Keys, is_open_to_others, kept_token, new_token
from pfes.web.pictures import described
from pfes.web.plotly import script
from pfes.web.running import Listening, run
from pfes.web.shelf import Shelf
from processes import interruptible
from web.conftest import cell_study
from web.serving import LONG


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.0.1"])
def test_this_machine_alone_is_safe(host: str) -> None:
    assert not Listening(host).public


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.7", "lab.example", "10.0.0.1"])
def test_a_public_address_needs_tls_or_a_word(host: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--tls-cert"):
        Listening(host, allowed=("lab",))
    assert Listening(host, allowed=("lab",), insecure=True).public
    assert Listening(host, allowed=("lab",), certificate=tmp_path, key=tmp_path).scheme == "https"


def test_every_address_needs_a_name_and_a_certificate_its_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--allow-host"):
        Listening("0.0.0.0", insecure=True)
    with pytest.raises(InvalidInput, match="--tls-key"):
        Listening(certificate=tmp_path)
    assert Listening("0.0.0.0", allowed=("Lab.example",), insecure=True).hosts == {"lab.example"}
    assert Listening("::1").address(80) == "http://[::1]:80"
    assert "127.0.0.1" not in Listening("lab.example", insecure=True).hosts


def test_a_port_that_is_taken_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", str(tmp_path), "--port", str(taken.getsockname()[1])]) == 1
    assert "cannot listen" in capfd.readouterr().err


def test_tokens_are_long_and_differ() -> None:
    assert new_token() != new_token()
    assert len(new_token()) >= 40
    keys = Keys(new_token(), 1)
    assert len({keys.token, keys.cookie, keys.form}) == 3


def test_a_token_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = kept_token(path)
    assert kept_token(path) == token
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    path.write_text("short")
    with pytest.raises(InvalidInput, match="wanted 16"):
        kept_token(path)


def test_the_verb_prints_an_address_that_opens_and_ends_when_interrupted(tmp_path: Path) -> None:
    cell_study(tmp_path)
    command = [sys.executable, "-m", "pfes", "serve", "cell.db", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as begun:
        assert begun.stdout is not None
        address = begun.stdout.readline().removeprefix("Open ").strip()
        assert address.startswith("http://127.0.0.1:")
        answer = httpx.get(address, follow_redirects=True, trust_env=False, timeout=LONG, verify=False)
        begun.send_signal(signal.SIGINT)
        assert begun.wait(LONG) == 0
    assert "cell" in answer.text


def begun_server(folder: Path) -> tuple["subprocess.Popen[str]", httpx.Client]:
    """`pfes serve` of the study in a folder, and an instrument that calls it."""
    command = [sys.executable, "-m", "pfes", "serve", "cell.db", "--port", "0"]
    begun = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert begun.stdout is not None
    base, _, token = begun.stdout.readline().removeprefix("Open ").strip().partition("/?token=")
    headers = {"authorization": f"Bearer {token}"}
    return begun, httpx.Client(base_url=base, headers=headers, timeout=LONG, trust_env=False)


def test_an_interruption_ends_it_soon_and_quietly_while_it_computes(tmp_path: Path) -> None:
    study = create_study(
        tmp_path / "cell.db", space=Space(x=Real(0, 1), y=Real(0, 1)), objectives=[Objective("p"), Objective("q")]
    )
    study.add([{"x": i / 9, "y": i * i / 81, "p": i % 4, "q": -i} for i in range(10)])
    begun, robot = begun_server(tmp_path)
    with begun, robot, ThreadPoolExecutor(1) as threads:
        job = robot.post("/api/ask", json={"count": 100}).json()["id"]
        while robot.get(f"/api/jobs/{job}").json()["state"] == "waiting":
            time.sleep(0.05)
        slow = socket.create_connection((robot.base_url.host, robot.base_url.port))  # asks for much and reads nothing
        token = robot.headers["authorization"]
        slow.sendall(f"GET /static/plotly.js HTTP/1.1\r\nhost: localhost\r\nauthorization: {token}\r\n\r\n".encode())
        waits = threads.submit(robot.get, f"/api/jobs/{job}", params={"wait": 60})
        robot.post("/api/data", json={"rows": [{"x": 0.5, "y": 0.5, "p": 1.0, "q": 2.0}]})
        time.sleep(1.0)
        begin = time.monotonic()
        begun.send_signal(signal.SIGINT)
        code = begun.wait(LONG)
        took = time.monotonic() - begin
        assert waits.result().json()["state"] == "running"
        assert begun.stderr is not None
        heard = begun.stderr.read().splitlines()
        slow.close()
    assert (code, len(heard)) == (0, 2), heard
    assert "may change the study" in heard[0]
    assert "The server has ended. What it was computing is left off" in heard[1]
    assert took < 5.0  # two of them for the slow reader
    assert len(open_study(tmp_path / "cell.db").trials()) == 11


def test_the_first_page_is_made_ready_before_its_address_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell_study(tmp_path)
    apps: list[FastAPI] = []
    monkeypatch.setattr(running, "create_app", lambda *given: apps.append(create_app(*given)) or apps[-1])
    seen: list[str] = []

    def said(address: str) -> None:
        server = apps[0].state.server
        jobs = [described(server, name) for name in ("front", "volume", "correlations")]
        seen.extend(job.state for job in jobs)
        seen.append(f"{len(render._TEMPLATES.cache or ())} templates")
        raise KeyboardInterrupt

    render._TEMPLATES.cache.clear()  # type: ignore[union-attr]
    run(Shelf(str(tmp_path / "cell.db")), Listening(), new_token(), said)
    assert seen == ["done"] * 3 + [f"{len(list((render.HERE / 'templates').iterdir()))} templates"]


def test_an_interruption_before_the_server_runs_is_an_end_as_well(tmp_path: Path) -> None:
    cell_study(tmp_path)

    def interrupted(address: str) -> None:
        raise KeyboardInterrupt

    assert run(Shelf(str(tmp_path / "cell.db")), Listening(), new_token(), interrupted) is False


def test_a_token_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "token"
    kept_token(path)
    assert not is_open_to_others(path)
    path.chmod(0o644)
    assert is_open_to_others(path)
    cell_study(tmp_path)
    command = [sys.executable, "-m", "pfes", "serve", "cell.db", "--port", "0", "--token-file", "token", "--read-only"]
    with interruptible(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as begun:
        assert begun.stdout is not None
        assert begun.stderr is not None
        assert begun.stdout.readline().startswith("Open http://")
        heard = ""
        while "Whoever" not in heard:  # it comes after the address
            line = begun.stderr.readline()
            assert line
            heard += line
        begun.send_signal(signal.SIGINT)
        assert begun.wait(LONG) == 0
        assert "others can read token, and with it the study; try chmod 600 token" in heard
        assert "Whoever has this address may look at the study." in heard


def test_plotly_is_served_as_it_is_but_for_parentheses_around_its_function() -> None:
    own = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    assert len(script()) == len(own) + 2
    assert script().replace(b"self : this, (() => {", b"self : this, () => {", 1)[:-3] == own[:-2]
    assert script().endswith(b"})));")


# Jobs


def test_jobs_report_what_came_of_them() -> None:
    jobs = Jobs()
    good, bad = jobs.start("look", "good", lambda: 7), jobs.start("look", "bad", lambda: 1 / 0)
    assert good.wait(LONG)
    assert bad.wait(LONG)
    assert (good.state, good.result) == ("done", 7)
    assert bad.state == "failed"
    assert "ZeroDivisionError" in bad.error
    assert jobs.find(good.number) is good
    assert jobs.find(99) is None


def test_the_same_work_is_done_once_unless_it_failed() -> None:
    jobs = Jobs()
    assert jobs.start("look", "a", lambda: 1, "key") is jobs.start("look", "a", lambda: 2, "key")
    bad = jobs.start("look", "b", lambda: 1 / 0, "other")
    assert bad.wait(LONG)
    assert jobs.start("look", "b", lambda: 2, "other") is not bad


def test_old_jobs_are_forgotten() -> None:
    jobs = Jobs()
    for number in range(300):
        assert jobs.start("look", "one", lambda: 0, number).wait(LONG)
    assert jobs.find(1) is None
    assert jobs.find(300) is not None
    assert len(jobs._jobs) <= 201
