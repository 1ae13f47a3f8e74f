"""What would have to be better for pools to be searched better: the default with one thing given that nobody has.

    python benchmarks/limits.py                                  all searches; to the terminal
    python benchmarks/limits.py --markdown docs/trials.md       and into its section of that page

Hyper-parameters fitted on 400 rows of the pool, or a hundred prices of `arylation` for nothing: searches of seeds from
200 on, each paired with the default's. Cost is that to hold 95 % of the optimum, in prices of one point with all its
objectives; a search that never does counts as dearer than all others. Finished runs are kept in
benchmarks/results/limits.jsonl and not repeated.
"""

import argparse
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from default_parts.cases import problem
from default_parts.ours import Plan, held_after, search
from default_parts.report import chance, cost_of, wins
from pfes.gp import Hyper, Recipe, fit
from pfes.observations import merged
from pfes.space import Pool
from pfes.task import Settings
from tables import table, write_section
from workers import kept

RESULTS = Path(__file__).resolve().parent / "results" / "limits.jsonl"
FIRST, ROWS, PRICES, MARK = 200, 400, 100, 30.0
Job = tuple[str, str, int]  # case, what is given, seed


class Case(NamedTuple):
    """Searches of one kind."""

    plan: Plan  # of seed 0
    seeds: int
    gifts: tuple[str, ...]


CASES = {
    "bismuth_oxide": Case(Plan("bismuth_oxide", 0, 30.0, costs=(1.0, 1.0)), 60, ("hyper-parameters",)),
    "arylation": Case(Plan("arylation", 0, 40.0, costs=(1.0, 1.0)), 40, ("hyper-parameters",)),
    "arylation, one at a time, 10 : 1": Case(Plan("arylation", 0, 40.0, True, costs=(10.0, 1.0)), 24, ("100 prices",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    jobs = [
        (name, gift, FIRST + seed)
        for name, case in CASES.items()
        for seed in range(case.seeds)
        for gift in ("nothing", *case.gifts)
    ]
    found = kept(run, jobs, RESULTS, options.processes, lambda result: f"{cost_of(result):.1f}")
    header = ["given", "", "pairs", "held after 30", "without", "more", "p", "cost", "without", "cheaper", "p"]
    text = table(header, [row(name, gift, found) for name, case in CASES.items() for gift in case.gifts])
    print(text)
    if options.markdown:
        write_section(options.markdown, "limits", text)


def run(job: Job) -> dict[str, Any]:
    name, gift, seed = job
    plan = CASES[name].plan._replace(seed=seed)
    settings = Settings(hypers=hypers(plan.problem)) if gift == "hyper-parameters" else Settings()
    found = search(plan, settings, free=("cost", PRICES) if gift == "100 prices" else None)
    return {"job": list(job), "held": found["held"], "cost": found["cost"]}


@cache
def hypers(name: str) -> tuple[Hyper, ...]:
    """Those that measurements of ROWS rows speak for, with the problem's noise."""
    found, rng = problem(name), np.random.default_rng(0)
    assert isinstance(found.space, Pool)
    rows = rng.permutation(len(found.space))[:ROWS]
    values = found.objectives.inward(found.values(rows)) + found.noise * rng.standard_normal(
        (len(rows), len(found.names))
    )
    levels = (values - values.mean(axis=0)) / values.std(axis=0)
    recipe = Recipe().settled(numbers=found.space.numeric)
    datas = [merged(found.space.x[rows], level, np.full(len(rows), np.nan)) for level in levels.T]
    return tuple(fit(data, found.space.groups, recipe, rng, None) for data in datas)


def row(name: str, gift: str, found: dict[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    seeds = [FIRST + seed for seed in range(CASES[name].seeds)]
    with_it, without = ([found[name, which, seed] for seed in seeds] for which in (gift, "nothing"))
    cells = [gift, name, str(len(seeds))]
    for measure, digits, ahead in (held, 3, np.subtract), (cost_of, 1, lambda mine, other: np.log(other / mine)):
        mine, other = (np.array([measure(result) for result in results]) for results in (with_it, without))
        difference = ahead(mine, other).tolist()
        cells += [*(f"{np.median(it):.{digits}f}" for it in (mine, other)), wins(difference), chance(difference)]
    return cells


def held(result: dict[str, Any]) -> float:
    return held_after(result, MARK)


if __name__ == "__main__":
    main()
