"""The command, called in this process, in a folder of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pfes.cli.main import main

PLAN = """\
[study]
name = "cell"
method = "sobol"

[parameters.x]
type = "real"
low = 0
high = 1

[parameters.dopant]
type = "choice"
values = ["Er", "Nb"]

[objectives.power]
goal = "max"
cost = 5

[objectives.waste]
goal = "min"
"""

POOL = """\
name;solvent;water;yield;purity
M1;ethanol;0,1;72,5;88
M2;acetone;0,2;;
M3;ethanol;0,3;80,1;
M4;acetone;0,4;;
=M5;ethanol;0,5;;
"""


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def pfes(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """pfes("ask", "cell.db", "-n", 4): the command as a user types it."""

    def call(*words: object) -> Said:
        capfd.readouterr()
        code = main([str(word) for word in words])
        return Said(code, *capfd.readouterr())

    return call


@pytest.fixture
def cell(pfes: Callable[..., Said], folder: Path) -> str:
    """A study of two parameters, begun from a plan."""
    (folder / "cell.toml").write_text(PLAN)
    assert pfes("create", "cell.toml").code == 0
    return "cell.db"


@pytest.fixture
def mix(pfes: Callable[..., Said], folder: Path) -> str:
    """A study of five candidates, two of them with results."""
    (folder / "mix.csv").write_text(POOL)
    made = pfes("create", "mix.csv", "--max", "yield", "--max", "purity", "--with-results", "--method", "sobol")
    assert made.code == 0, made.err
    return "mix.db"
