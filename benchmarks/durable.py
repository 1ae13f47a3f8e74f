"""What crash.py and crowd.py have in common: a place to keep a study in, and a record of what was seen."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from machine import describe
from pfes import Objective, Real, Space, create_study

__all__ = ["Scene", "arguments", "scene", "written"]

ROOT = Path(__file__).resolve().parent.parent


class Scene(NamedTuple):
    """A study of two parameters and two objectives."""

    place: str
    folder: Path  # for whatever the processes write down
    server: Any  # of PostgreSQL; None: the study is in a SQLite file


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that both understand."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--no-sync", action="store_true", help="the server may lose what it holds if the machine fails")
    parser.add_argument("--record", action="store_true")
    return parser


@contextmanager
def scene(given: argparse.Namespace, name: str, method: str) -> Iterator[Scene]:
    """A new study in a file, or in a database `name` of a server of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        place, server = str(folder / "study.db"), None
        if given.postgres:
            sys.path.insert(0, str(ROOT / "tests"))
            from postgres import running

            server = stack.enter_context(running(sync=not given.no_sync))
            place = server.url(name)
        objectives = [Objective("a"), Objective("b", "min")]
        create_study(place, space=Space(x=Real(0, 1), y=Real(0, 1)), objectives=objectives, method=method)
        yield Scene(place, folder, server)


def written(script: str, found: dict[str, Any], begun: float, record: bool) -> None:
    """Print what was found since `begun`; keep it in benchmarks/results if it is to be recorded."""
    command = " ".join([f"python benchmarks/{script}.py", *sys.argv[1:]])
    line = {"command": command, **found, "seconds": round(time.perf_counter() - begun)}
    print(json.dumps(line))
    if record:
        with open(ROOT / "benchmarks" / "results" / f"{script}.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps(line | {"machine": describe(["pfes", "sqlalchemy", "psycopg"])}) + "\n")
