"""Expected hypervolume improvement of 100 candidates: BoTorch beside pfes, value and gradient.

    python benchmarks/ehvi.py                                  to the terminal
    python benchmarks/ehvi.py --markdown docs/benchmarks.md    and into its section of that page

One front of S = 50 points, L = 2, 3 and 4 objectives. Both must agree before they are timed. A page is written only if
the machine was quiet: torch's threads wait for one another, and on a busy one that flatters pfes tenfold.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from information_parts.problem import problem
from machine import describe
from pfes.compiled import threads
from pfes.improvement import (
    Front,
    expected_improvement,
    log_expected_improvement,
    log_expected_improvement_gradient,
    prepare_front,
)
from rivals import botorch_improvement
from rivals.botorch_information import own_threads
from rivals.botorch_information import threads as their_threads
from tables import seconds, table, write_section
from timing import Cost, Taken, cost, once, summary

PACKAGES = ["pfes", "numpy", "numba", "botorch", "torch"]
SEEN = 1e-6  # BoTorch's sums round to eps: improvements below this are not compared
BUSY = 1.0  # load average at the start
AGREEMENT = 1e-8  # largest relative error of a value, and of a gradient (relative to its largest entry)
WORDS = (
    "N = 100 candidates, a front of S = 50 points (|N(0, I)| on the unit sphere, times exp(0.1 N(0, 1))), reference 0; "
    "means at a radius uniform in [0, 1.4] in such a direction, deviations log-uniform in [0.03, 0.5]; seed 0. BoTorch "
    "is `ExpectedHypervolumeImprovement` on `FastNondominatedPartitioning`, given the same means and deviations, with "
    "no Gaussian process; it gives the improvement and its gradient, pfes their logarithms. Best and median wall-clock "
    "times and best processor time of the value and (∇) of the value with its gradient, contenders taking turns in one "
    "process; the cells made beforehand ('cells': how many, and what making them takes)."
)


class Case(NamedTuple):
    mean: np.ndarray  # (N, L)
    std: np.ndarray  # (N, L)
    points: np.ndarray  # (S, L)
    reference: np.ndarray  # (L,)


class Contender(NamedTuple):
    who: str
    what: str  # value or gradient
    call: Callable[[], object]
    with_threads: Callable[[], AbstractContextManager[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'ehvi' is rewritten")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    if options.markdown and os.getloadavg()[0] > BUSY:
        raise SystemExit(f"no page: load average {os.getloadavg()[0]:.1f}, wanted at most {BUSY:g}; try again later")
    command = " ".join(["python benchmarks/ehvi.py", *sys.argv[1:]])
    machine = describe(PACKAGES)
    parts = [
        "## Expected hypervolume improvement of 100 candidates",
        f"`{command}`: " + "; ".join(machine) + ".",
        WORDS,
    ]
    parts += [section(case(objectives), options.rounds) for objectives in (2, 3, 4)]
    text = "\n\n".join(parts)
    print(text)
    if options.markdown:
        write_section(options.markdown, "ehvi", text + "\n")


def case(objectives: int) -> Case:
    drawn = problem(L=objectives, R=1)
    return Case(drawn.mean, drawn.std, drawn.frontiers[0], np.zeros(objectives))


def section(given: Case, rounds: int) -> str:
    """Agreement and times for one number of objectives."""
    front = prepare_front(given.points, given.reference)
    cells = botorch_improvement.partition(given.points, given.reference)
    theirs = botorch_improvement.Improvement(given.mean, given.std, cells)
    agreement = agree(given, front, theirs)
    costs = race([*_botorch(theirs), *_ours(given, front)], rounds)
    names = dict.fromkeys(who for who, _ in costs)
    made = {
        "BoTorch": (theirs.cells, cost(lambda: botorch_improvement.partition(given.points, given.reference)).best),
        "pfes": (len(front.low), cost(lambda: prepare_front(given.points, given.reference)).best),
    }
    rows = [_row(who, costs, *made[who.split(",")[0]]) for who in names] + [_ratios(costs, made)]
    fields = ["best", "median", "processor", "∇ best", "∇ median", "∇ processor"]
    return f"### L = {len(given.reference)}\n\n{agreement}\n\n" + table(["", *fields, "cells", "made in"], rows)


def agree(given: Case, front: Front, theirs: botorch_improvement.Improvement) -> str:
    """A line that says how well the two agree; ends the program if they do not."""
    value, *slopes = theirs.gradient()
    ours = log_expected_improvement_gradient(given.mean, given.std, front)
    mine = np.exp(ours.gain)
    seen = mine > SEEN
    errors = {"value": np.abs(mine / value - 1.0)[seen].max()}
    for name, a, b in zip(("mean", "deviation"), ours[1:], slopes, strict=True):
        size = np.abs(np.hstack(slopes)).max(axis=1)
        errors[f"gradient in the {name}"] = (np.abs(a * mine[:, None] - b).max(axis=1) / size)[seen].max()
    for what, error in errors.items():
        if not error <= AGREEMENT:
            raise SystemExit(f"no timing: {what}: relative error {error:.1e}, wanted at most {AGREEMENT:.0e}")
    told = ", ".join(f"{what} {error:.1e}" for what, error in errors.items())
    return f"Largest relative errors over the {seen.sum()} candidates whose improvement is above {SEEN:.0e}: {told}."


def race(field: list[Contender], rounds: int) -> dict[tuple[str, str], Cost]:
    runs: dict[tuple[str, str], list[Taken]] = {(c.who, c.what): [] for c in field}
    for _ in range(rounds):
        for contender in field:
            with contender.with_threads():
                contender.call()  # compiles at first; always wakes its own threads and fetches its own data
                runs[contender.who, contender.what].append(once(contender.call))
    return {key: summary(taken, None) for key, taken in runs.items()}


def _botorch(theirs: botorch_improvement.Improvement) -> Iterator[Contender]:
    for number in dict.fromkeys([own_threads(), 1]):

        def limit(number: int = number) -> AbstractContextManager[object]:
            return their_threads(number)

        yield Contender(f"BoTorch, threads: {number}", "value", theirs.value, limit)
        yield Contender(f"BoTorch, threads: {number}", "gradient", theirs.gradient, limit)


def _ours(given: Case, front: Front) -> Iterator[Contender]:
    arguments = given.mean, given.std, front
    assert np.allclose(np.exp(log_expected_improvement(*arguments)), expected_improvement(*arguments))
    for number in dict.fromkeys([threads(), 1]):

        def limit(number: int = number) -> AbstractContextManager[object]:
            return _our_threads(number)

        who = f"pfes, threads: {number}"
        yield Contender(who, "value", lambda: log_expected_improvement(*arguments), limit)
        yield Contender(who, "gradient", lambda: log_expected_improvement_gradient(*arguments), limit)


@contextmanager
def _our_threads(number: int) -> Iterator[None]:
    before = os.environ.get("PFES_THREADS")
    os.environ["PFES_THREADS"] = str(number)
    try:
        yield
    finally:
        del os.environ["PFES_THREADS"]
        if before is not None:
            os.environ["PFES_THREADS"] = before


def _row(who: str, costs: dict[tuple[str, str], Cost], cells: int, made: float) -> list[str]:
    times = [field for what in ("value", "gradient") for field in costs[who, what][:3]]
    return [who, *map(seconds, times), str(cells), seconds(made)]


def _ratios(costs: dict[tuple[str, str], Cost], made: dict[str, tuple[int, float]]) -> list[str]:
    def better(party: str, what: str, field: int) -> float:
        return min(took[field] for (who, kind), took in costs.items() if kind == what and who.startswith(party))

    pairs = [(what, field) for what in ("value", "gradient") for field in range(3)]
    ratios = [better("BoTorch", *pair) / better("pfes", *pair) for pair in pairs]
    return [
        "**better of BoTorch / better of pfes**",
        *(f"**{ratio:.0f}x**" for ratio in ratios),
        "",
        f"**{made['BoTorch'][1] / made['pfes'][1]:.0f}x**",
    ]


if __name__ == "__main__":
    main()
