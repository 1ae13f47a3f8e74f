"""Tables and figures of docs/default.md, from the runs that are kept."""

import math
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from default_parts.cases import CHECKED, POOLS, SPACES
from default_parts.figures import draw_costs, draw_held, draw_traces
from default_parts.ours import cost_to
from default_parts.runs import Run, Runs, read_runs
from pfes.bench.summary.pairs import ALIKE, signed_rank
from tables import table, write_section

__all__ = [
    "DEAREST",
    "ENOUGH",
    "LABELS",
    "chance",
    "cheaper",
    "cost_of",
    "costs",
    "kept",
    "median",
    "searches",
    "wins",
    "write",
]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "default.md"
KEPT = ROOT / "benchmarks" / "results" / "bench"
Result = dict[str, Any]
ENOUGH = 0.95  # of the optimum: what it costs to hold that
LABELS = ("our default, one at a time", "our default", "BoTorch qLogNEHVI")  # of a trio
THREE = {  # experiments that have all three
    "arylation, 10 : 1, other seeds": "fresh-arylation",
    "redoxmers, two objectives, 10 : 1": "cheap-first",
}
OTHERS = (0.8, 0.9, 0.99)  # shares of the optimum beside that
REACHED = (
    "one at a time", "together", "qLogNEHVI", "ratio to together, cheaper (p)", "ratio to qLogNEHVI, cheaper (p)",
)  # fmt: skip
DEAREST = 1e3  # evaluations: more than any search has


def kept(*names: str) -> Runs:
    """The runs of experiments in benchmarks/."""
    return read_runs(*(KEPT / f"{name}.jsonl.gz" for name in names))


def write(screened: list[Result]) -> None:
    """Rewrite every section of the page that has runs."""
    ours, rival = kept("default-spaces", "default-check", "default-pools"), kept("rival-spaces", "rival-pools")
    apart, four = kept("default-apart"), kept("default-batches")
    groups = trios(apart, ours, rival) | {title: trio for title, name in THREE.items() if all(trio := trio_of(name))}
    sections: dict[str, Callable[[], str]] = {
        "continuous": lambda: continuous(ours, rival, SPACES),
        "check": lambda: continuous(ours, rival, CHECKED),
        "pools": lambda: pools(ours, rival),
        "decoupled": lambda: decoupled(groups),
        "sooner": lambda: sooner(groups),
        "batches": lambda: batches(four, ours),
        "screen": lambda: screen(screened),
    }
    for name, section in sections.items():
        write_section(PAGE, name, section() + "\n")
    draw_traces(ours, ROOT / "docs" / "pictures" / "default-traces.png")
    draw_costs(apart, ROOT / "docs" / "pictures" / "default-costs.png")
    draw_held(groups, ROOT / "docs" / "pictures" / "default-apart.png")


def trio_of(name: str) -> list[list[Run]]:
    """Searches one at a time, together and the rival's, of an experiment that has all three."""
    return _of_same_seeds([searches(name, label) for label in LABELS])


def searches(name: str, label: str) -> dict[int, Run]:
    """Those of an experiment by one method, by seed."""
    return {run.seed: run for run in kept(name) if run.line["method"] == label}


