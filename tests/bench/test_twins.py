"""Runs that another run tells: at other costs, or from another file; and runs that have to be made."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bench.conftest import HEAD
from pfes.bench import read_results, report, run
from pfes.bench.summary.contents import document
from pfes.bench.twins import Twins

Write = Callable[..., Path]
PRICED = HEAD + 'costs = [10, 1]\n[[problems]]\nname = "mine:valley"\ncosts = [2, 2]\n'
EACH = ("at", "values", "held", "spent", "price", "objectives", "which", "recommended", "ended")


def in_threads(path: Path, results: str, **options: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return run(path, results, executor=pool, progress=False, **options)


def alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the runs are if each of them is made."""
    with monkeypatch.context() as patched:
        patched.setattr(Twins, "of", lambda self, job: None)
        assert in_threads(path, "alone.jsonl").taken == 0
    return read_results(["alone.jsonl"])


@pytest.mark.parametrize("method", ["random", "sobol", "ehvi", "smsego", "parego", "pfes"])
def test_a_search_together_is_made_once_for_all_costs(
    experiment: Write, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    path = experiment(method, head=PRICED.replace("seeds = 2", "seeds = 1"))
    assert in_threads(path, "r.jsonl").taken == 1
    made = {line["id"]: line for line in alone(path, monkeypatch)}
    found = {line["id"]: line for line in read_results(["r.jsonl"])}
    assert made.keys() == found.keys()
    for name, line in found.items():
        assert {key: line[key] for key in EACH} == {key: made[name][key] for key in EACH}
    first, second = found.values()
    assert "taken_from" not in first
    assert second["taken_from"] == first["id"]
    assert (first["price"], second["price"]) == (11.0, 4.0)


def test_what_may_depend_on_costs_is_run(experiment: Write) -> None:
    path = experiment({"name": "information", "decoupled": True}, "mine:corner", head=PRICED.replace("= 6", "= 4"))
    outcome = in_threads(path, "r.jsonl")
    assert (outcome.done, outcome.taken) == (8, 0)
    in_cost = PRICED.replace("{ evaluations = 6 }", "{ cost = 44 }")
    assert in_threads(experiment("random", head=in_cost), "t.jsonl").taken == 0


def test_runs_of_another_file_are_taken_over(experiment: Write) -> None:
    in_threads(experiment("random", "mine:corner"), "other.jsonl")
    mine = experiment({"name": "random", "label": "chance"}, {"name": "mine:corner"}, "sobol", name="mine.toml")
    outcome = in_threads(mine, "r.jsonl", known=["other.jsonl"])
    assert (outcome.done, outcome.taken) == (6, 4)
    labels = {(line["method"], "taken_from" in line) for line in read_results(["r.jsonl"])}
    assert labels == {("chance", True), ("corner", True), ("sobol", False)}


def test_a_search_that_may_end_early_is_the_beginning_of_one_that_may_not(
    experiment: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_threads(experiment("random"), "whole.jsonl")
    shares = sorted(line["held"][-2] for line in read_results(["whole.jsonl"]))
    early = experiment("random", head=f"until = {shares[0]}\n" + HEAD, name="early.toml")
    assert in_threads(early, "r.jsonl", known=["whole.jsonl"]).taken == 2
    made = {line["id"]: line for line in alone(early, monkeypatch)}
    found = {line["id"]: line for line in read_results(["r.jsonl"])}
    assert {line["ended"] for line in found.values()} == {"enough"}
    for name, line in found.items():
        assert {key: line[key] for key in EACH} == {key: made[name][key] for key in EACH}
    assert in_threads(experiment("random"), "s.jsonl", known=["r.jsonl"]).taken == 0


def test_failures_and_runs_cut_off_are_not_taken_over(experiment: Write) -> None:
    path = experiment("mine:falls", "random", head="time_limit = 0\n" + HEAD)
    in_threads(path, "other.jsonl")
    assert {line.get("ended") for line in read_results(["other.jsonl"])} == {None, "time limit"}
    again = experiment("mine:falls", "random", name="again.toml")
    assert in_threads(again, "r.jsonl", known=["other.jsonl"]).taken == 0


def test_a_report_counts_the_time_of_a_run_once(experiment: Write) -> None:
    in_threads(experiment("random", head=PRICED), "r.jsonl")
    lines = read_results(["r.jsonl"])
    assert sum("taken_from" in line for line in lines) == 2
    slow = [line | {"processor_seconds": 50.0} for line in lines]
    assert ("processor time", "2 min") in document(slow, "").numbers
    assert report(["r.jsonl"], "report").runs == 4


def test_a_run_that_was_looked_at_more_often_tells_of_one_that_is_looked_at_less(experiment: Write) -> None:
    often, seldom = ("marks = [5, 6]\n" + HEAD, "marks = [6]\n" + HEAD)
    assert "marks" not in HEAD
    in_threads(experiment("pfes", "mine:corner", head=often), "often.jsonl")
    mine = experiment("pfes", "mine:corner", head=seldom, name="mine.toml")
    assert in_threads(mine, "r.jsonl", known=["often.jsonl"]).taken == 4
    for line in read_results(["r.jsonl"]):
        assert list(line["recommended"]) == (["6"] if line["method"] == "pfes" else [])
    # the other way round only what recommends nothing is told
    again = experiment("pfes", "mine:corner", head=often, name="again.toml")
    assert in_threads(again, "s.jsonl", known=["r.jsonl"]).taken == 2
