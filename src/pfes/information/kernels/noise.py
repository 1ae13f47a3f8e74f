"""How much of a measurement's variance is signal."""

import math

from pfes.compiled import inline

__all__ = ["capacity", "signal_and_noise"]


@inline
def signal_and_noise(std: float, delta: float) -> tuple[float, float]:
    """rho^2 = std^2 / (std^2 + delta^2) and 1 - rho^2, each accurate and without overflow."""
    total = math.hypot(std, delta)
    return (std / total) ** 2, (delta / total) ** 2


@inline
def capacity(rho2: float, noise2: float) -> float:
    """The most that a measurement can tell, -log(noise2) / 2 nats: what is left when all but the noise is known."""
    return -0.5 * (math.log1p(-rho2) if rho2 < 0.5 else math.log(noise2)) if noise2 > 0.0 else math.inf
