"""How to call the API, made from its own description."""

from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request, Response

from pfes.web.render import page
from pfes.web.server import Server, the_server
from pfes.web.shelf import NoStudy

__all__ = ["router"]

router = APIRouter()


class Verb(NamedTuple):
    """One line of the description."""

    tag: str
    method: str
    path: str
    about: str
    takes: str


@router.get("/help")
def helping(request: Request, server: Annotated[Server, Depends(the_server)]) -> Response:
    """The verbs of the API, and examples."""
    try:
        study = server.shelf.study
    except NoStudy:
        study = None
    return page(
        request,
        "help.html",
        study=study,
        verbs=_verbs(request.app.openapi()),
        address=f"{request.url.scheme}://{request.url.netloc}",
        example=study.objectives.names[0] if study else "conductivity",
    )


def _verbs(described: dict[str, Any]) -> list[Verb]:
    return [
        Verb(it["tags"][0], method.upper(), path, it.get("description", ""), _takes(described, it))
        for path, methods in described["paths"].items()
        for method, it in methods.items()
    ]


def _takes(described: dict[str, Any], it: dict[str, Any]) -> str:
    """The names of what a verb takes."""
    names = [found["name"] for found in it.get("parameters", []) if found["in"] == "query"]
    content = it.get("requestBody", {}).get("content", {}).get("application/json", {})
    reference = content.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
    names += described["components"]["schemas"].get(reference, {}).get("properties", {})
    return ", ".join(names)
