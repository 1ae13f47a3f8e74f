"""The pictures of a study, for pages: what there is, and each as data that Plotly draws or as SVG.

They are described in the background, once for each state of the study; no request waits for a model.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.concurrency import run_in_threadpool

from pfes import plots
from pfes.web.jobs import Job
from pfes.web.server import Server, the_server

__all__ = ["Shown", "ready", "router", "shown"]

router = APIRouter()
PATIENCE = 0.3  # seconds in which most pictures are there
BEFOREHAND = 5.0  # seconds that a server may take to describe a picture before anybody asks
ABOUT = {
    "front": "Each point is measured; those of the front are beaten by no other.",
    "volume": "What the front dominates, as the study went on. Where it stays level, little is found.",
    "gains": "What suggestions promised per cost. When it has fallen for good, it may be time to stop.",
    "attainment": "Where the model expects the front, and how sure it is.",
    "calibration": "Each point predicted from the others: near the line, the prediction is right. Bars are one "
    "deviation; the share counts points within the model's 95 % interval, about two bars: near 95 %, its uncertainties "
    "can be believed.",
    "slices": "What the model expects when one parameter changes and the others stay.",
    "correlations": "1: what serves one goal serves the other; below 0 they compete. Larger is better in each: the "
    "sign is turned for objectives to be minimised.",
}
WIDE = ("attainment", "slices", "calibration", "parallel")


@dataclass(frozen=True)
class Shown:
    """A picture as a page shows it; why: it cannot be drawn yet."""

    name: str
    title: str
    about: str
    wide: bool
    why: str


def shown(server: Server, model: bool) -> list[Shown]:
    """The pictures of the study that show a model, or those that do not."""
    now = server.shelf.standing()
    found = [it for it in plots.pictures(now) if it.model == model]
    if len(now.objectives) == 1:  # "progress" says the same
        found = [it for it in found if it.name != "volume"]
    return [Shown(it.name, it.title, ABOUT.get(it.name, ""), it.name in WIDE, it.why) for it in found]


def described(server: Server, name: str) -> Job:
    """Describe a picture in the background, once for each state of the study."""
    now = server.shelf.standing()
    model = plots.PICTURES[name][2]

    def work() -> plots.Description:
        return plots.describe(server.shelf.modelled(now) if model else now, name)

    key = ("picture", name, now.study.storage, now.study.name, now.events)
    return server.jobs.start("look", f"Drawing {name}", work, key)


def ready(server: Server) -> None:
    """Describe the pictures of the first page before anybody asks for them."""
    for it in shown(server, model=False):
        if not it.why:
            described(server, it.name).wait(BEFOREHAND)


@router.get("/pictures/{name}")
async def picture(
    server: Annotated[Server, Depends(the_server)], name: str, dark: bool = False, width: int | None = None
) -> dict[str, Any]:
    """A picture as plain data, for so many pixels, or, while it is being made, how far it is."""
    if name not in plots.PICTURES:
        raise HTTPException(404, f"there is no picture {name}; there are {', '.join(plots.PICTURES)}")
    job = await run_in_threadpool(described, server, name)
    await server.jobs.outlast(job, PATIENCE)
    if job.state != "done":
        return {"state": job.state, "seconds": job.elapsed, "error": job.error}
    return await run_in_threadpool(_drawn, job, name, dark, width)


def _drawn(job: Job, name: str, dark: bool, width: int | None) -> dict[str, Any]:
    if name == "parallel":
        return {"state": "done", "svg": plots.svg(job.result, dark)}
    chart = job.result.chart()
    figure = plots.plotly_json(chart, dark, width)
    return {"state": "done", "figure": figure, "rows": chart.rows, "columns": chart.columns}
