"""The same gains by drawing and by counting: a few digits, nothing shared with exact.py beyond the normal density.

mean, std (L,), frontier (S, L), everything maximised; draws come from an explicit generator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.stats import differential_entropy, norm


class Estimate(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float


# ----------------------------------------------------------------------------------------------------
# drawing


def in_region(f, frontier) -> np.ndarray:
    """Whether each f (..., L) is dominated: (...)."""
    f = np.asarray(f)
    inside = np.zeros(f.shape[:-1], dtype=bool)
    for point in frontier:
        inside |= (f <= np.asarray(point)).all(-1)
    return inside


def truncated(rng: np.random.Generator, mean, std, frontier, n: int) -> tuple[np.ndarray, Estimate]:
    """The draws of f that fall in F, out of n tried, (about n Z, L); and Z."""
    f = rng.normal(mean, std, size=(n, len(mean)))
    kept = f[in_region(f, frontier)]
    share = len(kept) / n
    return kept, Estimate(share, np.sqrt(share * (1 - share) / n))


def coupled(rng: np.random.Generator, mean, std, frontier, n: int = 1_000_000) -> Estimate:
    """H[f] - H[f | F]: minus the log density given F is log Z - log p(f), averaged over the draws in F."""
    kept, Z = truncated(rng, mean, std, frontier, n)
    log_density = norm.logpdf(kept, mean, std).sum(1)
    before = norm.entropy(mean, std).sum()
    after = np.log(Z.value) - log_density.mean()
    return Estimate(before - after, np.hypot(Z.error / Z.value, log_density.std() / np.sqrt(len(kept))))


def decoupled(rng: np.random.Generator, mean, std, frontier, l: int, n: int = 1_000_000) -> float:
    """H[f_l] - H[f_l | F], the second from the spacings of the draws in F (Vasicek); about two digits."""
    kept, _ = truncated(rng, mean, std, frontier, n)
    return float(norm.entropy(mean[l], std[l]) - differential_entropy(kept[:, l]))


def decoupled_noisy(rng: np.random.Generator, mean, std, frontier, delta: float, l: int, n: int = 1_000_000) -> float:
    """H[y_l] - H[y_l | F], y_l = f_l + N(0, delta^2), from spacings; about two digits."""
    kept, _ = truncated(rng, mean, std, frontier, n)
    y = kept[:, l] + rng.normal(scale=delta, size=len(kept))
    return float(norm.entropy(mean[l], np.hypot(std[l], delta)) - differential_entropy(y))


def moments(rng: np.random.Generator, mean, std, frontier, n: int = 1_000_000) -> tuple[np.ndarray, np.ndarray]:
    """Mean (L,) and covariance (L, L) of z = (f - mean) / std given F."""
    kept, _ = truncated(rng, mean, std, frontier, n)
    z = (kept - mean) / std
    return z.mean(0), np.atleast_2d(np.cov(z.T))


# ----------------------------------------------------------------------------------------------------
# counting squares, two objectives


class Squares(NamedTuple):
    """A density on a fine grid: axes (2, n), probability of every square (n, n), given F; and Z."""

    axes: np.ndarray
    share: np.ndarray
    mass: float

    def entropy(self, share: np.ndarray, axes: list[int]) -> float:
        """Differential entropy of a density that is constant on each square."""
        area = np.prod([self.axes[l][1] - self.axes[l][0] for l in axes])
        seen = share[share > 0]
        return float(-(seen * np.log(seen / area)).sum())


def squares(mean, std, frontier, margin=0.0, n: int = 1000) -> Squares:
    """f given F on n x n squares, each in F if its centre is; eight deviations of f, and a margin, to every side."""
    axes = np.array([m + (8 * s + margin) * (2 * (np.arange(n) + 0.5) / n - 1) for m, s in zip(mean, std, strict=True)])
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    weight = norm.pdf(centres, mean, std).prod(-1) * np.prod(axes[:, 1] - axes[:, 0])
    weight *= in_region(centres, frontier)
    return Squares(axes, weight / weight.sum(), float(weight.sum()))


def coupled_by_squares(mean, std, frontier, n: int = 1000) -> float:
    """H[f] - H[f | F]; the error is that of the ragged edge, about 8 / n."""
    grid = squares(mean, std, frontier, n=n)
    return float(norm.entropy(mean, std).sum()) - grid.entropy(grid.share, [0, 1])


def decoupled_by_squares(mean, std, frontier, l: int, n: int = 1000) -> float:
    """H[f_l] - H[f_l | F]."""
    grid = squares(mean, std, frontier, n=n)
    return float(norm.entropy(mean[l], std[l])) - grid.entropy(grid.share.sum(1 - l), [l])


def noisy_by_squares(mean, std, frontier, delta: float, n: int = 1000) -> tuple[float, list[float]]:
    """H[y] - H[y | F] of both objectives, and of each alone; the noise is a discrete convolution."""
    grid = squares(mean, std, frontier, margin=8 * delta, n=n)
    share = grid.share
    for l in range(2):
        step = grid.axes[l][1] - grid.axes[l][0]
        share = gaussian_filter1d(share, delta / step, axis=l, mode="constant", truncate=8)
    before = [float(norm.entropy(m, np.hypot(s, delta))) for m, s in zip(mean, std, strict=True)]
    alone = [before[l] - grid.entropy(share.sum(1 - l), [l]) for l in range(2)]
    return sum(before) - grid.entropy(share, [0, 1]), alone
