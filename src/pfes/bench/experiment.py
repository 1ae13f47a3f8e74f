"""An experiment as pydantic checks it: problems, methods, seeds, a budget; every pair is a search, every search a run.

What a value may be is checked where it lives (`Settings`, `Objective`, the problem's own function); this says only
which keys there are.
"""

from typing import Any, Literal

from pydantic import Field, model_validator

from pfes.plan.model import Number, ObjectiveTable, Table, Whole

__all__ = ["Budget", "Experiment", "MethodTable", "ProblemTable"]


class Budget(Table):
    """What one search may spend, its first points included: so many evaluations of everything, or so much cost."""

    evaluations: Number | None = None
    cost: Number | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "Budget":
        if (self.evaluations is None) == (self.cost is None) or (self.evaluations or self.cost or 0) <= 0:
            raise ValueError("either evaluations or cost, a number above 0")
        return self

    def amount(self, price: float) -> float:
        """In units of cost, where a point with all its objectives costs `price`."""
        return float(self.cost) if self.cost is not None else float(self.evaluations or 0) * price


class ProblemTable(Table):
    """A problem: by its name, as module:function, or a table whose rows are candidates with known values.

    name        one of pfes.problems.names(), or module:function, called with the arguments
    file        a CSV file instead, whose columns `inputs` describe candidates; [problems.objectives.<name>] are columns
    costs       of the objectives, others than the problem's own
    reference   the hypervolume's reference point; of a pool, if nothing is said, the worst values less a tenth of
                their range
    budget      another than the experiment's
    """

    name: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    file: str = ""
    inputs: list[str] | None = None
    ids: str | None = None
    delimiter: str | None = None
    objectives: dict[str, ObjectiveTable] = Field(default_factory=dict)
    label: str = ""
    costs: list[Number] | None = None
    reference: list[Number] | None = None
    budget: Budget | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "ProblemTable":
        if bool(self.name) == bool(self.file):
            raise ValueError('either name = "..." or file = "...csv"')
        if self.file and not self.objectives:
            raise ValueError("[problems.objectives.<column>] for the columns that are measured")
        return self

    @property
    def title(self) -> str:
        """What it is called in reports."""
        if self.label:
            return self.label
        plain = self.name.rpartition(":")[2] or self.file.removesuffix(".csv")
        costs = "" if self.costs is None else f", {' : '.join(f'{cost:g}' for cost in self.costs)}"
        return f"{plain}{costs}"


class MethodTable(Table):
    """A method: by its name, or as module:function, called with the arguments (pfes.bench.methods says what it gives).

    decoupled   it may name single objectives
    batch       how many points it is asked for at a time

    The rest is for methods of pfes itself:
    recipe      of the Gaussian processes: "default", "paper" or "botorch"; noise: "fit", or a fixed variance
    sampling    of frontiers: "default" or "paper"; frontiers: how many; points: at most so many of each
    estimator, model, resolution (one for each objective, in its unit), maximiser ("gradient" or "direct")
    fitted_on   hyper-parameters fitted once on so many random points, whose values cost nothing, then fixed
    thresholds  whether the reference point is told as thresholds; the experiment's, if nothing is said
    """

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    label: str = ""
    decoupled: bool = False
    batch: Whole = 1
    recipe: Literal["default", "paper", "botorch"] = "default"
    noise: Number | Literal["fit"] | None = None
    sampling: Literal["default", "paper"] = "default"
    frontiers: Whole | None = None
    points: Whole | None = None
    estimator: str | None = None
    model: str | None = None
    resolution: list[Number] | None = None
    maximiser: Literal["gradient", "direct"] | None = None
    fitted_on: Whole | None = None
    thresholds: bool | None = None

    @property
    def title(self) -> str:
        """What it is called in reports."""
        return self.label or self.name.rpartition(":")[2] + (", one at a time" if self.decoupled else "")


class Experiment(Table):
    """What is to be run.

    kind        "search": whole searches; "times": how long an acquisition takes at 100 points; "picture": computations
                that explain the method
    seeds       how many (0, 1, ...), or which
    start       random points that every search begins with, the same for all methods
    time_limit  seconds; after them a search begins no further suggestion
    until       share of the optimum; a search that holds it ends
    thresholds  whether methods are told the reference point
    marks       evaluations of everything after which the model's recommendation is looked at, too
    train       "times": numbers of training points; candidates: at how many points the acquisition is evaluated
    """

    name: str
    title: str = ""
    about: str = ""
    kind: Literal["search", "times", "picture"] = "search"
    seeds: Whole | list[Whole] = 10
    start: Whole = 5
    budget: Budget | None = None
    time_limit: Number | None = None
    until: Number | None = None
    thresholds: bool = True
    marks: list[Whole] = Field(default_factory=list)
    train: list[Whole] = Field(default_factory=list)
    candidates: Whole = 100
    problems: list[ProblemTable]
    methods: list[MethodTable]

    @model_validator(mode="after")
    def _whole(self) -> "Experiment":
        if self.kind == "search" and any(problem.budget is None for problem in self.problems) and self.budget is None:
            raise ValueError("budget = { evaluations = 50 }, or { cost = 300 }")
        if self.until is not None and not 0 < self.until <= 1:
            raise ValueError("until = 0.999, or another share of the optimum")
        if self.kind == "times" and not self.train:
            raise ValueError("train = [50, 100, 200], numbers of training points")
        if not self.problems or not self.methods:
            raise ValueError("at least one of [[problems]] and one of [[methods]]")
        return self

    @property
    def each_seed(self) -> list[int]:
        """The seeds, one by one."""
        return list(range(self.seeds)) if isinstance(self.seeds, int) else list(self.seeds)
