"""One search: a method is asked what to measure until its budget is spent; what it chose, and held, is written down.

The trace has an entry per choice, the first points in one list before them:

    first   at, values      the points that every method begins with, and what was measured there
    at      a point (D,) of the unit cube, or the row of a pool
    which   numbers of the objectives measured; values: what was measured
    spent   in units of cost, first points included
    held    share of the optimum, by points with every objective measured, at their true values; one more: at first
    gain, purpose   what the method said of its choice, where it said anything
    wall, processor seconds that the choice took
"""

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.bench.cases import start_of
from pfes.bench.experiment import MethodTable
from pfes.bench.methods import Record, Start, Wish, begun
from pfes.bench.methods.protocol import Choose
from pfes.errors import Exhausted, InvalidInput
from pfes.problems import Problem
from pfes.space import Pool

__all__ = ["Course", "search"]

DIGITS = 5  # of shares
EXACTLY = 1e-9  # what is left of a budget may have been rounded


class Course:
    """A problem, what it may cost, and what a search has measured so far; measured values have the problem's noise."""

    def __init__(self, problem: Problem, seed: int, budget: float) -> None:
        self.problem = problem
        self.every = tuple(range(len(problem.objectives)))
        self.price = problem.objectives.cost(self.every)
        self.record = Record(problem, budget)
        self.spent = 0.0
        self._budget = budget
        self._noise = np.random.default_rng([seed, 7])
        self._measured: dict[Any, set[int]] = {}

    def measure(self, place: Any, which: tuple[int, ...]) -> NDArray[np.float64]:
        """Measure some objectives of a point (D,) or a row; the values (L,), nan for the others."""
        many = len(self.problem.objectives)
        pooled = isinstance(self.problem.space, Pool)
        truth = self.problem.values(np.array([place], dtype=np.intp) if pooled else np.asarray(place)[None])[0]
        told = truth + self.problem.noise * self._noise.standard_normal(many)
        values = np.where(np.isin(np.arange(many), which), told, np.nan)
        self.record.add(place, values)
        self.spent += self.problem.objectives.cost(which)
        self.record.left = self._budget - self.spent
        key = int(place) if pooled else tuple(np.round(np.asarray(place), 12).tolist())
        self._measured.setdefault(key, set()).update(which)
        return values

    def held(self) -> float:
        """Share of the optimum that points with every objective measured hold, at their true values."""
        whole = [key for key, which in self._measured.items() if len(which) == len(self.problem.objectives)]
        return round(self.problem.share(self.problem.values(np.array(whole))), DIGITS) if whole else 0.0


def search(
    problem: Problem,
    entry: MethodTable,
    seed: int,
    *,
    name: str,
    budget: float,
    first: int = 5,
    thresholds: bool = True,
    marks: tuple[int, ...] = (),
    until: float = math.inf,
    time_limit: float | None = None,
    folder: str | None = None,
) -> dict[str, Any]:
    """Run it; budget in units of cost, first points included; name: what the first points are drawn by.

    A search ends early when it holds `until` of the optimum; what it would hold later is what it holds then.
    """
    course = Course(problem, seed, budget)
    places = start_of(problem, name, seed, first)
    values = [course.measure(place, course.every).tolist() for place in places]
    told = thresholds if entry.thresholds is None else entry.thresholds
    start = Start(problem, seed, course.record.left, entry.batch, entry.decoupled, told)
    trace = _Trace(course, {"at": places.tolist(), "values": values}, marks)
    deadline = math.inf if time_limit is None else time.perf_counter() + time_limit
    ended = _go_on(begun(start, entry, folder), course, trace, until, deadline)
    costs = {item.name: item.cost for item in problem.objectives}
    return trace.columns | {"price": course.price, "objectives": costs, "ended": ended}


