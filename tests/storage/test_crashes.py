"""Short forms of benchmarks/crash.py and crowd.py, whose long forms are recorded in benchmarks/results."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(script: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, ROOT / "benchmarks" / script, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_nothing_acknowledged_is_lost_when_processes_are_killed() -> None:
    found = run("crash.py", "--kills", "50")
    assert found["kills"] >= 50
    assert found["acknowledged"] > 0


def test_nothing_acknowledged_is_lost_when_the_server_is_killed() -> None:
    found = run("crash.py", "--kills", "25", "--postgres", "--no-sync", "--servers", "2")
    assert found["servers_killed"] == 2
    assert found["acknowledged"] > 0


@pytest.mark.parametrize(
    "options", [["--method", "sobol"], ["--method", "random"], ["--method", "random", "--postgres", "--no-sync"]]
)
def test_many_processes_share_a_study(options: list[str]) -> None:
    assert run("crowd.py", "--processes", "8", "--rounds", "5", *options)["trials"] == 40


def test_processes_that_use_models_share_a_study() -> None:
    assert run("crowd.py", "--processes", "3", "--rounds", "4", "--method", "pfes")["trials"] == 12
