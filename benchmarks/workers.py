"""Many runs in a few low-priority processes, each result a line of JSON that a later run does not repeat."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["append", "in_processes", "kept", "read"]


def read(path: Path) -> list[dict[str, Any]]:
    """The results of earlier runs; a line that was cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def append(path: Path, result: dict[str, Any]) -> None:
    """Add one result as a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")


def kept(
    work: Callable[[Any], dict[str, Any]],
    jobs: list[tuple[Any, ...]],
    path: Path,
    processes: int,
    words: Callable[[dict[str, Any]], str],
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The results of all jobs, by job; what the file lacks is worked out and added to it. words: said of each new one.

    A result says under "job" which it is of.
    """
    done = {tuple(result["job"]) for result in read(path)}
    for job, result in in_processes(work, [job for job in jobs if job not in done], processes):
        if isinstance(result, BaseException):
            raise result
        append(path, result)
        print(*job, words(result), file=sys.stderr, flush=True)
    return {tuple(result["job"]): result for result in read(path)}


def in_processes(
    work: Callable[[Any], dict[str, Any]], jobs: Iterable[Any], processes: int
) -> Iterator[tuple[Any, dict[str, Any] | BaseException]]:
    """(job, result or exception) of every job, as they are done; a process that dies takes its jobs with it."""
    waiting = iter(jobs)
    os.environ |= {"PFES_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # read by the processes when they begin
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_modest) as pool:
        running = {pool.submit(work, job): job for job in islice(waiting, 2 * processes)}
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                job = running.pop(future)
                yield job, future.exception() or future.result()
            running |= {pool.submit(work, job): job for job in islice(waiting, len(done))}


def _modest() -> None:
    """The others first."""
    os.nice(15)
