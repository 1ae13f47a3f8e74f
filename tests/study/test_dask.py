"""Evaluations on a real cluster: a scheduler and two worker processes of dask on this machine."""

import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest

from pfes import InvalidInput, open_study
from pfes.study.crew import crew_of
from study import jobs
from study.examples import space_study


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    quiet = logging.ERROR + 1  # workers report the exceptions that the tests raise
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=quiet
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_cluster_evaluates_on_all_its_workers(client: Any, tmp_path: Any) -> None:
    study = space_study(storage=tmp_path / "study.db")
    outcome = study.optimize(jobs.where, trials=6, executor=client, progress=False)
    assert outcome.trials == 6
    evaluated = {trial.values["power"] for trial in open_study(tmp_path / "study.db").trials()}
    assert len(evaluated) == 2
    assert os.getpid() not in evaluated


def test_the_executor_of_a_client_will_do_and_functions_need_no_module(client: Any) -> None:
    half, study = 0.5, space_study()
    outcome = study.optimize(
        lambda trial: {"power": half, "waste": half}, 18, executor=client.get_executor(), progress=False
    )
    assert (outcome.trials, outcome.spent) == (3, 18.0)
    assert crew_of(client, None, None).size() == 2
    assert crew_of(client, 1, None).size() == 1


def test_exceptions_partial_results_and_hangs_on_a_cluster(client: Any) -> None:
    def troubled(trial: Any) -> dict[str, float]:
        import time

        if trial.id == 1:
            raise ValueError("the furnace tripped")
        if trial.id == 2:
            time.sleep(3)
        return {"power": 1.0} if trial.id == 3 else {"power": 1.0, "waste": 2.0}

    study = space_study()
    study.optimize(troubled, trials=5, executor=client, time_limit=1.0, progress=False)
    assert [str(trial.state) for trial in study.trials()] == ["done", "failed", "failed", "pending", "done"]
    assert study.trial(1).message == "ValueError: the furnace tripped"
    assert study.trial(2).message == "TimeoutError: took longer than 1 s"


def test_what_a_function_returns_must_be_a_result(client: Any) -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match="evaluate returned 'much'"):
        study.optimize(lambda trial: "much", trials=2, executor=client, progress=False)
    assert study.pending() == []
