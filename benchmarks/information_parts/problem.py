"""Frontiers and candidates as they occur in a search, drawn with a fixed seed."""

from typing import NamedTuple

import numpy as np

__all__ = ["Problem", "problem", "what_the_problem_is"]


class Problem(NamedTuple):
    mean: np.ndarray  # (N, L)
    std: np.ndarray  # (N, L)
    frontiers: list[np.ndarray]  # R times (S, L)


def problem(L: int = 4, S: int = 50, R: int = 10, N: int = 100, seed: int = 0) -> Problem:
    """R concave frontiers of S points, and N candidates inside, near and above them."""
    rng = np.random.default_rng(seed)
    frontiers = [np.exp(0.1 * rng.normal()) * _directions(rng, S, L) for _ in range(R)]
    mean = rng.uniform(0, 1.4, size=(N, 1)) * _directions(rng, N, L)
    std = np.exp(rng.uniform(np.log(0.03), np.log(0.5), size=(N, L)))
    return Problem(mean, std, frontiers)


def what_the_problem_is() -> str:
    """The same in words, for the report."""
    return (
        "L = 4 objectives, R = 10 frontiers of S = 50 points (|N(0, I)| on the unit sphere, times exp(0.1 N(0, 1)) per "
        "frontier), N = 100 candidates (mean at a radius uniform in [0, 1.4] in such a direction, deviations "
        "log-uniform in [0.03, 0.5]); seed 0. BoTorch is `qLowerBoundMultiObjectiveMaxValueEntropySearch` with "
        '`estimation_type="0"`, given the same means and deviations, without noise and without a Gaussian process. '
        "Best and median wall-clock times of the value and (∇) of the value with its gradient, contenders taking turns "
        "in one process; best processor time, of all threads together; memory is the growth of the peak resident set "
        "during one call."
    )


def _directions(rng: np.random.Generator, n: int, L: int) -> np.ndarray:
    points = np.abs(rng.normal(size=(n, L)))
    return points / np.linalg.norm(points, axis=1, keepdims=True)
