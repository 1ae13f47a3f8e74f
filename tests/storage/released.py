"""A study of every kind of event, kept as a fixture of each layout of tables that was released.

    python tests/storage/released.py     writes the fixtures of the present layout; do it once, when VERSION is new

Fixtures are never written again: a file that a user has must open in every later version.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pfes import Bundle, Choice, Integer, Objective, Pool, Real, Settings, Space, Study, create_study
from pfes.records import to_data

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "studies"


def write(storage: str) -> list[Study]:
    """Two studies in one place: one of everything on a space, and a small one on a pool."""
    first = create_study(
        storage,
        name="space",
        space=Space(x=Real(0, 1), t=Integer(300, 900, step=50), dopant=Choice(["Er", "Nb", ("W", 2)])),
        objectives=[Objective("power", "max", cost=5, threshold=0.1, unit="W"), Objective("waste", "min", noise=0.1)],
        bundles=[Bundle(["power", "waste"], 5.5)],
        seed=7,
        budget=200,
        settings=Settings(method="sobol", initial=3),
        reference=[0.0, 2.0],
    )
    first.add(
        [{"x": 0.1, "t": 400, "dopant": "Er", "waste": 0.3}, {"x": 1.5, "t": 400, "dopant": ("W", 2), "power": 1}]
    )
    first.enqueue({"x": 0.25, "t": 350, "dopant": "Nb"}, ["waste"])
    trials = first.ask(7)
    first.tell(trials[0], {"waste": 0.1})
    first.tell(trials[0], {"waste": 0.1 + 0.2}, correct=True)
    first.tell(trials[1], {"power": 1 / 3}, noise=0.01)
    first.tell(trials[2], failed="the furnace tripped — twice")
    first.tell(trials[3], infeasible="it melts")
    first.tell(trials[4], abandoned="no time")
    first.reject(trials[5], "not that one")
    first.release(trials[6])
    first.note(trials[1], "looks odd")
    second = create_study(
        storage,
        name="pool",
        space=Pool({"id": ["a", "b", "c"], "x": [0.5, 1.5, 2.5], "kind": ["u", "v", "u"]}, ["x", "kind"], ids="id"),
        objectives=Objective("gain"),
        method="random",
    )
    second.tell(second.ask(), 1.25)
    second.ask(lease=0.0)
    time.sleep(0.01)
    second.ask(3, lease=60.0)  # releases the one before
    return [first, second]


def contents(study: Study) -> dict[str, Any]:
    """What a study must say when it is opened again."""
    return {
        "name": study.name,
        "space": to_data(study.space),
        "objectives": to_data(study.objectives),
        "method": study.settings.method,
        "initial": study.settings.initial,
        "seed": study.seed,
        "budget": study.budget,
        "reference": study.reference,
        "ended": study.ended,
        "spent": study.spent,
        "reserved": study.reserved,
        "trials": [
            to_data({**trial.as_row(), "message": trial.message, "notes": trial.notes}) for trial in study.trials()
        ],
        "events": [[event.kind, event.trial, to_data(event.payload)] for event in study.events],
    }


def main() -> None:
    """Write the fixtures of the present layout."""
    from pfes.storage.tables import VERSION
    from postgres import binary, running

    FOLDER.mkdir(exist_ok=True)
    if (FOLDER / f"layout_{VERSION}.json").exists():
        sys.exit(f"the fixtures of layout {VERSION} are there already, and fixtures are not written again")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.db"
        expected = [contents(study) for study in write(str(file))]
        (FOLDER / f"layout_{VERSION}.db").write_bytes(file.read_bytes())
    (FOLDER / f"layout_{VERSION}.json").write_text(json.dumps(expected, indent=1) + "\n")
    with running() as server:
        url = server.url("released")
        write(url)
        dump = [binary("pg_dump"), "--inserts", "--no-owner", url]
        text = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("--", "\\"))]
        (FOLDER / f"layout_{VERSION}.sql").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
