"""A whole suggestion, from data to the next point: BoTorch + pymoo, and Optuna, beside pfes.

    python benchmarks/suggestion.py                                  to the terminal
    python benchmarks/suggestion.py --markdown docs/benchmarks.md    and into its section of that page

First L = 4, d = 6, n = 50: fit, sample ten frontiers, maximise the information, as BoTorch and pymoo do it. Then
L = 2, d = 2, n = 50: the next point, as Optuna's GPSampler finds it. Contenders take turns in one process.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from known import of_problem
from machine import describe
from pfes.task import Settings
from rivals import botorch_suggestion as botorch
from rivals.botorch_information import own_threads, threads
from rivals.optuna_suggestion import Asked
from suggestion_parts.agreement import agree
from suggestion_parts.first import first_suggestions
from suggestion_parts.ours import inside, settings_of, suggestion
from tables import seconds, table, write_section
from timing import Taken, once

PACKAGES = ["pfes", "numpy", "scipy", "numba", "botorch", "gpytorch", "torch", "pymoo", "optuna"]
FRONTIERS, POINTS = 10, 50
EFFORTS = {"least": botorch.LEAST, "usual": botorch.USUAL, "default": botorch.DEFAULT}

Call = Callable[[np.ndarray, np.ndarray, int], object]
THREADS = "Rivals run with one thread of torch and with as many as it takes of its own accord; the faster counts."


class Contender(NamedTuple):
    who: str
    call: Call  # (x, y, seed) -> the next point
    ours: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'suggestion' is rewritten")
    parser.add_argument("--rounds", type=int, default=5, help="data sets of the comparison with BoTorch")
    parser.add_argument("--optuna-rounds", type=int, default=15, help="data sets of the comparison with Optuna")
    parser.add_argument("--effort", action="append", choices=list(EFFORTS), help="only these efforts of BoTorch")
    options = parser.parse_args()
    machine = describe(PACKAGES)
    command = " ".join(["python benchmarks/suggestion.py", *sys.argv[1:]])
    parts = ["## A whole suggestion", f"`{command}`: " + "; ".join(machine) + "."]
    parts += against_botorch(options.rounds, options.effort or list(EFFORTS)) + against_optuna(options.optuna_rounds)
    text = "\n\n".join(parts)
    print(text)
    if options.markdown:
        write_section(options.markdown, "suggestion", text + "\n")


def against_botorch(rounds: int, names: list[str]) -> list[str]:
    """The section on L = 4; `names` of the efforts that take part."""
    efforts = {name: EFFORTS[name] for name in names}
    x, y = of_problem("dtlz2", 50, 0, d=6, L=4)
    with threads(1):
        theirs = botorch.suggestion(x, y, 0, botorch.LEAST, FRONTIERS, POINTS)  # warms up, too
        same = agree(inside(x, y, 0, POINTS), suggestion(x, y, 0, Settings()), theirs, efforts)
    field = [
        Contender("pfes, default settings", lambda x, y, s: suggestion(x, y, s, Settings()), True),
        Contender(f"pfes, {POINTS} points", lambda x, y, s: suggestion(x, y, s, settings_of(POINTS)), True),
        *(Contender(f"BoTorch + pymoo, {name}", _botorch(effort), False) for name, effort in efforts.items()),
    ]
    data = [of_problem("dtlz2", 50, seed, d=6, L=4) for seed in range(rounds)]
    for contender in field[:2]:
        contender.call(x, y, 0)
    took = race(field, data)
    first = first_suggestions()
    stages = ", ".join(f"{stage} {seconds(spent)}" for stage, spent in theirs.stages.items())
    return [
        "### L = 4, d = 6, n = 50: BoTorch + pymoo",
        _what_botorch_does(efforts),
        "\n".join(f"- {line}" for line in same),
        times(field, took),
        f"BoTorch, least, by stages: {stages}.",
        f"The first suggestion of a process: {seconds(first['cached'])} after {seconds(first['imports'])} of imports; "
        f"{seconds(first['empty cache'])} where everything must be compiled first (once on a machine).",
    ]


def _botorch(effort: botorch.Effort) -> Call:
    return lambda x, y, seed: botorch.suggestion(x, y, seed, effort, FRONTIERS, POINTS)


def _what_botorch_does(taking_part: dict[str, botorch.Effort]) -> str:
    efforts = "; ".join(f"{name}: {_effort(effort)}" for name, effort in taking_part.items())
    return (
        "DTLZ2 at 50 scrambled Sobol points, another set in each round. BoTorch: `SingleTaskGP` per objective, "
        f"`fit_gpytorch_mll`, {FRONTIERS} paths by `get_matheron_path_model`, the frontier of each by "
        f"`optimize_with_nsgaii` (pymoo), thinned to {POINTS} points, `compute_sample_box_decomposition`, "
        "`qLowerBoundMultiObjectiveMaxValueEntropySearch` with its estimator LB, which is ours, and `optimize_acqf`. "
        f"How hard it looks, {efforts}. (The default of `optimize_with_nsgaii` is a population of 250 until pymoo "
        "ends of itself, the maximiser of BoTorch's tutorial on several objectives has 10 restarts of at most 200 "
        "iterations: longer than the least effort.) Ours by default keeps more points of a frontier than "
        f"{POINTS}; a second row keeps {POINTS}. {THREADS}"
    )


def _effort(effort: botorch.Effort) -> str:
    generations = f"{effort.generations} generations" if effort.generations else "pymoo's default termination"
    return (
        f"population {effort.population}, {generations}, {effort.raw_samples} raw samples, {effort.restarts} restarts, "
        f"at most {effort.iterations} iterations"
    )


def against_optuna(rounds: int) -> list[str]:
    """The section on L = 2."""
    data = [of_problem("branin_currin", 50, seed) for seed in range(rounds)]
    field = [
        Contender("pfes, default settings", lambda x, y, s: suggestion(x, y, s, Settings()), True),
        Contender("pfes, method ehvi", lambda x, y, s: suggestion(x, y, s, settings_of(method="ehvi")), True),
        Contender("Optuna GPSampler", lambda x, y, s: Asked(x, y, s).next(), False),
    ]
    for contender in field:
        contender.call(*data[0], 0)
    took = race(field, data)
    return [
        "### L = 2, d = 2, n = 50: Optuna",
        "Branin-Currin at 50 scrambled Sobol points, another set in each round; Optuna's `GPSampler` with its default "
        "settings (log expected hypervolume improvement), told 50 trials, then `ask` and two `suggest_float`. No party "
        f"has seen the data before. {THREADS}",
        times(field, took),
    ]


def race(field: list[Contender], data: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, list[Taken]]:
    """What each contender takes on each data set, taking turns."""
    took: dict[str, list[Taken]] = {contender.who: [] for contender in field}
    for seed, (x, y) in enumerate(data):
        for contender in field:
            runs = [_timed(contender, number, x, y, seed) for number in _numbers(contender)]
            took[contender.who].append(min(runs, key=lambda run: run.wall))
            print(f"round {seed}: {contender.who}: {', '.join(f'{t.wall:.2f} s' for t in runs)}", file=sys.stderr)
    return took


def _timed(contender: Contender, number: int, x: np.ndarray, y: np.ndarray, seed: int) -> Taken:
    with threads(number):
        return once(lambda: contender.call(x, y, seed))


def _numbers(contender: Contender) -> list[int]:
    """With how many threads of torch a contender runs; we do not use it."""
    return [1] if contender.ours else list(dict.fromkeys([1, own_threads()]))


def times(field: list[Contender], took: dict[str, list[Taken]]) -> str:
    """Medians and extremes, and how many times as long as our default settings each rival takes."""
    summaries = {contender.who: _summary(took[contender.who]) for contender in field}
    ours = summaries[field[0].who]
    rows = [[who, *map(seconds, found)] for who, found in summaries.items()]
    for contender in field:
        if not contender.ours:
            ratios = [f"**{theirs / mine:.1f}x**" for theirs, mine in zip(summaries[contender.who], ours, strict=True)]
            rows.append([f"**{contender.who} / {field[0].who}**", *ratios])
    return table(["", "median", "best", "worst", "processor, median", "processor, best"], rows)


def _summary(taken: list[Taken]) -> list[float]:
    walls, busy = [run.wall for run in taken], [run.processor for run in taken]
    return [statistics.median(walls), min(walls), max(walls), statistics.median(busy), min(busy)]


if __name__ == "__main__":
    main()
