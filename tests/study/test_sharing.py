"""Several who ask at the same time: nobody waits for a model, no point is given to two, no budget spent twice."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pfes import Exhausted, StorageError, open_study
from pfes.study import Study, handing, models
from pfes.study.asking import answer
from pfes.study.snapshot import Answer
from study.examples import POINT, measured, pool_study, space_study
from study.test_keeping import QUICK

Meanwhile = Callable[[int], object]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Meanwhile], list[int]]:
    """meanwhile(act): act(k) happens while the k-th suggestion is made; gives how many trials each was asked for."""

    def arrange(act: Meanwhile) -> list[int]:
        wanted: list[int] = []

        def slow(task: Any, snapshot: Any, request: Any, count: int) -> Answer:
            found = answer(task, snapshot, request, count)
            if not busy:
                busy.append(True)
                act(len(wanted))
                busy.clear()
                wanted.append(count)
            return found

        busy: list[bool] = []
        monkeypatch.setattr(models, "answer", slow)
        return wanted

    return arrange


def two(tmp_path: Path, make: Callable[..., Study] = space_study, **options: Any) -> tuple[Study, Study]:
    make(storage=tmp_path / "study.db", **options)
    return open_study(tmp_path / "study.db"), open_study(tmp_path / "study.db")


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_without_a_model_the_slower_one_takes_an_alternative(method: str, tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, method=method)
    wanted = meanwhile(lambda k: yours.ask() if k < 3 else None)
    trial = mine.ask()
    assert wanted == [1, 2, 3, 4][: len(wanted)]
    assert len(wanted) >= 2
    points = [trial.point.key for trial in mine.trials()]
    assert len(points) == len(set(points))
    assert mine.events[-1].payload["tries"] == len(wanted) - 1
    assert trial.id == len(points) - 1


def test_with_a_model_it_is_asked_again_and_knows_of_the_others(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, method="pfes", settings=QUICK)
    for trial in mine.ask(3):
        mine.tell(trial.id, measured(trial))
    wanted = meanwhile(lambda k: yours.ask() if k == 0 else None)
    mine.ask()
    assert wanted == [1, 1]
    first, second = mine.trials()[-2:]
    assert first.point.key != second.point.key
    assert mine.events[-1].payload["read"] == len(mine.events) - 1  # the other one's ask was read


def test_what_is_told_meanwhile_does_not_make_it_start_again(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, method="pfes", settings=QUICK)
    trials = mine.ask(4)
    for trial in trials[:3]:
        mine.tell(trial.id, measured(trial))
    wanted = meanwhile(lambda k: yours.tell(3, measured(trials[3])))
    read = len(mine.events)
    mine.ask()
    assert wanted == [1]
    assert mine.events[-1].payload["read"] == read


def test_the_last_row_goes_to_one(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, lambda **options: pool_study(1, **options))
    meanwhile(lambda k: yours.ask() if k == 0 else None)
    with pytest.raises(Exhausted, match="every row of the pool"):
        mine.ask()
    assert len(mine.trials()) == 1


def test_a_batch_is_whole_or_says_why(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, lambda **options: pool_study(6, **options))
    meanwhile(lambda k: yours.ask(2) if k == 0 else None)
    assert len(mine.ask(3)) == 3
    meanwhile(lambda k: None)
    assert len(mine.ask(3)) == 1
    assert "every row" in mine.ended
    assert len({trial.row for trial in mine.trials()}) == 6


def test_a_budget_is_not_spent_twice(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path, budget=13)
    meanwhile(lambda k: yours.ask() if k == 0 else None)
    assert len(mine.ask(2)) == 1
    assert mine.spent + mine.reserved == 12.0
    assert "the budget is spent" in mine.ended


def test_a_wish_is_fulfilled_once(tmp_path: Path, meanwhile: Any) -> None:
    mine, yours = two(tmp_path)
    mine.enqueue(POINT)
    meanwhile(lambda k: yours.ask() if k == 0 else None)
    assert mine.ask().params != POINT
    assert [trial.params == POINT for trial in mine.trials()] == [True, False]


def test_whoever_is_never_quick_enough_is_told_so(
    tmp_path: Path, meanwhile: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handing, "MOST_TRIES", 3)
    mine, yours = two(tmp_path)
    meanwhile(lambda k: yours.ask(k + 1))
    with pytest.raises(StorageError, match="others were given the same points 3 times in a row"):
        mine.ask()


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_nobody_waits_while_a_model_is_fitted(
    where: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one fits a model, for ever as it were, another writes and reads."""
    place = tmp_path / "a.db" if where == "sqlite" else request.getfixturevalue("postgres").url("fitting")
    mine = space_study(storage=place, method="pfes", settings=QUICK)
    yours = open_study(place)
    for trial in mine.ask(4)[:3]:
        mine.tell(trial.id, measured(trial))
    fitting, go_on = threading.Event(), threading.Event()
    import pfes.suggest as chain

    believe = chain.believe

    def slow(*given: Any, **named: Any) -> Any:
        fitting.set()
        assert go_on.wait(60)
        return believe(*given, **named)

    monkeypatch.setattr(chain, "believe", slow)
    thread = threading.Thread(target=mine.ask)
    thread.start()
    assert fitting.wait(60)
    try:
        yours.tell(3, {"power": 1.0})
        mine.tell(3, {"waste": 1.0})  # nor does the one who asked, in another thread
        assert yours.trial(3).state == "done"
    finally:
        go_on.set()
        thread.join()
    assert len(yours.trials()) == 5
