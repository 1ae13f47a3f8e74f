"""The shapes of fronts that every routine of pfes.pareto must cope with; all arrays are read-only."""

import numpy as np


def _frozen(points):
    points.setflags(write=False)
    return points


def concave(size, objectives, seed=0):
    """|N(0, I)| projected on the sphere: the front bulges away from the origin (theory 7)."""
    points = np.abs(np.random.default_rng(seed).standard_normal((size, objectives)))
    return _frozen(points / np.linalg.norm(points, axis=1, keepdims=True))


def convex(size, objectives, seed=0):
    """Its mirror image."""
    return _frozen(-concave(size, objectives, seed))


def linear(size, objectives, seed=0):
    points = np.random.default_rng(seed).exponential(size=(size, objectives))
    return _frozen(points / points.sum(axis=1, keepdims=True))


def tied(size, objectives, seed=0):
    """Values 0, 1, 2, 3 only, on a plane: hardly a coordinate is not shared; most points survive."""
    rng = np.random.default_rng(seed)
    points = np.array([rng.multinomial(3, np.full(objectives, 1 / objectives)) for _ in range(size)], dtype=float)
    points[rng.random(points.shape) < 0.1] = 0.0
    return _frozen(points)


def single(size, objectives, seed=0):
    return _frozen(np.random.default_rng(seed).standard_normal((1, objectives)))


def duplicated(size, objectives, seed=0):
    """Every point twice, and as many dominated ones."""
    points = concave(size, objectives, seed)
    return _frozen(np.concatenate((points, points - 0.05, points)))


def thresholds(size, objectives, seed=0):
    """Virtual points (t_1, inf, ..), (inf, t_2, inf, ..): nothing below t is wanted (theory 4)."""
    virtual = np.where(np.eye(objectives, dtype=bool), 0.2, np.inf)
    return _frozen(np.concatenate((concave(size, objectives, seed), virtual)))


def tied_thresholds(size, objectives, seed=0):
    """Thresholds at values that points share, and a point that is +inf in one objective only."""
    virtual = np.where(np.eye(objectives, dtype=bool), 1.0, np.inf)
    spike = np.ones((1, objectives))
    spike[0, 0] = np.inf
    return _frozen(np.concatenate((virtual, tied(size, objectives, seed), spike)))


ALL = (concave, convex, linear, tied, single, duplicated, thresholds, tied_thresholds)
