"""What requests and answers of the API hold."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pfes.plan.model import ObjectiveTable, ParameterTable
from pfes.standing import as_data, trial_as_data
from pfes.study import Study
from pfes.trials import Trial
from pfes.web.jobs import Job

__all__ = [
    "Ask",
    "Begin",
    "Changed",
    "Enqueue",
    "Error",
    "Extend",
    "JobState",
    "Note",
    "Predict",
    "Preview",
    "Reason",
    "Reference",
    "Rows",
    "Table",
    "Tell",
    "TrialData",
    "job_state",
    "trial_data",
]

Text = Annotated[str, Field(max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Value = float | int | str | bool | None


def _no_number(value: object) -> object:
    """Refuse what Python would take for a number and no instrument means as one: true, "1"."""
    if isinstance(value, bool | str):
        raise ValueError(f"got {json.dumps(value)}, wanted a number")
    return value


Number = Annotated[float, BeforeValidator(_no_number)]
Related = Literal["independent", "coregional", "latent", "auto"]
MOST = 10_000  # rows of one request


class Body(BaseModel):
    """A body of a request: what it does not know is an error."""

    model_config = ConfigDict(extra="forbid")


class Ask(Body):
    """How many trials are wanted, and of what kind."""

    count: Annotated[int, Field(ge=1, le=100)] = 1
    decoupled: Annotated[bool, Field(description="Trials may name single objectives.")] = False
    confirm: Annotated[bool, Field(description="Measure what adds most to what is held.")] = False
    replicates: Annotated[bool, Field(description="Points already measured may come again.")] = False
    fixed: Annotated[dict[str, Value] | None, Field(description="Parameters to be held at a value.")] = None
    lease: Annotated[Number | None, Field(description="Seconds that the trials are reserved for.", ge=0)] = None
    timeout: Annotated[Number | None, Field(description="Seconds after which the best so far is taken.", ge=0)] = None


class Tell(Body):
    """What came of a trial: values, or one of the verdicts, which are texts that say why."""

    values: dict[str, Number] | None = None
    noise: Annotated[dict[str, Number] | None, Field(description="Known deviations of the values.")] = None
    failed: Text | None = None
    infeasible: Text | None = None
    abandoned: Text | None = None
    correct: Annotated[bool, Field(description="These values replace earlier ones.")] = False


class Reason(Body):
    """Why."""

    reason: Text = ""


class Note(Body):
    """Something to be written down."""

    text: Annotated[str, Field(min_length=1, max_length=10_000)]


class Extend(Body):
    """For how many seconds from now; the same as last time if nothing is said."""

    seconds: Annotated[Number | None, Field(ge=0)] = None


class Enqueue(Body):
    """A point to be measured before any other; of a pool {"row": ...}."""

    params: dict[str, Value]
    objectives: list[Name] | None = None


class Rows(Body):
    """Data from before: each row holds parameters (of a pool: row) and objectives."""

    rows: Annotated[list[dict[str, Value]], Field(max_length=MOST)]


class Table(Body):
    """A table of results as CSV text, and how it is to be taken."""

    csv: Annotated[str, Field(max_length=5_000_000)]
    correct: Annotated[bool, Field(description="Values that differ replace those known.")] = False
    replicates: Annotated[bool, Field(description="Values that differ are second measurements.")] = False
    data: Annotated[bool, Field(description="Ids are another study's: every row is data from before.")] = False


class Predict(Body):
    """Points at which the model is asked for its expectation."""

    points: Annotated[list[dict[str, Value]], Field(min_length=1, max_length=MOST)]


class Reference(Body):
    """The point that hypervolumes are measured from."""

    values: dict[str, Number]


class Begin(Body):
    """A study to begin: parameters, or candidates as CSV text, and objectives."""

    name: Name = "study"
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    method: Name = "pfes"
    model: Annotated[Related, Field(description="Whether one objective tells about another.")] = "independent"
    budget: Number | None = None
    parameters: dict[Name, ParameterTable] = {}
    candidates: Annotated[str | None, Field(description="A table of candidates as CSV.", max_length=5_000_000)] = None
    with_results: bool = False
    objectives: dict[Name, ObjectiveTable]


class Error(BaseModel):
    """What went wrong."""

    error: str


class TrialData(BaseModel):
    """A trial, asked for or added."""

    id: int
    state: Literal["pending", "done", "failed", "infeasible", "abandoned", "released", "rejected"]
    row: Any
    params: dict[str, Any]
    objectives: list[str]
    missing: list[str]
    values: dict[str, float]
    noise: dict[str, float]
    cost: float
    spent: float
    gain: float | None
    purpose: str
    reason: str
    message: str
    notes: list[str]
    outside: bool
    added: bool


class JobState(BaseModel):
    """Work in the background: when it is done, `result` holds what came of it."""

    id: int
    title: str
    state: Literal["waiting", "running", "done", "failed"]
    seconds: float
    error: str = ""
    result: Any = None


class Preview(BaseModel):
    """What a table would change."""

    rows: int
    ignored: list[str]
    changes: list[dict[str, Any]]


class Changed(BaseModel):
    """What a table changed: trials told and added, by number."""

    told: list[int]
    added: list[int]
    unchanged: int
    ignored: list[str]


def trial_data(trial: Trial) -> TrialData:
    """A trial as the API gives it."""
    return TrialData.model_validate(as_data(trial_as_data(trial)))


def job_state(study: Study | None, job: Job) -> JobState:
    """A job as the API gives it; trials are given whole."""
    result = job.result
    if study is not None and isinstance(result, dict) and "trials" in result:
        result = result | {"trials": [trial_data(study.trial(number)).model_dump() for number in result["trials"]]}
    return JobState(
        id=job.number,
        title=job.title,
        state=job.state,
        seconds=round(job.elapsed, 3),
        error=job.error,
        result=as_data(result) if job.state == "done" else None,
    )