def median(values: Iterable[float]) -> float:
    """Of what is a number; nan if nothing is."""
    known = [value for value in values if not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def geometric(ratios: Iterable[float]) -> float:
    """Mean of ratios."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def shares(runs: Iterable[Run]) -> str:
    """How many of the chosen measurements were made to learn, to confirm, in doubt: percent."""
    purposes = "".join(run.purpose for run in runs)
    return " / ".join(f"{100 * purposes.count(letter) / max(1, len(purposes)):.0f}" for letter in "lcd")


def continuous(ours: Runs, rival: Runs, problems: Iterable[str]) -> str:
    """Held by the default and by the rival, medians, and the ratio; with the geometric mean of the ratios."""
    rows, ratios = [], []
    for name in problems:
        for budget in (30, 50):
            mine = ours.of(name=name, budget=float(budget))
            if not mine:
                continue
            theirs = {seed: run for seed, run in rival.of(name=name).items() if seed in mine}
            held = median(run.at(budget) for run in theirs.values())
            ratio = median(mine[seed].at(budget) for seed in theirs) / held if theirs else math.nan
            ratios += [ratio] if theirs else []
            rows.append([
                f"{name}, {budget}", str(len(mine)), _share(median(run.at(budget) for run in mine.values())),
                _share(median(run.recommended(budget) for run in mine.values())), _share(held), str(len(theirs)),
                _share(ratio), wins(_ahead(mine, theirs, budget)) if theirs else "", shares(mine.values()),
            ])  # fmt: skip
    header = ["", "seeds", "held", "recommended", "qLogNEHVI", "pairs", "ratio", "won", "learn / confirm / doubt, %"]
    mean = f"Geometric mean of the {len(ratios)} ratios: **{geometric(ratios):.3f}**."
    return "\n\n".join([table(header, rows), mean])


def _ahead(ours: dict[int, Run], theirs: dict[int, Run], budget: float) -> list[float]:
    """By how much more was held, pair by pair."""
    return [ours[seed].at(budget) - run.at(budget) for seed, run in theirs.items()]


def wins(ahead: list[float]) -> str:
    """How many pairs were won, a tie (to the fourth digit) for one half."""
    known = np.round(ahead, ALIKE)
    return f"{(known > 0.0).sum() + 0.5 * (known == 0.0).sum():g} of {len(known)}"


def chance(ahead: list[float]) -> str:
    """p of Wilcoxon's signed-rank test on pairs."""
    return f"{signed_rank(np.round(ahead, ALIKE)):.2g}"


def cost_of(result: Result) -> float:
    """What a search spent to hold enough; one that never did counts as dearer than all others."""
    return min(cost_to(result, ENOUGH), DEAREST)


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def pools(ours: Runs, rival: Runs) -> str:
    """Held at the price of so many evaluations."""
    rows = []
    for name in POOLS:
        for budget in (30, 60):
            mine = ours.of(name=name, budget=float(budget))
            if not mine:
                continue
            theirs = {seed: run for seed, run in rival.of(name=name).items() if seed in mine}
            ahead = _ahead(mine, theirs, budget)
            rows.append([
                f"{name}, {budget}", str(len(mine)), *_spread(run.at(budget) for run in mine.values()),
                _share(median(run.recommended(budget) for run in mine.values())), str(len(theirs)),
                *_spread(run.at(budget) for run in theirs.values()), wins(ahead), chance(ahead),
                shares(mine.values()),
            ])  # fmt: skip
    theirs_too = ["pairs", "qLogNEHVI", "mean", "least", "won", "p"]
    return table(["", "seeds", "held", "mean", "least", "recommended", *theirs_too, "l / c / d, %"], rows)


def _spread(values: Iterable[float]) -> list[str]:
    """Median, mean and least."""
    found = list(values)
    return [_share(find(found)) for find in (median, statistics.fmean, min)] if found else ["", "", ""]


def decoupled(groups: dict[str, list[list[Run]]]) -> str:
    """Cost to hold 95 % of the optimum, in prices of one full evaluation."""
    rows = [
        [title, str(len(trio[0])), *_reached(trio, ENOUGH), f"{100 * _spent_on(trio[0], 0):.0f} %", shares(trio[0])]
        for title, trio in groups.items()
    ]
    return table(["", "seeds", *REACHED, "on the first", "l / c / d, %"], rows)


def trios(apart: Runs, together: Runs, rival: Runs) -> dict[str, list[list[Run]]]:
    """By problem and costs: searches one at a time, together and the rival's of the same seeds."""
    found = {}
    for name, prices in sorted({(run.name, run.costs) for run in apart}):
        three = [apart.of(name=name, costs=prices), together.of(name=name, budget=60.0), rival.of(name=name)]
        found[f"{name}, {' : '.join(f'{price:g}' for price in prices)}"] = _of_same_seeds(three)
    return {title: trio for title, trio in found.items() if all(trio)}


def _of_same_seeds(searches: list[dict[int, Run]]) -> list[list[Run]]:
    seeds = sorted(set.intersection(*map(set, searches)))
    return [[each[seed] for seed in seeds] for each in searches]


def sooner(groups: dict[str, list[list[Run]]]) -> str:
    """Cost to hold less than that, and more."""
    rows = [
        [title, f"{100 * share:.0f} %", *_reached(trio, share)] for title, trio in groups.items() for share in OTHERS
    ]
    return table(["", "held", *REACHED], rows)


def _reached(trio: list[list[Run]], share: float) -> list[str]:
    """What the three paid to hold that share, and the pairs."""
    reached = [[run.cost_to(share) for run in runs] for runs in trio]
    return [*map(costs, reached), *(cheaper(reached[0], other) for other in reached[1:])]


def costs(values: list[float]) -> str:
    """Median; runs that never held so much count as dearer than all, and are counted."""
    middle, never = statistics.median(values), sum(map(math.isinf, values))
    found = "not reached" if math.isinf(middle) else f"{middle:.1f}"
    return f"{found}, {never} never" if never else found


def cheaper(mine: list[float], other: list[float]) -> str:
    """The median ratio of a pair, how many searches were cheaper (a tie for one half), and the chance of it."""
    cheaper = [math.log(min(b, DEAREST) / min(a, DEAREST)) for a, b in zip(mine, other, strict=True)]
    return f"{math.exp(-statistics.median(cheaper)):.2f}, {wins(cheaper)} ({chance(cheaper)})"


def _spent_on(runs: Iterable[Run], objective: int) -> float:
    """Share of what was spent that went into one objective."""
    spent = [(l == objective, run.costs[l]) for run in runs for which in run.which for l in which]
    return sum(cost for own, cost in spent if own) / max(sum(cost for _, cost in spent), 1e-300)


def batches(four: Runs, ours: Runs) -> str:
    """Held after as many evaluations one by one and four at a time."""
    rows, ratios = [], []
    for name in [*SPACES, *POOLS]:
        budget = 60.0 if name in POOLS else 50.0
        one, more = ours.of(name=name, budget=budget), four.of(name=name, batch=4)
        pairs = sorted(set(one) & set(more))
        if pairs:
            held = [median(each[seed].at(budget) for seed in pairs) for each in (one, more)]
            ratios.append(held[1] / held[0])
            closest = "other rows" if name in POOLS else f"{min(more[seed].closest() for seed in pairs):.2g}"
            rows.append([f"{name}, {budget:.0f}", str(len(pairs)), *map(_share, held), f"{ratios[-1]:.3f}", closest])
    header = ["", "seeds", "one by one", "four at a time", "ratio", "closest members"]
    return "\n\n".join([table(header, rows), f"Geometric mean of the ratios: **{geometric(ratios):.3f}**."])


def screen(results: list[Result]) -> str:
    """Held after 40 evaluations by every variant, over the default's."""
    names = list(dict.fromkeys(result["plan"][0] for result in results))
    by: dict[tuple[str, str], dict[int, Result]] = {}
    for result in results:
        by.setdefault((result["variant"], result["plan"][0]), {})[result["plan"][1]] = result
    rows = []
    for variant in dict.fromkeys(result["variant"] for result in results):
        cells, ratios, seconds = [], [], []
        for name in names:
            other, base = by.get((variant, name), {}), by.get(("default", name), {})
            pairs = sorted(set(base) & set(other))
            if not pairs:
                cells.append("")
                continue
            held = [median(each[seed]["held"][-1] for seed in pairs) for each in (other, base)]
            ratios.append(max(held[0], 1e-3) / max(held[1], 1e-3))
            seconds.append(sum(other[s]["seconds"] for s in pairs) / sum(base[s]["seconds"] for s in pairs))
            cells.append(_share(held[0]))
        if ratios:
            rows.append([variant, *cells, *(f"{geometric(each):.3f}" for each in (ratios, seconds))])
    return table(["", *names, "held, over the default's", "time, over the default's"], rows)
