"""Verbs that take long: a request begins them, and another fetches what came of them."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query
from fastapi.concurrency import run_in_threadpool

from pfes.study import Study
from pfes.web.api.bodies import Ask, JobState, Predict, job_state
from pfes.web.server import Server, the_server
from pfes.web.shelf import NoStudy
from pfes.web.verbs import Wanted, ask, predict, recommend

__all__ = ["router"]

router = APIRouter(tags=["work"])

Served = Annotated[Server, Depends(the_server)]
LONGEST = 60.0  # seconds that a request may wait


@router.post("/ask", status_code=202)
def begin_to_ask(server: Served, given: Ask) -> JobState:
    """Begin to look for what to measure next; GET /api/jobs/{id}?wait=60 gives the trials."""
    return job_state(None, ask(server, Wanted(**given.model_dump())))


@router.post("/recommend", status_code=202)
def begin_to_recommend(server: Served) -> JobState:
    """Begin to ask the model for the best points, measured or not."""
    return job_state(_study(server), recommend(server))


@router.post("/predict", status_code=202)
def begin_to_predict(server: Served, given: Predict) -> JobState:
    """Begin to ask the model what it expects at points."""
    return job_state(None, predict(server, given.points))


@router.get("/jobs")
def jobs(server: Served) -> list[JobState]:
    """What is under way."""
    return [job_state(None, job) for job in server.jobs.under_way()]


@router.get("/jobs/{number}")
async def job(server: Served, number: int, wait: Annotated[float, Query(ge=0, le=LONGEST)] = 0.0) -> JobState:
    """How far a job is, and what came of it; wait: seconds to wait for its end."""
    found = server.jobs.find(number)
    if found is None:
        raise HTTPException(404, f"there is no job {number}, or it is forgotten")
    await server.jobs.outlast(found, wait)
    return await run_in_threadpool(job_state, _study(server), found)


def _study(server: Server) -> Study | None:
    try:
        return server.shelf.study
    except NoStudy:
        return None
