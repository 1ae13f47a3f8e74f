"""Rivals must agree before they are timed.

BoTorch raises the mass of every cell in every objective to the machine's eps, and rounds it to eps. So it knows Z up
to the share that eps per cell and objective can make of it (`share_of_clamp`), and a gain up to that share of one nat.
Which candidates can be compared is decided from this, not from the difference.
"""

from typing import NamedTuple

import numpy as np

from information_parts.problem import Problem
from pfes.information import coupled_gradient
from rivals import botorch_information, plain_information
from rivals.botorch_information import CLAMP
from rivals.plain_information import Regions

__all__ = ["Comparable", "agree", "comparable"]

NEGLIGIBLE = 1e-9  # share of Z, and of a gain, that the clamp may move in a candidate that is compared
AGREEMENT = 1e-7  # largest relative error of a gain, and of a gradient (relative to its largest entry)


class Comparable(NamedTuple):
    clamped: np.ndarray  # (N,) the clamp's share of Z is not negligible: the mean lies above the front
    cancelled: np.ndarray  # (N,) negligible in Z, but not in a gain that small: deep inside
    touched: np.ndarray  # (N,) some cell's mass in some objective is below eps, whether or not it matters

    @property
    def kept(self) -> np.ndarray:
        return ~(self.clamped | self.cancelled)


def comparable(given: Problem, regions: Regions, gain: np.ndarray) -> Comparable:
    """Where BoTorch's arithmetic is good enough to be compared with."""
    share = plain_information.share_of_clamp(given.mean, given.std, regions, CLAMP)
    clamped = ~(share <= NEGLIGIBLE)
    cancelled = ~clamped & (share > NEGLIGIBLE * np.abs(gain))
    return Comparable(clamped, cancelled, plain_information.least_mass(given.mean, given.std, regions) < CLAMP)


def agree(given: Problem) -> list[str]:
    """Lines that say how well BoTorch, plain numpy and pfes agree; ends the program if they do not."""
    cells = botorch_information.partition(given.frontiers)
    regions = botorch_information.regions(cells)
    theirs = botorch_information.Search(given.mean, given.std, cells).gradient()
    ours = coupled_gradient(given.mean, given.std, given.frontiers)
    plain = plain_information.gain(given.mean, given.std, regions)
    compared = comparable(given, regions, ours[0])
    errors = {
        "values, pfes against BoTorch": _relative(ours[0], theirs[0]),
        "values, pfes against Theorem 1 in numpy on BoTorch's cells": _relative(ours[0], plain),
        "gradient in the mean, pfes against BoTorch": _relative(ours[1], theirs[1]),
        "gradient in the deviation, pfes against BoTorch": _relative(ours[2], theirs[2]),
    }
    largest = {what: error[compared.kept].max() for what, error in errors.items()}
    for what, error in largest.items():
        if not error <= AGREEMENT:
            raise SystemExit(f"no timing: {what}: relative error {error:.1e}, wanted at most {AGREEMENT:.0e}")
    worst = np.argmax(np.abs(theirs[0] - ours[0]))
    return [
        _who_is_compared(compared),
        *[f"{what}: largest relative error {error:.1e}" for what, error in largest.items()],
        f"largest difference among all candidates: BoTorch {theirs[0][worst]:.6g}, pfes {ours[0][worst]:.6g} nats",
    ]


def _who_is_compared(compared: Comparable) -> str:
    return (
        f"{compared.kept.sum()} of {len(compared.kept)} candidates compared; left out: {compared.clamped.sum()} "
        f"because BoTorch's clamp (mass per cell and objective at least {CLAMP:.1e}) can move Z by more than a share "
        f"of {NEGLIGIBLE:.0e}, {compared.cancelled.sum()} because it can move so small a gain by more than that share "
        f"(it touches some cell of {compared.touched.sum()} candidates, mostly to no effect)"
    )


def _relative(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """(N,) errors; a gradient's relative to its largest entry."""
    ours, theirs = ours.reshape(len(ours), -1), theirs.reshape(len(ours), -1)
    return np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max(axis=1)
