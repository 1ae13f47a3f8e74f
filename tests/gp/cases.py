"""Data and hyper-parameters to test with; a dense likelihood and posterior, slow and obvious."""

import numpy as np

from pfes.gp import Hyper
from pfes.observations import Data

KINDS = ["matern52", "rbf"]
SHARES = [0.0, 0.4, 1.0]  # of main effects


def data_of(x, y, noise=np.nan, count=1.0, within=0.0):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return Data(x, y, np.full(len(y), count), np.full(len(y), noise), within)


def random_data(rng, n, width, noise=np.nan):
    x = rng.random((n, width))
    return data_of(x, np.sin(4.0 * x).sum(axis=1) - 1.0 + 0.1 * rng.normal(size=n), noise)


def random_hyper(rng, groups, kernel="matern52", additive=0.0):
    scales = np.exp(rng.normal(-0.3, 0.4, groups))
    return Hyper(
        kernel,
        scales,
        float(np.exp(0.5 * rng.normal())),
        float(np.exp(rng.uniform(-5, -1))),
        float(rng.normal()),
        additive,
    )


def dense_kernel(a, b, groups, hyper):
    """Prior covariance, one pair at a time."""
    scales, w = hyper.scales[groups], hyper.additive
    result = np.empty((len(a), len(b)))
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            gap = (u - v) / scales
            main = [correlation(np.linalg.norm(gap[groups == g]), hyper.kernel) for g in range(len(hyper.scales))]
            together = correlation(np.linalg.norm(gap), hyper.kernel)
            result[i, j] = hyper.amplitude * ((1 - w) * together + (w * np.mean(main) if w else 0.0))
    return result


def correlation(r, kernel):
    """Of two values at distance r, in length scales."""
    matern = (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)
    return np.exp(-0.5 * r**2) if kernel == "rbf" else matern


def normal_log_density(y, mean, covariance):
    gap = y - mean
    return -0.5 * (gap @ np.linalg.solve(covariance, gap) + np.linalg.slogdet(2 * np.pi * covariance)[1])


def dense_posterior(x, y, noise, candidates, groups, hyper):
    """Mean and covariance at the candidates, by plain matrix algebra."""
    joint = dense_kernel(x, x, groups, hyper) + np.diag(noise)
    cross = dense_kernel(candidates, x, groups, hyper)
    mean = hyper.mean + cross @ np.linalg.solve(joint, y - hyper.mean)
    return mean, dense_kernel(candidates, candidates, groups, hyper) - cross @ np.linalg.solve(joint, cross.T)


def differences(function, x, step=1e-4):
    """Derivatives of function (K,) -> (...) by central differences of fourth order; last axis: the coordinate."""
    x = np.asarray(x, dtype=float)
    columns = []
    for k in range(len(x)):
        move = np.zeros_like(x)
        move[k] = step
        change = 8 * (function(x + move) - function(x - move)) - (function(x + 2 * move) - function(x - 2 * move))
        columns.append(np.asarray(change) / (12 * step))
    return np.stack(columns, axis=-1)
