"""Many runs in a few low-priority processes, each result a line of JSON that a later run does not repeat."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["append", "in_processes", "read"]


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
