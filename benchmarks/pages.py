"""The web page: how soon it is there for a long study, and whether it slows a running one.

    python benchmarks/pages.py first --measurements 10000
    python benchmarks/pages.py running --rounds 4

first    a server, a browser, and the time until the first page can be read and the picture of the front is drawn
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
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
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
SETTLED = 2.0  # seconds in which a new browser has done what it does when it begins
UNSEEN = 6.0  # seconds that a page is left alone before it is asked


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


@contextmanager
def lone_browser() -> Iterator[int]:
    """Chromium as people run it, nothing attached to it: the port at which it can be asked afterwards.

    While a program that drives the browser is attached, every error that a script throws and catches has its stack
    written down: of Plotly's that takes as long as its start does otherwise.
    """
    from web.chromium import FLAGS, found

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        own = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        command = [found(), *FLAGS, *own, "about:blank"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            port = Path(profile) / "DevToolsActivePort"
            try:
                for _ in range(600):
                    if port.exists() and port.read_text().strip():
                        break
                    time.sleep(0.1)
                time.sleep(SETTLED)
                yield int(port.read_text().split()[0])
            finally:
                browser.terminate()
                browser.wait(30)


# seconds from the click to the first text, and to the picture of the front; none if it is not there yet
TIMES = """() => {
  const at = (kind, name) => performance.getEntriesByName(name, kind).map((it) => it.startTime / 1000)[0];
  return [at("paint", "first-contentful-paint"), at("mark", "drawn front")];
}"""


def alone(address: str) -> tuple[float, float]:
    """Seconds until a page can be read, and until its front is drawn, by the clock of the page."""
    from playwright.sync_api import sync_playwright

    with lone_browser() as port:
        order = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{address}", method="PUT")
        urllib.request.urlopen(order, timeout=60).read()
        time.sleep(UNSEEN)
        with sync_playwright() as driver:
            browser = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
            page = next(it for it in browser.contexts[0].pages if it.url.startswith(address.partition("?")[0]))
            for _ in range(240):
                readable, drawn = page.evaluate(TIMES)
                if drawn is not None:
                    return readable, drawn
                page.wait_for_timeout(250)
    raise TimeoutError("the front was not drawn within a minute")


def driven(address: str) -> tuple[float, float]:
    """The same by the clock of a program that drives the browser."""
    from web.chromium import chromium

    with chromium() as browser:
        page = browser.new_page()
        page.goto("about:blank")
        page.wait_for_timeout(1000 * SETTLED)
        begun = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.locator(".tiles").wait_for()
        readable = time.perf_counter() - begun
        page.locator('[data-picture="front"] .main-svg').first.wait_for(timeout=60_000)
        return readable, time.perf_counter() - begun


def first(given: argparse.Namespace) -> dict[str, Any]:
    """Seconds until the first page can be read, and until its front is drawn; a new server and browser each time."""
    found: dict[str, list[float]] = {"started": []}
    with ExitStack() as stack:
        place = long_study(Path(stack.enter_context(tempfile.TemporaryDirectory())), given.measurements)
        for _ in range(given.rounds):
            for name, way in (("", alone), (" (driven)", driven)):
                with served(place) as (address, started):
                    readable, drawn = way(address)
                found.setdefault(f"readable{name}", []).append(readable)
                found.setdefault(f"drawn{name}", []).append(drawn)
                found["started"].append(started)
    medians = {name: round(statistics.median(times), 2) for name, times in found.items()}
    fastest = {name: round(min(times), 2) for name, times in found.items()}
    return {"measurements": given.measurements, "seconds": medians, "fastest": fastest}


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
