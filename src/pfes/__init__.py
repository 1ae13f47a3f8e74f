"""pfes: what to measure next when several goals compete, by Pareto-frontier entropy search.

    study = pfes.create_study(space=pfes.Space(x=pfes.Real(0, 1)), objectives=[pfes.Objective("yield"), ...])
    trial = study.ask()
    study.tell(trial.id, {"yield": 0.7, ...})

The numerical heart is public and needs no study:

    from pfes.pareto import dominated_cells, non_dominated, hypervolume
    from pfes.information import coupled, decoupled, prepare
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pfes.errors import (
    Busy,
    Conflict,
    Exhausted,
    Infeasible,
    InvalidFrontier,
    InvalidInput,
    PfesError,
    StorageError,
    StudyExists,
    UnknownStudy,
    UnknownTrial,
)

if TYPE_CHECKING:
    from pfes.objectives import Bundle, Objective
    from pfes.space import Choice, Integer, Linear, Pool, Real, Space
    from pfes.study import GainBelow, Plateau, Study, Workers, create_study, delete_study, list_studies, open_study
    from pfes.task import Settings
    from pfes.trials import Trial

__all__ = [
    "Bundle",
    "Busy",
    "Choice",
    "Conflict",
    "Exhausted",
    "GainBelow",
    "Infeasible",
    "Integer",
    "InvalidFrontier",
    "InvalidInput",
    "Linear",
    "Objective",
    "PfesError",
    "Plateau",
    "Pool",
    "Real",
    "Settings",
    "Space",
    "StorageError",
    "Study",
    "StudyExists",
    "Trial",
    "UnknownStudy",
    "UnknownTrial",
    "Workers",
    "create_study",
    "delete_study",
    "list_studies",
    "open_study",
]

__version__ = "0.1.0"

# Where the names live. They are fetched when first used: importing pfes loads neither numba nor scipy.
_HOMES = {
    "objectives": ("Bundle", "Objective"),
    "space": ("Choice", "Integer", "Linear", "Pool", "Real", "Space"),
    "study": ("GainBelow", "Plateau", "Study", "Workers", "create_study", "delete_study", "list_studies", "open_study"),
    "task": ("Settings",),
    "trials": ("Trial",),
}


_MODULES = ("acquisition", "gp", "information", "pareto", "plots", "problems", "storage", "suggest", "testing")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"pfes.{name}")
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = getattr(import_module(f"pfes.{home}"), name)
            return globals()[name]
    raise AttributeError(f"module 'pfes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
