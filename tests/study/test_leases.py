"""Trials are reserved for whoever asked for them, for a time: the dead give back what they had."""

import logging
import time
from pathlib import Path
from typing import Any

import pytest

from pfes import Exhausted, InvalidInput, StorageError, open_study
from pfes.study.handing import PEOPLE, WORKERS
from pfes.study.heartbeat import Heartbeat
from study.examples import measured, pool_study, space_study


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def place(request: Any, tmp_path: Path) -> str | None:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres").url("leases"))
    return str(tmp_path / "study.db") if request.param == "sqlite" else None


def test_people_have_thirty_days(place: str | None) -> None:
    study = space_study(storage=place)
    study.ask()
    assert PEOPLE - 60 < study.leases()[0] <= PEOPLE == 30 * 24 * 3600


def test_what_nobody_cares_for_any_more_is_released_by_the_next_ask(place: str | None) -> None:
    study = pool_study(2, storage=place, budget=12)
    lost, kept = study.ask(), study.ask()
    with pytest.raises(Exhausted):
        study.ask()
    study.extend(lost, 0.0)
    time.sleep(0.01)
    assert study.leases()[lost.id] < 0
    assert study.trial(lost.id).state == "pending"  # looking changes nothing
    again = study.ask()
    assert again.row == lost.row
    assert (study.trial(lost.id).state, study.trial(lost.id).reserved) == ("released", 0.0)
    assert "the lease ran out" in study.trial(lost.id).message
    assert [event.kind for event in study.events].count("expired") == 1
    assert study.leases().keys() == {kept.id, again.id}
    assert study.spent + study.reserved == 12.0


def test_late_tells_are_welcome(place: str | None) -> None:
    study = pool_study(2, storage=place)
    lost = study.ask(lease=0.0)
    time.sleep(0.01)
    study.ask()
    assert study.tell(lost.id, {"waste": 1.0}).state == "released"
    done = study.tell(lost.id, {"power": 2.0})
    assert (done.state, done.message) == ("done", "")  # that the lease ran out is of no interest any more


def test_a_lease_can_be_extended(place: str | None) -> None:
    study = pool_study(3, storage=place)
    trial = study.ask(lease=0.2)
    study.extend(trial.id, 60)
    time.sleep(0.3)
    study.ask()
    assert study.trial(trial.id).state == "pending"
    study.extend(trial)
    assert 50 < study.leases()[trial.id] <= 60  # as long as the last time


def test_a_lease_that_has_run_out_can_be_extended_until_somebody_asks(place: str | None) -> None:
    study = pool_study(3, storage=place)
    trial = study.ask(lease=0.0)
    time.sleep(0.01)
    study.extend(trial.id, 60)
    study.ask()
    assert study.trial(trial.id).state == "pending"


@pytest.mark.parametrize("how", ["done", "failed", "released", "rejected"])
def test_what_is_closed_is_not_reserved_and_cannot_be_extended(place: str | None, how: str) -> None:
    study = space_study(storage=place)
    trial = study.ask()
    study.tell(trial.id, {"power": 1.0})
    assert study.leases().keys() == {0}
    {
        "done": lambda: study.tell(trial.id, {"waste": 1.0}),
        "failed": lambda: study.tell(trial.id, failed="burnt"),
        "released": lambda: study.release(trial.id),
        "rejected": lambda: study.reject(trial.id, "no"),
    }[how]()
    assert study.leases() == {}
    assert study._journal.leases() == {}
    with pytest.raises(InvalidInput, match=f"extend: trial 0 is {how}, wanted a pending one"):
        study.extend(trial.id)


@pytest.mark.parametrize("wrong", [-1, "long", True, float("nan")])
def test_a_time_is_a_number(wrong: Any) -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match="lease: got"):
        study.ask(lease=wrong)
    with pytest.raises(InvalidInput, match="seconds: got"):
        study.extend(study.ask().id, wrong)


def test_an_expired_trial_is_the_same_after_opening_again(tmp_path: Path) -> None:
    study = pool_study(3, storage=tmp_path / "a.db")
    study.ask(lease=0.0)
    time.sleep(0.01)
    study.ask()
    found = open_study(tmp_path / "a.db")
    assert found.trials() == study.trials()
    assert found.ask() == pool_like(study)


def pool_like(study: Any) -> Any:
    """What the next ask of a study in memory with the same events is."""
    plain = pool_study(3)
    events = study.events[:-1]  # without the ask itself
    plain._journal.write(lambda ledger, desk: [(e.kind, e.trial, e.payload) for e in events])
    return plain.ask()


# Signs of life


def test_a_heartbeat_keeps_what_it_was_given(place: str | None) -> None:
    study = pool_study(4, storage=place)
    kept, lost = study.ask(2, lease=1.5)
    with study.heartbeat(1.5) as beat:
        beat.add(kept.id)
        beat.add(lost.id)
        beat.drop(lost.id)
        time.sleep(2.0)
        study.ask()
        assert [study.trial(trial.id).state for trial in (kept, lost)] == ["pending", "released"]


def test_a_heartbeat_survives_a_database_that_does_not_answer(caplog: pytest.LogCaptureFixture) -> None:
    beats = []

    def extend(trial: int) -> None:
        beats.append(trial)
        raise StorageError("out of reach")

    with caplog.at_level(logging.WARNING), Heartbeat(extend, 0.03) as beat:
        beat.add(3)
        end = time.monotonic() + 5
        while len(beats) < 2 and time.monotonic() < end:
            time.sleep(0.01)
    assert len(beats) >= 2
    assert "the lease of trial 3 could not be extended: out of reach" in caplog.text


def test_a_run_asks_as_a_worker_and_leaves_the_rest_to_people() -> None:
    study = space_study()
    seen: list[float] = []

    def evaluate(trial: Any) -> dict[str, float]:
        seen.append(study.leases()[trial.id])
        return {"waste": measured(trial)["waste"]}

    study.optimize(evaluate, trials=2, progress=False)
    assert all(WORKERS - 60 < left <= WORKERS for left in seen)
    assert all(left > PEOPLE - 60 for left in study.leases().values())
