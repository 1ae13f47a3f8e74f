"""Many processes ask and tell on one study at the same time: nothing is lost, no trial and no point is given to two.

    python benchmarks/crowd.py --processes 16 --rounds 200            method "random", one SQLite file
    python benchmarks/crowd.py --processes 4 --rounds 10 --method pfes
    python benchmarks/crowd.py --processes 16 --rounds 20 --postgres

With --record the summary is appended to benchmarks/results/crowd.jsonl.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from machine import describe
from pfes import Objective, Real, Space, create_study, open_study
from pfes.storage import open_storage
from pfes.trials import TrialState

ROOT = Path(__file__).resolve().parents[1]


def work(place: str, rounds: int, notes: Path) -> None:
    """Ask and tell so many times, and note which trials it were."""
    study, mine = open_study(place), []
    for _ in range(rounds):
        trial = study.ask()
        x, y = trial.params["x"], trial.params["y"]
        study.tell(trial.id, {"a": x - y * y, "b": (x - 1.0) ** 2 + y})
        mine.append(trial.id)
    notes.write_text(json.dumps(mine))


def begin(place: str, rounds: int, notes: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work(place, rounds, notes)
        os._exit(0)
    except BaseException as error:  # "database is locked", say
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)


def check(place: str, folder: Path, count: int) -> dict[str, Any]:
    """Compare the study with the processes' notes; a summary."""
    begun = time.perf_counter()
    study = open_study(place)
    trials = study.trials()
    seconds = time.perf_counter() - begun
    given = Counter(number for notes in folder.glob("*.json") for number in json.loads(notes.read_text()))
    assert sorted(given) == list(range(count)), "a trial is lost, or there is one that nobody was given"
    assert set(given.values()) == {1}, "one trial was given to two"
    assert len({trial.point.key for trial in trials}) == len(trials) == count, "one point was given to two"
    assert all(trial.state is TrialState.DONE for trial in trials), "a value is lost"
    assert len(study.events) == 2 * count, "something was written twice"
    assert open_storage(place).check() == []
    tries = [event.payload["tries"] for event in study.events if event.kind == "asked"]
    return {
        "trials": count,
        "most_tries": max(tries),
        "mean_tries": sum(tries) / count,
        "reopened_s": round(seconds, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--method", default="random")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--no-sync", action="store_true", help="the server may lose what it holds if the machine fails")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    begun = time.perf_counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = str(folder / "study.db")
        if given.postgres:
            sys.path.insert(0, str(ROOT / "tests"))
            from postgres import running

            place = stack.enter_context(running(sync=not given.no_sync)).url("crowd")
        objectives = [Objective("a"), Objective("b", "min")]
        create_study(place, space=Space(x=Real(0, 1), y=Real(0, 1)), objectives=objectives, method=given.method)
        children = [begin(place, given.rounds, folder / f"{number}.json") for number in range(given.processes)]
        bad = [child for child in children if os.waitpid(child, 0)[1]]
        if bad:
            sys.exit(f"{len(bad)} of {given.processes} processes failed; their last words are above")
        found = check(place, folder, given.processes * given.rounds)
    options = " ".join(sys.argv[1:])
    record = {
        "command": f"python benchmarks/crowd.py {options}",
        **found,
        "seconds": round(time.perf_counter() - begun),
    }
    print(json.dumps(record))
    if given.record:
        with open(ROOT / "benchmarks" / "results" / "crowd.jsonl", "a") as out:
            out.write(json.dumps(record | {"machine": describe(["pfes", "sqlalchemy", "psycopg"])}) + "\n")


if __name__ == "__main__":
    main()
