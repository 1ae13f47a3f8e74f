"""Verbs that only look at a study."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response

from pfes.sheets import Style, trials_as_csv
from pfes.space import Pool
from pfes.standing import as_data, gains, warnings
from pfes.web.api.bodies import TrialData, trial_data
from pfes.web.methods import methods
from pfes.web.pages.downloads import table
from pfes.web.pages.settings import space_rows
from pfes.web.pages.trials import selected
from pfes.web.server import Server, the_server

__all__ = ["router"]

router = APIRouter(tags=["look"])

Served = Annotated[Server, Depends(the_server)]
Number = Annotated[int, Query(ge=0)]
State = Literal["", "pending", "done", "failed", "infeasible", "abandoned", "released", "rejected"]


@router.get("/study")
def about(server: Served) -> dict[str, Any]:
    """What the study is about: parameters, objectives, method, budget."""
    study = server.shelf.study
    kinds = ("name", "goal", "cost", "threshold", "resolution", "noise", "transform", "unit")
    data = {
        "name": study.name,
        "storage": study.storage,
        "method": study.method,
        "seed": study.seed,
        "budget": study.budget,
        "parameters": [dict(zip(("name", "type", "values", "unit"), row, strict=True)) for row in space_rows(study)],
        "candidates": len(study.space) if isinstance(study.space, Pool) else None,
        "objectives": [{kind: getattr(item, kind) for kind in kinds} for item in study.objectives],
        "bundles": [{"objectives": it.objectives, "cost": it.cost} for it in study.objectives.bundles],
        "read_only": server.rules.read_only,
    }
    found: dict[str, Any] = as_data(data)
    return found


@router.get("/status")
def status(server: Served) -> dict[str, Any]:
    """How the study stands: costs, front, hypervolume, pending trials, warnings."""
    now = server.shelf.standing()
    leases = now.study.leases()
    data = {
        "events": now.events,
        "trials": now.states,
        "budget": now.study.budget,
        "spent": now.spent,
        "reserved": now.reserved,
        "spent_on": now.spent_on,
        "best": now.best,
        "reference": now.reference,
        "hypervolume": now.steps[-1].hypervolume if now.steps else None,
        "gain_per_cost": [{"trial": number, "gain": gain} for number, gain in gains(now.trials)[-100:]],
        "pending": [trial.id for trial in now.pending],
        "leases": leases,
        "warnings": warnings(now.study, now.trials, leases),
    }
    found: dict[str, Any] = as_data(data)
    return found


@router.get("/trials")
def trials(
    server: Served,
    state: State = "",
    text: Annotated[str, Query(max_length=200)] = "",
    offset: Number = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[TrialData]:
    """Trials by number; state and text choose among them."""
    found = selected(server.shelf.standing().trials, state, text)
    return [trial_data(trial) for trial in found[offset : offset + limit]]


@router.get("/trials/{number}")
def one(server: Served, number: int) -> TrialData:
    """One trial."""
    return trial_data(server.shelf.study.trial(number))


@router.get("/pending")
def pending(server: Served) -> list[dict[str, Any]]:
    """What was asked for and not told in full, and how many seconds it is still reserved."""
    now = server.shelf.standing()
    left = now.study.leases()
    return [trial_data(trial).model_dump() | {"lease": left.get(trial.id)} for trial in now.pending]


@router.get("/front")
def front(server: Served) -> list[dict[str, Any]]:
    """The measured points that no other dominates."""
    points = server.shelf.standing().front
    found: list[dict[str, Any]] = as_data(
        [{"row": p.row, "params": p.params, "values": p.values, "trials": p.trials} for p in points]
    )
    return found


@router.get("/export", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def export(server: Served, excel: bool = False, pending: bool = False) -> Response:
    """All trials, or those that are pending, as CSV."""
    now = server.shelf.standing()
    style = Style.excel() if excel else Style()
    return table(trials_as_csv(now.study, now.pending if pending else now.trials, style), "trials")


@router.get("/methods")
def all_methods() -> list[dict[str, Any]]:
    """The ways to choose what to measure."""
    return [{"name": it.name, "summary": it.summary, "decoupled": it.decoupled} for it in methods().values()]
