"""Many evaluations at once: on any executor, within the budget, in spite of crashes, hangs and interruptions."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pfes import InvalidInput, Study, Workers, open_study
from pfes.study.crew import crew_of
from pfes.study.workers import Strands, WorkerDied
from pfes.trials import Trial, TrialState
from study import jobs
from study.examples import measured, pool_study, space_study


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


def states(study: Study) -> list[str]:
    return [str(trial.state) for trial in study.trials()]


# Ends


def test_a_crew_keeps_the_budget_and_says_why_it_ended(threads: Executor) -> None:
    study = space_study()
    outcome = study.optimize(measured, 20, executor=threads, progress=False)
    assert (outcome.trials, outcome.spent, study.spent) == (3, 18.0, 18.0)
    assert outcome.reason == "the budget is spent: 2 is left, the next measurement would cost 6"
    assert states(study) == ["done"] * 3


def test_a_crew_evaluates_so_many_trials_and_leaves_none_behind(threads: Executor) -> None:
    study = space_study()
    assert study.optimize(jobs.unhurried, trials=7, executor=threads, progress=False).trials == 7
    assert states(study).count("done") == 7
    assert study.pending() == []


def test_a_pool_is_evaluated_to_its_last_row(threads: Executor) -> None:
    study = pool_study(5)
    outcome = study.optimize(measured, executor=threads, progress=False)
    assert (outcome.trials, "every row of the pool" in outcome.reason) == (5, True)


def test_a_rule_stops_a_crew_and_what_is_under_way_is_told(threads: Executor) -> None:
    study = space_study()
    outcome = study.optimize(
        jobs.unhurried, trials=50, executor=threads, progress=False, stop=lambda history: "enough" * bool(history.gains)
    )
    assert outcome.reason == "enough"
    assert 1 <= outcome.trials <= 5
    assert set(states(study)) <= {"done", "released"}


def test_callbacks_are_called_in_the_thread_that_runs(threads: Executor) -> None:
    seen = []
    space_study().optimize(
        measured,
        trials=3,
        executor=threads,
        progress=False,
        callbacks=lambda study, trial: seen.append((trial.id, threading.current_thread() is threading.main_thread())),
    )
    assert sorted(seen) == [(0, True), (1, True), (2, True)]


# Several at a time


def test_as_many_are_under_way_as_there_are_workers(threads: Executor) -> None:
    busy, most, lock = 0, 0, threading.Lock()

    def counted(trial: Trial) -> dict[str, float]:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.15)
        with lock:
            busy -= 1
        return measured(trial)

    space_study().optimize(counted, trials=9, executor=threads, progress=False)
    assert most == 3
    most = 0
    space_study().optimize(counted, trials=4, executor=threads, workers=1, progress=False)
    assert most == 1


def test_workers_do_not_wait_for_slow_suggestions(monkeypatch: pytest.MonkeyPatch) -> None:
    study, ask = space_study(), Study._ask

    def slowly(self: Study, *args: Any) -> Any:
        time.sleep(0.2)
        return ask(self, *args)

    monkeypatch.setattr(Study, "_ask", slowly)
    with ThreadPoolExecutor(2) as pool:
        begun = time.monotonic()
        study.optimize(jobs.unhurried, trials=8, executor=pool, progress=False)
        together = time.monotonic() - begun
    assert together < 8 * 0.2 + 8 * 0.3 / 2  # one after the other it would be 8 * 0.2 + 4 * 0.3 at least


def test_processes_of_the_standard_library_evaluate() -> None:
    study = space_study()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        study.optimize(jobs.where, trials=6, executor=pool, progress=False)
    assert len({trial.values["power"] for trial in study.trials()}) == 2


def test_an_executor_that_does_not_say_its_size_is_asked_for_it() -> None:
    with pytest.raises(InvalidInput, match="does not say how many it has; try workers=4"):
        space_study().optimize(measured, trials=1, executor=Strands(), progress=False)
    assert space_study().optimize(measured, trials=3, executor=Strands(), workers=2, progress=False).trials == 3
    with pytest.raises(InvalidInput, match="got 3, wanted a concurrent"):
        space_study().optimize(measured, trials=1, executor=3, progress=False)
    assert crew_of(ThreadPoolExecutor(5), None, None).size() == 5


# Trouble


def test_own_processes_survive_whatever_a_function_does() -> None:
    study = space_study()
    outcome = study.optimize(jobs.troubled, trials=6, workers=2, time_limit=1.0, progress=False)
    assert outcome.trials == 6
    assert states(study) == ["done", "failed", "failed", "failed", "pending", "infeasible"]
    assert [trial.message for trial in study.trials()] == [
        "",
        "ValueError: the furnace tripped",
        "TimeoutError: took longer than 1 s and was ended",
        "WorkerDied: the worker process ended with code -9 in the middle of it",
        "",
        "it would melt",
    ]
    assert study.trial(4).missing == ("waste",)


def test_what_cannot_be_sent_is_refused_and_given_back() -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match="cannot be sent to another process"):
        study.optimize(lambda trial: 1, trials=2, workers=1, progress=False)
    assert set(states(study)) == {"released"}
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(InvalidInput, match="stands at the top of a module"),
    ):
        study.optimize(lambda trial: 1, trials=2, executor=pool, progress=False)
    assert set(states(study)) == {"released"}


def test_a_result_that_cannot_be_sent_back_blames_no_point() -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match="cannot be sent"):
        study.optimize(jobs.unsendable, trials=1, workers=1, progress=False)
    assert states(study) == ["released"]


def test_a_thread_that_hangs_is_left_alone_and_its_late_result_taken() -> None:
    study, gate = space_study(), threading.Event()

    def hangs(trial: Trial) -> dict[str, float]:
        if trial.id == 0:
            gate.wait(10)
        else:
            gate.set()
            time.sleep(0.2)
        return measured(trial)

    outcome = study.optimize(hangs, trials=2, time_limit=0.5, progress=False)
    assert outcome.trials == 2
    assert states(study) == ["done", "done"]  # the first was failed until its values came


def test_a_run_ends_when_all_workers_hang() -> None:
    gate = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        study = space_study()
        outcome = study.optimize(lambda trial: gate.wait(10), trials=9, executor=pool, time_limit=0.2, progress=False)
        gate.set()
    assert outcome.reason == "all workers are busy with evaluations that were given up"
    assert states(study) == ["failed", "failed"]


def test_a_broken_executor_ends_the_run_and_blames_no_point() -> None:
    study = space_study()
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(RuntimeError, match="terminated abruptly"),
    ):
        study.optimize(jobs.killed, trials=6, executor=pool, progress=False)
    assert study.pending() == []
    assert "released" in states(study)


def test_other_exceptions_are_raised_after_the_others_were_given_back(threads: Executor) -> None:
    def fails(trial: Trial) -> dict[str, float]:
        if trial.id == 1:
            raise KeyError("unexpected")
        time.sleep(0.2)
        return measured(trial)

    study = space_study()
    with pytest.raises(KeyError, match="unexpected"):
        study.optimize(fails, trials=9, executor=threads, progress=False, catch=ValueError)
    assert study.trial(1).state is TrialState.FAILED
    assert study.pending() == []


# Interruptions


class Interrupted(Executor):
    """An executor whose user presses Ctrl-C after some evaluations were begun."""

    def __init__(self, after: int) -> None:
        self.left, self.pool = after, ThreadPoolExecutor(4)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.pool.submit(fn, *args, **kwargs)


def test_ctrl_c_leaves_a_clean_study_and_keeps_what_is_measured(tmp_path: Path) -> None:
    study = space_study(storage=tmp_path / "study.db")
    executor = Interrupted(3)
    with pytest.raises(KeyboardInterrupt):
        study.optimize(jobs.unhurried, trials=20, executor=executor, workers=4, progress=False)
    executor.pool.shutdown()
    again = open_study(tmp_path / "study.db")
    assert again.pending() == []
    assert again.leases() == {}
    assert set(states(again)) <= {"done", "released"}


# Workers as an executor


def test_workers_are_an_executor() -> None:
    with Workers(2) as workers:
        assert sorted(workers.map(abs, [-1, 2, -3])) == [1, 2, 3]
        with pytest.raises(ZeroDivisionError):
            workers.submit(divmod, 1, 0).result()
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(abs, 1)


def test_workers_that_are_shut_down_at_once_end_what_they_do() -> None:
    workers = Workers(1)
    futures = [workers.submit(time.sleep, 60), workers.submit(abs, 1)]
    time.sleep(0.1)
    workers.shutdown(wait=False)
    assert isinstance(futures[0].exception(10), WorkerDied)
    assert futures[1].cancelled()


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "two"])
def test_a_number_of_workers_is_a_whole_one(count: Any) -> None:
    with pytest.raises(InvalidInput, match="wanted a whole number of 1 or more"):
        Workers(count)
