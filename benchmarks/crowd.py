"""Many processes ask and tell on one study at the same time: nothing is lost, no trial and no point is given to two.

    python benchmarks/crowd.py --processes 16 --rounds 200            method "random", one SQLite file
    python benchmarks/crowd.py --processes 4 --rounds 10 --method pfes
    python benchmarks/crowd.py --processes 16 --rounds 20 --postgres

With --record the summary is appended to benchmarks/results/crowd.jsonl.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from durable import arguments, scene, written
from pfes import open_study
from pfes.storage import open_storage
from pfes.trials import TrialState


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
    parser = arguments(__doc__)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--method", default="random")
    given = parser.parse_args()
    begun = time.perf_counter()
    with scene(given, "crowd", given.method) as at:
        children = [begin(at.place, given.rounds, at.folder / f"{number}.json") for number in range(given.processes)]
        bad = [child for child in children if os.waitpid(child, 0)[1]]
        if bad:
            sys.exit(f"{len(bad)} of {given.processes} processes failed; their last words are above")
        found = check(at.place, at.folder, given.processes * given.rounds)
    written("crowd", found, begun, given.record)


if __name__ == "__main__":
    main()
