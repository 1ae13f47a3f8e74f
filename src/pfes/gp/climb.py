"""One climb of L-BFGS-B to the hyper-parameters that cost least."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["climb"]

Array = NDArray[np.float64]


def climb(
    cost: Callable[[Array], tuple[float, Array]], start: Array, bounds: list[tuple[float, float]], iterations: int
) -> tuple[float, Array]:
    """The cost reached from start (K,) within bounds, and where; cost gives its gradient (K,), too."""
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    if not len(start):
        return 0.0, start
    options = {"maxiter": iterations, "ftol": 1e-8, "gtol": 1e-3}
    run = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return float(run.fun), run.x
