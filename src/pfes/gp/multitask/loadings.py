"""How objectives may share functions: free numbers (loadings), the mixing they stand for, and what is believed of them.

| symbol | meaning | shape | in code |
|---|---|---|---|
| w | loadings of K shared functions, 0 where nothing is shared | (L, K) | loadings |
| U | [w, I]: beside the shared functions every objective has one of its own | (L, J) | |
| s_l | prior deviation of objective l | (L,) | deviation |
| A | s_l U_l / |U_l|: the directions of U's rows decide correlations, and s^2 remains the amplitude | (L, J) | mixing |
| o_l | 1 / |U_l|^2: the part of objective l's variance that is its own | (L,) | |

"coregional": all functions have one kernel. "latent": each of them has its own.

The prior density of w is prod_l o_l^DOUBT: rows of Student's t around 0, so that objectives are independent unless the
data say otherwise, and a strong correlation, once they do, costs little more than a moderate one.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput

__all__ = ["JOINT", "Structure"]

Array = NDArray[np.float64]
Joint = Literal["coregional", "latent"]

JOINT: tuple[Joint, ...] = ("coregional", "latent")
RANK = 2  # shared functions; two objectives need one
DOUBT = 1.5  # exponent of the prior; 0: none
LARGEST = 30.0  # loading: a correlation of 0.999


class Structure(NamedTuple):
    """Which loadings there are, of so many objectives; see the table above."""

    kind: Joint
    objectives: int

    @staticmethod
    def of(kind: str, objectives: int) -> "Structure":
        """The structure of that name."""
        if kind not in JOINT:
            raise InvalidInput(f"kind: got {kind!r}, wanted one of {', '.join(map(repr, JOINT))}")
        return Structure("coregional" if kind == "coregional" else "latent", objectives)

    @property
    def shared(self) -> int:
        """K, the number of shared functions."""
        return min(RANK, self.objectives - 1)

    @property
    def parts(self) -> int:
        """Q, the number of kernels."""
        return 1 if self.kind == "coregional" else self.shared + self.objectives

    @property
    def part(self) -> NDArray[np.intp]:
        """(J,) the kernel of each function."""
        functions = np.arange(self.shared + self.objectives)
        return np.zeros_like(functions) if self.kind == "coregional" else functions

    def _rows(self, loadings: Array) -> Array:
        """U (L, J)."""
        return np.hstack([loadings, np.eye(self.objectives)])

    def mixing(self, loadings: Array, deviation: Array) -> Array:
        """A (L, J) from loadings (L, K) and deviations (L,)."""
        rows = self._rows(loadings)
        return np.asarray(rows * (deviation / np.linalg.norm(rows, axis=1))[:, None])

    def pulled_back(self, loadings: Array, deviation: Array, slopes: Array) -> tuple[Array, Array]:
        """From derivatives in A (L, J) to those in the loadings, (L, K), and in log deviations, (L,)."""
        rows = self._rows(loadings)
        length = np.linalg.norm(rows, axis=1)[:, None]
        unit, pull = rows / length, slopes * deviation[:, None]
        along = np.sum(unit * pull, axis=1)
        return ((pull - unit * along[:, None]) / length)[:, : self.shared], along

    def loadings(self, mixing: Array) -> Array:
        """The inverse of `mixing` as far as bounds allow: (L, K) from A (L, J)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.nan_to_num(mixing[:, : self.shared] / mixing[:, self.shared :].diagonal()[:, None])
        return np.asarray(np.clip(found, -LARGEST, LARGEST))

    def log_prior(self, loadings: Array) -> tuple[float, Array]:
        """Log density of the loadings, but for a constant, and its derivatives (L, K)."""
        own = 1.0 / np.sum(self._rows(loadings) ** 2, axis=1)
        return DOUBT * float(np.log(own).sum()), -2.0 * DOUBT * loadings * own[:, None]

    def explaining(self, correlation: Array) -> Array:
        """Loadings (L, K) under which the objectives are correlated about as given, (L, L)."""
        values, vectors = np.linalg.eigh(correlation)
        roots = np.sqrt(np.maximum(values, 0.0))
        common = (vectors * roots)[:, ::-1][:, : self.shared]
        own = np.sqrt(np.maximum(1.0 - np.sum(common**2, axis=1), 0.05))
        return np.asarray(common / own[:, None])
