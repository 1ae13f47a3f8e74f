"""Tables of results on their way in: what they would change is looked at first."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pfes.errors import InvalidInput
from pfes.points import why_outside
from pfes.sheets import Results, read_results
from pfes.space.csv_table import decoded, sheet_of
from pfes.study import Study
from pfes.study.foreseeing import Change
from pfes.study.merging import Merged

__all__ = ["Foreseen", "Look", "outside", "taken", "text_of_upload"]

NAMED = 5  # points outside the space that are named one by one


@dataclass(frozen=True)
class Foreseen:
    """What a table would change, how many rows it has, columns that mean nothing, and a mark by which it is known.

    outside  which new points are not of the space, and why
    """

    changes: tuple[Change, ...]
    rows: int
    ignored: tuple[str, ...]
    mark: str
    outside: str = ""


@dataclass(frozen=True)
class Look:
    """A table as text, what it is called, and how it is to be taken; see `Study.merge`."""

    text: str
    name: str
    correct: bool = False
    replicates: bool = False
    data: bool = False

    def read(self, study: Study) -> Results:
        """Its rows, as the study understands them."""
        if not self.text.strip():
            raise InvalidInput("got no table, wanted a file, or cells copied from a spreadsheet with their header")
        return read_results(study, sheet_of(self.text.encode("utf-8"), self.name), numbers=not self.data)

    def at(self, study: Study) -> Foreseen:
        """What it would change in a study now."""
        results = self.read(study)
        changes = study.preview(results.rows, correct=self.correct, replicates=self.replicates)
        mark = hashlib.sha256(repr(changes).encode("utf-8", "replace")).hexdigest()[:16]
        new = {it.trial: (it.params, it.row) for it in changes if it.new and it.outside}
        return Foreseen(changes, len(results.rows), results.ignored, mark, outside(study, new))


def outside(study: Study, new: Mapping[int, tuple[Mapping[str, Any], Any]]) -> str:
    """Which of the trials, given by their parameters and rows, lie outside the space, and why; empty: none does."""
    said = {number: why_outside(study.space, params, row) for number, (params, row) in new.items()}
    found = [f"trial {number}: {why}" for number, why in said.items() if why]
    more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f"Outside the space, so used but never suggested: {'; '.join(found[:NAMED])}{more}." if found else ""


def taken(study: Study, look: Look) -> Merged:
    """Take a table in, all of it or, after an error, nothing."""
    return study.merge(look.read(study).rows, correct=look.correct, replicates=look.replicates)


def text_of_upload(data: bytes) -> str:
    """The text of a file, whatever a spreadsheet wrote it in."""
    if data.startswith(b"PK\x03\x04"):
        raise InvalidInput("this is a workbook, wanted CSV: in the spreadsheet, save it as CSV, or copy its cells")
    return decoded(data)
