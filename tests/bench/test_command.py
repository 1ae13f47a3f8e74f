"""`pfes bench` as it is typed, and the example of a user's own problem and method in docs/bench.md."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pfes.cli.main import main
from test_promises import ROOT, fences

PAGE = ROOT / "docs" / "bench.md"
Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pfes(folder: Path, capfd: pytest.CaptureFixture[str]) -> Said:
    """pfes("bench", "list"): exit code, standard output, standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(word) for word in words])
        return code, *capfd.readouterr()

    return call


def test_the_shipped_experiments_are_listed_and_shown(pfes: Said) -> None:
    code, out, _ = pfes("bench", "list", "--json")
    listed = {it["name"]: it for it in json.loads(out)}
    assert code == 0
    assert listed["paper-benchmark"]["runs"] == 320
    assert "quick" in pfes("bench", "list")[1]
    shown = pfes("bench", "show", "quick")[1]
    assert 'name = "quick"' in shown
    assert pfes("bench", "show", "slow")[0] == 1


def test_an_experiment_of_ones_own_runs_and_reports(pfes: Said, experiment: Callable[..., Path]) -> None:
    path = experiment("random", "mine:falls", "mine:corner")
    code, out, err = pfes("bench", "run", path, "-o", "r.jsonl", "--processes", 2)
    assert code == 0
    assert "6 runs made, 2 of them failed, 0 were there" in out
    assert "valley, falls, seed 0: failed, RuntimeError: it fell" in err
    data: dict[str, Any] = json.loads(pfes("bench", "run", path, "-o", "r.jsonl", "--json")[1])
    assert (data["total"], data["before"], data["done"]) == (6, 6, 0)
    code, out, _ = pfes("bench", "report", "r.jsonl", "-o", "out", "--against", "corner", "--title", "Mine")
    assert code == 0
    assert "Wrote out/report.html on 6 runs" in out
    assert "corner against the others" in Path("out/report.md").read_text()
    assert Path("out/report.md").read_text().startswith("# Mine")


def test_when_everything_fails_the_command_does_too(pfes: Said, experiment: Callable[..., Path]) -> None:
    assert pfes("bench", "run", experiment("mine:falls"), "-o", "r.jsonl", "--quiet")[0] == 1


def test_what_is_wrong_is_one_red_line(pfes: Said, experiment: Callable[..., Path]) -> None:
    code, _, err = pfes("bench", "run", experiment("nobody"))
    assert code == 1
    assert re.fullmatch(r"Error: try\.toml, line 7: methods: got the method 'nobody', .*\n", err)
    assert pfes("bench", "report", "nothing.jsonl")[0] == 1


def block(language: str, name: str) -> str:
    """The block of the page that begins with a comment that names a file."""
    return next(code for _, kind, code in fences(PAGE) if kind == language and code.startswith(f"# {name}"))


def test_the_example_of_the_page_runs_as_it_is_written(pfes: Said, folder: Path) -> None:
    (folder / "plating.py").write_text(block("python", "plating.py"))
    (folder / "plating.toml").write_text(block("toml", "plating.toml"))
    rows = [(current, bath, 0.1 * current, bath * 0.2 + 1.0 / current) for current in range(1, 7) for bath in range(5)]
    with (folder / "baths.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("current", "bath", "rate", "roughness"), *rows])
    code, out, err = pfes("bench", "run", "plating.toml", "-o", "results.jsonl", "--quiet")
    assert code == 0, err
    assert "12 runs made, 0 were there" in out
    assert pfes("bench", "report", "results.jsonl", "-o", "report")[0] == 0
    text = Path("report/report.md").read_text()
    for label in ("plating", "my baths", "my annealing", "default"):
        assert label in text
