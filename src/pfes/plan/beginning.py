"""From a plan to a study that has begun."""

from dataclasses import dataclass
from pathlib import Path

from pfes.plan.faults import Fault, within
from pfes.plan.model import Plan
from pfes.sheets import read_results
from pfes.space import Pool
from pfes.space.csv_table import read_sheet
from pfes.storage import Place
from pfes.study import Study, create_study

__all__ = ["Begun", "begin"]


@dataclass(frozen=True)
class Begun:
    """A study, how many rows of its pool brought results, and the objectives whose results were left where they are."""

    study: Study
    results: int = 0
    unused: tuple[str, ...] = ()


def begin(plan: Plan, folder: Path, place: Place, *, exist_ok: bool = False) -> Begun:
    """Begin the study at `place`, if nothing is wrong with its plan and results; `folder` is where its files are."""
    space = plan.space(folder)
    objectives, bundles = plan.wanted()
    table = plan.study

    def make(where: Place) -> Study:
        return create_study(
            where,
            space=space,
            objectives=objectives,
            bundles=bundles,
            name=table.name,
            seed=table.seed,
            method=table.method,
            model=table.model,
            budget=table.budget,
            reference=plan.reference,
            exist_ok=exist_ok,
        )

    trial = within(lambda: make(None), "study")  # in memory first: a study that cannot be filled is not begun
    within(lambda: _filled(trial, plan, folder), "pool")
    study = make(place)
    return _filled(study, plan, folder)


def _filled(study: Study, plan: Plan, folder: Path) -> Begun:
    """Take in the results that the pool's table holds, if that is wanted."""
    table = plan.pool
    if table is None:
        return Begun(study)
    assert isinstance(study.space, Pool)
    sheet = read_sheet(folder / table.file, table.delimiter)
    present = [name for name in study.objectives.names if name in sheet.names]
    if not table.with_results:
        filled = {name for name in present for _, cells in sheet.rows if cells[sheet.names.index(name)]}
        return Begun(study, unused=tuple(name for name in present if name in filled))
    if not present:
        raise Fault(
            f"{table.file}: got no column of {list(study.objectives.names)}, so there are no results to take in", "pool"
        )
    return Begun(study, len(study.merge(read_results(study, sheet, numbers=False).rows).added))
