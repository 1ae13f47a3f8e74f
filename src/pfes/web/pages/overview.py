"""The first page: how the study stands, while it runs."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from pfes.standing import front_table, gains, pending_table, warnings
from pfes.web.pictures import shown
from pfes.web.render import page
from pfes.web.server import Server, the_server

__all__ = ["router"]

router = APIRouter()
SHOWN = 12  # rows of a table on the first page
LAST = 5  # suggestions whose gain is shown


@router.get("/")
def overview(request: Request, server: Annotated[Server, Depends(the_server)]) -> HTMLResponse:
    """How the study stands."""
    now = server.shelf.standing()
    study, leases = now.study, now.study.leases()
    columns, rows = front_table(study, now.front[:SHOWN])
    promised = gains(now.trials)[-LAST:]
    return page(
        request,
        "overview.html",
        study=study,
        now=now,
        front=(columns, rows),
        waiting=pending_table(study, now.pending[:SHOWN], leases),
        promised=[gain for _, gain in promised],
        warnings=warnings(study, now.trials, leases),
        pictures=shown(server, model=False),
    )


@router.get("/live")
def live(server: Annotated[Server, Depends(the_server)]) -> dict[str, Any]:
    """How many events there are: pages ask for it, and load anew what has changed."""
    return {"events": len(server.shelf.study.events)}
