"""How soon searches of `arylation` try its ligands, from the runs that are kept: the default's and the rival's.

    python benchmarks/tried.py                                  to the terminal
    python benchmarks/tried.py --markdown docs/trials.md       and into its section of that page

One ligand is needed to hold 95 % of the optimum. How many ligands were tried is a mean over the searches. Medians: the
evaluation that tried the needed one first, and the one with which 95 % were held, apart for searches that have it among
their random rows and for those that have not; of the latter, how many hold 95 % with the very first row of it.
"""

import argparse
import statistics
from pathlib import Path

import numpy as np

from default_parts.cases import START, problem
from default_parts.report import ENOUGH, kept, median
from default_parts.runs import Run
from pfes.space import Pool
from tables import table, write_section

NAME, CATEGORY, BUDGET = "arylation", "ligand", 60.0
AFTER = (5, 10, 15, 20, 25)  # evaluations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    levels = levels_of()
    needed = most_missed(levels)
    header = ["", "searches", *(f"ligands after {count}" for count in AFTER), "needed one first tried", "95 % held"]
    header += ["if it is in the start", "if not", "at its first row"]
    ours, rival = (kept(f"{who}-pools").of(name=NAME, budget=BUDGET) for who in ("default", "rival"))
    ways = {"the default": ours, "qLogNEHVI": rival}
    text = table(header, [row(name, list(runs.values()), levels, needed) for name, runs in ways.items()])
    print(f"needed: {needed}\n{text}")
    if options.markdown:
        write_section(options.markdown, "tried", text)


def levels_of() -> list[str]:
    """The ligand of every row of the pool."""
    space = problem(NAME, ()).space
    assert isinstance(space, Pool)
    return [str(space.params(row)[CATEGORY]) for row in range(len(space))]


def most_missed(levels: list[str]) -> str:
    """The ligand without which the least of the optimum can be held."""
    found, names = problem(NAME, ()), np.array(levels)
    values = found.values(np.arange(len(names)))
    return min(dict.fromkeys(levels), key=lambda level: found.share(values[names != level]))


def row(name: str, runs: list[Run], levels: list[str], needed: str) -> list[str]:
    tried = [[levels[place] for place in [*run.line["first"]["at"], *run.line["at"]]] for run in runs]
    first = [places.index(needed) + 1 if needed in places else np.inf for places in tried]
    costs = [run.cost_to(ENOUGH) for run in runs]
    counts = [statistics.fmean(len(set(places[:count])) for places in tried) for count in AFTER]
    begun = [cost for cost, when in zip(costs, first, strict=True) if when <= START]
    others = [cost for cost, when in zip(costs, first, strict=True) if when > START]
    at_once = sum(cost == when for cost, when in zip(costs, first, strict=True) if when > START)
    cells = [f"{median(first):.1f}", f"{median(costs):.1f}"]
    cells += [f"{median(part):.1f} ({len(part)})" for part in (begun, others)]
    cells.append(f"{at_once} of {len(others)}")
    return [name, str(len(runs)), *(f"{count:.1f}" for count in counts), *cells]


if __name__ == "__main__":
    main()
