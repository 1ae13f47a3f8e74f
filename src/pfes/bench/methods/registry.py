"""Methods by the names that experiments use."""

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pfes.acquisition import METHODS
from pfes.bench.experiment import MethodTable
from pfes.bench.methods.own import Asked, is_own, settings_of
from pfes.bench.methods.protocol import Choose, Start
from pfes.errors import InvalidInput
from pfes.functions import NAMED, function_named
from pfes.problems import Problem
from pfes.space import Pool

__all__ = ["OUTSIDE", "Outside", "begun", "check_method", "missing_packages", "obstacle"]


@dataclass(frozen=True)
class Outside:
    """A method of another package: the file and function that begin it, what it needs, what it is."""

    file: str
    function: str
    packages: tuple[str, ...]  # as they are imported
    install: str
    summary: str
    pools: bool = True
    spaces: bool = True
    decoupled: bool = False  # whether it names single objectives; if so it always does

    def obstacle(self, entry: MethodTable, *, pool: bool) -> str:
        """Why it cannot search a pool, or a space, as the entry wants it to; empty if it can."""
        if not (self.pools if pool else self.spaces):
            return f"{entry.name} searches {'spaces' if pool else 'pools'} only"
        if entry.decoupled == self.decoupled:
            return ""
        how = "names one objective at a time" if self.decoupled else "measures all objectives of a point together"
        return f"{entry.name} {how}; say decoupled = {str(self.decoupled).lower()}"


OUTSIDE = {
    "qlognehvi": Outside(
        "botorch_search",
        "qlognehvi",
        ("torch", "botorch"),
        "pfes[botorch]",
        "BoTorch's qLogNEHVI, as its tutorial has it",
    ),
    "hvkg": Outside(
        "hvkg_search",
        "hvkg",
        ("torch", "botorch"),
        "pfes[botorch]",
        "BoTorch's hypervolume knowledge gradient, one objective at a time",
        pools=False,
        decoupled=True,
    ),
    "optuna-gp": Outside(
        "optuna_search", "gp_sampler", ("optuna", "torch"), "optuna torch", "Optuna's GPSampler", pools=False
    ),
    "optuna-tpe": Outside("optuna_search", "tpe_sampler", ("optuna",), "optuna", "Optuna's TPESampler", pools=False),
    "nsga2": Outside("pymoo_search", "nsga2", ("pymoo",), "pymoo", "NSGA-II of pymoo", pools=False),
    "physbo": Outside("physbo_search", "physbo", ("physbo",), "physbo", "PHYSBO's policy for pools", spaces=False),
}
SHARED = {"name", "label", "arguments", "decoupled", "batch", "thresholds"}  # keys that mean something to every method


def check_method(entry: MethodTable) -> None:
    """Refuse an entry that names no method, or whose settings are wrong, before anything runs."""
    name = entry.name
    if is_own(name):
        if entry.arguments:
            raise InvalidInput(
                f"arguments: {name!r} is a method of pfes, which has settings instead; see docs/bench.md"
            )
        settings_of(entry)
        return
    if name not in OUTSIDE and not NAMED.fullmatch(name):
        known = [*METHODS, *OUTSIDE]
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "or module:function of your own"
        raise InvalidInput(f"got the method {name!r}, wanted one of {', '.join(known)}; {hint}")
    if foreign := sorted(entry.model_fields_set - SHARED):
        raise InvalidInput(f"{foreign[0]}: this is a setting of pfes' own methods, and {name!r} is none; use arguments")


def obstacle(entry: MethodTable, problem: Problem) -> str:
    """Why a method cannot search a problem; empty if it can."""
    pool = isinstance(problem.space, Pool)
    outside = OUTSIDE.get(entry.name)
    if outside is not None:
        return outside.obstacle(entry, pool=pool)
    if not is_own(entry.name):
        return ""
    method = METHODS[entry.name]
    try:
        method.check(len(problem.objectives), pool=pool)
    except InvalidInput as error:
        return str(error)
    if entry.decoupled and not method.decoupled:
        return f"{entry.name} cannot name single objectives"
    return f"{entry.name} chooses one at a time" if entry.batch > 1 and not method.batch else ""


def missing_packages(entry: MethodTable) -> str:
    """What has to be installed before a method can run, as a command; empty if nothing has."""
    outside = OUTSIDE.get(entry.name)
    if outside is None or all(find_spec(package) for package in outside.packages):
        return ""
    return "pip install " + " ".join(f"'{package}'" for package in outside.install.split())


def begun(start: Start, entry: MethodTable, folder: str | Path | None = None) -> Choose:
    """The method of an entry, ready to search."""
    if why := obstacle(entry, start.problem):
        raise InvalidInput(why)
    if is_own(entry.name):
        return Asked(start, entry)
    outside = OUTSIDE.get(entry.name)
    if outside is None:
        made: Choose = function_named(entry.name, folder)(start, **entry.arguments)
        return made
    function = getattr(import_module(f"pfes.bench.methods.{outside.file}"), outside.function)
    found: Choose = function(start, **entry.arguments)
    return found
