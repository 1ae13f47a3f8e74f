"""A report into a folder: a page, Markdown, and the pictures of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pfes.bench.results import read_results
from pfes.bench.summary.contents import document
from pfes.plots import save
from pfes.report.document import Picture
from pfes.report.markdown import as_markdown
from pfes.report.page import as_page

__all__ = ["Written", "report"]


@dataclass(frozen=True)
class Written:
    """The files of a report, the page first, and on how many runs it is."""

    files: tuple[Path, ...]
    runs: int


def report(
    results: Sequence[str | Path],
    folder: str | Path,
    *,
    experiment: str | None = None,
    against: str | None = None,
    title: str = "",
) -> Written:
    """Write what came of the runs in some files.

    experiment  only runs of the experiment of that name
    against     the label of the method that the others are compared with; the first, if nothing is said
    """
    lines = [line for line in read_results(results) if experiment in (None, line["experiment"])]
    names = dict.fromkeys(line["experiment"] for line in lines)
    found = document(lines, title or f"Benchmark: {', '.join(names)}", against)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    page, text = target / "report.html", target / "report.md"

    def file_of(picture: Picture) -> Path:
        return target / f"{picture.name}.png"

    for picture in found.pictures:
        save(picture.data, file_of(picture), dpi=120)
    page.write_text(as_page(found), encoding="utf-8")
    text.write_text(as_markdown(found, lambda picture: quote(file_of(picture).name)), encoding="utf-8")
    return Written((page, text, *map(file_of, found.pictures)), len(lines))
