"""Where there is no study yet: begin one with a form, or choose one of those that are there."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from pfes.errors import InvalidInput, PfesError
from pfes.plan.beginning import Begun
from pfes.plan.model import Plan
from pfes.sheets.cells import text_in
from pfes.space.numbers import parse_number
from pfes.web.forms import Posted, posted
from pfes.web.methods import checked_method, methods
from pfes.web.render import back, page
from pfes.web.server import Server, the_server
from pfes.web.shelf import TABLE, NoStudy
from pfes.web.status import form_status

__all__ = ["router"]

router = APIRouter()
MOST = 100  # parameters, and objectives, that the form may hold
EMPTY = 2  # rows that an empty form begins with

Served = Annotated[Server, Depends(the_server)]
Given = Annotated[Posted, Depends(posted)]


@router.get("/begin")
def beginning(request: Request, server: Served) -> Response:
    """A form for a new study, and those that are there."""
    try:
        _ = server.shelf.study
    except NoStudy:
        return _page(request, server, Posted())
    return RedirectResponse("/", 303)


def _page(request: Request, server: Server, typed: Posted, status: int = 200, error: str = "") -> Response:
    return page(
        request,
        "begin.html",
        status,
        error=error,
        typed=typed,
        found=server.shelf.found(),
        parameters=_rows(typed, "p"),
        objectives=_rows(typed, "o"),
        methods=methods().values(),
        place=server.shelf.place if server.shelf.folder is None else str(server.shelf.folder.resolve().name),
    )


def _rows(typed: Posted, letter: str) -> list[int]:
    """The numbers of the rows that were typed, or those of an empty form."""
    used = [n for n in range(MOST) if any(key.startswith(f"{letter}{n}_") for key in typed.texts)]
    return used or list(range(EMPTY))


@router.post("/open")
def opened(request: Request, server: Served, given: Given) -> Response:
    """Choose a study that is there."""
    try:
        study = server.shelf.choose(given.text("place"), given.texts.get("name", ""))
    except PfesError as error:
        return _page(request, server, given, form_status(error), str(error))
    return back(request, "/", f"Study {study.name} is open.")


@router.post("/begin")
def begun(request: Request, server: Served, given: Given) -> Response:
    """Begin a study as the form says."""
    try:
        if _has_study(server):
            raise InvalidInput("there is a study already; start another server for a second one")
        table = given.files["table"][1] if given.text("kind") == "pool" and "table" in given.files else None
        made = server.shelf.begin(plan_of(given), table)
    except PfesError as error:
        return _page(request, server, given, form_status(error), str(error))
    return back(request, "/", _words(made))


def _has_study(server: Server) -> bool:
    try:
        return server.shelf.study is not None
    except NoStudy:
        return False


def _words(made: Begun) -> str:
    taken = f" {made.results} rows with results were taken in." if made.results else ""
    left = f" The columns {', '.join(made.unused)} hold results that were left out." if made.unused else ""
    return f"Study {made.study.name} has begun.{taken}{left} Now ask what to measure first."


def plan_of(given: Posted) -> Plan:
    """The plan that a form describes; InvalidInput says what is missing."""
    objectives = _named(given, "o", _objective)
    if not objectives:
        raise InvalidInput("got no objective, wanted at least one: what is to be made large or small?")
    data: dict[str, Any] = {"study": _study(given), "objectives": objectives}
    if given.text("kind") == "pool":
        if "table" not in given.files:
            raise InvalidInput("got no table of candidates, wanted a CSV file")
        data["pool"] = {"file": TABLE, "with_results": given.ticked("with_results")}
    else:
        data["parameters"] = _named(given, "p", _parameter)
        if not data["parameters"]:
            raise InvalidInput("got no parameter, wanted at least one: what can be set?")
    try:
        return Plan.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InvalidInput(f"{' '.join(map(str, first['loc']))}: {first['msg']}") from None


def _study(given: Posted) -> dict[str, Any]:
    return {
        "name": given.text("study_name") or "study",
        "seed": given.whole("seed", "Seed", 0),
        "method": checked_method(given.text("method") or "pfes"),
        "model": given.text("model") or None,
        "budget": given.number("budget", "Budget"),
    }


def _named(given: Posted, letter: str, read: Any) -> dict[str, Any]:
    """The rows of the form that have a name."""
    found: dict[str, Any] = {}
    for n in range(MOST):
        name = given.text(f"{letter}{n}_name")
        if not name:
            continue
        if name in found:
            raise InvalidInput(f"{name!r} is there twice, wanted different names")
        found[name] = read(given, f"{letter}{n}", name)
    return found


def _parameter(given: Posted, prefix: str, name: str) -> dict[str, Any]:
    kind, unit = given.text(f"{prefix}_type") or "real", given.text(f"{prefix}_unit")
    if kind == "choice":
        values = [text.strip() for text in given.text(f"{prefix}_values").replace(";", ",").split(",")]
        found = [_choice(text) for text in values if text]
        return {"type": "choice", "values": found, "unit": unit, "ordered": given.ticked(f"{prefix}_ordered")}
    if kind not in ("real", "integer"):
        raise InvalidInput(f"{name}: got the kind {kind!r}, wanted real, integer or choice")
    made: dict[str, Any] = {"type": kind, "unit": unit, "log": given.ticked(f"{prefix}_log")}
    for end, label in (("low", "from"), ("high", "to")):
        if (number := given.number(f"{prefix}_{end}", f"{name}, {label}")) is None:
            raise InvalidInput(f"{name}, {label}: got nothing, wanted a number")
        made[end] = _whole(number, name) if kind == "integer" else number
    if (step := given.number(f"{prefix}_step", f"{name}, step")) is not None:
        made["step"] = _whole(step, name) if kind == "integer" else step
    return made


def _whole(number: float | int, name: str) -> int:
    if number % 1 != 0:  # nan and inf are none, either
        raise InvalidInput(f"{name}: got {number}, wanted a whole number, or the kind “number”")
    return int(number)


def _choice(text: str) -> str | float | int:
    number = parse_number(text)
    return text_in(text) if number is None else number


def _objective(given: Posted, prefix: str, name: str) -> dict[str, Any]:
    made: dict[str, Any] = {"goal": given.text(f"{prefix}_goal"), "unit": given.text(f"{prefix}_unit")}
    if made["goal"] not in ("max", "min"):
        raise InvalidInput(f"{name}: got no goal, wanted large or small")
    for what in ("cost", "threshold", "noise", "resolution"):
        if (number := given.number(f"{prefix}_{what}", f"{name}, {what}")) is not None:
            made[what] = number
    return made | {"transform": given.text(f"{prefix}_transform") or "none"}
