"""Damaged files: everything that can be read and makes sense is saved, and what is not is named."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pfes import Space, StorageError, create_study, open_study
from pfes.space import Real
from pfes.storage.salvage import Salvaged, salvage
from pfes.study import Study
from study.examples import OBJECTIVES, POINT, measured, space_study

SPOILT = {
    "bad JSON": ("UPDATE pfes_events SET payload = '{\"values' WHERE seq = ?", "cannot be read (JSONDecodeError"),
    "no object": ("UPDATE pfes_events SET payload = '7' WHERE seq = ?", "cannot be read"),
    "no text": ("UPDATE pfes_events SET payload = x'ff00fe' WHERE seq = ?", "cannot be read (UnicodeDecodeError"),
    "no number": ("UPDATE pfes_events SET trial = 'x' WHERE seq = ?", "cannot be read"),
    "a strange kind": ("UPDATE pfes_events SET kind = 'tolt' WHERE seq = ?", "it cannot be understood (KeyError"),
    "strange values": (
        'UPDATE pfes_events SET payload = \'{"values":{"power":"x"},"noise":{}}\' WHERE seq = ?',
        "it cannot be understood (InvalidInput: value of 'power'",
    ),
    "nothing": ("DELETE FROM pfes_events WHERE seq = ?", "is lost"),
}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Twelve trials, asked one after the other and all but the last one told."""
    it = space_study(storage=tmp_path / "study.db")
    for _ in range(11):
        trial = it.ask()
        it.tell(trial.id, measured(trial))
    it.ask(lease=3600)
    return it


def at(study: Study, kind: str, trial: int | None) -> int:
    return next(i for i, event in enumerate(study.events) if (event.kind, event.trial) == (kind, trial))


def spoil(study: Study, command: str, *numbers: int) -> None:
    with closing(sqlite3.connect(study.storage)) as connection, connection:
        for number in numbers:
            assert connection.execute(command, (number,)).rowcount == 1


def saved(study: Study) -> tuple[Salvaged, Study]:
    target = Path(study.storage).with_suffix(".repaired.db")
    [found] = salvage(Path(study.storage), target)
    return found, open_study(target)


@pytest.mark.parametrize("how", SPOILT)
def test_one_event_that_cannot_be_read_costs_no_other(study: Study, how: str) -> None:
    command, why = SPOILT[how]
    number = at(study, "told", 4)
    spoil(study, command, number)
    found, copy = saved(study)
    assert (found.saved, found.there) == (len(study.events) - 1, len(study.events))
    [words] = found.left_out
    assert words.startswith(f"event {number} ")
    assert why in words
    assert copy.events == study.events[:number] + study.events[number + 1 :]
    assert copy.trial(4).values == {}
    assert [trial.id for trial in copy.pending()] == [4, 11]
    assert copy.ask().id == 12


@pytest.mark.parametrize("how", sorted(SPOILT.keys() - {"strange values"}))
def test_a_damaged_study_is_not_opened_and_says_what_to_do(study: Study, how: str) -> None:
    spoil(study, SPOILT[how][0], at(study, "told", 4))
    with pytest.raises(StorageError, match=r"event 9 .*`pfes doctor --repair` saves what can be read"):
        open_study(study.storage).trials()


def test_what_was_told_of_a_trial_that_is_lost_is_named(study: Study) -> None:
    spoil(study, SPOILT["bad JSON"][0], at(study, "asked", 4))
    found, copy = saved(study)
    lost = study.trial(4).values
    assert found.saved == len(study.events) - 2
    assert found.left_out == (
        "event 8 cannot be read (JSONDecodeError: Unterminated string starting at: line 1 column 2 (char 1)); it was "
        "'asked' of trial 4",
        f"event 9 (told of trial 4: {{'values': {lost}}}): what was asked for in that trial is lost",
    )
    assert [trial.id for trial in copy.trials()] == [i for i in range(12) if i != 4]
    assert copy.ask().id == 12  # no number is given twice
    with pytest.raises(ValueError, match="got 4, wanted a number of study 'study', 0 to 12"):
        copy.trial(4)


