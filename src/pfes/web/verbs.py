"""What pages and the API do with a study alike, where it takes long: asking, and looking at models."""

from dataclasses import dataclass
from typing import Any

from pfes.errors import Exhausted, InvalidInput
from pfes.space import Pool
from pfes.study import Study
from pfes.web.jobs import Job
from pfes.web.server import Server

__all__ = ["Wanted", "ask", "predict", "recommend"]


@dataclass(frozen=True)
class Wanted:
    """A request for trials; see `Study.ask`."""

    count: int = 1
    decoupled: bool = False
    confirm: bool = False
    replicates: bool = False
    fixed: dict[str, Any] | None = None
    lease: float | None = None
    timeout: float | None = None


def ask(server: Server, wanted: Wanted) -> Job:
    """Ask in the background; the job's result is a list of the trials' numbers."""
    _check_held(server.shelf.study, wanted.fixed or {})

    def work() -> dict[str, Any]:
        study = server.shelf.patient
        trials = study.ask(
            wanted.count,
            decoupled=wanted.decoupled,
            confirm=wanted.confirm,
            replicates=wanted.replicates,
            fixed=wanted.fixed,
            lease=wanted.lease,
            timeout=wanted.timeout,
        )
        if not trials:
            raise Exhausted(f"nothing to measure: {study.ended or 'others were given what was left'}")
        fewer = len(trials) < wanted.count
        return {"trials": [trial.id for trial in trials], "ended": study.ended if fewer else ""}

    return server.jobs.start("ask", f"Looking for {_counted(wanted.count)} to measure", work)


def _check_held(study: Study, fixed: dict[str, Any]) -> None:
    """Refuse at once what no point can be held at; a job would find out later."""
    if not isinstance(study.space, Pool):
        study.space.fix(**fixed)
    elif not study.space.where(**fixed).any():
        raise InvalidInput(f"held: got {fixed}, wanted values that some candidate has")


def _counted(count: int) -> str:
    return "the next point" if count == 1 else f"the next {count} points"


def recommend(server: Server) -> Job:
    """What the model thinks best, in the background; once for each state of the study."""
    study = server.shelf.study
    return server.jobs.start("look", "Asking the model what is best", study.recommend, _key(study, "best"))


def predict(server: Server, points: list[dict[str, Any]]) -> Job:
    """What the model expects at points, in the background."""
    study = server.shelf.study

    def work() -> list[dict[str, dict[str, float]]]:
        return [{name: it._asdict() for name, it in found.items()} for found in study.predict(points)]

    return server.jobs.start("look", f"Predicting {len(points)} points", work)


def _key(study: Study, what: str) -> tuple[str, str, str, int]:
    return what, study.storage, study.name, len(study.events)
