"""R sampled paths of one objective, and how they are evaluated.

| symbol | meaning | shape | in code |
|---|---|---|---|
| w_f | frequency f, in turns per unit of x | (F, D) | frequencies |
| p_rf | phase of frequency f in path r, in turns | (R, F) | phases |
| h_rf | its height | (R, F) | heights |
| c_i | observed input i, in length scales | (n, D) | centres |
| v_ri | weight of the correlation with input i in path r | (R, n) | pulls |

    f_r(x) = mean + sum_f h_rf cos(2 pi (w_f . x + p_rf)) + sum_i v_ri k(x, x_i)

k is the correlation of `effects.py`: a share of it, and as large a share of the frequencies, are main effects.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.gp.waves import add_mixed_pull_slopes, add_mixed_pulls, add_pull_slopes, add_pulls, add_waves

__all__ = ["STEP", "Sheaf"]

Floats = NDArray[Any]  # float32 or float64

STEP = 32  # points that a compiled loop takes at a time in single precision


@dataclass(frozen=True, eq=False)
class Sheaf:
    """R paths of one objective; see the table above. All arrays are of one dtype, float64 or float32."""

    mean: float
    kernel: str  # a name of kernels.KERNELS
    scales: Floats  # (D,) length scale of each column
    frequencies: Floats
    phases: Floats
    heights: Floats
    centres: Floats
    pulls: Floats
    groups: NDArray[np.int64]  # (D,) the group of each column
    additive: float  # share of main effects

    def shared(self, x: Floats) -> Floats:
        """All paths at the same points x (N, D): (R, N)."""
        points = np.ascontiguousarray(x.T)
        out = np.full((1, len(self.heights), len(x)), self.mean, x.dtype)
        # cos(a + p) = cos a cos p - sin a sin p: the cosines and sines of a point serve all paths
        angles = 2 * np.pi * self.phases
        upright = np.zeros((1, len(self.frequencies)), x.dtype)
        lying = upright - x.dtype.type(0.25)
        add_waves(out, (self.heights * np.cos(angles))[None], self.frequencies, upright, points)
        add_waves(out, (self.heights * -np.sin(angles))[None], self.frequencies, lying, points)
        self._pull(out, self.pulls[None], points)
        first: Floats = out[0]
        return first

    def own(self, x: Floats) -> Floats:
        """Each path at points of its own, x (R, N, D): (R, N)."""
        points, size = _columns(x)
        out = np.full((len(x), 1, size), self.mean, x.dtype)
        add_waves(out, self.heights[:, None], self.frequencies, self.phases, points)
        self._pull(out, self.pulls[:, None], points)
        return out[:, 0, : x.shape[1]]

    def slopes(self, x: Floats) -> Floats:
        """Gradient of each path at points of its own, x (R, N, D): (R, D, N)."""
        points, size = _columns(x)
        out = np.zeros((len(x), x.shape[2], size), x.dtype)
        # d cos(2 pi t) / dt = 2 pi cos(2 pi (t + 1/4))
        add_waves(out, self._slope_heights, self.frequencies, self.phases + x.dtype.type(0.25), points)
        return out[..., : x.shape[1]] + self._pull_slopes(x, points, size)

    def _pull_slopes(self, x: Floats, points: Floats, size: int) -> Floats:
        if self.additive > 0.0:
            slopes = np.zeros((len(x), x.shape[2], size), x.dtype)
            add_mixed_pull_slopes(slopes, self.pulls, *self._mixed(points))
            return slopes[..., : x.shape[1]] / self.scales[:, None]
        # sum_i v_i k'(s_i) 2 (x - c_i) / scale, from the sums over i of v_i k' and v_i k' c_i
        sums = np.zeros((len(x), 1 + x.shape[2], size), x.dtype)
        add_pull_slopes(sums, self._slope_pulls, *self._plain(points))
        scaled, used = np.swapaxes(x / self.scales, 1, 2), slice(x.shape[1])
        return 2 * (scaled * sums[:, :1, used] - sums[:, 1:, used]) / self.scales[:, None]

    @cached_property
    def _slope_heights(self) -> Floats:
        turn = self.heights.dtype.type(2 * np.pi)
        heights: Floats = turn * self.heights[:, None] * np.ascontiguousarray(self.frequencies.T)
        return heights

    @cached_property
    def _slope_pulls(self) -> Floats:
        moments = np.concatenate((np.ones_like(self.centres[:, :1]), self.centres), axis=1)
        pulls: Floats = self.pulls[:, None] * np.ascontiguousarray(moments.T)
        return pulls

    def _pull(self, out: Floats, weights: Floats, points: Floats) -> None:
        if self.additive > 0.0:
            add_mixed_pulls(out, weights, *self._mixed(points))
        else:
            add_pulls(out, weights, *self._plain(points))

    def _plain(self, points: Floats) -> tuple[Floats, Floats, bool]:
        return self.centres, points / self.scales[:, None], self.kernel == "matern52"

    def _mixed(self, points: Floats) -> tuple[Floats, Floats, bool, NDArray[np.int64], float]:
        return *self._plain(points), self.groups, self.additive

    def single(self) -> "Sheaf":
        """The same in float32."""
        names = ("scales", "frequencies", "phases", "heights", "centres", "pulls")
        return replace(self, **{name: getattr(self, name).astype(np.float32) for name in names})


def _columns(x: Floats) -> tuple[Floats, int]:
    """(R, N, D) -> (D, R N'), block after block, as the kernels want points, and N': N or a little more.

    A loop over points takes STEP at a time and is slow at what is left over, so blocks are filled up.
    """
    size = -(-x.shape[1] // STEP) * STEP
    points = np.zeros((x.shape[2], len(x), size), x.dtype)
    points[:, :, : x.shape[1]] = x.transpose(2, 0, 1)
    return points.reshape(x.shape[2], -1), size
