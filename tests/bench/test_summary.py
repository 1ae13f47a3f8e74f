"""What a report says of runs: medians, ranks and tests by slow definitions, and that nothing is mixed up."""

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from pfes.bench import report
from pfes.bench.results import Results
from pfes.bench.summary.arenas import arenas_of, shared_seeds
from pfes.bench.summary.contents import document
from pfes.bench.summary.pairs import holm, pairs_of, signed_rank
from pfes.bench.summary.ranks import ranked, ranks_of
from pfes.bench.summary.seconds import seconds_of
from pfes.bench.summary.spending import shares_of, spending_of
from pfes.bench.summary.traces import cost_to, finite_median, held_at, traces_of
from pfes.errors import InvalidInput


def line(
    method: str, seed: int, held: list[float], problem: str = "hills", price: float = 2.0, /, **settings: Any
) -> dict[str, Any]:
    """A finished run from 5 first points, one evaluation of everything after the other."""
    count = len(held) - 1
    whole = {
        "kind": "search",
        "problem": {"name": problem},
        "method": {"name": method},
        "seed": seed,
        "start": 5,
        "budget": {"evaluations": 5 + count},
        "marks": [],
    } | settings
    return {
        "id": f"{problem}{method}{seed}{settings}",
        "experiment": "try",
        "problem": problem,
        "method": method,
        "seed": seed,
        "settings": whole,
        "order": [0, 0],
        "held": held,
        "spent": [price * (5 + n) for n in range(count + 1)],
        "which": [[0, 1]] * count,
        "objectives": {"a": 1.0, "b": price - 1.0},
        "wall": [1.0] * count,
        "processor": [0.5] * count,
        "recommended": {},
        "price": price,
        "ended": "budget",
        "seconds": 3.0,
        "processor_seconds": 2.0,
        "finished": "2026-01-01T00:00:00+00:00",
        "load": 0.1,
        "machine": {"processor": "abacus", "cores": 1, "system": "Linux"},
        "versions": {"python": "3", "pfes": "0"},
    }


RUNS = [
    line("good", 0, [0.2, 0.5, 0.96]),
    line("good", 1, [0.1, 0.95, 0.97]),
    line("good", 2, [0.3, 0.4, 0.8]),
    line("bad", 0, [0.2, 0.3, 0.4]),
    line("bad", 1, [0.1, 0.2, 0.99]),
    line("bad", 2, [0.3, 0.3, 0.3]),
]


def test_traces_are_means_and_medians_over_seeds() -> None:
    found = traces_of(arenas_of(RUNS)[0])
    assert found.cost.tolist() == [5.0, 6.0, 7.0]
    good = found.traces[0]
    ends = np.array([0.96, 0.97, 0.8])
    assert good.mean[-1] == pytest.approx(ends.mean())
    assert good.error[-1] == pytest.approx(ends.std(ddof=1) / math.sqrt(3))
    assert (good.median[-1], good.median[0]) == (0.96, 0.2)
    assert good.low[-1] == pytest.approx(0.88)


def test_held_and_cost_are_read_off_the_steps() -> None:
    run = RUNS[0]
    assert [held_at(run, cost) for cost in (10.0, 11.9, 12.0, 99.0)] == [0.2, 0.2, 0.5, 0.96]
    assert math.isnan(held_at(run, 9.0))
    assert cost_to(run, 0.5) == 12.0
    assert cost_to(run, 0.97) == math.inf
    assert finite_median([3.0, math.inf, 1.0]) == 3.0
    assert finite_median([3.0, math.inf]) == math.inf


def test_over_cost_traces_have_even_steps() -> None:
    runs = [run | {"settings": run["settings"] | {"budget": {"cost": 14.0}}} for run in RUNS]
    arena = arenas_of(runs)[0]
    assert not arena.in_evaluations
    found = traces_of(arena)
    assert (found.cost[0], found.cost[-1], len(found.cost)) == (10.0, 14.0, 101)


