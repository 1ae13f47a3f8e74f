"""What a worker does: one job, from its settings to a line of results; in another process, or on a cluster."""

import math
import multiprocessing
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from pfes.bench.cases import problem_of
from pfes.bench.experiment import Budget, MethodTable, ProblemTable
from pfes.bench.jobs import Job
from pfes.bench.machine import circumstances
from pfes.bench.race import search
from pfes.compiled import one_blas_thread

__all__ = ["failure", "finished", "heading", "problem_in"]

Line = dict[str, Any]


def finished(job: Job) -> Line:
    """Do a job; the line to be kept. What goes wrong is part of it."""
    _end_with_parent()
    begun, processor = time.perf_counter(), time.process_time()
    try:
        with _one_thread():
            found = KINDS[job.settings["kind"]](job)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(last.filename)}, line {last.lineno}"
        return failure(job, f"{type(error).__name__}: {error} ({where})")
    seconds = {
        "seconds": round(time.perf_counter() - begun, 2),
        "processor_seconds": round(time.process_time() - processor, 2),
    }
    return heading(job) | found | seconds | circumstances()


def failure(job: Job, error: str) -> Line:
    """The line of a job that came to nothing."""
    return heading(job) | {"error": error} | circumstances()


def heading(job: Job) -> Line:
    """What every line begins with."""
    return {
        "id": job.id,
        "experiment": job.experiment,
        "problem": job.problem,
        "method": job.method,
        "seed": job.seed,
        "settings": job.settings,
        "order": list(job.order),
        "time_limit": job.time_limit,
    }


@cache
def _end_with_parent() -> None:
    """Have this process end when the one that began it is killed: nobody would take the result."""
    if (parent := multiprocessing.parent_process()) is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, name="pfes watches its parent", daemon=True).start()


class _OneThread:
    """Keeps kernels and linear algebra on one thread: runs side by side are what uses several, threads of this too."""

    def __init__(self) -> None:
        self._inside, self._before = 0, ""
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if not self._inside:
                self._before = os.environ.get("PFES_THREADS", "")
                os.environ["PFES_THREADS"] = "1"
            self._inside += 1
        try:
            with one_blas_thread():
                yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    os.environ["PFES_THREADS"] = self._before  # an empty one says nothing


_one_thread = _OneThread()


def problem_in(job: Job) -> ProblemTable:
    """The entry of a job's problem."""
    said = {key: value for key, value in job.settings["problem"].items() if key != "digest"}
    return ProblemTable.model_validate(said)


def _search(job: Job) -> Line:
    settings, entry = job.settings, problem_in(job)
    problem = problem_of(entry, job.folders)
    price = problem.objectives.cost(range(len(problem.objectives)))
    return search(
        problem,
        MethodTable.model_validate(settings["method"]),
        job.seed,
        name=entry.name or entry.file.removesuffix(".csv"),
        budget=Budget.model_validate(settings["budget"]).amount(price),
        first=settings["start"],
        thresholds=settings["thresholds"],
        marks=tuple(settings["marks"]),
        until=settings.get("until", math.inf),
        time_limit=job.time_limit,
        folder=job.folders[0],
    )


def _times(job: Job) -> Line:
    from pfes.bench.stopwatch import times  # noqa: PLC0415 - rarely needed

    settings, problem = job.settings, problem_of(problem_in(job), job.folders)
    entry = MethodTable.model_validate(settings["method"])
    return times(problem, entry, job.seed, settings["train"], settings["candidates"])


def _picture(job: Job) -> Line:
    from pfes.bench.explain import EXPLAINED  # noqa: PLC0415 - rarely needed

    problem = problem_of(problem_in(job), job.folders)
    return {"numbers": EXPLAINED[job.settings["method"]["name"]](problem, job.seed, job.settings["start"])}


KINDS: dict[str, Callable[[Job], Line]] = {"search": _search, "times": _times, "picture": _picture}
