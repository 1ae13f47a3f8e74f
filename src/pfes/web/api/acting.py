"""Verbs that change a study."""

import json
import math
from typing import Annotated, Any

from fastapi import APIRouter, Depends

from pfes.errors import InvalidInput
from pfes.plan.model import Plan
from pfes.standing import as_data
from pfes.study import Study
from pfes.web.api.bodies import (
    Begin,
    Changed,
    Enqueue,
    Extend,
    Note,
    Preview,
    Reason,
    Reference,
    Rows,
    Table,
    Tell,
    TrialData,
    trial_data,
)
from pfes.web.methods import checked_method
from pfes.web.server import Server, the_server
from pfes.web.shelf import TABLE, NoStudy
from pfes.web.tables import Look

__all__ = ["router"]

router = APIRouter(tags=["act"])

Served = Annotated[Server, Depends(the_server)]


@router.post("/study", status_code=201)
def begin(server: Served, given: Begin) -> dict[str, Any]:
    """Begin a study, where there is none yet."""
    try:
        name = server.shelf.study.name
    except NoStudy:
        pass
    else:
        raise InvalidInput(f"study: {name!r} is open already; start another server for a second one")
    checked_method(given.method)
    data: dict[str, Any] = given.model_dump(include={"objectives"})
    data["study"] = given.model_dump(include={"name", "seed", "method", "model", "budget"})
    if given.candidates is not None:
        data["pool"] = {"file": TABLE, "with_results": given.with_results}
    if given.parameters:
        data["parameters"] = given.model_dump(include={"parameters"})["parameters"]
    table = None if given.candidates is None else given.candidates.encode("utf-8")
    begun = server.shelf.begin(Plan.model_validate(data), table)
    return {"name": begun.study.name, "results": begun.results, "unused": list(begun.unused)}


@router.post("/trials/{number}/tell")
def tell(server: Served, number: int, given: Tell) -> TrialData:
    """Say what came of a trial: in any order, in parts; telling the same again changes nothing."""
    return trial_data(server.shelf.study.tell(number, **given.model_dump()))


@router.post("/trials/{number}/release")
def release(server: Served, number: int, given: Reason) -> TrialData:
    """Give a pending trial back."""
    return trial_data(server.shelf.study.release(number, given.reason))


@router.post("/trials/{number}/extend")
def extend(server: Served, number: int, given: Extend) -> TrialData:
    """Reserve a pending trial for longer: a sign of life."""
    return trial_data(server.shelf.study.extend(number, given.seconds))


@router.post("/trials/{number}/reject")
def reject(server: Served, number: int, given: Reason) -> TrialData:
    """Refuse a suggestion, or have the data of a trial no longer used."""
    return trial_data(server.shelf.study.reject(number, given.reason))


@router.post("/trials/{number}/note")
def note(server: Served, number: int, given: Note) -> TrialData:
    """Write something down beside a trial."""
    return trial_data(server.shelf.study.note(number, given.text))


@router.post("/enqueue", status_code=201)
def enqueue(server: Served, given: Enqueue) -> dict[str, Any]:
    """Have a point measured before any other."""
    server.shelf.study.enqueue(given.params, given.objectives)
    return {"enqueued": given.params}


@router.post("/data", status_code=201)
def add(server: Served, given: Rows) -> list[TrialData]:
    """Give data from before; they cost nothing."""
    study = server.shelf.study
    for place, row in enumerate(given.rows):
        for name in study.objectives.names:
            if isinstance(row.get(name), bool | str):
                raise InvalidInput(f"row {place}, {name}: got {json.dumps(row[name])}, wanted a number")
    return [trial_data(trial) for trial in study.add(given.rows)]


@router.post("/preview")
def preview(server: Served, given: Table) -> Preview:
    """What a table of results would change, without changing anything."""
    found = _look(given).at(server.shelf.study)
    changes = [as_data(change._asdict()) for change in found.changes]
    return Preview(rows=found.rows, ignored=list(found.ignored), changes=changes)


@router.post("/import")
def take_in(server: Served, given: Table) -> Changed:
    """Take in a table of results: all of it or, if anything is wrong with it, nothing."""
    study = server.shelf.study
    results = _look(given).read(study)
    merged = study.merge(results.rows, correct=given.correct, replicates=given.replicates)
    return Changed(
        told=list(merged.told), added=list(merged.added), unchanged=merged.unchanged, ignored=list(results.ignored)
    )


def _look(given: Table) -> Look:
    return Look(given.csv, "the table", correct=given.correct, replicates=given.replicates, data=given.data)


@router.put("/reference")
def reference(server: Served, given: Reference) -> dict[str, float]:
    """Measure hypervolumes from another point; suggestions do not depend on it."""
    study: Study = server.shelf.study
    if not all(map(math.isfinite, given.values.values())):
        raise InvalidInput("reference: wanted finite numbers")
    study.set_reference(given.values)
    return given.values
