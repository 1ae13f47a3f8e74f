"""All trials: found, looked at, corrected, failed, released."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from pfes.errors import PfesError
from pfes.trials import Trial, TrialState
from pfes.web.forms import Posted, posted, seconds_in
from pfes.web.render import back, page
from pfes.web.server import Server, the_server

__all__ = ["router", "selected", "trial_page"]

router = APIRouter()
PAGE = 50  # trials on one page

Served = Annotated[Server, Depends(the_server)]
Given = Annotated[Posted, Depends(posted)]


@router.get("/trials")
def listed(
    request: Request,
    server: Served,
    state: str = "",
    text: Annotated[str, Query(max_length=200)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=10**6)] = 1,
) -> Response:
    """A page of the trials that match, the newest first."""
    now = server.shelf.standing()
    found = selected(now.trials, state, text)[::-1]
    pages = max(-(-len(found) // PAGE), 1)
    page_number = min(page_number, pages)
    return page(
        request,
        "trials.html",
        study=now.study,
        now=now,
        found=found[(page_number - 1) * PAGE : page_number * PAGE],
        count=len(found),
        pages=pages,
        page_number=page_number,
        state=state,
        text=text,
        states=[str(it) for it in TrialState],
    )


def selected(trials: Sequence[Trial], state: str = "", text: str = "") -> list[Trial]:
    """The trials of a state that hold a text in their number, point, message or notes."""
    found = [trial for trial in trials if not state or trial.state == state]
    wanted = text.strip().casefold()
    return [trial for trial in found if wanted in _said(trial)] if wanted else found


def _said(trial: Trial) -> str:
    parts = [trial.id, trial.row, *trial.params.values(), trial.message, *trial.notes, trial.purpose]
    return " ".join(str(part) for part in parts if part is not None).casefold()


@router.get("/trials/{number}")
def one(request: Request, server: Served, number: int) -> Response:
    """One trial, and what can be done about it."""
    return trial_page(request, server, number, Posted())


def trial_page(
    request: Request, server: Server, number: int, typed: Posted, status: int = 200, **values: object
) -> Response:
    """The page of a trial; typed: what could not be recorded, to be shown again."""
    study = server.shelf.study
    trial = study.trial(number)
    left = study.leases().get(trial.id) if trial.state is TrialState.PENDING else None
    known = {"error": "", "conflict": False, **values}
    return page(request, "trial.html", status, **known, study=study, trial=trial, left=left, typed=typed)


@router.post("/trials/{number}/release")
def released(request: Request, server: Served, given: Given, number: int) -> Response:
    """Give a pending trial back."""
    server.shelf.study.trial(number)  # there is no page of a trial that does not exist
    return _done(request, number, "is given back", lambda: server.shelf.study.release(number, given.text("why")))


@router.post("/trials/{number}/extend")
def extended(request: Request, server: Served, given: Given, number: int) -> Response:
    """Reserve a pending trial for longer."""
    server.shelf.study.trial(number)
    length = partial(seconds_in, given, "lease", "Reserve for")
    return _done(request, number, "is reserved for longer", lambda: server.shelf.study.extend(number, length()))


@router.post("/trials/{number}/reject")
def rejected(request: Request, server: Served, given: Given, number: int) -> Response:
    """Refuse a suggestion, or set data aside."""
    server.shelf.study.trial(number)
    why = given.text("why") or "no reason given"
    return _done(request, number, "is set aside", lambda: server.shelf.study.reject(number, why))


@router.post("/trials/{number}/note")
def noted(request: Request, server: Served, given: Given, number: int) -> Response:
    """Write something down."""
    server.shelf.study.trial(number)
    return _done(request, number, "has a note", lambda: server.shelf.study.note(number, given.text("note")))


def _done(request: Request, number: int, said: str, verb: Callable[[], object]) -> Response:
    """Do something to a trial and go back to it, with what came of that."""
    try:
        verb()
    except PfesError as error:
        return back(request, f"/trials/{number}", f"Not done: {error}")
    return back(request, f"/trials/{number}", f"Trial {number} {said}.")
