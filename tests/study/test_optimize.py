"""The loop: budgets kept, failures survived, reasons given."""

import io
import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from pfes import Bundle, GainBelow, InvalidInput, Objective, Plateau
from pfes.study import loop
from pfes.study.progress import Status, reporting
from pfes.study.stopping import History
from pfes.trials import Trial
from study.examples import OBJECTIVES, SPACE, measured, pool_study, space_study

COSTS = st.sampled_from([0.1, 0.3, 1.0, 2.5, 7.0])


# Budgets and other ends


def test_a_run_spends_its_budget_and_says_so() -> None:
    study = space_study()
    outcome = study.optimize(measured, 20, progress=False)
    assert (outcome.trials, outcome.spent) == (3, 18.0)
    assert outcome.reason == "the budget is spent: 2 is left, the next measurement would cost 6"
    assert outcome.seconds > 0


@given(budget=st.floats(0, 30), own=st.none() | st.floats(0, 30), a=COSTS, b=COSTS, decoupled=st.booleans())
@settings(max_examples=25)
def test_no_budget_is_ever_exceeded(budget: float, own: float | None, a: float, b: float, decoupled: bool) -> None:
    objectives = [Objective("power", cost=a), Objective("waste", cost=b)]
    study = pool_study(objectives=objectives, bundles=[Bundle(["power", "waste"], max(a, b))], budget=own)
    outcome = study.optimize(measured, budget, decoupled=decoupled, trials=8, progress=False)
    assert outcome.spent == pytest.approx(study.spent)
    assert study.spent <= min(budget, budget if own is None else own) * (1 + 1e-9)


def test_the_budget_is_for_this_call_only() -> None:
    study = space_study()
    assert [study.optimize(measured, 6, progress=False).spent for _ in range(3)] == [6.0] * 3


def test_a_budget_of_the_study_ends_a_run_too() -> None:
    assert space_study(budget=13).optimize(measured, progress=False).trials == 2


def test_a_run_ends_after_so_many_trials_or_seconds_or_when_nothing_is_left() -> None:
    assert space_study().optimize(measured, trials=4, progress=False).reason == "4 trials were evaluated"
    assert space_study().optimize(measured, timeout=0, progress=False).reason == "the time of 0 s is over"
    outcome = pool_study(5).optimize(measured, progress=False)
    assert (outcome.trials, "every row of the pool" in outcome.reason) == (5, True)


def test_a_run_without_any_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="optimize: got no end"):
        space_study().optimize(measured)


@pytest.mark.parametrize("name", ["budget", "trials", "timeout"])
def test_limits_are_numbers(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name}: got -3"):
        space_study().optimize(measured, **{name: -3})


# What the function returns


def test_a_number_will_do_for_one_objective() -> None:
    for number in (1.5, np.float64(1.5), np.array(1.5), 2):
        study = space_study(objectives=OBJECTIVES[0])
        study.optimize(lambda trial, number=number: number, trials=1, progress=False)
        assert study.trial(0).values == {"power": float(number)}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "evaluate returned None for trial 0"),
        (1.0, "wanted {name: value}"),
        ({"speed": 1.0}, "returned .'speed'."),
    ],
)
def test_what_no_measurement_is_ends_the_run_and_gives_the_trial_back(returned: Any, message: str) -> None:
    study = space_study()
    with pytest.raises(InvalidInput, match=message):
        study.optimize(lambda trial: returned, trials=3, progress=False)
    assert [trial.state for trial in study.trials()] == ["released"]


def test_what_is_left_out_stays_pending_and_reserved() -> None:
    study = space_study()
    outcome = study.optimize(lambda trial: {"waste": 1.0}, 12, progress=False)
    assert outcome.trials == 2
    assert {trial.state for trial in study.trials()} == {"pending"}
    assert (outcome.spent, study.reserved) == (2.0, 10.0)


def test_a_value_that_is_no_number_fails_and_the_others_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    study = space_study()
    study.optimize(lambda trial: {"power": float("nan"), "waste": 1.0}, trials=1, progress=False)
    assert (study.trial(0).state, study.trial(0).values) == ("failed", {"waste": 1.0})
    assert "value of 'power': got nan" in study.trial(0).message
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_no_value_at_all_is_a_failure() -> None:
    study = space_study()
    study.optimize(lambda trial: {}, trials=1, progress=False)
    assert (study.trial(0).state, study.trial(0).message) == ("failed", "evaluate returned no value")


def test_the_function_may_tell_the_study_itself() -> None:
    study = space_study()

    def evaluate(trial: Trial) -> Mapping[str, float] | None:
        study.tell(trial.id, infeasible="melts")
        return None if trial.id else {}

    study.optimize(evaluate, trials=2, progress=False)
    assert [trial.state for trial in study.trials()] == ["infeasible"] * 2


# Failures


def broken(trial: Trial) -> dict[str, float]:
    if trial.id % 2:
        raise RuntimeError("furnace tripped")
    return measured(trial)


def test_exceptions_become_failed_trials_and_the_run_goes_on() -> None:
    study = space_study()
    outcome = study.optimize(broken, 24, progress=False)
    assert (outcome.trials, outcome.spent) == (4, 24.0)
    assert [trial.state for trial in study.trials()] == ["done", "failed", "done", "failed"]
    assert study.trial(1).message == "RuntimeError: furnace tripped"


def test_many_failures_in_a_row_end_the_run() -> None:
    outcome = space_study().optimize(lambda trial: 1 / 0, trials=99, progress=False)
    assert outcome.trials == loop.TOO_MANY_FAILURES
    assert "the last one because: ZeroDivisionError" in outcome.reason