def test_a_trial_that_waits_is_reserved_anew(study: Study) -> None:
    spoil(study, SPOILT["bad JSON"][0], at(study, "told", 4))
    _, copy = saved(study)
    left = copy.leases()
    assert 3500 < left[11] <= 3600
    assert left[4] > 29 * 24 * 3600


def test_a_bad_page_in_the_middle_costs_its_own_events_only(tmp_path: Path) -> None:
    study = space_study(storage=tmp_path / "study.db")
    for i in range(120):
        study.add([{**POINT, "x": i / 120, "power": float(i)}])
    with closing(sqlite3.connect(study.storage)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    data = Path(study.storage).read_bytes()
    pages = [data[i : i + size] for i in range(0, len(data), size)]
    page = next(i for i, page in enumerate(pages) if page[0] == 0x0D and b'"power":60.0' in page)  # 0x0D: rows
    Path(study.storage).write_bytes(b"".join([*pages[:page], b"\xa5" * size, *pages[page + 1 :]]))
    found, copy = saved(study)
    assert found.there == 120
    assert 60 < found.saved < 119
    [words] = found.left_out
    first, last = (int(word) for word in words.split() if word.isdigit())
    assert words == f"events {first} to {last} are lost"
    assert [trial.id for trial in copy.trials()] == [i for i in range(120) if not first <= i <= last]
    assert copy.trial(119).values == {"power": 119.0}


def test_wishes_after_a_lost_one_are_fulfilled_all_the_same(tmp_path: Path) -> None:
    study = space_study(storage=tmp_path / "study.db")
    for x in (0.1, 0.2, 0.3, 0.4):
        study.enqueue({**POINT, "x": x})
    assert study.ask().params["x"] == 0.1
    assert study.ask().params["x"] == 0.2
    spoil(study, SPOILT["bad JSON"][0], 0)
    found, copy = saved(study)
    assert (found.saved, len(found.left_out)) == (5, 1)
    assert [trial.params["x"] for trial in copy.trials()] == [0.1, 0.2]
    assert [copy.ask().params["x"] for _ in range(2)] == [0.3, 0.4]


def test_two_trials_of_one_number_do_not_hide_one_another(study: Study) -> None:
    spoil(study, "UPDATE pfes_events SET trial = 2 WHERE seq = ?", at(study, "asked", 4))
    found, copy = saved(study)
    assert "there is another trial of that number" in found.left_out[0]
    assert copy.trial(2).values == study.trial(2).values


def test_functions_are_not_needed_to_save_a_study(tmp_path: Path) -> None:
    def soluble(params: dict[str, Any]) -> bool:
        return bool(params["x"] < 0.9)

    space = Space(x=Real(0, 1), constraints=[soluble])
    study = create_study(tmp_path / "study.db", space=space, objectives=OBJECTIVES, method="random")
    study.tell(study.ask().id, {"power": 1.0, "waste": 2.0})
    study.ask()
    spoil(study, SPOILT["bad JSON"][0], 1)
    [found] = salvage(tmp_path / "study.db", tmp_path / "new.db")
    assert (found.saved, len(found.left_out)) == (2, 1)
    assert len(open_study(tmp_path / "new.db", constraints=[soluble]).trials()) == 2


def test_a_study_without_its_description_keeps_its_events(study: Study) -> None:
    with closing(sqlite3.connect(study.storage)) as connection, connection:
        connection.execute("UPDATE pfes_studies SET description = ?", (json.dumps({"space": 1}),))
    with pytest.raises(StorageError, match="what the study is about cannot be read"):
        open_study(study.storage)
    [found] = salvage(Path(study.storage), Path(study.storage).with_suffix(".new.db"))
    assert found.saved == found.there == len(study.events)
    assert found.left_out == ("what the study is about: it cannot be opened",)
