"""Data that suggestions are timed on: points of a space or a pool, and values of objectives that pull apart."""

import numpy as np

from pfes.objectives import Objective, Objectives
from pfes.observations import NO_ROW, Observations, State
from pfes.problems import get
from pfes.space import Pool, Real, Space

__all__ = ["cube", "distances", "from_arrays", "objectives", "of_problem", "pool"]


def cube(d: int) -> Space:
    """The unit cube of d parameters."""
    return Space({f"x{i}": Real(0.0, 1.0) for i in range(d)})


def objectives(L: int) -> Objectives:
    """L objectives to be maximised."""
    return Objectives([Objective(f"f{l}") for l in range(L)])


def pool(rows: int, d: int, seed: int) -> Pool:
    """A table of random points."""
    return Pool(np.random.default_rng([seed, 1]).uniform(size=(rows, d)))


def distances(x: np.ndarray, L: int, seed: int) -> np.ndarray:
    """(n, L) closeness of points x (n, d) to L random places, with a wave on top; larger is better."""
    rng = np.random.default_rng([seed, 2])
    places = rng.uniform(size=(L, x.shape[1]))
    apart = np.linalg.norm(x[:, None, :] - places, axis=2) / np.sqrt(x.shape[1])
    return -apart + 0.1 * np.sin(6.0 * x @ rng.standard_normal((x.shape[1], L)))


def of_problem(name: str, n: int, seed: int, **sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Sobol points (n, d) of a test problem on the unit cube, and values (n, L), larger is better."""
    problem = get(name, **sizes)
    x = problem.space.sobol(n, np.random.default_rng([seed, 3]))
    return x, problem.objectives.inward(problem.values(x))


def from_arrays(x: np.ndarray, y: np.ndarray, rows: np.ndarray | None = None) -> Observations:
    """All values y (n, L) at points x (n, D), or at rows of a pool, as measured."""
    n, L = y.shape
    return Observations(
        x=np.repeat(x, L, axis=0),
        row=np.full(n * L, NO_ROW) if rows is None else np.repeat(rows, L),
        objective=np.tile(np.arange(L), n),
        state=np.full(n * L, int(State.MEASURED)),
        value=y.ravel(),
        noise=np.full(n * L, np.nan),
    )
