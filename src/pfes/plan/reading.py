"""A plan from a TOML file: whatever is wrong with it is said in one line, with the file's line and the remedy."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from pfes.plan import model
from pfes.plan.model import Plan
from pfes.plan.tables import Kind, Located, read_tables

__all__ = ["PlanFile", "read_plan"]

TABLES: dict[str, type[BaseModel]] = {
    "study": model.StudyTable,
    "pool": model.PoolTable,
    "objectives": model.ObjectiveTable,
    "bundles": model.BundleTable,
    "constraints": model.LinearTable,
    "real": model.RealTable,
    "integer": model.IntegerTable,
    "choice": model.ChoiceTable,
}
PLAN = Kind(Plan, TABLES, "a plan", "`pfes create --example` prints one", "parameters", ("real", "integer", "choice"))


@dataclass(frozen=True)
class PlanFile(Located):
    """A plan, the file it stands in, and where in it its keys are."""

    plan: Plan


def read_plan(path: Path) -> PlanFile:
    """Read a TOML file; InvalidInput says what is wrong with it, where, and what to try."""
    plan, lines = read_tables(path, PLAN)
    return PlanFile(path, lines, plan)
