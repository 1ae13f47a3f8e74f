"""The hyper-parameters of a joint Gaussian process: L objectives mixed from J independent functions of Q kernels.

| symbol | meaning | shape | in code |
|---|---|---|---|
| u_j | independent function of unit variance, with correlation k_q, q = part of j | | |
| A | how objectives are mixed from them, f = m + A u | (L, J) | mixing |
| q_j | the kernel that u_j has | (J,) | part |
| k_q | correlation of `effects.py`, with its length scales and share of main effects | | scales, additive |
| B_q | covariance between objectives through kernel q, sum over its j of A_j A_j^T | (Q, L, L) | tasks |

    Cov[f_l(x), f_l'(x')] = sum_q B_q[l, l'] k_q(x, x')

Q = 1 is intrinsic coregionalisation (Bonilla, Chai, Williams 2008), J = Q the semiparametric latent factor model (Teh,
Seeger, Jordan 2005), J = Q = L with a diagonal A the independent model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.gp.recipe import Hyper

__all__ = ["JointHyper"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointHyper:
    """The hyper-parameters of L objectives together, in standardised units; see the table above."""

    kernel: str  # a name of kernels.KERNELS
    scales: Array  # (Q, G) length scales of each kernel
    additive: Array  # (Q,) share of main effects of each kernel
    mixing: Array  # (L, J)
    part: NDArray[np.intp]  # (J,)
    noise: Array  # (L,) variance of one measurement, where it is not known row by row
    mean: Array  # (L,) prior mean

    @staticmethod
    def independent(hypers: Sequence[Hyper]) -> "JointHyper":
        """The joint form of L independent processes, which must have one kind of kernel."""
        kernels = {hyper.kernel for hyper in hypers}
        if len(kernels) != 1:
            raise InvalidInput(f"hypers: got kernels {sorted(kernels)}, wanted one kind for all objectives")
        return JointHyper(
            kernel=kernels.pop(),
            scales=np.array([hyper.scales for hyper in hypers]),
            additive=np.array([hyper.additive for hyper in hypers]),
            mixing=np.diag([hyper.amplitude**0.5 for hyper in hypers]),
            part=np.arange(len(hypers)),
            noise=np.array([hyper.noise for hyper in hypers]),
            mean=np.array([hyper.mean for hyper in hypers]),
        )

    @cached_property
    def tasks(self) -> Array:
        """B, (Q, L, L): covariance between objectives through each kernel."""
        columns = [self.mixing[:, self.part == q] for q in range(len(self.scales))]
        return np.stack([a @ a.T for a in columns])

    @cached_property
    def covariance(self) -> Array:
        """(L, L) prior covariance of the objectives at one point."""
        return np.asarray(self.tasks.sum(axis=0))

    @property
    def amplitude(self) -> Array:
        """(L,) prior variance of each objective."""
        return self.covariance.diagonal().copy()

    @property
    def correlation(self) -> Array:
        """(L, L) prior correlation of the objectives at one point; 0 with an objective that does not vary."""
        deviation = np.sqrt(self.amplitude)
        still = deviation == 0.0
        found = self.covariance / np.where(still, 1.0, deviation) / np.where(still, 1.0, deviation)[:, None]
        return np.where(np.eye(len(found), dtype=bool), 1.0, np.clip(found, -1.0, 1.0))

    def single(self, q: int) -> Hyper:
        """Kernel q as the hyper-parameters of one function of unit variance."""
        return Hyper(self.kernel, self.scales[q], 1.0, 0.0, 0.0, float(self.additive[q]))
