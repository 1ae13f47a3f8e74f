"""Reports into files, by the names of the files."""

import os
from pathlib import Path
from urllib.parse import quote

from pfes.errors import InvalidInput
from pfes.plots import look, save
from pfes.report.contents import document
from pfes.report.document import Document, Picture
from pfes.study import Study

__all__ = ["write_report"]

KINDS = {".html": "page", ".htm": "page", ".md": "markdown", ".markdown": "markdown", ".png": "picture"}


def write_report(
    study: Study, path: str | os.PathLike[str], *, model: bool = True, suggest: bool = True
) -> tuple[Path, ...]:
    """Write what a study is about and has found to a file: .html, .md (with pictures beside it) or .png.

    model    what the model makes of it, too; without, a study of any size takes seconds
    suggest  if nothing is pending, also what would be suggested now

    The study is not changed. Gives the files written, the report first.
    """
    target = Path(path)
    kind = KINDS.get(target.suffix.lower())
    if kind is None:
        raise InvalidInput(f"report: got {target.name!r}, wanted a name that ends in .html, .md or .png")
    view = look(study, model)
    found = document(study, view, suggest and model)
    if kind == "markdown":
        return _markdown(found, target)
    if kind == "picture":
        from pfes.report.overview import as_picture  # noqa: PLC0415 - one of three

        target.write_bytes(as_picture(found, view))
    else:
        from pfes.report.page import as_page  # noqa: PLC0415 - one of three

        target.write_text(as_page(found), encoding="utf-8")
    return (target,)


def _markdown(found: Document, target: Path) -> tuple[Path, ...]:
    from pfes.report.markdown import as_markdown  # noqa: PLC0415 - one of three

    def file_of(picture: Picture) -> Path:
        return target.with_name(f"{target.stem}-{picture.name}.png")

    for picture in found.pictures:
        save(picture.data, file_of(picture), dpi=120)
    target.write_text(as_markdown(found, lambda picture: quote(file_of(picture).name)), encoding="utf-8")
    return (target, *map(file_of, found.pictures))
