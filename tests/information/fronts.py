"""Frontiers to test with."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


def concave(rng: np.random.Generator, points: int, objectives: int) -> np.ndarray:
    """|N(0, I)| projected on the sphere."""
    front = np.abs(rng.normal(size=(points, objectives)))
    return front / np.linalg.norm(front, axis=1, keepdims=True)


def thresholds(levels: np.ndarray) -> np.ndarray:
    """Virtual points (t_1, inf, ...), (inf, t_2, inf, ...), ... (theory 4)."""
    points = np.full((len(levels), len(levels)), np.inf)
    np.fill_diagonal(points, levels)
    return points


def candidates(rng: np.random.Generator, count: int, objectives: int) -> tuple[np.ndarray, np.ndarray]:
    """Means inside, near and above a front of size 1, and deviations from 0.02 to 0.5."""
    return rng.uniform(-0.3, 1.2, (count, objectives)), np.exp(
        rng.uniform(np.log(0.02), np.log(0.5), (count, objectives))
    )


@st.composite
def problems(draw: st.DrawFn, most_objectives: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mean (N, L), std (N, L), frontier (S, L)): ties, duplicates and thresholds, means anywhere, std 1e-12 to 1e3."""
    objectives = draw(st.integers(1, most_objectives))
    coordinate = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.just(np.inf))
    frontier = draw(arrays(float, (draw(st.integers(1, 7)), objectives), elements=coordinate))
    count = draw(st.integers(1, 3))
    mean = draw(
        arrays(float, (count, objectives), elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-50, 50)))
    )
    log_std = draw(arrays(float, (count, objectives), elements=st.floats(-12, 3)))
    return mean, 10.0**log_std, frontier
