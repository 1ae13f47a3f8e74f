"""R sampled paths of one objective, and how they are evaluated.

| symbol | meaning | shape | in code |
|---|---|---|---|
| w_f | frequency f, in turns per unit of x | (F, D) | frequencies |
| p_rf | phase of frequency f in path r, in turns | (R, F) | phases |
| h_rf | its height | (R, F) | heights |
| c_i | observed input i, in length scales | (n, D) | centres |
| v_ri | weight of the correlation with input i in path r | (R, n) | pulls |

    f_r(x) = mean + sum_f h_rf cos(2 pi (w_f . x + p_rf)) + sum_i v_ri k(x, x_i)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfes.gp.kernels import Correlation
from pfes.gp.waves import add_products, add_waves, squares

__all__ = ["Sheaf"]

Floats = NDArray[Any]  # float32 or float64


@dataclass(frozen=True, eq=False)
class Sheaf:
    """R paths of one objective; see the table above. All arrays are of one dtype, float64 or float32."""

    mean: float
    correlation: Correlation  # of the squared distance in length scales
    scales: Floats  # (D,) length scale of each column
    frequencies: Floats
    phases: Floats
    heights: Floats
    centres: Floats
    pulls: Floats

    def one(self, r: int, points: Floats) -> Floats:
        """Path r at points (D, N): (N,)."""
        out = np.full((1, points.shape[1]), self.mean, points.dtype)
        add_waves(out, self.heights[r : r + 1], self.frequencies, self.phases[r], points)
        add_products(out, self.pulls[r : r + 1], self._near(points))
        return out[0]

    def all(self, points: Floats) -> Floats:
        """All paths at the same points (D, N): (R, N)."""
        # cos(a + p) = cos a cos p - sin a sin p: the cosines and sines of a point serve all paths
        out = np.full((len(self.heights), points.shape[1]), self.mean, points.dtype)
        angles = 2 * np.pi * self.phases
        upright = np.zeros(len(self.frequencies), points.dtype)
        add_waves(out, self.heights * np.cos(angles), self.frequencies, upright, points)
        add_waves(out, -self.heights * np.sin(angles), self.frequencies, upright - points.dtype.type(0.25), points)
        add_products(out, self.pulls, self._near(points))
        return out

    def slopes(self, r: int, points: Floats) -> Floats:
        """Gradient of path r at points (D, N): (D, N)."""
        out = np.zeros_like(points)
        # d cos(2 pi t) / dt = 2 pi cos(2 pi (t + 1/4))
        heights = np.ascontiguousarray((points.dtype.type(2 * np.pi) * self.heights[r, :, None] * self.frequencies).T)
        add_waves(out, heights, self.frequencies, self.phases[r] + points.dtype.type(0.25), points)
        scaled = points / self.scales[:, None]
        _, slope = self.correlation.value_and_slope(squares(self.centres, scaled))
        # sum_i v_i k'(s_i) 2 (x - c_i): the sums over i of 1 and of c_i
        sums = np.zeros((1 + len(points), points.shape[1]), points.dtype)
        moments = np.ascontiguousarray(np.concatenate((np.ones_like(self.centres[:, :1]), self.centres), axis=1).T)
        add_products(sums, moments * self.pulls[r], slope)
        return out + 2 * (scaled * sums[0] - sums[1:]) / self.scales[:, None]

    def _near(self, points: Floats) -> Floats:
        return self.correlation.value(squares(self.centres, points / self.scales[:, None]))

    def single(self) -> "Sheaf":
        """The same in float32."""
        arrays = (self.scales, self.frequencies, self.phases, self.heights, self.centres, self.pulls)
        return Sheaf(self.mean, self.correlation, *(a.astype(np.float32) for a in arrays))