def test_ranks_are_those_of_a_slow_count() -> None:
    rng = np.random.default_rng(0)
    held = np.round(rng.random((6, 4)), 1)
    slow = [[1 + sum(b > a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row] for row in held]
    assert ranked(held).tolist() == slow


def test_mean_ranks_by_problem_and_over_all() -> None:
    others = [line(m, s, [0.1, 0.2 + (m == "bad") * 0.1], "lakes") for m in ("good", "bad") for s in (0, 1)]
    alone = [line("good", 0, [0.1, 0.2], "alone")]
    found = ranks_of(arenas_of([*RUNS, *others, *alone]))
    assert found.arenas == ("hills", "lakes")
    assert found.seeds == (3, 2)
    assert found.means.tolist() == [[pytest.approx(4 / 3), 2.0], [pytest.approx(5 / 3), 1.0]]
    assert found.overall.tolist() == pytest.approx([5 / 3, 4 / 3])


def test_signed_rank_is_that_of_all_signs() -> None:
    rng = np.random.default_rng(1)
    for d in (rng.standard_normal(5) + 0.7, rng.standard_normal(8) + 0.7, np.array([0.1, 0.1, -0.1, 0.3, 0.3, 0.2])):
        rank, count = rankdata(np.abs(d)), len(d)
        sums = [np.dot(rank, signs) for signs in itertools.product((0, 1), repeat=count)]
        lower = min(rank[d > 0].sum(), rank[d < 0].sum())
        assert signed_rank(d) == pytest.approx(min(1.0, 2 * np.mean(np.array(sums) <= lower)))
    assert signed_rank(np.zeros(6)) == 1.0
    assert signed_rank(np.array([0.1, 0.0, -0.1, 0.1, 0.3])) == signed_rank(np.array([0.1, -0.1, 0.1, 0.3]))
    assert signed_rank(np.full(5, 0.1)) == 2 / 2**5  # five pairs cannot show more, ties or not


def test_signed_rank_of_many_is_near_the_exact_one() -> None:
    few, many = (np.random.default_rng(2).standard_normal(60)[:count] + 0.2 for count in (50, 60))
    assert signed_rank(few) == pytest.approx(wilcoxon(few, method="exact").pvalue, rel=1e-9)
    assert signed_rank(many) == pytest.approx(wilcoxon(many, method="exact").pvalue, rel=0.05)


def test_holm_is_the_slow_definition() -> None:
    chances = [0.01, 0.04, 0.03, 0.005, 0.9]
    order = sorted(chances)
    slow = {p: max(min((len(order) - j) * order[j], 1.0) for j in range(i + 1)) for i, p in enumerate(order)}
    assert holm(chances) == pytest.approx([slow[p] for p in chances])


def test_pairs_are_compared_on_the_seeds_they_share() -> None:
    found = pairs_of(arenas_of([*RUNS, line("bad", 7, [0.1, 0.2, 0.3])]), "good")
    assert [(it.method, it.other, it.pairs, it.won) for it in found] == [("good", "bad", 3, 2.0)]
    assert found[0].ahead == pytest.approx(0.5)
    assert found[0].chance == found[0].corrected
    assert pairs_of(arenas_of(RUNS), "nobody") == []


def test_runs_of_a_changed_experiment_do_not_mix() -> None:
    changed = [line("good", s, [0.1, 0.2, 0.3], method={"name": "good", "frontiers": 30}) for s in (0, 1)]
    arena = arenas_of([*RUNS, *changed])[0]
    assert [row.method for row in arena.rows] == ["good", "bad", "good (2)"]
    assert [sorted(row.runs) for row in arena.rows] == [[0, 1, 2], [0, 1, 2], [0, 1]]
    longer = [line("good", 0, [0.1, 0.2, 0.3, 0.4])]
    assert [arena.name for arena in arenas_of([*RUNS, *longer])] == ["hills", "hills (2)"]


def test_failed_runs_are_told_and_not_counted() -> None:
    failed = line("bad", 3, [0.0]) | {"error": "ValueError: <b>no</b>", "settings": RUNS[3]["settings"] | {"seed": 3}}
    arena = arenas_of([*RUNS, failed])[0]
    assert arena.rows[1].errors == {3: "ValueError: <b>no</b>"}
    assert shared_seeds(arena.rows) == [0, 1, 2]
    titles = [section.title for section in document([*RUNS, failed], "x").sections]
    assert "What went wrong" in titles


def test_where_the_cost_went_is_counted_by_tenths_of_the_budget() -> None:
    cheap = line("good", 0, [0.1] * 5, method={"name": "good", "decoupled": True}, budget={"cost": 14.0})
    cheap |= {"which": [[1], [1], [0], [0]], "spent": [10.0, 11.0, 12.0, 13.0, 14.0]}
    arena = arenas_of([cheap])[0]
    found = spending_of(arena, arena.rows[0], {"yield": 10.0, "cost": 1.0})
    assert [layer.name for layer in found.chart().panels[0].layers] == ["yield, costs 10", "cost, costs 1"]
    assert found.shares[[0, 2, 5, 7]].tolist() == [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    assert arena.rows[0].decoupled
    halves = shares_of(arena, arena.rows[0], 2, 2)
    assert halves.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    uneven = cheap | {"which": [[0], [1], [1], [0]], "spent": [10.0, 10.5, 11.0, 13.9, 14.0]}
    arena = arenas_of([cheap, uneven | {"seed": 1, "settings": cheap["settings"] | {"seed": 1}}])[0]
    assert shares_of(arena, arena.rows[0], 2, 4)[:, 0].tolist() == [1 / 3, 0.0, 1.0, 1.0]  # of both runs together


def test_seconds_are_over_all_suggestions() -> None:
    found = seconds_of(arenas_of(RUNS)[0].rows[0])
    assert found is not None
    assert (found.median, found.processor, found.run, found.suggestions) == (1.0, 0.5, 3.0, 6)


def test_a_report_is_a_page_markdown_and_pictures(tmp_path: Path) -> None:
    odd = [run | {"method": "<script>alert(1)</script>"} for run in RUNS[:3]]
    results = Results(tmp_path / "r.jsonl")
    with results.opened():
        for run in [*odd, *RUNS[3:]]:
            results.add(run)
    written = report([results.path], tmp_path / "out")
    names = [file.name for file in written.files]
    assert names == ["report.html", "report.md", "traces-hills.png"]
    assert written.runs == 6
    assert written.files[2].read_bytes().startswith(b"\x89PNG")
    page, text = (file.read_text() for file in written.files[:2])
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)
    assert "&lt;script&gt;" in page
    assert "<script" not in text
    for heading in ("Ranks", "against the others", "Cost to hold 95 %", "Time per suggestion", "Machine and versions"):
        assert heading in page
        assert heading in text


def test_runs_that_do_not_say_when_they_ended_are_reported() -> None:
    silent = [{key: value for key, value in run.items() if key != "finished"} for run in RUNS]
    assert document(silent, "t").foot == "Written by pfes bench from 6 runs."
    assert "finished from 2026-01-01" in document([*silent[1:], RUNS[0]], "t").foot


def test_a_report_of_nothing_or_against_nobody_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("")
    with pytest.raises(InvalidInput, match="there are no runs to report on"):
        report([tmp_path / "r.jsonl"], tmp_path / "out")
    with pytest.raises(InvalidInput, match="against: got 'nobody', wanted one of bad, good"):
        document(RUNS, "x", "nobody")