def _go_on(choose: Choose, course: Course, trace: "_Trace", until: float, deadline: float) -> str:
    """Measure what the method wants until it is over; why it is."""
    trace.after(choose)
    for wishes, wall, processor in _choices(choose, course):
        if not wishes:
            return "nothing left"
        for wish in wishes:
            which = wish.which or course.every
            if course.problem.objectives.cost(which) > course.record.left + EXACTLY:
                return "budget"
            place = _settled(course.problem, wish.at)
            values = course.measure(place, which)
            trace.add(wish, place, which, values, (wall / len(wishes), processor / len(wishes)))
        trace.after(choose)
        if trace.columns["held"][-1] >= until:
            trace.after(choose, math.inf)
            return "enough"
        if time.perf_counter() > deadline:
            return "time limit"
    return "budget"


def _choices(choose: Choose, course: Course) -> Iterator[tuple[list[Wish], float, float]]:
    """What a method wants, again and again while anything can be paid for, and the seconds it took to say so."""
    cheapest = min(item.cost for item in course.problem.objectives)
    while course.record.left >= cheapest - EXACTLY:
        wall, processor = time.perf_counter(), time.process_time()
        try:
            wanted = choose(course.record)
        except Exhausted:
            wanted = None
        yield _wishes(wanted), time.perf_counter() - wall, time.process_time() - processor


def _wishes(wanted: Any) -> list[Wish]:
    """What a method gave, as a list of wishes."""
    if wanted is None:
        return []
    if isinstance(wanted, list):
        return [wish if isinstance(wish, Wish) else Wish(wish) for wish in wanted]
    return [wanted if isinstance(wanted, Wish) else Wish(wanted)]


def _settled(problem: Problem, at: Any) -> Any:
    """A place as it is measured: a row, or a point (D,) of the cube that can be decoded."""
    space = problem.space
    if isinstance(space, Pool):
        if isinstance(at, bool) or not isinstance(at, int | np.integer) or not 0 <= at < len(space):
            raise InvalidInput(f"the method gave {at!r}, wanted the number of a row, from 0 to {len(space) - 1}")
        return int(at)
    if isinstance(at, dict):
        return space.encode([at])[0]
    x = np.asarray(at, dtype=np.float64)
    if x.shape != (space.width,) or not (np.isfinite(x).all() and (x >= 0.0).all() and (x <= 1.0).all()):
        raise InvalidInput(f"the method gave {at!r}, wanted a point of the unit cube of {space.width} dimensions")
    return space.encode(space.decode(x[None]))[0]


class _Trace:
    """What is written down of a search, column by column."""

    def __init__(self, course: Course, first: dict[str, Any], marks: tuple[int, ...]) -> None:
        self._course, self._marks = course, sorted(marks)
        self.columns: dict[str, Any] = {
            "first": first,
            "at": [],
            "which": [],
            "values": [],
            "spent": [course.spent],
            "held": [course.held()],
            "gain": [],
            "purpose": [],
            "wall": [],
            "processor": [],
            "recommended": {},
        }

    def add(
        self, wish: Wish, place: Any, which: tuple[int, ...], values: NDArray[np.float64], seconds: tuple[float, float]
    ) -> None:
        """Note a choice and what was measured."""
        columns = self.columns
        columns["at"].append(place if isinstance(place, int) else np.round(place, 12).tolist())
        columns["which"].append(list(which))
        columns["values"].append(values[list(which)].tolist())
        columns["spent"].append(round(self._course.spent, 9))
        columns["held"].append(self._course.held())
        columns["gain"].append(None if math.isnan(wish.gain) else float(f"{wish.gain:.6g}"))
        columns["purpose"].append(wish.purpose)
        for name, value in zip(("wall", "processor"), seconds, strict=True):
            columns[name].append(round(value, 4))

    def after(self, choose: Choose, spent: float | None = None) -> None:
        """Look at what the model recommends, if a mark is passed and the method can say."""
        spent = self._course.spent if spent is None else spent
        while self._marks and spent >= self._marks[0] * self._course.price - EXACTLY:
            mark = self._marks.pop(0)
            if recommended := getattr(choose, "recommended", None):
                values = recommended(self._course.record)
                self.columns["recommended"][str(mark)] = round(self._course.problem.share(values), DIGITS)
