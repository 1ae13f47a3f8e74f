"""What is left of noise-free information when a measurement has a finite resolution.

    g       nats that f tells, 0 or more                          any shape (..., N, L)
    rho^2   share of a measurement's variance that is signal      std^2 / (std^2 + delta^2)

    E(rho^2, g) = -1/2 log(1 - rho^2 (1 - exp(-2 g)))

Of one objective it is the upper bound that the entropy power inequality gives (`pfes.information.power`). E tends to g
as delta tends to 0, and never exceeds the capacity -1/2 log(1 - rho^2): a point that is known tells nothing, however
much an entropy without a scale would promise there (theory 4).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Received", "received"]

Array = NDArray[np.float64]


class Received(NamedTuple):
    """Nats through the channel, and their derivatives; all of the shape of g."""

    gain: Array
    d_gain: Array  # in g
    d_std: Array  # in std, at the same g


def received(g: Array, std: Array, delta: Array) -> Received:
    """E(rho^2, g) of gains g (..., N, L) and deviations std (N, L), measured with deviation delta (L,)."""
    total = np.hypot(std, delta)
    signal = (std / total) ** 2
    change = signal * np.expm1(-2.0 * g)
    with np.errstate(divide="ignore"):  # without noise its logarithm is -inf, as it should be
        log_signal, log_noise = 2.0 * np.log(std / total), 2.0 * np.log(delta / total)
    log_left = np.logaddexp(log_noise, log_signal - 2.0 * g)  # of the variance: what f leaves, and the noise
    small = change > -0.5
    gain = -0.5 * np.where(small, np.log1p(np.where(small, change, 0.0)), log_left)
    d_gain = np.exp(log_signal - 2.0 * g - log_left)
    d_std = np.exp(log_noise - log_left) * -change / std
    return Received(gain, d_gain, d_std)
