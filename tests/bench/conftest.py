"""Experiments small enough for tests: a problem and methods of a user's own, in a folder of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MINE = '''
import os, time
from pathlib import Path
import numpy as np
import pfes
from pfes.problems import Problem


def valley(width=1.0):
    """Two parabolas over a square."""
    def truth(x):
        return np.column_stack([(x ** 2).sum(axis=1), ((x - width) ** 2).sum(axis=1)])
    goals = pfes.objectives.Objectives([pfes.Objective("a", "min", cost=3), pfes.Objective("b", "min")])
    space = pfes.Space(x=pfes.Real(0, 2), y=pfes.Real(0, 2))
    # the front: a = 2 t^2, b = 2 (w - t)^2, 0 <= t <= w; for w = 1 the integral below it is 2/3, of 16 in all
    return Problem("valley", space, goals, truth, np.array([4.0, 4.0]), 16.0 - 2.0 / 3.0)


def corner(start, step=0.25):
    """Walk along the diagonal."""
    def choose(record):
        return np.full(2, (step * len(record)) % 1.0)
    return choose


def one_by_one(start):
    """First the dear objective of a point, then the cheap one."""
    from pfes.bench import Wish
    def choose(record):
        number = len(record)
        return Wish(np.full(2, 0.1 * (number // 2) % 1.0), (number % 2,), gain=1.0 / number, purpose="try")
    return choose


def falls(start):
    raise RuntimeError("it fell")


def dies(start):
    os._exit(3)


def slow(start, log, seconds):
    """Note that a search begins, and take a while."""
    with open(log, "a") as file:
        file.write(f"{start.seed}\\n")
    def choose(record):
        time.sleep(seconds)
        return np.full(2, 0.5 / len(record))
    return choose
'''

HEAD = """\
name = "try"
seeds = 2
start = 3
budget = { evaluations = 6 }
[[problems]]
name = "mine:valley"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module `mine`, in which the test stands."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "mine", raising=False)
    return tmp_path


@pytest.fixture
def experiment(folder: Path) -> Callable[..., Path]:
    """experiment(*methods, head=...): a TOML file; a method is its name, or a dict of its keys."""

    def write(*methods: str | dict[str, Any], head: str = HEAD, name: str = "try.toml") -> Path:
        tables = [{"name": it} if isinstance(it, str) else it for it in methods]
        text = "".join("[[methods]]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in it.items()) for it in tables)
        (folder / name).write_text(head + text)
        return folder / name

    return write


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value)
