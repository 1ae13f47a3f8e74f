"""The report: one file that tells the study's story to a colleague, made in the background."""

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool

from pfes.web.guard import REPORT_POLICY
from pfes.web.jobs import Job
from pfes.web.render import page
from pfes.web.server import Server, the_server

__all__ = ["router"]

router = APIRouter()

Served = Annotated[Server, Depends(the_server)]


def written(server: Server) -> Job:
    """Write the report of the study as it is now; its result is the file."""
    now = server.shelf.standing()

    def work() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            now.study.report(path)
            return path.read_bytes()

    key = ("report", now.study.storage, now.study.name, now.events)
    return server.jobs.start("look", "Writing the report", work, key)


@router.get("/report")
def report(request: Request, server: Served) -> Response:
    """The report or, while it is being written, how far it is."""
    job = written(server)
    return page(request, "report.html", study=server.shelf.study, job=job)


@router.get("/report.html")
async def report_file(server: Served, show: bool = False) -> Response:
    """The report as a file to be kept or, on request, as a page under a policy of its own."""
    job = await run_in_threadpool(written, server)
    if not await server.jobs.outlast(job, 10.0) or job.state != "done":
        raise HTTPException(409, job.error or "the report is not written yet: look again in a minute")
    headers = {"content-disposition": f'{"inline" if show else "attachment"}; filename="report.html"'}
    if show:
        headers["content-security-policy"] = REPORT_POLICY
    return Response(job.result, media_type="text/html; charset=utf-8", headers=headers)
