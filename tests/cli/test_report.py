"""`pfes report`: the files it writes, and what it says."""

from collections.abc import Callable
from pathlib import Path

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
