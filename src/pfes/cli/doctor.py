"""`pfes doctor`: is everything in order, here and in a study; and what can be done about it."""

import platform
import sqlite3
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import click

from pfes.cli.arguments import json_option
from pfes.cli.output import Output
from pfes.compiled import threads
from pfes.errors import InvalidInput, PfesError, StorageError
from pfes.objectives import Objective
from pfes.space import Real, Space
from pfes.storage import open_storage
from pfes.storage.salvage import salvage
from pfes.study import Study, create_study, open_study

__all__ = ["doctor_verb"]

CORE = "numpy scipy numba moocore sqlalchemy pydantic click rich"
OPTIONAL = {
    "plots": "matplotlib",
    "web": "fastapi",
    "cluster": "distributed",
    "pandas": "pandas",
    "postgres": "psycopg",
}


class Finding(NamedTuple):
    """Something that was looked at; wrong: and is not in order."""

    what: str
    found: str
    wrong: bool = False


@click.command()
@click.argument("study", metavar="[STUDY]", required=False)
@click.option("--repair", is_flag=True, help="Release what is overdue; save what can be read of a damaged file.")
@json_option
def doctor_verb(study: str | None, repair: bool, as_json: bool) -> int:
    """Check the installation and, if one is given, a study's file or database. Exit code 1 if something is wrong."""
    findings = _installation()
    if study is not None:
        findings += _place(study, repair)
    out = Output(as_json)
    out.table(["", "what", "found"], [["!" if it.wrong else "ok", it.what, it.found] for it in findings])
    out.data([it._asdict() for it in findings])
    return int(any(it.wrong for it in findings))


def _installation() -> list[Finding]:
    core = [f"{name} {version(name)}" for name in CORE.split()]
    found = [
        Finding("pfes", f"{version('pfes')}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"),
        Finding("packages", ", ".join(core)),
        Finding("threads", f"{threads()}; PFES_THREADS sets another number"),
    ]
    for extra, package in OPTIONAL.items():
        try:
            found.append(Finding(extra, f"{package} {version(package)}"))
        except PackageNotFoundError:
            found.append(Finding(extra, f"{package} is not installed; pip install 'pfes[{extra}]' if you need it"))
    return [*found, _tried("suggestions", _one_suggestion)]


def _tried(what: str, attempt: Callable[[], str]) -> Finding:
    """Whatever goes wrong here is the finding."""
    try:
        return Finding(what, attempt())
    except Exception as error:
        return Finding(what, f"{type(error).__name__}: {error}", wrong=True)


def _one_suggestion() -> str:
    with tempfile.TemporaryDirectory() as folder:
        it = create_study(
            Path(folder) / "study.db", space=Space(x=Real(0, 1)), objectives=[Objective("y")], method="sobol"
        )
        it.tell(it.ask(), 1.0)
        return f"asked, told and kept {len(open_study(Path(folder) / 'study.db').trials())} trial"


def _place(place: str, repair: bool) -> list[Finding]:
    try:
        storage = open_storage(place)
        faults = storage.check()
        names = [it.name for it in storage.studies()]
    except PfesError as error:
        faults, names = [str(error)], []
    found = [Finding(place, fault, wrong=True) for fault in faults]
    if not faults:
        found.append(Finding(place, f"sound; {len(names)} studies"))
    for name in names:
        try:
            found += _study(place, name, repair)
        except StorageError as error:
            faults.append(str(error))
            found.append(Finding(f"study {name!r}", str(error), wrong=True))
    if faults and repair and Path(place).is_file():
        found += _saved(Path(place))
    return found


def _saved(damaged: Path) -> list[Finding]:
    target = damaged.with_suffix(".repaired.db")
    try:
        saved = salvage(damaged, target)
    except PfesError as error:
        return [Finding("repair", str(error), wrong=True)]
    found = []
    for it in saved:
        found.append(Finding(f"repair of {it.name!r}", f"{it.saved} of {it.there} events are in {target}"))
        found += [Finding(f"left out of {it.name!r}", words) for words in it.left_out]
    return found


def _study(place: str, name: str, repair: bool) -> list[Finding]:
    """How a study is; StorageError if it is damaged."""
    try:
        it = open_study(place, name)
    except InvalidInput as error:
        return [Finding(f"study {name!r}", str(error), wrong=True)]
    events, trials, pending = len(it.events), len(it.trials()), len(it.pending())
    return [Finding(f"study {name!r}", f"{events} events, {trials} trials, {pending} pending"), *_overdue(it, repair)]


def _overdue(study: Study, repair: bool) -> list[Finding]:
    late = [number for number, left in study.leases().items() if left <= 0.0]
    if not late:
        return []
    numbers = ", ".join(map(str, late))
    if not repair:
        return [Finding("leases", f"of trials {numbers} ran out; the next ask, or --repair, releases them")]
    return [Finding("leases", f"released: {', '.join(map(str, study.expire()))}")]
