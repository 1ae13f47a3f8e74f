"""The formulas behind the engineering problems: goals, and the margins by which constraints hold.

Every function takes points in the user's units, (N, d), and gives `Parts`; what they mean is said in engineering.py.
A margin below zero is a violation; a problem with margins has the sum of the violations as its last objective.
"""

from math import pi, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Parts", "beam", "car", "hatch", "injector", "spring", "truss", "vehicle"]

Array = npt.NDArray[np.float64]


class Parts(NamedTuple):
    """Goals (N, m) to be made small, and margins (N, c) that should not be negative; c may be 0."""

    goals: Array
    margins: Array

    @property
    def values(self) -> Array:
        """The objectives, (N, m) or, where there are margins, (N, m + 1)."""
        if not self.margins.shape[1]:
            return self.goals
        return np.column_stack([self.goals, np.maximum(0.0, -self.margins).sum(axis=1)])


def _parts(goals: list[Array], margins: list[Array]) -> Parts:
    return Parts(np.stack(goals, axis=1), np.stack(margins, axis=1) if margins else np.zeros((len(goals[0]), 0)))


def truss(natural: Array) -> Parts:
    """Four bars: cross-sections x1, ..., x4 [cm²] to volume [cm³] and displacement of the joint [cm]."""
    x1, x2, x3, x4 = natural.T
    volume = 200.0 * (2.0 * x1 + sqrt(2.0) * x2 + np.sqrt(x3) + x4)
    bend = 0.01 * (2.0 / x1 + 2.0 * sqrt(2.0) * (1.0 / x2 - 1.0 / x3) + 2.0 / x4)
    return _parts([volume, bend], [])


def beam(natural: Array) -> Parts:
    """Reinforced concrete beam: area of steel, width, depth to cost; margins of strength and of proportion."""
    steel, width, depth = natural.T
    strength = steel * depth - 7.735 * steel**2 / width - 180.0
    return _parts([29.4 * steel + 0.6 * width * depth], [strength, 4.0 - depth / width])


def hatch(natural: Array) -> Parts:
    """Hatch cover: flange thickness and beam height to weight; margins of bending, shear, deflection and buckling."""
    flange, height = natural.T
    bending = 4500.0 / (flange * height)
    deflection = 56.2e4 / (7e5 * flange * height**2)
    buckling = 7e5 * flange**2 / 100.0
    margins = [1.0 - bending / 700.0, 1.0 - 4.0 / height, 1.0 - deflection / 1.5, 1.0 - bending / buckling]
    return _parts([flange + 120.0 * height], margins)


def spring(natural: Array) -> Parts:
    """Coil spring: number of coils, outer diameter, wire diameter [inch] to volume of steel; five margins.

    The suite has a sixth margin, which is 0 by definition.
    """
    coils, outer, wire = natural.T
    index = outer / wire
    curvature = (4.0 * index - 1.0) / (4.0 * index - 4.0) + 0.615 / index
    stiffness = 11.5e6 * wire**4 / (8.0 * coils * outer**3)
    solid = 1.05 * (coils + 2.0) * wire
    preload, stroke = 300.0 / stiffness, 700.0 / stiffness
    free = 1000.0 / stiffness + solid
    margins = [
        189000.0 - 8.0 * curvature * 1000.0 * outer / (pi * wire**3),
        14.0 - free,
        index - 3.0,
        6.0 - preload,
        1.25 - stroke,
    ]
    return _parts([pi**2 * outer * wire**2 * (coils + 2.0) / 4.0], margins)


def vehicle(natural: Array) -> Parts:
    """Crashworthiness: five thicknesses [mm] to mass [kg], acceleration in the crash, and intrusion [m]."""
    a, b, c, d, e = natural.T
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    acceleration = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d
    acceleration += a * (0.0861 * e - 0.3695 * d - 0.1106 * a) + 0.3628 * b * d - 0.3437 * c**2 + 0.1764 * d**2
    intrusion = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c
    intrusion += b * (0.024 * c - 0.0073 * a - 0.0118 * d - 0.0241 * b) - c * (0.0204 * d + 0.008 * e) + 0.0109 * d**2
    return _parts([mass, acceleration, intrusion], [])


def injector(natural: Array) -> Parts:
    """Rocket injector: angle, areas of hydrogen and oxygen, tip thickness (all scaled) to three scaled quantities."""
    a, h, o, t = natural.T
    face = 0.692 + a * (0.477 - 0.167 * a - 0.0129 * h - 0.0634 * o - 0.0521 * t)
    face += h * (-0.687 + 0.0796 * h - 0.0257 * o + 0.00156 * t) + o * (-0.080 + 0.0877 * o + 0.00198 * t)
    face += t * (-0.0650 + 0.0184 * t)
    length = 0.153 + a * (-0.322 + 0.175 * a + 0.0185 * h - 0.251 * o + 0.0134 * t)
    length += h * (0.396 - 0.0701 * h + 0.179 * o + 0.0296 * t) + o * (0.424 + 0.0150 * o + 0.0752 * t)
    length += t * (0.0226 + 0.0192 * t)
    tip = 0.370 + a * (-0.205 - 0.135 * a + 0.0141 * h + 0.208 * o + 0.353 * t)
    tip += h * (0.0307 + 0.0998 * h - 0.0301 * o) + o * (0.108 - 0.226 * o - 0.0497 * t) + t * (1.019 - 0.423 * t)
    tip += a * (0.202 * h * a - 0.281 * o * a - 0.342 * h**2 - 0.184 * t**2 - 0.281 * h * o)
    tip += h * o * (0.281 * o - 0.245 * h)
    return _parts([face, length, tip], [])


def car(natural: Array) -> Parts:
    """Side impact: seven thicknesses [mm] to mass [kg], pubic force [kN], mean pillar velocity [mm/ms]; ten margins."""
    x1, x2, x3, x4, x5, x6, x7 = natural.T
    mass = 1.98 + 4.9 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 1e-5 * x6 + 2.73 * x7
    force = 4.72 - 0.5 * x4 - 0.19 * x2 * x3
    pillar = 10.58 - 0.674 * x1 * x2 - 0.67275 * x2
    door = 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6
    abdomen = 1.16 - 0.3717 * x2 * x4 - 0.0092928 * x3
    upper = 0.261 - 0.0159 * x1 * x2 - 0.06486 * x1 - 0.019 * x2 * x7 + 0.0144 * x3 * x5 + 0.0154464 * x6
    middle = 0.214 + 0.00817 * x5 - 0.0587118 * x1 + 0.03099 * x2 * x6 - 0.018 * x2 * x7 + 0.030408 * x3
    middle -= 0.00364 * x5 * x6 + 0.018 * x2**2
    lower = 0.74 - 0.61 * x2 - 0.031296 * x3 - 0.031872 * x7 + 0.227 * x2**2
    rib1 = 28.98 + 3.818 * x3 - 4.2 * x1 * x2 + 1.27296 * x6 - 2.68065 * x7
    rib2 = 33.86 + 2.95 * x3 - 5.057 * x1 * x2 - 3.795 * x2 - 3.4431 * x7 + 1.45728
    rib3 = 46.36 - 9.9 * x2 - 4.4505 * x1
    margins = [1.0 - abdomen, 0.32 - upper, 0.32 - middle, 0.32 - lower, 32.0 - rib1, 32.0 - rib2, 32.0 - rib3]
    margins += [4.0 - force, 9.9 - pillar, 15.7 - door]
    return _parts([mass, force, (pillar + door) / 2.0], margins)
