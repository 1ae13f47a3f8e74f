"""Gauss-Legendre rules for integrands that are a normal density times tails of normals.

Such an integrand is smooth on the scale of a known deviation, and what it falls by between two points is known too. A
panel of PANEL_LENGTH deviations over which it falls by at most e^PANEL_FALL is integrated by POINTS points to 1e-14.
Shorter pieces, of which frontiers with many points are made, need FEW points only.
"""

import numpy as np

from pfes.compiled import inline

__all__ = ["FEW", "FEW_NODES", "FEW_WEIGHTS", "NEGLIGIBLE", "NODES", "POINTS", "WEIGHTS", "is_short", "panels"]

POINTS, FEW = 14, 6
PANEL_LENGTH, PANEL_FALL = 2.6, 7.0
SHORT_LENGTH, SHORT_FALL = 0.4, 1.0
MOST_PANELS = 1000.0  # never needed unless rounding has spoilt the ends of a piece
NEGLIGIBLE = 42.0  # what lies e^-42 below the largest value of an integrand cannot be seen in its integral

# nodes and weights on (0, 1)
_ROOTS, _MASSES = np.polynomial.legendre.leggauss(POINTS)
NODES, WEIGHTS = 0.5 * (_ROOTS + 1.0), 0.5 * _MASSES
_ROOTS, _MASSES = np.polynomial.legendre.leggauss(FEW)
FEW_NODES, FEW_WEIGHTS = 0.5 * (_ROOTS + 1.0), 0.5 * _MASSES


@inline
def panels(length: float, scale: float, fall: float) -> int:
    """How many panels a piece needs: its length, the deviation of the integrand there, log of what it falls by."""
    return 1 + int(min(max(length / (PANEL_LENGTH * scale), fall / PANEL_FALL), MOST_PANELS))


@inline
def is_short(length: float, scale: float, fall: float) -> bool:
    """Whether FEW points are enough for a piece."""
    return length < SHORT_LENGTH * scale and fall < SHORT_FALL
