"""The plan of a study, as pydantic checks it: numbers are numbers, and nothing is misspelt in silence.

What the values may be is checked where they live, in `Real`, `Objective` and their kin; this says only which there are.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pfes.objectives import Bundle, Objective
from pfes.plan.candidates import candidates
from pfes.plan.faults import Fault, within
from pfes.points import Domain
from pfes.space import Choice, Integer, Linear, Real, Space
from pfes.space.numbers import is_finite
from pfes.space.parameters import Parameter

__all__ = ["Plan", "PoolTable"]


def _fits(value: Any) -> Any:
    if isinstance(value, int) and not is_finite(int(value)):
        raise ValueError("a number of less than 309 digits")
    return value


Whole = Annotated[int, AfterValidator(_fits)]
Number = Annotated[int | float, AfterValidator(_fits)]


class Table(BaseModel):
    """A table of the file: keys that it does not know are errors, texts are not taken for numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RealTable(Table):
    """A parameter of type "real"."""

    type: Literal["real"]
    low: Number
    high: Number
    step: Number | None = None
    log: bool = False
    unit: str = ""

    def made(self) -> Parameter:
        """As the parameter it describes."""
        return Real(self.low, self.high, step=self.step, log=self.log, unit=self.unit)


class IntegerTable(Table):
    """A parameter of type "integer"."""

    type: Literal["integer"]
    low: Whole
    high: Whole
    step: Whole = 1
    log: bool = False
    unit: str = ""

    def made(self) -> Parameter:
        """As the parameter it describes."""
        return Integer(self.low, self.high, step=self.step, log=self.log, unit=self.unit)


class ChoiceTable(Table):
    """A parameter of type "choice"."""

    type: Literal["choice"]
    values: list[str | bool | Whole | float]
    ordered: bool = False
    unit: str = ""

    def made(self) -> Parameter:
        """As the parameter it describes."""
        return Choice(self.values, ordered=self.ordered, unit=self.unit)


class ObjectiveTable(Table):
    """An objective; its name is the table's."""

    goal: Literal["max", "min"]
    cost: Number = 1.0
    threshold: Number | None = None
    resolution: Number | None = None
    noise: Number | None = None
    transform: Literal["none", "log", "power"] = "none"
    unit: str = ""


class BundleTable(Table):
    """Objectives that are cheaper together."""

    objectives: list[str]
    cost: Number

    def made(self) -> Bundle:
        """As the bundle it describes."""
        return Bundle(self.objectives, self.cost)


class LinearTable(Table):
    """A linear constraint."""

    weights: dict[str, Number]
    lower: Number | None = None
    upper: Number | None = None

    def made(self) -> Linear:
        """As the constraint it describes."""
        limits = {"lower": self.lower, "upper": self.upper}
        return Linear(self.weights, **{name: limit for name, limit in limits.items() if limit is not None})


class PoolTable(Table):
    """Candidates from a CSV file, whose path is relative to the plan's."""

    file: str
    inputs: list[str] | None = None
    ids: str | None = None
    delimiter: str | None = None
    with_results: bool = False


class StudyTable(Table):
    """The study itself."""

    name: str = "study"
    seed: Whole = 0
    method: str | None = None
    model: str | None = None
    budget: Number | None = None


ParameterTable = Annotated[RealTable | IntegerTable | ChoiceTable, Field(discriminator="type")]


class Plan(Table):
    """All that a study is begun with."""

    study: StudyTable = StudyTable()
    parameters: dict[str, ParameterTable] = {}
    constraints: list[LinearTable] = []
    pool: PoolTable | None = None
    objectives: dict[str, ObjectiveTable]
    bundles: list[BundleTable] = []
    reference: dict[str, Number] | None = None

    def space(self, folder: Path) -> Domain:
        """Where the study looks; files of the plan are looked for in `folder`."""
        if self.pool is None and not self.parameters:
            raise Fault("got neither [parameters.<name>] nor [pool], wanted one of them; add it")
        if self.pool is None:
            parameters = {name: within(table.made, "parameters", name) for name, table in self.parameters.items()}
            limits = [within(table.made, "constraints", number) for number, table in enumerate(self.constraints)]
            return within(
                lambda: Space(parameters, constraints=limits), *(["constraints"] if limits else ["parameters"])
            )
        if self.parameters or self.constraints:
            raise Fault("got a pool and parameters or constraints, wanted only one of them; delete one", "pool")
        table = self.pool
        path, names = folder / table.file, self.objectives
        return within(lambda: candidates(path, names, table.inputs, table.ids, table.delimiter), "pool")

    def wanted(self) -> tuple[list[Objective], list[Bundle]]:
        """The objectives and bundles."""
        items = [within(partial(_objective, *pair), "objectives", pair[0]) for pair in self.objectives.items()]
        bundles = [within(table.made, "bundles", number) for number, table in enumerate(self.bundles)]
        return items, bundles


def _objective(name: str, table: ObjectiveTable) -> Objective:
    return Objective(name, **table.model_dump())
