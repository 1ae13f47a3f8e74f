"""Forms as browsers send them: proven to be ours, and their texts made into values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import HTTPException, Request
from starlette.datastructures import UploadFile

from pfes.errors import InvalidInput
from pfes.points import Domain
from pfes.sheets.cells import typed_number, typed_parameter
from pfes.space import Pool
from pfes.space.numbers import parse_number
from pfes.study import Study
from pfes.web.server import the_server

__all__ = ["Posted", "as_fixed", "as_point", "as_values", "posted", "seconds_in"]

PROOF = "form_key"
MOST_FIELDS = 5000
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class Posted:
    """The texts of a form, and the files: (name, bytes)."""

    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """One text, without spaces around it."""
        return self.texts.get(name, default).strip()

    def ticked(self, name: str) -> bool:
        """Whether a box was ticked."""
        return name in self.texts

    def number(self, name: str, label: str) -> float | int | None:
        """A number, with a decimal point or comma; None if nothing was written."""
        text = self.text(name)
        return None if not text else typed_number(text, label)

    def whole(self, name: str, label: str, default: int) -> int:
        """A whole number."""
        number = self.number(name, label)
        if number is None:
            return default
        if number % 1 != 0:  # nan and inf are none, either
            raise InvalidInput(f"{label}: got {self.text(name)!r}, wanted a whole number")
        return int(number)


async def posted(request: Request) -> Posted:
    """The form of a request; refused unless a page of this server made it."""
    form = await request.form(max_files=2, max_fields=MOST_FIELDS, max_part_size=the_server(request).rules.limit)
    texts, files = {}, {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if value.filename:
                files[name] = (value.filename, await value.read())
        else:
            texts[name] = value
    await form.close()
    if not request.state.proven and not the_server(request).rules.keys.is_form(texts.pop(PROOF, "")):
        raise HTTPException(403, "the page is of another server or an older one: load it again")
    texts.pop(PROOF, None)
    return Posted(texts, files)


def as_values(study: Study, given: Posted, prefix: str = "v") -> dict[str, float]:
    """Values of objectives from the fields v0, v1, ...; what is empty was not measured."""
    found = {}
    for place, item in enumerate(study.objectives):
        number = given.number(f"{prefix}{place}", item.name)
        if number is not None:
            found[item.name] = float(number)
    return found


def as_point(study: Study, given: Posted, prefix: str = "p") -> dict[str, Any]:
    """A point from the fields p0, p1, ..., or of a pool from the field row."""
    if isinstance(study.space, Pool):
        if not (row := given.text("row")):
            raise InvalidInput("got no row, wanted one of the candidates")
        return {"row": row}
    found = {}
    for place, name in enumerate(study.space.names):
        text = given.text(f"{prefix}{place}")
        if not text:
            raise InvalidInput(f"{name}: got nothing, wanted a value; a point needs all of its parameters")
        found[name] = typed_parameter(text, study.space.parameters[name], name)
    return found


def as_fixed(study: Study, given: Posted) -> dict[str, Any] | None:
    """Parameters to be held at a value, from the fields f0, f1, ...; what is empty is free."""
    found = {}
    for place, name in enumerate(study.space.names):
        if text := given.text(f"f{place}"):
            found[name] = _param(study.space, name, text)
    return found or None


def _param(space: Domain, name: str, text: str) -> Any:
    if not isinstance(space, Pool):
        return typed_parameter(text, space.parameters[name], name)
    column = space.columns.get(name, ())
    number = None if all(isinstance(cell, str) for cell in column) else parse_number(text, comma=True)
    return text if number is None else number


def seconds_in(given: Posted, name: str, label: str) -> float | None:
    """A time from two fields: a number and its unit."""
    number = given.number(name, label)
    return None if number is None else float(number) * UNITS.get(given.text(f"{name}_unit", "d"), 86400.0)
