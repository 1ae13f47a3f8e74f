"""`pfes report`: the files it writes, and what it says."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Said

Pfes = Callable[..., Said]


def test_a_report_is_written_where_it_is_wanted(pfes: Pfes, folder: Path, mix: str) -> None:
    said = pfes("report", mix, "--no-model")
    assert (said.code, said.out) == (0, "Wrote report.html.\n")
    assert "What was found" in (folder / "report.html").read_text(encoding="utf-8")
    said = pfes("report", mix, "-o", "out.md", "--no-model", "--json")
    assert said.data["files"][0] == "out.md"
    assert all((folder / name).exists() for name in said.data["files"])


def test_a_report_that_cannot_be_written_says_why(pfes: Pfes, mix: str) -> None:
    said = pfes("report", mix, "-o", "report.doc")
    assert said.code == 1
    assert "wanted a name that ends in .html, .md or .png" in said.err
    assert pfes("report", mix, "-o", "nowhere/report.html", "--no-model").code == 1


def test_whoever_waits_at_a_terminal_is_told_why(pfes: Pfes, mix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfes.cli.output.PATIENCE", 0.0)
    monkeypatch.setattr("pfes.study.Study.report", lambda self, path, **how: time.sleep(0.3) or (path,))
    why = "Writing the report … the first time after an installation takes about a minute: code is compiled."
    assert pfes("report", mix, "--json").err == ""  # nobody sits there
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert why in " ".join(pfes("report", mix, "--json").err.split())
