"""Asking what to measure next: the work goes on in the background, the page shows how far it is."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from pfes.errors import InvalidInput, PfesError
from pfes.space import Choice, Pool
from pfes.study import Study
from pfes.web.forms import Posted, as_fixed, as_point, posted, seconds_in
from pfes.web.methods import warm_up
from pfes.web.render import back, page
from pfes.web.server import Server, the_server
from pfes.web.status import form_status
from pfes.web.verbs import Wanted, ask

__all__ = ["router"]

router = APIRouter()
MOST = 100  # trials that one click may ask for
LISTED = 500  # candidates that a list offers


@router.get("/ask")
def asking(request: Request, server: Annotated[Server, Depends(the_server)], job: int | None = None) -> Response:
    """What can be asked for; what was found, if a job is given."""
    found = None if job is None else server.jobs.find(job)
    server.jobs.start("ask", "Loading what suggestions need", partial(_warm, server), "warm")
    return _page(request, server, Posted(), job=found)


def _warm(server: Server) -> None:
    warm_up()
    _ = server.shelf.patient


def _page(request: Request, server: Server, typed: Posted, status: int = 200, **values: object) -> Response:
    now = server.shelf.standing()
    return page(
        request,
        "ask.html",
        status,
        **{"job": None, **values},
        study=now.study,
        now=now,
        typed=typed,
        fields=fields(now.study),
        rows=candidates(now.study),
    )


def fields(study: Study) -> list[tuple[str, str, list[str]]]:
    """Name, unit and possible values (none: any) of each parameter of a space; nothing for pools."""
    if isinstance(study.space, Pool):
        return []
    parts = study.space.parameters.items()
    return [(name, it.unit, list(map(str, it.values)) if isinstance(it, Choice) else []) for name, it in parts]


def candidates(study: Study) -> list[str]:
    """The rows of a pool, as far as a list can show them."""
    return [str(row) for row in study.space.ids[:LISTED]] if isinstance(study.space, Pool) else []


@router.post("/ask")
def asked(
    request: Request, server: Annotated[Server, Depends(the_server)], given: Annotated[Posted, Depends(posted)]
) -> Response:
    """Begin to look for what to measure next."""
    try:
        study = server.shelf.study
        count = given.whole("count", "How many", 1)
        if not 1 <= count <= MOST:
            raise InvalidInput(f"How many: got {count}, wanted 1 to {MOST}")
        wanted = Wanted(
            count,
            decoupled=given.ticked("decoupled"),
            confirm=given.ticked("confirm"),
            replicates=given.ticked("replicates"),
            fixed=as_fixed(study, given),
            lease=seconds_in(given, "lease", "Reserve for"),
        )
        begun = ask(server, wanted)
    except PfesError as error:
        return _page(request, server, given, form_status(error), error=str(error))
    return back(request, "/ask", job=begun.number)


@router.post("/enqueue")
def enqueued(
    request: Request, server: Annotated[Server, Depends(the_server)], given: Annotated[Posted, Depends(posted)]
) -> Response:
    """Have a point measured before any other."""
    study = server.shelf.study
    try:
        which = [item.name for place, item in enumerate(study.objectives) if given.ticked(f"o{place}")]
        study.enqueue(as_point(study, given), which or None)
    except PfesError as error:
        return _page(request, server, given, form_status(error), error=str(error))
    return back(request, "/ask", "Your point comes first: the next time you ask, it is handed out.")
