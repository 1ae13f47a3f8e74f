"""An experiment run: jobs that are not yet in the file, on any executor, each written down when it is finished."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from pfes.bench.jobs import Job, jobs_of
from pfes.bench.methods import missing_packages
from pfes.bench.progress import Tally, duration, reporting, seconds_left
from pfes.bench.reading import ExperimentFile, read_experiment
from pfes.bench.results import Results, read_results
from pfes.bench.twins import Twins
from pfes.bench.work import failure, finished
from pfes.study.crew import Crew, crew_for
from pfes.study.workers import WorkerDied

__all__ = ["Outcome", "run", "unfinished"]

Line = dict[str, Any]
BEAT = 1.0  # seconds between two looks at the clock
HARD = 2.0, 120.0  # a run is ended after so many times its time limit and so many seconds


@dataclass(frozen=True)
class Outcome:
    """What came of it: runs in all, those finished before, finished now, failed now; rows left out, and why.

    taken   how many of those finished now needed no run, because another one tells what they would
    """

    total: int
    before: int
    done: int
    failed: int
    taken: int
    left_out: dict[str, str]
    seconds: float


def run(
    experiment: str | Path | ExperimentFile,
    path: str | Path,
    *,
    processes: int | None = None,
    executor: Any = None,
    data: str | Path | None = None,
    again: bool = False,
    known: Sequence[str | Path] = (),
    progress: bool = True,
) -> Outcome:
    """Run what is not yet in the file of results.

    experiment  a TOML file, or the name of a shipped experiment
    path        the file of results, one JSON line for each run; it may hold other experiments, too
    processes   how many runs at a time, each in a process of its own (1)
    executor    any concurrent.futures.Executor or a dask client instead
    data        a folder in which CSV files are looked for
    again       run once more what failed
    known       other files of results, whose runs of the same settings are taken over instead of being made again
    """
    given = experiment if isinstance(experiment, ExperimentFile) else read_experiment(experiment)
    jobs, left_out = _possible(given, jobs_of(given, data))
    results = Results(path)
    limits = [job.time_limit for job in jobs if job.time_limit is not None]
    hard = HARD[0] * max(limits) + HARD[1] if len(limits) == len(jobs) > 0 else None
    workers = processes if executor is not None else processes or 1
    others = read_results(known)
    with results.opened() as lines, reporting(progress) as report, crew_for(executor, workers, hard) as crew:
        assert crew is not None  # workers or an executor are given
        todo = unfinished(jobs, lines, again)
        shift = _Shift(results, crew, lines, Twins([*others, *lines]), Tally(len(jobs), len(jobs) - len(todo)), report)
        shift.work_through(todo)
        tally = shift.tally
    seconds = monotonic() - tally.begun
    return Outcome(tally.total, tally.before, tally.done, tally.failed, shift.taken, left_out, seconds)


def _possible(given: ExperimentFile, jobs: Sequence[Job]) -> tuple[list[Job], dict[str, str]]:
    """The jobs, each once, that can run here; what is left out, and why."""
    missing = {method.title: missing_packages(method) for method in given.experiment.methods}
    left_out = {title: f"a package is missing; try {command}" for title, command in missing.items() if command}
    left_out |= {f"{job.method} on {job.problem}": job.obstacle for job in jobs if job.obstacle}
    able = [job for job in jobs if not job.obstacle and not missing[job.method]]
    kept = {job.id: job for job in able}
    return list(kept.values()), left_out


def unfinished(jobs: Sequence[Job], lines: Sequence[Line], again: bool = False) -> list[Job]:
    """The jobs that no line tells the end of: of a run that was cut off by a shorter time limit, it does not."""
    last = {line["id"]: line for line in lines}

    def open_yet(job: Job) -> bool:
        line = last.get(job.id)
        if line is None or line.get("died") or (again and "error" in line):
            return True
        cut = line.get("ended") == "time limit"
        return cut and (job.time_limit is None or job.time_limit > line["time_limit"])

    return [job for job in jobs if open_yet(job)]


class _Shift:
    """A run while it goes on."""

    def __init__(
        self,
        results: Results,
        crew: Crew,
        lines: list[Line],
        twins: Twins,
        tally: Tally,
        report: Callable[[Tally], None],
    ) -> None:
        self.results, self.crew, self.lines, self.twins = results, crew, lines, twins
        self.tally, self.report = tally, report
        self.busy: dict[Future[Line], Job] = {}
        self.taken = 0

    def work_through(self, todo: list[Job]) -> None:
        """Do all of it; interrupted, what is under way is given up."""
        waiting = todo[::-1]
        try:
            while waiting or self.busy:
                size = self.crew.size()
                while waiting and len(self.busy) < size:
                    self.begin(waiting.pop())
                done, _ = wait(self.busy, timeout=BEAT, return_when=FIRST_COMPLETED)
                for future in done:
                    self.take(future)
                self.tally.left = seconds_left(waiting, self.tally, self.lines, size)
                self.report(self.tally)
        except BaseException:
            for future in self.busy:
                future.cancel()
            raise

    def begin(self, job: Job) -> None:
        """Have it run, unless another run tells what would come of it."""
        if (line := self.twins.of(job)) is not None:
            self.taken += 1
            self.note(job, line)
            self.report(self.tally)
            return
        self.busy[self.crew.executor.submit(finished, job)] = job
        self.tally.running[job] = monotonic()

    def take(self, future: Future[Line]) -> None:
        """Write down what came of a job that ran."""
        job = self.busy.pop(future)
        self.tally.running.pop(job)
        try:
            line = future.result()
        except (BrokenExecutor, CancelledError):
            raise
        except WorkerDied as error:
            line = failure(job, str(error)) | {"died": True}
        except Exception as error:  # it took too long, or could not be sent
            line = failure(job, f"{type(error).__name__}: {error}")
        self.note(job, line)

    def note(self, job: Job, line: Line) -> None:
        """Write a line down."""
        self.results.add(line)
        self.lines.append(line)
        self.twins.add(line)
        self.tally.done += 1
        self.tally.failed += "error" in line
        self.tally.news.append(f"{job.words}: {_news(line)}")


def _news(line: Line) -> str:
    if "error" in line:
        return f"failed, {line['error']}"
    held = f"held {line['held'][-1]:.3f}, " if "held" in line else ""
    if "taken_from" in line:
        return f"{held}known from another run"
    return f"{held}{duration(line['seconds'])}"
