"""Pages from templates. Every text of a user is escaped, by the template engine and not by its authors' memory."""

import datetime
import functools
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pfes.display import cell
from pfes.space import Pool
from pfes.standing import time_left
from pfes.study import Study
from pfes.web.plotly import map_styles
from pfes.web.server import the_server
from pfes.web.why import in_short
from pfes.web.words import on_the_page

__all__ = ["HERE", "NAVIGATION", "back", "page", "ready"]

HERE = Path(__file__).parent
NAVIGATION = (
    ("/", "Overview"),
    ("/ask", "Ask"),
    ("/record", "Record"),
    ("/trials", "Trials"),
    ("/model", "Model"),
    ("/settings", "Settings"),
)


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else f"{datetime.datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cell": cell, "time_left": time_left, "moment": _moment, "words": on_the_page}
    made.globals["in_short"] = in_short
    return made


_TEMPLATES = _environment()


def ready() -> None:
    """Compile all templates: the first page need not wait for it."""
    for name in _TEMPLATES.list_templates():
        _TEMPLATES.get_template(name)
    map_styles()


@functools.cache
def edition() -> str:
    """What the addresses of files end with, so that browsers may keep them until a new version comes."""
    newest = max(int(path.stat().st_mtime) for path in (HERE / "static").iterdir())
    return f"{version('pfes')}-{version('plotly')}-{newest}"


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; all of them know the study, what was said, and the proof that forms carry."""
    server = the_server(request)
    said = server.notices.hear(request.query_params.get("said", ""))
    study = values.get("study")
    common = {
        "version": version("pfes"),
        "edition": edition(),
        "map_styles": map_styles(),
        "units": _units(study),
        "pool": study is not None and isinstance(study.space, Pool),
        "path": request.url.path,
        "navigation": NAVIGATION,
        "form_key": server.rules.keys.form,
        "read_only": server.rules.read_only,
        "limit": server.rules.limit,
        "study": None,
        "error": "",
        "said": said,
    }
    text = _TEMPLATES.get_template(template).render(common | values)
    return HTMLResponse(text, status)


def _units(study: Study | None) -> dict[str, str]:
    """The units of parameters that have one."""
    parameters = getattr(study.space, "parameters", {}) if study is not None else {}
    return {name: it.unit for name, it in parameters.items() if it.unit}


def back(request: Request, to: str, said: str = "", **query: object) -> RedirectResponse:
    """Go on to a page after something was done, and say there what it was."""
    pairs = {name: str(value) for name, value in query.items()}
    if said:
        pairs["said"] = the_server(request).notices.say(said)
    return RedirectResponse(f"{to}?{urlencode(pairs)}" if pairs else to, 303)
