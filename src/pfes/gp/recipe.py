"""How a Gaussian process is set up: kernel, what is fitted and what is fixed, and what is believed beforehand.

All in standardised units: inputs in the unit cube, values of mean 0 and deviation 1.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfes.errors import InvalidInput
from pfes.gp.kernels import KERNELS

__all__ = ["Hyper", "LogNormal", "Recipe"]

Array = NDArray[np.float64]
MANY_GROUPS = 50  # beyond, one length scale for all and no main effects, unless asked otherwise


@dataclass(frozen=True)
class LogNormal:
    """Belief about a positive number p: log p ~ N(loc, scale^2), cut to low <= p <= high.

    Densities are those of p itself, not of log p, as is usual (BoTorch, GPyTorch); the mode is exp(loc - scale^2).
    """

    loc: float
    scale: float
    low: float = 0.0
    high: float = math.inf

    def mode(self) -> float:
        """The most probable value inside the bounds."""
        return min(max(math.exp(self.loc - self.scale**2), self.low), self.high)

    def log_density(self, log_value: Array) -> Array:
        """Log density of p, at log p (K,); the cut is not normalised away."""
        z = (log_value - self.loc) / self.scale
        constant = math.log(self.scale) + 0.5 * math.log(2.0 * math.pi)
        return np.asarray(-0.5 * z * z - log_value - constant)

    def slope(self, log_value: Array) -> Array:
        """Derivative of `log_density` with respect to log p (K,)."""
        return np.asarray((self.loc - log_value) / self.scale**2 - 1.0)

    def bounds(self) -> tuple[float, float]:
        """Low and high as logarithms."""
        return math.log(self.low) if self.low > 0.0 else -math.inf, math.log(self.high)

    def shifted(self, by: float) -> "LogNormal":
        """The same with `by` added to loc."""
        return LogNormal(self.loc + by, self.scale, self.low, self.high)


@dataclass(frozen=True, eq=False)
class Hyper:
    """The hyper-parameters of one Gaussian process, in standardised units."""

    kernel: str  # a name of kernels.KERNELS
    scales: Array  # (G,) a length scale per group of columns, or (D,) per column
    amplitude: float  # prior variance of the function
    noise: float  # variance of one measurement, where it is not known row by row
    mean: float  # prior mean of the function
    additive: float = 0.0  # w, the main effects' share of the amplitude (effects.py)

    def groups(self, groups: NDArray[np.integer]) -> NDArray[np.integer]:
        """(D,) the group of each column that the length scales are for: those given, or every column by itself."""
        return groups if len(self.scales) == int(np.max(groups, initial=-1)) + 1 else np.arange(len(groups))


# Priors of length scales: that of Hvarfner, Hellsten, Nardi 2024, and ours, of the same mode but narrower, because
# predictions from few data are better calibrated (docs/benchmarks.md, "Kernels").
_WIDE = LogNormal(math.sqrt(2.0), math.sqrt(3.0), 0.025, 1e4)
_NARROW = LogNormal(math.sqrt(2.0) - 3.0 + 1.2**2, 1.2, 0.025, 1e4)


@dataclass(frozen=True)
class Recipe:
    """How to set up a Gaussian process. The priors hold in 1 to 50 dimensions and more.

    kernel      "matern52", "rbf", or "auto": whichever of both is more probable; None: "auto" in a pool of numbers,
                else "matern52" (`settled`)
    isotropic   one length scale for all groups? None: only when there are more than MANY_GROUPS of them
    mean        "constant" (fitted) or "zero"
    amplitude   "fit" or a fixed prior variance
    noise       "fit" or a fixed variance; rows of known noise keep theirs
    additive    "fit" or a fixed share of main effects, 0 to 1; 0: interactions of all groups alone
    starts      how many times the fit begins anew
    alike       correlation of the length scales' logarithms between groups, 0 (each is believed alone) to below 1
    levels      "one" length scale for all levels of a category, one for "each", or "auto": for each where that is more
                probable (`fit.py`); always "one" with more than MANY_GROUPS columns, and for objectives together

    scale_prior is for one group and is moved by log(G)/2 for G of them: distances grow like the root of the dimension
    (Hvarfner, Hellsten, Nardi 2024). Length scales are believed alike: ten values tell how rough a function is, not how
    rough it is along each of five parameters; where they are, the prior's density is that of their geometric mean and
    of the logarithms of their ratios (`log_prior_of_scales`). mean_deviation is that of a normal prior on the constant
    mean, additive_deviation that of one on logit w, w the share of main effects. One group has no main effect beside
    itself, and more than MANY_GROUPS have none unless their share is given.
    """

    kernel: str | None = None
    isotropic: bool | None = None
    mean: Literal["constant", "zero"] = "constant"
    amplitude: float | Literal["fit"] = "fit"
    noise: float | Literal["fit"] = "fit"
    additive: float | Literal["fit"] = "fit"
    starts: int = 3
    alike: float = 0.83
    levels: Literal["one", "each", "auto"] = "one"
    scale_prior: LogNormal = field(default=_NARROW)
    amplitude_prior: LogNormal = field(default=LogNormal(2.25, 1.5, 1e-3, 1e3))
    noise_prior: LogNormal = field(default=LogNormal(-4.0, 1.0, 1e-6, 1e2))
    mean_deviation: float = 3.0
    additive_deviation: float = 1.5

    def __post_init__(self) -> None:
        if self.kernel is not None:
            _one_of("kernel", self.kernel, (*KERNELS, "auto"))
        _one_of("mean", self.mean, ("constant", "zero"))
        _one_of("levels", self.levels, ("one", "each", "auto"))
        _fit_or_positive("amplitude", self.amplitude)
        _fit_or_positive("noise", self.noise)
        _fit_or_share("additive", self.additive)
        if not 0.0 <= self.alike < 1.0:
            raise InvalidInput(f"alike: got {self.alike}, wanted a correlation from 0 to below 1; try 0.83")
        if self.starts < 1:
            raise InvalidInput(f"starts: got {self.starts}, wanted at least 1; try 3")

    @staticmethod
    def paper() -> "Recipe":
        """The set-up of Suzuki et al.: rbf, one length scale, zero mean, unit amplitude, noise variance 1e-4."""
        return Recipe(
            kernel="rbf",
            isotropic=True,
            mean="zero",
            amplitude=1.0,
            noise=1e-4,
            additive=0.0,
            alike=0.0,
            scale_prior=_WIDE,
        )

    @staticmethod
    def botorch() -> "Recipe":
        """BoTorch's default SingleTaskGP (since 0.12): rbf, a scale per group, free mean, amplitude 1, same priors."""
        return Recipe(
            kernel="rbf",
            isotropic=False,
            amplitude=1.0,
            additive=0.0,
            alike=0.0,
            scale_prior=LogNormal(math.sqrt(2.0), math.sqrt(3.0), 0.025, 1e8),
            noise_prior=LogNormal(-4.0, 1.0, 1e-4, 1e8),
            mean_deviation=math.inf,
        )

    def settled(self, *, numbers: bool) -> "Recipe":
        """With a kernel where none was given; numbers: for a pool without categories, which have no smoothness."""
        return self if self.kernel is not None else replace(self, kernel="auto" if numbers else "matern52")

    @property
    def kernels(self) -> tuple[str, ...]:
        """Those that a fit tries."""
        return tuple(KERNELS) if self.kernel == "auto" else (self.kernel or "matern52",)

    def is_isotropic(self, groups: int) -> bool:
        """Whether so many groups share one length scale."""
        return groups > MANY_GROUPS if self.isotropic is None else self.isotropic

    def prior_of_scales(self, groups: int) -> LogNormal:
        """The prior of each length scale with so many groups."""
        return self.scale_prior.shifted(0.5 * math.log(max(groups, 1)))

    def log_prior_of_scales(self, logs: Array, groups: int) -> tuple[float, Array]:
        """Log density of all length scales and its derivatives, at their logarithms logs (G,), or (1,) if all are one.

        Logarithms have covariance s^2 ((1 - a) I + a 11^T), a how much they are alike, whose inverse is in closed form.
        """
        prior, count, a = self.prior_of_scales(groups), len(logs), self.alike
        if not count:
            return 0.0, np.zeros(0)
        away, whole = logs - prior.loc, 1.0 + (count - 1) * a
        pulled = (away - a / whole * away.sum()) / (prior.scale**2 * (1.0 - a))
        power = 1.0 / count if a > 0.0 else 1.0  # of their geometric mean, or of each
        scatter = count * math.log(2.0 * math.pi * prior.scale**2) + (count - 1) * math.log1p(-a) + math.log(whole)
        value = -0.5 * float(away @ pulled) - 0.5 * scatter - power * float(logs.sum())
        return value, -pulled - power

    def fits_additive(self, groups: int) -> bool:
        """Whether the share of main effects of so many groups is fitted."""
        return self.additive == "fit" and 1 < groups <= MANY_GROUPS

    def mode(self, groups: int) -> Hyper:
        """What to believe before there are data: the priors' modes, the fixed values where fixed."""
        return Hyper(
            kernel=self.kernels[0],
            scales=np.full(groups, self._usual_scale(groups)),
            amplitude=self.amplitude_prior.mode() if self.amplitude == "fit" else self.amplitude,
            noise=self.noise_prior.mode() if self.noise == "fit" else self.noise,
            mean=0.0,
            additive=self._usual_additive(groups),
        )

    def _usual_scale(self, groups: int) -> float:
        prior = self.prior_of_scales(groups)
        if self.alike == 0.0 or self.is_isotropic(groups):
            return prior.mode()
        common = self.alike + (1.0 - self.alike) / max(groups, 1)  # of the logarithms' variance: their average's
        return replace(prior, scale=prior.scale * math.sqrt(common)).mode()  # of the geometric mean

    def _usual_additive(self, groups: int) -> float:
        if self.additive == "fit":
            return 0.5 if self.fits_additive(groups) else 0.0
        return self.additive if groups > 1 else 0.0


def _one_of(name: str, got: str, wanted: tuple[str, ...]) -> None:
    if got not in wanted:
        raise InvalidInput(f"{name}: got {got!r}, wanted one of {', '.join(map(repr, wanted))}")


def _fit_or_positive(name: str, got: Any) -> None:
    if got != "fit" and not (isinstance(got, (int, float)) and math.isfinite(got) and got > 0.0):
        raise InvalidInput(f'{name}: got {got!r}, wanted "fit" or a variance above 0; try "fit"')


def _fit_or_share(name: str, got: Any) -> None:
    if got != "fit" and not (isinstance(got, (int, float)) and 0.0 <= got <= 1.0):
        raise InvalidInput(f'{name}: got {got!r}, wanted "fit" or a share from 0 to 1; try "fit"')
