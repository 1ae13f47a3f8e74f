"""Nothing that was acknowledged is lost: processes that ask and tell on one study, killed with SIGKILL at random.

    python benchmarks/crash.py --kills 1000                          8 processes on one SQLite file
    python benchmarks/crash.py --kills 200 --postgres --servers 10   on PostgreSQL, the server itself killed, too

Every process writes down, outside of the study, what it is about to tell and what it was told is done. In the end, and
each time that all processes were killed at once, the study is opened again and must say the same: every acknowledged
ask and tell is there, none twice, nothing that nobody told, no point given to two, no repair needed. With --record the
summary is appended to benchmarks/results/crash.jsonl.
"""

import os
import random
import signal
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from durable import arguments, scene, written
from pfes import open_study
from pfes.storage import open_storage
from pfes.trials import TrialState

PROCESSES = 8
ALL_AT_ONCE = 25  # kills between two at which all processes die together
LEASE = 5.0  # seconds: trials of the dead are released while the run lasts


def work(place: str, diary: Path, seed: int) -> None:
    """Ask and tell until killed; the diary has a line before and after every tell."""
    rng = random.Random(seed)
    with open(diary, "a", buffering=1) as lines:  # every line is the system's when `write` returns
        study = open_study(place)
        while True:
            for trial in study.ask(rng.randint(1, 3), lease=LEASE):
                lines.write(f"asked {trial.id}\n")
                for name in rng.sample(["a", "b"], 2):
                    value = rng.random()
                    lines.write(f"telling {trial.id} {name} {value!r}\n")
                    study.tell(trial.id, {name: value})
                    lines.write(f"told {trial.id} {name} {value!r}\n")


def begin(place: str, diary: Path, seed: int) -> int:
    """A process of its own that works; forked, so that being born is cheaper than being killed."""
    child = os.fork()
    if child:
        return child
    try:
        work(place, diary, seed)
    except BaseException:  # it never comes to an end by itself
        traceback.print_exc()
    os._exit(1)


def kill(children: dict[int, int], child: int) -> None:
    """SIGKILL; a child that had died by itself is a failure."""
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "a process ended by itself; its last words are above"
    del children[child]


def read_diaries(folder: Path) -> tuple[Counter[int], dict[tuple[int, str], float], set[tuple[int, str, float]]]:
    """Which trials were asked for, what was acknowledged, and what may have been told."""
    asked: Counter[int] = Counter()
    told, telling = {}, set()
    for diary in folder.glob("*.diary"):
        for line in diary.read_text().splitlines():
            kind, number, *rest = line.split()
            if kind == "asked":
                asked[int(number)] += 1
            elif kind == "told":
                told[int(number), rest[0]] = float(rest[1])
            else:
                telling.add((int(number), rest[0], float(rest[1])))
    return asked, told, telling


def check(place: str, folder: Path) -> dict[str, Any]:
    """Open the study again and compare it with the diaries; a summary."""
    begun = time.perf_counter()
    study = open_study(place)
    trials = study.trials()
    seconds = time.perf_counter() - begun
    asked, told, telling = read_diaries(folder)
    assert open_storage(place).check() == []
    assert all(count == 1 for count in asked.values()), "one trial was given to two"
    assert set(asked) <= {trial.id for trial in trials}, "a trial that was given out is not there"
    assert len({trial.point.key for trial in trials}) == len(trials), "one point was given to two"
    held = {(trial.id, name): value for trial in trials for name, value in trial.values.items()}
    lost = [item for item, value in told.items() if held.get(item) != value]
    assert not lost, f"acknowledged and not there: {lost[:5]}"
    assert {(number, name, value) for (number, name), value in held.items()} <= telling, "nobody told this"
    twice = Counter((e.trial, name) for e in study.events if e.kind == "told" for name in e.payload["values"])
    assert all(count == 1 for count in twice.values()), "a value was written twice"
    pending = sum(trial.state is TrialState.PENDING for trial in trials)
    return {"trials": len(trials), "acknowledged": len(told), "pending": pending, "reopened_s": round(seconds, 3)}


def run(place: str, folder: Path, kills: int, seed: int, server: Any, servers: int) -> dict[str, Any]:
    """Kill and begin again, so many times; the summary of all checks."""
    rng, born, slowest = random.Random(seed), 0, 0.0
    children: dict[int, int] = {}
    strikes = {round((i + 1) * kills / (servers + 1)) for i in range(servers)}
    try:
        for number in range(1, kills + 1):
            while len(children) < PROCESSES:
                children[begin(place, folder / f"{born}.diary", born)] = born
                born += 1
            time.sleep(rng.uniform(0.0, 0.12))
            if number in strikes:
                server.kill()
                server.start()
            kill(children, rng.choice(list(children)))
            if number % ALL_AT_ONCE == 0 or number == kills:
                for child in list(children):
                    kill(children, child)
                found = check(place, folder)
                slowest = max(slowest, found["reopened_s"])
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
    return {"kills": born, "servers_killed": len(strikes), **found, "slowest_reopening_s": slowest}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--servers", type=int, default=0, help="how often the server is killed")
    given = parser.parse_args()
    begun = time.perf_counter()
    with scene(given, "crash", "random") as at:
        found = run(at.place, at.folder, given.kills, given.seed, at.server, given.servers)
    written("crash", found, begun, given.record)


if __name__ == "__main__":
    main()
