"""NSGA-II of pymoo on any functions, as `optimize_with_nsgaii` of BoTorch runs it.

pymoo is imported inside the function: benchmarks run without it.
"""

from collections.abc import Callable

import numpy as np

__all__ = ["frontier"]


def frontier(
    values: Callable[[np.ndarray], np.ndarray], d: int, L: int, population: int, generations: int | None, seed: int
) -> np.ndarray:
    """The frontier (S, L) found for values(x (N, d) of the unit cube) -> (N, L), maximised.

    generations None: until pymoo finds that it no longer pays.
    """
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    class Given(Problem):
        def _evaluate(self, x: np.ndarray, out: dict[str, np.ndarray]) -> None:
            out["F"] = -values(x)

    found = minimize(
        Given(n_var=d, n_obj=L, xl=np.zeros(d), xu=np.ones(d)),
        NSGA2(pop_size=population, eliminate_duplicates=True),
        None if generations is None else ("n_gen", generations),
        seed=seed,
    )
    return -found.F