def test_exceptions_that_are_not_caught_are_raised_and_written_down() -> None:
    study = space_study()
    with pytest.raises(RuntimeError, match="furnace"):
        study.optimize(broken, trials=4, progress=False, catch=ValueError)
    assert [trial.state for trial in study.trials()] == ["done", "failed"]


def test_an_exception_after_the_study_was_told_changes_nothing() -> None:
    study = space_study()

    def evaluate(trial: Trial) -> None:
        study.tell(trial.id, infeasible="melts")
        raise RuntimeError("melts")

    study.optimize(evaluate, trials=1, progress=False)
    assert study.trial(0).state == "infeasible"


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_releases_the_trial_under_way(interruption: type[BaseException]) -> None:
    study = space_study()

    def evaluate(trial: Trial) -> dict[str, float]:
        if trial.id == 2:
            raise interruption
        return measured(trial)

    with pytest.raises(interruption):
        study.optimize(evaluate, trials=9, progress=False)
    assert [trial.state for trial in study.trials()] == ["done", "done", "released"]
    assert (study.spent, study.reserved) == (12.0, 0.0)


def test_an_interruption_after_the_study_was_told_is_still_an_interruption() -> None:
    study = space_study()

    def evaluate(trial: Trial) -> None:
        study.tell(trial.id, measured(trial))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.optimize(evaluate, trials=9, progress=False)
    assert study.trial(0).state == "done"


# Rules and callbacks


def test_a_rule_ends_the_run_with_its_reason() -> None:
    outcome = space_study().optimize(
        measured, stop=lambda history: "enough" * (len(history.gains) == 3), progress=False
    )
    assert (outcome.reason, outcome.trials) == ("enough", 3)


def test_callbacks_see_every_trial_as_it_is_afterwards() -> None:
    study, seen = space_study(), []
    study.optimize(broken, trials=3, callbacks=lambda s, trial: seen.append((s is study, trial.state)), progress=False)
    assert seen == [(True, "done"), (True, "failed"), (True, "done")]


def test_a_low_gain_ends_a_run_only_if_it_lasts() -> None:
    rule = GainBelow(0.1, rounds=2)
    assert rule(History(gains=(0.01,))) is None
    assert rule(History(gains=(0.01, 0.2))) is None
    assert rule(History(gains=(float("nan"), 0.01))) is None
    assert (
        rule(History(gains=(0.5, -0.01, 0.09))) == "the last 2 suggestions each promised less than 0.1 per unit of cost"
    )


def test_a_plateau_is_a_hypervolume_that_does_not_grow() -> None:
    rule = Plateau(2, share=0.1)
    assert rule(History(hypervolumes=(1.0, 1.0))) is None
    assert rule(History(hypervolumes=(1.0, 1.05, 1.2))) is None
    assert rule(History(hypervolumes=(0.0, 0.0, 0.0))) is None
    assert rule(History(hypervolumes=(float("nan"), 1.0, 1.0))) is None
    assert "less than 0.1 of itself in the last 2" in str(rule(History(hypervolumes=(1.0, 1.05, 1.05))))
    # trials that complete no point do not count
    assert rule(History(hypervolumes=(1.0, 1.05, 1.05), held=(1, 2, 2))) is None
    assert rule(History(hypervolumes=(1.0, 1.05, 1.05, 1.05), held=(1, 2, 2, 3))) is not None


def test_a_plateau_ends_a_run() -> None:
    flat = space_study().optimize(
        lambda trial: {"power": 1.0, "waste": 1.0}, trials=50, stop=Plateau(3), progress=False
    )
    assert flat.trials == 8  # five before a reference point is chosen, three without growth
    assert "hypervolume grew by less" in flat.reason


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GainBelow(float("nan")), "got level nan"),
        (lambda: GainBelow(1.0, 0), "got 0 rounds"),
        (lambda: Plateau(1.5), "got 1.5 rounds"),  # type: ignore[arg-type]
        (lambda: Plateau(3, 0.0), "got share 0.0"),
    ],
)
def test_rules_that_make_no_sense_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


# Progress


def test_without_a_terminal_progress_is_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    space_study().optimize(broken, 18)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines[0].startswith("pfes: 0 trials, cost 0 of 18; A point")
    assert lines[-1].startswith("pfes: 3 trials, cost 18 of 18, 1 failed; Ended: the budget is spent")


def test_silence_can_be_had(capsys: pytest.CaptureFixture[str]) -> None:
    space_study().optimize(measured, trials=2, progress=False)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_progress_is_a_live_panel() -> None:
    screen = io.StringIO()
    with reporting(True, Console(file=screen, force_terminal=True, width=100)) as report:
        report(Status(1, 5.0, 10.0, None, 0, 0.25, "[because]"))
        report(Status(trials=3, wanted=4))
        report(Status(trials=3))
    text = screen.getvalue()
    assert "cost 5 of 10, hypervolume 0.25" in text
    assert "[because]" in text
    assert "3 of 4 trials" in text
    assert "━" in text


def test_progress_counts_in_words() -> None:
    assert Status(1, 2.0).line() == "1 trial, cost 2"
    assert Status(1, 2.0, None, 7, 2).line() == "1 of 7 trials, cost 2, 2 failed"
    assert Status(budget=float("inf")).done is None


def test_a_study_of_the_whole_chain_runs() -> None:
    study = space_study(space=SPACE.fix(t=400), method="pfes")
    outcome = study.optimize(measured, 31, decoupled=True, progress=False)
    assert outcome.spent <= 31
    assert all(trial.params["t"] == 400 for trial in study.trials())
    assert any(trial.gain > 0 for trial in study.trials())
