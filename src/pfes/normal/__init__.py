"""Normal probabilities, stable in both tails: the only place where they are written.

    univariate   densities, tails, intervals, truncated moments of one normal
    panels       Gauss-Legendre rules for integrands that are pieces of a normal
    bivariate    P(lower < z <= upper) of two correlated normals, to full relative accuracy, with its gradient
    trivariate   the same of three, to 1e-10
    quantile     places in an interval by their share of its mass
    lattice      points that fill a cube evenly
    sequence     a box one variable after the other: Genz's method, tilted towards far boxes
    boxes        boxes of any number of normals, with an error estimate; box_gradient has their derivatives

Scalar functions are compiled into the kernels of other modules; the rest takes arrays.
"""

from pfes.normal.bivariate import (
    BoxGradient,
    bivariate_below,
    bivariate_box,
    bivariate_box_gradient,
    bivariate_mass,
)
from pfes.normal.box_gradient import box_gradient
from pfes.normal.boxes import Probability, box
from pfes.normal.trivariate import trivariate_box
from pfes.normal.univariate import (
    FAR,
    INV_ROOT_2PI,
    LOG_ROOT_2PI,
    Truncated,
    below_moments,
    cdf,
    density,
    exp_negative,
    log_cdf,
    log_interval,
    mills,
    mills_and_gap,
    mills_moments,
    pdf,
    sf,
    smaller_tail,
    tails,
    truncate,
    truncated,
    x_pdf,
)

__all__ = [
    "FAR",
    "INV_ROOT_2PI",
    "LOG_ROOT_2PI",
    "BoxGradient",
    "Probability",
    "Truncated",
    "below_moments",
    "bivariate_below",
    "bivariate_box",
    "bivariate_box_gradient",
    "bivariate_mass",
    "box",
    "box_gradient",
    "cdf",
    "density",
    "exp_negative",
    "log_cdf",
    "log_interval",
    "mills",
    "mills_and_gap",
    "mills_moments",
    "pdf",
    "sf",
    "smaller_tail",
    "tails",
    "trivariate_box",
    "truncate",
    "truncated",
    "x_pdf",
]
