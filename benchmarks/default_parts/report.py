"""Tables and figures of docs/default.md, from the runs that are kept."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from default_parts.cases import CHECKED, POOLS, SPACES
from default_parts.figures import draw_costs, draw_traces
from pfes.bench import read_results
from tables import table, write_section

__all__ = ["write"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "default.md"
RIVAL = [ROOT / "benchmarks" / "results" / "bench" / f"rival-{kind}.jsonl.gz" for kind in ("spaces", "pools")]
Result = dict[str, Any]
Held = dict[int, list[float]]  # by seed: what is held after 1, 2, ... evaluations


class Runs(NamedTuple):
    """All that is kept."""

    ours: list[Result]
    rival: dict[str, Held]

    def of(self, part: str, variant: str = "default", **plan: Any) -> dict[int, Result]:
        """Runs by seed; plan: name, budget, decoupled, batch, costs."""
        names = ("name", "seed", "budget", "decoupled", "batch", "costs")
        found = {}
        for result in self.ours:
            given = dict(zip(names, result["plan"], strict=True))
            given["costs"] = tuple(given["costs"])
            if result["part"] == part and result["variant"] == variant and plan.items() <= given.items():
                found[given["seed"]] = result
        return found


def write(ours: list[Result]) -> None:
    """Rewrite every section of the page that has runs."""
    runs = Runs(ours, _rival())
    sections: dict[str, Callable[[Runs], str]] = {
        "continuous": lambda r: continuous(r, "continuous", SPACES),
        "check": lambda r: continuous(r, "check", CHECKED),
        "pools": pools,
        "decoupled": decoupled,
        "batches": batches,
        "screen": screen,
    }
    for name, section in sections.items():
        if any(result["part"] == name for result in ours):
            write_section(PAGE, name, section(runs) + "\n")
    draw_traces(runs.ours, ROOT / "docs" / "pictures" / "default-traces.png")
    draw_costs(runs.ours, ROOT / "docs" / "pictures" / "default-costs.png")


def _rival() -> dict[str, Held]:
    found: dict[str, Held] = defaultdict(dict)
    for line in read_results(RIVAL):
        problem, first = line["settings"]["problem"], line["settings"]["start"]
        name = problem.get("name") or problem["file"].removesuffix(".csv")
        found[name][line["seed"]] = [math.nan] * (first - 1) + line["held"]
    return found


def at(result: Result, cost: float) -> float:
    """What a run held when it had spent so much."""
    return max(held for held, spent in zip(result["held"], result["cost"], strict=True) if spent <= cost + 1e-6)


def cost_to(result: Result, share: float) -> float:
    """What a run had spent when it held so much; inf: it never did."""
    reached = [c for h, c in zip(result["held"], result["cost"], strict=True) if h >= share]
    return min(reached, default=math.inf)


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def shares(results: Iterable[Result]) -> str:
    """How many of the chosen measurements were made to learn, to confirm, in doubt: percent."""
    purposes = "".join(result["purpose"][1:] for result in results)
    return " / ".join(f"{100 * purposes.count(letter) / max(1, len(purposes)):.0f}" for letter in "lcd")


def continuous(runs: Runs, part: str, problems: Iterable[str]) -> str:
    """Held by the default and by the rival, medians, and the ratio; with the geometric mean of the ratios."""
    rows, ratios = [], []
    for name in problems:
        for budget in (30, 50):
            ours = runs.of(part, name=name, budget=float(budget))
            theirs = {s: h for s, h in runs.rival.get(name, {}).items() if len(h) >= budget and s in ours}
            if not ours:
                continue
            held, known = median(at(r, budget) for r in ours.values()), _recommended(ours.values(), budget)
            rival = median(h[budget - 1] for s, h in theirs.items()) if theirs else math.nan
            mine = median(at(ours[s], budget) for s in theirs) if theirs else math.nan
            ratio = mine / rival if theirs else math.nan
            if theirs:
                ratios.append(ratio)
            rows.append([
                f"{name}, {budget}", str(len(ours)), _share(held), _share(known), _share(rival), str(len(theirs)),
                _share(ratio), _wins(ours, theirs, budget) if theirs else "", shares(ours.values()),
            ])  # fmt: skip
    header = ["", "seeds", "held", "recommended", "qLogNEHVI", "pairs", "ratio", "won", "learn / confirm / doubt, %"]
    mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan
    return "\n\n".join([table(header, rows), f"Geometric mean of the {len(ratios)} ratios: **{mean:.3f}**."])


def _wins(ours: dict[int, Result], theirs: Held, budget: int) -> str:
    """How many pairs were won, a tie (to the fourth digit) for one half."""
    ahead = [round(at(ours[s], budget) - h[budget - 1], 4) for s, h in theirs.items()]
    return f"{sum((a > 0.0) + 0.5 * (a == 0.0) for a in ahead):g} of {len(ahead)}"


def _recommended(results: Iterable[Result], budget: int) -> float:
    found = [result["recommended"].get(str(budget)) for result in results]
    return median(value for value in found if value is not None) if any(found) else math.nan


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def pools(runs: Runs) -> str:
    """Held at the price of so many evaluations."""
    rows = []
    for name in POOLS:
        for budget in (30, 60):
            ours = runs.of("pools", name=name, budget=float(budget))
            if not ours:
                continue
            theirs = {s: h for s, h in runs.rival.get(name, {}).items() if len(h) >= budget and s in ours}
            held = [at(r, budget) for r in ours.values()]
            rival = [h[budget - 1] for h in theirs.values()]
            rows.append([
                f"{name}, {budget}", str(len(ours)), *_spread(held), _share(_recommended(ours.values(), budget)),
                str(len(theirs)), *_spread(rival), _wins(ours, theirs, budget), shares(ours.values()),
            ])  # fmt: skip
    theirs = ["pairs", "qLogNEHVI", "mean", "least"]
    return table(["", "seeds", "held", "mean", "least", "recommended", *theirs, "won", "l / c / d, %"], rows)


def _spread(values: list[float]) -> list[str]:
    """Median, mean and least."""
    return [_share(find(values)) for find in (median, statistics.fmean, min)] if values else ["", "", ""]


def decoupled(runs: Runs) -> str:
    """Cost to hold 95 % of the optimum, in prices of one full evaluation."""
    rows = []
    plans = {(r["plan"][0], tuple(r["plan"][5])) for r in runs.ours if r["part"] == "decoupled"}
    for name, costs in sorted(plans):
        apart = runs.of("decoupled", name=name, costs=costs, decoupled=True)
        together = runs.of("pools", name=name, budget=60.0)
        pairs = sorted(set(apart) & set(together))
        if not pairs:
            continue
        mine, other = [cost_to(apart[s], 0.95) for s in pairs], [cost_to(together[s], 0.95) for s in pairs]
        rival = [_evaluations_to(h, 0.95) for h in runs.rival.get(name, {}).values()]
        won = sum(a < b for a, b in zip(mine, other, strict=True))
        rows.append([
            f"{name}, {' : '.join(f'{c:g}' for c in costs)}", str(len(pairs)), _cost(median(mine)),
            _cost(median(other)), _cost(median(rival)) if rival else "", f"{won} of {len(pairs)}",
            f"{100 * _spent_on(apart.values(), costs, 0):.0f} %", shares(apart.values()),
        ])  # fmt: skip
    header = ["", "seeds", "one at a time", "together", "qLogNEHVI", "cheaper", "spent on the first", "l / c / d, %"]
    return table(header, rows)


def _evaluations_to(held: list[float], share: float) -> float:
    return next((number for number, value in enumerate(held, 1) if value >= share), math.inf)


def _cost(value: float) -> str:
    return "not reached" if math.isinf(value) else f"{value:.1f}"


def _spent_on(results: Iterable[Result], costs: tuple[float, ...], objective: int) -> float:
    """Share of what was spent that went into one objective."""
    spent = [0.0] * len(costs)
    for result in results:
        for which in result["which"][1:]:
            for letter in which:
                spent[int(letter)] += costs[int(letter)]
    return spent[objective] / max(sum(spent), 1e-300)


def batches(runs: Runs) -> str:
    """Held after as many evaluations one by one and four at a time."""
    rows, ratios = [], []
    for name in [*SPACES, *POOLS]:
        part, budget = ("pools", 60.0) if name in POOLS else ("continuous", 50.0)
        one, four = runs.of(part, name=name, budget=budget), runs.of("batches", name=name)
        pairs = sorted(set(one) & set(four))
        if pairs:
            held = [median(each[s]["held"][-1] for s in pairs) for each in (one, four)]
            ratios.append(held[1] / held[0])
            closest = min(four[s]["closest"] for s in pairs)
            rows.append([
                f"{name}, {budget:.0f}", str(len(pairs)), *map(_share, held), f"{ratios[-1]:.3f}", f"{closest:.2g}"
            ])  # fmt: skip
    mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan
    header = ["", "seeds", "one by one", "four at a time", "ratio", "closest members"]
    return "\n\n".join([table(header, rows), f"Geometric mean of the ratios: **{mean:.3f}**."])


def screen(runs: Runs) -> str:
    """Held after 40 evaluations by every variant, over the default's."""
    names = list(dict.fromkeys(r["plan"][0] for r in runs.ours if r["part"] == "screen"))
    variants = list(dict.fromkeys(r["variant"] for r in runs.ours if r["part"] == "screen"))
    base = {name: runs.of("screen", name=name) for name in names}
    rows = []
    for variant in variants:
        cells, ratios, seconds = [], [], []
        for name in names:
            other = runs.of("screen", variant, name=name)
            pairs = sorted(set(base[name]) & set(other))
            if not pairs:
                cells.append("")
                continue
            held = [median(each[s]["held"][-1] for s in pairs) for each in (other, base[name])]
            ratios.append(max(held[0], 1e-3) / max(held[1], 1e-3))
            seconds.append(sum(other[s]["seconds"] for s in pairs) / sum(base[name][s]["seconds"] for s in pairs))
            cells.append(_share(held[0]))
        if ratios:
            means = [math.exp(statistics.fmean(map(math.log, each))) for each in (ratios, seconds)]
            rows.append([variant, *cells, *(f"{mean:.3f}" for mean in means)])
    return table(["", *names, "held, over the default's", "time, over the default's"], rows)
