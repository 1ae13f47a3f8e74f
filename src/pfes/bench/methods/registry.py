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

__all__ = ["OUTSIDE", "Outside", "begun", "check_method", "missing_packages"]


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


OUTSIDE = {
    "qlognehvi": Outside(
        "botorch_search",
        "qlognehvi",
        ("torch", "botorch"),
        "pfes[botorch]",
        "BoTorch's qLogNEHVI, as its tutorial has it",
    ),
    "optuna-gp": Outside("optuna_search", "gp_sampler", ("optuna",), "optuna", "Optuna's GPSampler", pools=False),
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


def missing_packages(entry: MethodTable) -> str:
    """What has to be installed before a method can run, as a command; empty if nothing has."""
    outside = OUTSIDE.get(entry.name)
    if outside is None or all(find_spec(package) for package in outside.packages):
        return ""
    return f"pip install '{outside.install}'"


def begun(start: Start, entry: MethodTable, folder: str | Path | None = None) -> Choose:
    """The method of an entry, ready to search."""
    if is_own(entry.name):
        return Asked(start, entry)
    outside = OUTSIDE.get(entry.name)
    if outside is None:
        made: Choose = function_named(entry.name, folder)(start, **entry.arguments)
        return made
    if (start.pooled and not outside.pools) or (not start.pooled and not outside.spaces):
        raise InvalidInput(f"{entry.name} searches {'spaces' if start.pooled else 'pools'} only")
    if start.decoupled:
        raise InvalidInput(f"decoupled: {entry.name} measures all objectives of a point together")
    function = getattr(import_module(f"pfes.bench.methods.{outside.file}"), outside.function)
    found: Choose = function(start, **entry.arguments)
    return found
