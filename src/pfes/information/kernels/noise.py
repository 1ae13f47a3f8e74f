"""How much of a measurement's variance is signal."""

import math

from pfes.compiled import inline

__all__ = ["signal_and_noise"]


@inline
def signal_and_noise(std: float, delta: float) -> tuple[float, float]:
    """rho^2 = std^2 / (std^2 + delta^2) and 1 - rho^2, each accurate and without overflow."""
    total = math.hypot(std, delta)
    return (std / total) ** 2, (delta / total) ** 2
