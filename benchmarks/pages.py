"""The web page: how soon it is there for a long study, and whether it slows a running one.

    python benchmarks/pages.py first --measurements 10000
    python benchmarks/pages.py running --rounds 4

first    a server, a browser, and the time until the first page can be read and its pictures are drawn
running  a study that eight processes evaluate, with and without a page open on it, by turns: trials per minute

With --record the summary is appended to benchmarks/results/pages.jsonl.
"""

import argparse
import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from machine import describe
from pfes import Objective, Real, Space, Trial, create_study
from workers import append

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
PROCESSES = 8
EACH = 1.0  # seconds of one evaluation


@contextmanager
def served(place: Path) -> Iterator[tuple[str, float]]:
    """`pfes serve` as users start it: the address, and the seconds until it was printed."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "pfes", "serve", str(place), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("Open ").strip()
        try:
            yield address, time.perf_counter() - begun
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def long_study(folder: Path, measurements: int) -> Path:
    """A study of two objectives with so many values."""
    rng = np.random.default_rng(0)
    study = create_study(
        folder / "long.db",
        space=Space(x=Real(0, 1), y=Real(0, 1), z=Real(0, 1)),
        objectives=[Objective("a"), Objective("b", "min")],
        name="long",
    )
    points = rng.random((measurements // 2, 3))
    study.add([{"x": x, "y": y, "z": z, "a": x - y * y + z / 9, "b": (x - 1) ** 2 + y} for x, y, z in points.tolist()])
    return folder / "long.db"


def first(given: argparse.Namespace) -> dict[str, Any]:
    """Seconds until the first page can be read, and until its pictures are drawn; a new browser each time."""
    from web.chromium import chromium

    found: dict[str, list[float]] = {"readable": [], "drawn": [], "started": []}
    with tempfile.TemporaryDirectory() as folder:
        place = long_study(Path(folder), given.measurements)
        for _ in range(given.rounds):
            with served(place) as (address, started), chromium() as browser:
                page = browser.new_page()
                page.goto("about:blank")
                begun = time.perf_counter()
                page.goto(address, wait_until="commit")
                page.locator(".tiles").wait_for()
                found["readable"].append(time.perf_counter() - begun)
                page.locator('[data-picture="front"] .main-svg').first.wait_for(timeout=60_000)
                found["drawn"].append(time.perf_counter() - begun)
                found["started"].append(started)
    medians = {name: round(statistics.median(times), 2) for name, times in found.items()}
    return {"measurements": given.measurements, "seconds": medians, "fastest": round(min(found["readable"]), 2)}


def evaluated(trial: Trial) -> dict[str, float]:
    """A slow trade-off that takes no processor."""
    time.sleep(EACH)
    x, y = trial.params["x"], trial.params["y"]
    return {"a": x - y * y, "b": (x - 1.0) ** 2 + y}


def running(given: argparse.Namespace) -> dict[str, Any]:
    """Trials per minute by turns without and with an open page, in one study."""
    from web.chromium import chromium

    rates: dict[bool, list[float]] = {False: [], True: []}
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(PROCESSES, spawn) as pool, chromium() as browser:
        study = create_study(
            Path(folder) / "study.db",
            space=Space(x=Real(0, 1), y=Real(0, 1)),
            objectives=[Objective("a"), Objective("b", "min")],
            method="sobol",
        )
        how: dict[str, Any] = {"executor": pool, "workers": PROCESSES, "progress": False}
        study.optimize(evaluated, trials=2 * PROCESSES, **how)  # imported, compiled
        with served(Path(folder) / "study.db") as (address, _):
            for turn in range(2 * given.rounds):
                page = browser.new_page()
                if turn % 2:
                    page.goto(address)
                outcome = study.optimize(evaluated, trials=given.trials, **how)
                rates[bool(turn % 2)].append(60 * given.trials / outcome.seconds)
                page.close()
    closed, open_ = (statistics.median(rates[it]) for it in (False, True))
    return {
        "trials per minute": {"page closed": round(closed, 1), "page open": round(open_, 1)},
        "ratio": round(open_ / closed, 3),
        "spread": [[round(rate, 1) for rate in rates[it]] for it in (False, True)],
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["first", "running"])
    parser.add_argument("--measurements", type=int, default=10_000)
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    summary = {
        "command": f"python benchmarks/pages.py {' '.join(sys.argv[1:])}",
        "machine": describe(["fastapi", "uvicorn", "plotly", "playwright"]),
        "load": os.getloadavg()[0],
        given.what: {"first": first, "running": running}[given.what](given),
    }
    print(json.dumps(summary, indent=2))
    if given.record:
        append(ROOT / "benchmarks" / "results" / "pages.jsonl", summary)
