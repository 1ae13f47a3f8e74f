"""What the study is about, what can still be changed, and how it leaves: tables, a report, the API."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from pfes.errors import InvalidInput, PfesError
from pfes.space import Choice, Linear, Pool
from pfes.study import Study
from pfes.web.forms import Posted, posted
from pfes.web.methods import methods
from pfes.web.render import back, page
from pfes.web.server import Server, the_server
from pfes.web.status import form_status

__all__ = ["router"]

router = APIRouter()

Served = Annotated[Server, Depends(the_server)]


@router.get("/settings")
def settings(request: Request, server: Served) -> Response:
    """What the study is about."""
    return _page(request, server, Posted())


def _page(request: Request, server: Server, typed: Posted, status: int = 200, error: str = "") -> Response:
    now = server.shelf.standing()
    study = now.study
    return page(
        request,
        "settings.html",
        status,
        study=study,
        now=now,
        error=error,
        typed=typed,
        space=space_rows(study),
        limits=[_limit(it) for it in getattr(study.space, "constraints", ())],
        pool_size=len(study.space) if isinstance(study.space, Pool) else None,
        method=methods().get(study.method),
        address=f"{request.url.scheme}://{request.url.netloc}",
    )


def space_rows(study: Study) -> list[tuple[str, str, str, str]]:
    """Name, kind, values and unit of each parameter, or of each column that describes candidates."""
    if isinstance(study.space, Pool):
        return [(name, "column", "", "") for name in study.space.names]
    rows = []
    for name, it in study.space.parameters.items():
        if isinstance(it, Choice):
            values = ", ".join(map(str, it.values))
        else:
            values = f"{it.low:g} to {it.high:g}"
            values += f", in steps of {it.step:g}" if it.step not in (None, 1) else ""
            values += ", by its logarithm" if it.log else ""
        rows.append((name, type(it).__name__.lower(), values, it.unit))
    return rows


def _limit(limit: Any) -> str:
    if not isinstance(limit, Linear):
        return f"a function of Python: {getattr(limit, '__name__', 'without a name')}"
    return str(limit)


@router.post("/settings/reference")
def reference(request: Request, server: Served, given: Annotated[Posted, Depends(posted)]) -> Response:
    """Measure hypervolumes from another point."""
    study = server.shelf.study
    try:
        values = {item.name: given.number(f"r{place}", item.name) for place, item in enumerate(study.objectives)}
        wanted = {name: float(value) for name, value in values.items() if value is not None}
        if len(wanted) < len(values):
            raise InvalidInput("got no value for some objective, wanted one for each")
        study.set_reference(wanted)
    except PfesError as error:
        return _page(request, server, given, form_status(error), str(error))
    return back(request, "/settings", "Hypervolumes are measured from this point now.")
