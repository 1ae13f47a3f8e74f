"""Recording results: trial by trial, data from elsewhere, and tables with a look at what they will change."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from pfes.errors import Conflict, InvalidInput, PfesError, UnknownTrial
from pfes.plots.words import counted
from pfes.study import Study
from pfes.trials import Trial
from pfes.web.forms import Posted, as_point, as_values, posted
from pfes.web.pages.asking import candidates, fields
from pfes.web.pages.trials import trial_page
from pfes.web.render import back, page
from pfes.web.server import Server, the_server
from pfes.web.status import form_status
from pfes.web.tables import Look, outside, taken, text_of_upload

__all__ = ["router"]

router = APIRouter()
SHOWN = 50  # trials that the page has forms for
UNSAID = "no reason given"
CHANGES = 200  # changes that a preview lists

Served = Annotated[Server, Depends(the_server)]
Given = Annotated[Posted, Depends(posted)]


@router.get("/record")
def recording(request: Request, server: Served) -> Response:
    """Forms for what is waited for, and ways to bring tables."""
    return _page(request, server, Posted())


def _page(request: Request, server: Server, typed: Posted, status: int = 200, **values: Any) -> Response:
    now = server.shelf.standing()
    known = {"error": "", "failed_id": None, "conflict": False, **values}
    return page(
        request,
        "record.html",
        status,
        **known,
        study=now.study,
        now=now,
        waiting=_forms(now.study, now.pending, known["failed_id"]),
        leases=now.study.leases(),
        typed=typed,
        fields=fields(now.study),
        rows=candidates(now.study),
    )


def _forms(study: Study, pending: Sequence[Trial], failed: int | None) -> list[Trial]:
    """The trials that have forms; first the one that could not be recorded, pending or not, lest its form be lost."""
    others = [trial for trial in pending if trial.id != failed][:SHOWN]
    return others if failed is None else [study.trial(failed), *others]


@router.post("/record/data")
def added(request: Request, server: Served, given: Given) -> Response:
    """Take in data from elsewhere."""
    study = server.shelf.study
    try:
        values = as_values(study, given, "d")
        if not values:
            raise InvalidInput("got no values, wanted at least one of the objectives")
        trial = study.add([{**as_point(study, given), **values}])[0]
    except PfesError as error:
        return _page(request, server, given, form_status(error), error=str(error))
    return back(request, "/record", _with_outside(f"Taken in as trial {trial.id}.", study, [trial.id]))


@router.post("/record/preview")
def previewed(request: Request, server: Served, given: Given) -> Response:
    """Show what a table would change, without changing anything."""
    try:
        look = Look(
            text_of_upload(given.files["file"][1]) if "file" in given.files else given.texts.get("table", ""),
            given.files["file"][0] if "file" in given.files else given.text("name") or "the pasted table",
            correct=given.ticked("correct"),
            replicates=given.ticked("replicates"),
            data=given.ticked("data"),
        )
        found = look.at(server.shelf.study)
    except PfesError as error:
        return _page(request, server, given, form_status(error), error=str(error))
    study = server.shelf.study
    return page(request, "preview.html", study=study, look=look, found=found, most=CHANGES, changed=False)


@router.post("/record/import")
def imported(request: Request, server: Served, given: Given) -> Response:
    """Take a table in, if it changes what the preview said."""
    look = Look(
        given.texts.get("table", ""),
        given.text("name") or "the pasted table",
        correct=given.ticked("correct"),
        replicates=given.ticked("replicates"),
        data=given.ticked("data"),
    )
    study = server.shelf.study
    try:
        found = look.at(study)
        if found.mark != given.text("mark"):
            return page(request, "preview.html", 409, study=study, look=look, found=found, most=CHANGES, changed=True)
        merged = taken(study, look)
    except PfesError as error:
        return _page(request, server, given, form_status(error), error=str(error))
    told, added = counted(len(merged.told), "trial"), counted(len(merged.added), "row")
    return back(request, "/record", _with_outside(f"{told} told, {added} added.", study, merged.added))


def _with_outside(said: str, study: Study, numbers: Sequence[int]) -> str:
    """What was done, and which of the new trials are not of the space."""
    new = {trial.id: (trial.params, trial.row) for trial in map(study.trial, numbers) if trial.outside}
    return f"{said} {outside(study, new)}".rstrip()


@router.post("/record/{number}")
def told(request: Request, server: Served, given: Given, number: int) -> Response:
    """Say what came of a trial."""
    study = server.shelf.study
    try:
        values = as_values(study, given)
        if given.ticked("correct"):
            _refuse_emptied(study, given, number)
        verdict, why = given.text("verdict"), given.text("why")
        said: dict[str, Any] = {verdict: why or UNSAID} if verdict in ("failed", "infeasible", "abandoned") else {}
        trial = study.tell(number, values or None, correct=given.ticked("correct"), **said)
    except UnknownTrial:
        raise  # there is no form of it to be shown again
    except PfesError as error:
        how: dict[str, Any] = {"error": str(error), "conflict": isinstance(error, Conflict)}
        how["status"] = form_status(error)
        if given.text("from") == "trial":
            return trial_page(request, server, number, given, **how)
        return _page(request, server, given, failed_id=number, **how)
    to = f"/trials/{number}" if given.text("from") == "trial" else "/record"
    return back(request, to, _words(trial))


def _refuse_emptied(study: Study, given: Posted, number: int) -> None:
    """A field that is empty says "not measured", and does not take back what was: who emptied it shall know."""
    known = study.trial(number).values
    fields = {item.name: given.texts.get(f"v{place}") for place, item in enumerate(study.objectives)}
    emptied = [name for name, text in fields.items() if text is not None and not text.strip() and name in known]
    if emptied:
        raise InvalidInput(
            f"{', '.join(emptied)}: got nothing, but a value is known, and it would stay; wanted another value, or set "
            "the trial aside: then all its values are left out"
        )


def _words(trial: Trial) -> str:
    told = ", ".join(f"{name} {value:.6g}" for name, value in trial.values.items())
    waits = f"; still waiting for {', '.join(trial.missing)}" if trial.state == "pending" else ""
    return f"Trial {trial.id} is recorded as {trial.state}{f': {told}' if told else ''}{waits}."
