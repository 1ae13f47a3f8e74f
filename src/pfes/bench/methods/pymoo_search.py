"""NSGA-II of pymoo on the true functions, by its ask-and-tell interface; its settings are the default ones.

Its default population of 100 is more than most budgets here: it then only draws at random. Another size is an argument.
The points that every method begins with are the first members of its first population.
"""

from typing import Any

import numpy as np

from pfes.bench.methods.protocol import Choose, Record, Start

__all__ = ["nsga2"]


def nsga2(start: Start, population: int = 100) -> Choose:
    """Begin a search with so many points in a population."""
    from pymoo.algorithms.moo.nsga2 import NSGA2  # noqa: PLC0415 - optional
    from pymoo.core.evaluator import Evaluator  # noqa: PLC0415
    from pymoo.core.problem import Problem  # noqa: PLC0415
    from pymoo.core.termination import NoTermination  # noqa: PLC0415
    from pymoo.problems.static import StaticProblem  # noqa: PLC0415

    d, L = start.space.width, len(start.problem.objectives)
    about = Problem(n_var=d, n_obj=L, xl=np.zeros(d), xu=np.ones(d))
    rng = np.random.default_rng([start.seed, 2])
    algorithm: Any = None
    generation: Any = None
    begin = 0  # where in the record this generation begins

    def choose(record: Record) -> Any:
        nonlocal algorithm, generation, begin
        if algorithm is None:
            first = np.vstack([record.x, rng.random((max(0, population - len(record)), d))])
            algorithm = NSGA2(pop_size=population, sampling=first[:population])
            algorithm.setup(about, termination=NoTermination(), seed=start.seed, verbose=False)
            generation, begin = algorithm.ask(), 0
        while (known := len(record) - begin) >= len(generation):
            values = -record.levels[begin : begin + len(generation)]
            Evaluator().eval(StaticProblem(about, F=values), generation)
            algorithm.tell(infills=generation)
            begin += len(generation)
            generation = algorithm.ask()
        return np.clip(generation[known].X, 0.0, 1.0)

    return choose
