"""Tables that leave: all trials, what is to be measured, the front. Texts that look like formulas are made harmless."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from pfes.sheets import Style, front_as_csv, trials_as_csv
from pfes.web.server import Server, the_server

__all__ = ["router", "table"]

router = APIRouter()

Served = Annotated[Server, Depends(the_server)]


def table(text: str, name: str) -> Response:
    """CSV to be saved under a name."""
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Response(text.encode("utf-8"), media_type="text/csv; charset=utf-8", headers=headers)


def _style(excel: bool) -> Style:
    return Style.excel() if excel else Style()


@router.get("/trials.csv")
def all_trials(server: Served, excel: bool = False) -> Response:
    """All trials."""
    now = server.shelf.standing()
    return table(trials_as_csv(now.study, now.trials, _style(excel)), "trials")


@router.get("/todo.csv")
def waiting(server: Served, excel: bool = False) -> Response:
    """What is to be measured, with empty cells to fill in."""
    now = server.shelf.standing()
    return table(trials_as_csv(now.study, now.pending, _style(excel), asked=True), "todo")


@router.get("/front.csv")
def front(server: Served, excel: bool = False) -> Response:
    """The best trade-offs measured."""
    now = server.shelf.standing()
    return table(front_as_csv(now.study, now.front, _style(excel)), "front")
