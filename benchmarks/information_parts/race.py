"""Value and gradient, BoTorch and pfes in turn, so that a busy machine is busy for all of them."""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

import numpy as np

from information_parts.problem import Problem
from pfes.compiled import threads
from pfes.information import coupled, coupled_gradient, prepare
from pfes.pareto import dominated_cells
from rivals import botorch_information, plain_information
from tables import megabytes, seconds, table
from timing import Cost, Taken, cost, once, peak_growth, summary

__all__ = ["number_of_cells", "partitions", "race"]

FIELDS = ["best", "median", "processor", "memory"]  # of Cost

Threads = Callable[[], AbstractContextManager[object]]


class Contender(NamedTuple):
    who: str  # several entries of one party differ in their threads
    what: str  # value or gradient
    call: Callable[[], object]
    with_threads: Threads


def race(given: Problem, with_botorch: bool, rounds: int) -> str:
    """The table of times; frontiers are partitioned beforehand."""
    field = [*(_botorch(given) if with_botorch else ()), *_plain(given), *_ours(given)]
    runs: dict[tuple[str, str], list[Taken]] = {(c.who, c.what): [] for c in field}
    memory = {}
    for turn in range(rounds + 1):
        for contender in field:
            with contender.with_threads():
                contender.call()  # compiles at first; always wakes its own threads and fetches its own data
                if turn == 0:
                    memory[contender.who, contender.what], _ = peak_growth(contender.call)
                else:
                    runs[contender.who, contender.what].append(once(contender.call))
    costs = {key: summary(taken, memory[key]) for key, taken in runs.items()}
    rows = [_row(who, costs) for who in dict.fromkeys(c.who for c in field)]
    if with_botorch:
        rows.append(_ratios(costs))
    return table(["", *[f"{what}{field}" for what in ("", "∇ ") for field in FIELDS]], rows)


def partitions(given: Problem, with_botorch: bool) -> str:
    """The table of what is done once for all candidates."""
    rows = list(_botorch_partition(given)) if with_botorch else []
    took = cost(lambda: prepare(given.frontiers), 2.0)
    rows.append(["pfes `prepare`", f"{number_of_cells(given):.0f}", *_row_of(took)])
    return table(["", "cells per frontier", *FIELDS], rows)


def _botorch_partition(given: Problem) -> Iterator[list[str]]:
    for number in dict.fromkeys([botorch_information.own_threads(), 1]):
        with botorch_information.threads(number):
            regions = botorch_information.regions(botorch_information.partition(given.frontiers))
            took = cost(lambda: botorch_information.partition(given.frontiers), 3.0)
        cells = np.mean([len(lower) for lower, _ in regions])
        name = f"BoTorch `compute_sample_box_decomposition`, threads: {number}"
        yield [name, f"{cells:.0f}", *_row_of(took)]


def number_of_cells(given: Problem) -> float:
    """Mean over the frontiers."""
    return float(np.mean([len(dominated_cells(points).lower) for points in given.frontiers]))


def _botorch(given: Problem) -> Iterator[Contender]:
    search = botorch_information.Search(given.mean, given.std, botorch_information.partition(given.frontiers))
    for number in dict.fromkeys([botorch_information.own_threads(), 1]):

        def limit(number: int = number) -> AbstractContextManager[object]:
            return botorch_information.threads(number)

        yield Contender(f"BoTorch, threads: {number}", "value", search.gain, limit)
        yield Contender(f"BoTorch, threads: {number}", "gradient", search.gradient, limit)


def _plain(given: Problem) -> Iterator[Contender]:
    regions = [(cells.lower, cells.upper) for cells in map(dominated_cells, given.frontiers)]
    call = lambda: plain_information.gain(given.mean, given.std, regions)  # noqa: E731
    yield Contender("Theorem 1 in numpy, our cells", "value", call, lambda: _our_threads(1))


def _ours(given: Problem) -> Iterator[Contender]:
    ready = prepare(given.frontiers)
    for number in dict.fromkeys([threads(), 1]):

        def limit(number: int = number) -> AbstractContextManager[object]:
            return _our_threads(number)

        yield Contender(f"pfes, threads: {number}", "value", lambda: coupled(given.mean, given.std, ready), limit)
        yield Contender(
            f"pfes, threads: {number}", "gradient", lambda: coupled_gradient(given.mean, given.std, ready), limit
        )


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


def _row(who: str, costs: dict[tuple[str, str], Cost]) -> list[str]:
    return [who, *_row_of(costs.get((who, "value"))), *_row_of(costs.get((who, "gradient")))]


def _row_of(took: Cost | None) -> list[str]:
    if took is None:
        return [""] * len(FIELDS)
    return [seconds(took.best), seconds(took.median), seconds(took.processor), megabytes(took.memory)]


def _ratios(costs: dict[tuple[str, str], Cost]) -> list[str]:
    def better(party: str, what: str, field: str) -> float:
        found = [getattr(took, field) for (who, kind), took in costs.items() if kind == what and who.startswith(party)]
        return min((value for value in found if value), default=math.nan)  # memory may be unknown

    ratios = [
        f"**{better('BoTorch', what, field) / better('pfes', what, field):.0f}x**"
        for what in ("value", "gradient")
        for field in FIELDS
    ]
    return ["**better of BoTorch / better of pfes**", *ratios]
