"""The application: guard, pages, API, errors."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from pfes.errors import Busy, PfesError
from pfes.web.api import acting, looking, working
from pfes.web.api.bodies import Error
from pfes.web.faults import Faults
from pfes.web.guard import Guard, Rules
from pfes.web.pages import (
    asking,
    beginning,
    downloads,
    helping,
    modelling,
    overview,
    recording,
    reporting,
    settings,
    trials,
)
from pfes.web.pictures import router as pictures
from pfes.web.render import page
from pfes.web.server import Server
from pfes.web.shelf import NoStudy, Shelf
from pfes.web.static import router as static
from pfes.web.status import status_of

__all__ = ["create_app"]

ABOUT = """What to measure next when several goals compete: the verbs of `pfes` for instruments and robots.

Every request carries `Authorization: Bearer TOKEN`, the token that `pfes serve` printed. Asking takes seconds: `POST
/api/ask` answers at once with a job, and `GET /api/jobs/{id}?wait=60` with the trials. Errors are `{"error": "..."}`.
"""

ERRORS = (400, 401, 403, 404, 409, 422, 500, 503)  # that the API may answer with
RETRY = "5"  # seconds after which a database that was locked may be free
PAGES = (overview, asking, recording, trials, modelling, settings, downloads, reporting, beginning, helping)


def create_app(study: str | Shelf, rules: Rules) -> FastAPI:
    """The application that shows a study (its file, folder or database address) to whom the rules let in."""
    shelf = Shelf(study) if isinstance(study, str) else study
    app = FastAPI(
        title="pfes",
        version=version("pfes"),
        description=ABOUT,
        docs_url=None,  # they would be fetched from elsewhere: /help shows the same
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.server = Server(shelf, rules)
    app.add_middleware(Faults)
    app.add_middleware(Guard, rules=rules)  # the outermost: all answers pass it
    api = APIRouter(prefix="/api", responses={code: {"model": Error} for code in ERRORS})
    for part in (looking, acting, working):
        api.include_router(part.router)
    app.include_router(api)
    for router in (*(module.router for module in PAGES), pictures, static):
        app.include_router(router, include_in_schema=False)
    _handle(app)
    return app


def _handle(app: FastAPI) -> None:
    """Say what went wrong: as a page, or as JSON."""
    handlers: dict[Any, Callable[..., Response]] = {
        PfesError: _library,
        NoStudy: _no_study,
        HTTPException: _http,
        RequestValidationError: _invalid,
        ValidationError: _invalid,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def _said(request: Request, status: int, message: str) -> Response:
    if request.url.path.startswith("/api"):
        return JSONResponse({"error": message}, status)
    return page(request, "error.html", status, message=message, code=status)


def _library(request: Request, error: PfesError) -> Response:
    answer = _said(request, status_of(error), str(error))
    if isinstance(error, Busy):
        answer.headers["retry-after"] = RETRY
    return answer


def _no_study(request: Request, error: NoStudy) -> Response:
    if request.url.path.startswith("/api"):
        return _said(request, 409, "there is no study yet: POST /api/study begins one")
    return RedirectResponse("/begin", 303)


def _http(request: Request, error: HTTPException) -> Response:
    return _said(request, error.status_code, str(error.detail))


def _invalid(request: Request, error: RequestValidationError | ValidationError) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return _said(request, 422, f"{where or 'the request'}: {first['msg']}")
