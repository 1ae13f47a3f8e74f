"""One search: what is written down is what happened, and no more is spent than there is."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfes.bench.cases import problem_of, start_of
from pfes.bench.experiment import MethodTable, ProblemTable
from pfes.bench.race import search
from pfes.bench.summary.traces import held_at
from pfes.errors import InvalidInput
from pfes.problems import Problem
from pfes.space import Pool


def run(
    problem: Problem,
    seed: int = 0,
    budget: float = 9.0,
    marks: tuple[int, ...] = (),
    until: float = np.inf,
    **method: Any,
) -> dict[str, Any]:
    price = problem.objectives.cost(range(len(problem.objectives)))
    return search(problem, MethodTable(**method), seed, name="x", budget=budget * price, marks=marks, until=until)


@pytest.fixture
def valley(folder: Path) -> Problem:
    return problem_of(ProblemTable(name="mine:valley"), [folder])


POOL = problem_of(ProblemTable(name="bismuth_oxide", costs=[5, 1]))


def held_again(problem: Problem, trace: dict[str, Any]) -> list[float]:
    """What was held, worked out from the trace alone, the slow way."""
    many = len(problem.objectives)
    known: dict[Any, set[int]] = {_key(at): set(range(many)) for at in trace["first"]["at"]}
    shares = []
    for at, which in zip([None, *trace["at"]], [[], *trace["which"]], strict=True):
        if at is not None:
            known.setdefault(_key(at), set()).update(which)
        whole = [key for key, names in known.items() if len(names) == many]
        shares.append(round(problem.share(problem.values(np.array(whole))), 5))
    return shares


def _key(at: Any) -> Any:
    return at if isinstance(at, int) else tuple(at)


@pytest.mark.parametrize(
    "method",
    [{"name": "random"}, {"name": "sobol"}, {"name": "mine:corner"}, {"name": "mine:one_by_one", "decoupled": True}],
    ids=lambda entry: entry["name"],
)
def test_the_trace_tells_what_was_held_and_spent(method: dict[str, Any], valley: Problem) -> None:
    trace = run(valley, **method)
    costs = np.array([3.0, 1.0])
    spent = 20.0 + np.cumsum([0.0, *(costs[which].sum() for which in trace["which"])])
    assert trace["spent"] == pytest.approx(spent.tolist())
    assert trace["spent"][-1] <= 36.0
    assert trace["held"] == held_again(valley, trace)
    assert trace["held"] == sorted(trace["held"])
    lengths = {len(trace[name]) for name in ("at", "which", "values", "gain", "purpose", "wall", "processor")}
    assert lengths == {len(trace["held"]) - 1}
    assert trace["ended"] == "budget"


def test_all_methods_begin_with_the_same_points_of_a_seed(valley: Problem) -> None:
    first = [run(valley, seed, name=name)["first"] for seed in (0, 1) for name in ("random", "mine:corner")]
    assert first[0] == first[1]
    assert first[2] == first[3]
    assert first[0] != first[2]
    assert first[0]["at"] == start_of(valley, "x", 0, 5).tolist()


def test_the_same_seed_gives_the_same_search() -> None:
    one, other = (run(POOL, 3, 7.0, name="random") for _ in range(2))
    assert one["at"] == other["at"]
    assert one["values"] == other["values"]
    assert run(POOL, 4, 7.0, name="random")["at"] != one["at"]


def test_what_is_measured_has_the_problems_noise_and_what_is_held_has_not() -> None:
    trace = run(POOL, 0, 8.0, name="random")
    truth = POOL.values(np.array(trace["at"]))
    errors = np.array(trace["values"]) - truth
    assert np.all(errors != 0.0)
    assert np.all(np.abs(errors) < 6.0 * POOL.noise)
    assert trace["held"] == held_again(POOL, trace)


def test_a_study_one_objective_at_a_time_is_run_to_its_last_unit_of_cost() -> None:
    trace = run(POOL, 0, 7.0, (6,), name="pfes", decoupled=True, frontiers=3)
    assert {len(which) for which in trace["which"]} == {1}
    assert 42.0 - 1.0 <= trace["spent"][-1] <= 42.0
    assert trace["held"] == held_again(POOL, trace)
    assert set(trace["recommended"]) == {"6"}
    assert 0.0 < trace["recommended"]["6"] <= 1.0
    assert all(purpose in ("learn", "confirm", "doubt") for purpose in trace["purpose"])
    assert all(gain is not None for gain in trace["gain"])


def test_batches_are_asked_for_together() -> None:
    trace = run(POOL, 0, 9.0, name="ehvi", batch=2, fitted_on=20)
    assert len(trace["at"]) == 4
    assert trace["wall"][0] == trace["wall"][1]
    assert trace["wall"][2] == trace["wall"][3]


def test_a_pool_that_is_used_up_ends_the_search() -> None:
    table = Pool({"x": np.arange(7.0)})
    values = np.column_stack([np.arange(7.0), np.arange(7.0)[::-1]])
    tiny = Problem("tiny", table, POOL.objectives, lambda rows: values[rows], np.array([-1.0, 9.0]), 1.0)
    trace = run(tiny, 0, 20.0, name="random")
    assert trace["ended"] == "nothing left"
    assert len(trace["at"]) == 2


def test_a_search_that_holds_enough_ends_and_is_taken_to_hold_that_later() -> None:
    whole = run(POOL, 0, 30.0, name="random")
    rise = next(n for n, (a, b) in enumerate(itertools.pairwise(whole["held"]), 1) if b > a)
    early = run(POOL, 0, 30.0, (7, 29), until=whole["held"][rise], name="sobol", recipe="paper", fitted_on=20)
    assert early["ended"] == "enough"
    assert early["held"][-1] >= whole["held"][rise] > early["held"][-2]
    assert held_at(early, 30.0 * early["price"]) == early["held"][-1]
    assert set(early["recommended"]) == {"7", "29"}


def test_a_time_limit_lets_the_suggestion_under_way_be_the_last(valley: Problem, folder: Path) -> None:
    entry = MethodTable(name="mine:slow", arguments={"log": str(folder / "log"), "seconds": 0.05})
    trace = search(valley, entry, 0, name="x", budget=400.0, time_limit=0.12)
    assert trace["ended"] == "time limit"
    assert 1 <= len(trace["at"]) <= 4


ODD = {"outside": "np.array([2.0, 0.0])", "short": "np.array([0.5])", "nan": "np.full(2, np.nan)", "number": "3"}


@pytest.mark.parametrize("kind", ODD)
def test_points_that_are_none_are_refused(kind: str, valley: Problem, folder: Path) -> None:
    code = f"import numpy as np\ndef odd(start):\n    return lambda record: {ODD[kind]}\n"
    (folder / f"odd_{kind}.py").write_text(code)
    with pytest.raises(InvalidInput, match="wanted a point of the unit cube"):
        run(valley, name=f"odd_{kind}:odd")


def test_a_row_that_is_none_is_refused(folder: Path) -> None:
    (folder / "oddrow.py").write_text("def odd(start):\n    return lambda record: 335\n")
    with pytest.raises(InvalidInput, match="wanted the number of a row, from 0 to 334"):
        run(POOL, name="oddrow:odd")


def test_points_may_be_given_as_parameters(valley: Problem, folder: Path) -> None:
    (folder / "named.py").write_text("def named(start):\n    return lambda record: {'x': 1.0, 'y': 0.5}\n")
    assert run(valley, name="named:named")["at"][0] == [0.5, 0.25]


def test_the_reference_point_of_a_pool_is_a_tenth_below_the_worst() -> None:
    levels = POOL.objectives.inward(POOL.values(np.arange(335)))
    wanted = levels.min(axis=0) - 0.1 * np.ptp(levels, axis=0)
    assert POOL.objectives.inward(POOL.reference) == pytest.approx(wanted)
    assert POOL.share(POOL.values(np.arange(335))) == pytest.approx(1.0)
    own = problem_of(ProblemTable(name="bismuth_oxide", reference=[-3.0, 36.0]))
    assert own.reference.tolist() == [-3.0, 36.0]
    with pytest.raises(InvalidInput, match="wanted a point that some values"):
        problem_of(ProblemTable(name="bismuth_oxide", reference=[99.0, 36.0]))
