"""Runs that are interrupted, killed, changed and failing: what is finished stays, what is not is run again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bench.conftest import HEAD
from pfes.bench import read_experiment, read_results, run
from pfes.bench.jobs import Job, jobs_of
from pfes.bench.methods import registry
from pfes.bench.progress import Tally, duration, reporting, seconds_left
from pfes.bench.running import unfinished

Write = Callable[..., Path]


def in_threads(path: Path, results: str = "r.jsonl", **options: Any) -> Any:
    """In this process, which is quicker."""
    with ThreadPoolExecutor(2) as pool:
        return run(path, results, executor=pool, progress=False, **options)


def test_finished_runs_are_not_repeated(experiment: Write) -> None:
    path = experiment("random", "mine:corner")
    first, second = in_threads(path), in_threads(path)
    assert (first.total, first.before, first.done, first.failed) == (4, 0, 4, 0)
    assert (second.total, second.before, second.done) == (4, 4, 0)
    lines = read_results(["r.jsonl"])
    assert {(line["method"], line["seed"]) for line in lines} == {(m, s) for m in ("random", "corner") for s in (0, 1)}
    for line in lines:
        assert line["held"][-1] > 0.0
        assert line["machine"]["cores"] >= 1
        assert "numpy" in line["versions"]
        assert line["settings"]["budget"] == {"evaluations": 6}


def test_after_a_change_only_what_changed_is_run(experiment: Write) -> None:
    in_threads(experiment("random", "mine:corner"))
    changed = experiment({"name": "random", "label": "chance"}, {"name": "mine:corner", "arguments": {"step": 0.1}})
    outcome = in_threads(changed)
    assert (outcome.before, outcome.done) == (2, 2)
    assert in_threads(experiment("random", "mine:corner")).done == 0


def test_a_failing_run_is_recorded_and_stops_nobody(experiment: Write) -> None:
    path = experiment("mine:falls", "random")
    outcome = in_threads(path)
    assert (outcome.done, outcome.failed) == (4, 2)
    errors = [line["error"] for line in read_results(["r.jsonl"]) if "error" in line]
    assert len(errors) == 2
    assert all(error.startswith("RuntimeError: it fell (mine.py, line") for error in errors)
    assert in_threads(path).done == 0
    assert in_threads(path, again=True).failed == 2


def test_a_row_whose_package_is_missing_is_left_out(experiment: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = registry.Outside("nowhere", "nothing", ("no_such_package",), "no-such-package", "")
    monkeypatch.setitem(registry.OUTSIDE, "stranger", stranger)
    outcome = in_threads(experiment("stranger", "random"))
    assert outcome.left_out == {"stranger": "a package is missing; try pip install 'no-such-package'"}
    assert (outcome.total, outcome.done, outcome.failed) == (2, 2, 0)


def test_what_a_method_cannot_search_is_left_out(experiment: Write) -> None:
    outcome = in_threads(experiment({"name": "ehvi", "decoupled": True}, "random"))
    assert outcome.left_out == {"ehvi, one at a time on valley": "ehvi cannot name single objectives"}
    assert (outcome.done, outcome.failed) == (2, 0)


def test_processes_that_die_are_replaced_and_their_runs_repeated(experiment: Write) -> None:
    path = experiment("mine:dies", "mine:corner", head=HEAD.replace("seeds = 2", "seeds = 1"))
    first = run(path, "r.jsonl", progress=False)
    assert (first.done, first.failed) == (2, 1)
    lines = read_results(["r.jsonl"])
    assert ["ended with code 3" in line.get("error", "") for line in lines] == [True, False]
    # what died may have been killed from outside: it is tried again
    assert [job.method for job in unfinished(jobs_of(read_experiment(path)), lines)] == ["dies"]


def test_a_longer_time_limit_repeats_what_a_shorter_one_cut_off() -> None:
    def job(limit: float | None) -> Job:
        return Job({"seed": 0}, "e", "p", "m", (), time_limit=limit)

    cut = {"id": job(None).id, "ended": "time limit", "time_limit": 60.0}
    assert unfinished([job(60.0)], [cut]) == []
    assert len(unfinished([job(90.0)], [cut])) == 1
    assert len(unfinished([job(None)], [cut])) == 1
    assert unfinished([job(90.0)], [cut | {"ended": "budget"}]) == []


def wait_for(what: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def test_a_killed_run_goes_on_where_it_stopped(experiment: Write, folder: Path) -> None:
    entry = {"name": "mine:slow", "arguments": {"log": str(folder / "begun"), "seconds": 0.15}}
    path = experiment(entry, head=HEAD.replace("seeds = 2", "seeds = 5"))
    words = [sys.executable, "-m", "pfes", "bench", "run", str(path), "-o", "r.jsonl", "--quiet"]
    child = subprocess.Popen(words, cwd=folder)
    results, begun = folder / "r.jsonl", folder / "begun"
    wait_for(lambda: results.exists() and results.read_bytes().count(b"\n") >= 2)
    wait_for(lambda: begun.read_text().count("\n") > results.read_bytes().count(b"\n"))  # in the middle of a run
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    text = results.read_text()
    assert text.endswith("\n")
    before = [json.loads(line) for line in text.splitlines()]
    results.write_text(text + text[: len(text) // 3])  # as if it had been killed while it wrote
    outcome = run(path, results, progress=False)
    assert (outcome.before, outcome.done) == (len(before), 5 - len(before))
    after = [json.loads(line) for line in results.read_text().splitlines()]
    assert after[: len(before)] == before
    assert [line["seed"] for line in after] == [0, 1, 2, 3, 4]
    seeds = [int(seed) for seed in begun.read_text().split()]
    assert all(seeds.count(line["seed"]) == 1 for line in before)  # finished ones were begun once


def test_a_worker_ends_with_the_run_that_began_it(experiment: Write, folder: Path) -> None:
    entry = {"name": "mine:slow", "arguments": {"log": str(folder / "begun"), "seconds": 60.0}}
    words = [sys.executable, "-m", "pfes", "bench", "run", str(experiment(entry)), "-o", "r.jsonl", "--quiet"]
    child = subprocess.Popen(words, cwd=folder)
    wait_for((folder / "begun").exists)
    threads = Path(f"/proc/{child.pid}/task").glob("*/children")
    workers = [worker for thread in threads for worker in thread.read_text().split()]
    assert workers
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    wait_for(lambda: not any(alive(int(worker)) for worker in workers), 20.0)
    assert (folder / "r.jsonl").read_text() == ""


def alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


# How far it is


def test_the_time_left_is_that_of_their_like() -> None:
    def job(problem: str, method: str) -> Job:
        return Job({"seed": 0}, "e", problem, method, ())

    lines = [
        {"problem": "p", "method": "m", "seconds": 10.0},
        {"problem": "p", "method": "m", "seconds": 20.0},
        {"problem": "q", "method": "n", "seconds": 60.0},
        {"problem": "q", "method": "n", "error": "it fell"},
    ]
    tally = Tally(5)
    assert seconds_left([job("p", "m")], tally, [], 1) is None
    assert seconds_left([job("p", "m")] * 4, tally, lines, 2) == pytest.approx(30.0)
    assert seconds_left([job("p", "n")], tally, lines, 1) == pytest.approx(60.0)  # the method's
    assert seconds_left([job("x", "y")], tally, lines, 1) == pytest.approx(30.0)  # all
    tally.running[job("q", "n")] = time.monotonic() - 20.0
    assert seconds_left([], tally, lines, 2) == pytest.approx(40.0, abs=1.0)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (99.4, "99 s"), (100, "2 min"), (7200, "2 h 00 min"), (200_000, "2.3 days")]
)
def test_durations_are_told_in_suitable_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_progress_is_a_panel_on_a_terminal_and_lines_elsewhere() -> None:
    import io

    from rich.console import Console

    tally = Tally(4, before=1, done=1, left=65.0, news=["valley, random, seed 0: held 0.5, 1 s"])
    tally.running[Job({"seed": 7}, "e", "valley", "walk", ())] = time.monotonic()
    for terminal in (True, False):
        stream = io.StringIO()
        with reporting(True, Console(file=stream, force_terminal=terminal, width=100)) as show:
            show(tally)
            show(tally)
        assert "2 of 4 runs" in stream.getvalue()
        assert "about 65 s left" in stream.getvalue()
        assert "held 0.5" in stream.getvalue()
        assert ("valley, walk, seed 7" in stream.getvalue()) == terminal
        if not terminal:
            assert stream.getvalue().count("held 0.5") == 1


def test_of_runs_that_finish_at_once_each_has_its_line() -> None:
    import io

    from rich.console import Console

    stream, tally = io.StringIO(), Tally(4)
    with reporting(True, Console(file=stream, width=100)) as show:
        show(tally)
        tally.news += ["one: failed, it fell", "two: held 0.5, 1 s"]
        show(tally)
        tally.news.append("three: held 0.7, 1 s")
        show(tally)
    assert [line.partition("; ")[2] for line in stream.getvalue().splitlines()] == tally.news
