"""What the model has learned: pictures and recommendations, made in the background."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from pfes.web.pictures import shown
from pfes.web.render import page
from pfes.web.server import Server, the_server
from pfes.web.verbs import recommend

__all__ = ["router"]

router = APIRouter()
SHOWN = 20  # recommendations


@router.get("/model")
def modelled(request: Request, server: Annotated[Server, Depends(the_server)]) -> Response:
    """Pictures of the model, and what it recommends."""
    now = server.shelf.standing()
    job = None if now.lacking else recommend(server)
    if job is not None:
        job.wait(0.05)  # it may be known already
    first = now.study.objectives[0]
    found = job.result if job is not None and job.state == "done" else []
    best = sorted(found, key=lambda it: -first.sign * it.estimates[first.name].mean)
    pictures = shown(server, model=True)
    return page(request, "model.html", study=now.study, now=now, job=job, best=best, pictures=pictures, most=SHOWN)
