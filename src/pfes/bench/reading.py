"""Experiments from TOML files: the reader's own, or one of those that pfes brings along."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from pfes.bench.experiment import Budget, Experiment, MethodTable, ProblemTable
from pfes.errors import InvalidInput
from pfes.plan.model import ObjectiveTable
from pfes.plan.tables import Kind, Located, read_tables

__all__ = ["ExperimentFile", "read_experiment", "shipped"]

SHIPPED = Path(__file__).with_name("shipped")
TABLES: dict[str, type[BaseModel]] = {
    "budget": Budget,
    "problems": ProblemTable,
    "methods": MethodTable,
    "objectives": ObjectiveTable,
}
KIND = Kind(Experiment, TABLES, "an experiment", "`pfes bench list` names some, and `pfes bench show NAME` prints one")


@dataclass(frozen=True)
class ExperimentFile(Located):
    """An experiment, the file it stands in, and where in it its keys are."""

    experiment: Experiment


def shipped() -> dict[str, Path]:
    """The experiments that pfes brings along, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def read_experiment(which: str | Path) -> ExperimentFile:
    """Read an experiment: a TOML file, or the name of a shipped one."""
    path = Path(which)
    if not path.suffix and not path.exists():
        known = shipped()
        if str(which) not in known:
            raise InvalidInput(f"got the experiment {str(which)!r}, wanted a TOML file or one of {', '.join(known)}")
        path = known[str(which)]
    experiment, lines = read_tables(path, KIND)
    return ExperimentFile(path, lines, experiment)
