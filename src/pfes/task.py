"""What a study is about and how it goes about it: values that do not change while it runs."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pfes.acquisition import ESTIMATORS, method_named
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, JointHyper, Recipe, checked_model
from pfes.maximise import MaximiserSettings
from pfes.objectives import Objectives
from pfes.space import Pool, Space

__all__ = ["Settings", "Task"]


@dataclass(frozen=True)
class Settings:
    """How suggestions are made; the defaults are ours, `Settings.paper()` is the paper's recipe.

    method      "pfes" (learn, then hold), "information" (learn only, as in the paper), or another of
                `pfes.acquisition.METHODS`
    initial     measured values every objective must have before a model is used
    model       "independent" objectives; believed together, as "coregional" or "latent"; or "auto", which leaves points
                out to find out (`pfes.gp.multitask.choose`)
    recipe      of the Gaussian processes
    refit       "always": hyper-parameters at every suggestion; "once": those of the first suggestion are kept
    hypers      hyper-parameters given, one per objective or of all together; nothing is fitted
    frontiers   how frontiers are sampled
    estimator   of the information: "matched", "power", "noisy" (single objectives only) or "exact" (resolution 0)
    maximiser   how the best point is found
    """

    method: str = "pfes"
    initial: int = 5
    recipe: Recipe = field(default_factory=Recipe)
    refit: Literal["always", "once"] = "always"
    hypers: tuple[Hyper, ...] | JointHyper | None = None
    frontiers: FrontierSettings = field(default_factory=FrontierSettings)
    estimator: str = "matched"
    maximiser: MaximiserSettings = field(default_factory=MaximiserSettings)
    model: str = "independent"

    def __post_init__(self) -> None:
        for name, kind in (("recipe", Recipe), ("frontiers", FrontierSettings), ("maximiser", MaximiserSettings)):
            if not isinstance(got := getattr(self, name), kind):
                raise InvalidInput(f"{name}: got {got!r}, wanted a {kind.__name__}; try {name}={kind.__name__}(...)")
        method_named(self.method)
        if self.estimator not in ESTIMATORS:
            raise InvalidInput(f"estimator: got {self.estimator!r}, wanted one of {', '.join(ESTIMATORS)}")
        if self.initial < 0:
            raise InvalidInput(f"initial: got {self.initial}, wanted 0 or more values per objective")
        if self.refit not in ("always", "once"):
            raise InvalidInput(f"refit: got {self.refit!r}, wanted 'always' or 'once'")
        if checked_model(self.model) != "independent" and self.frontiers.kind != "pathwise":
            raise InvalidInput(
                f"model: got {self.model!r} with frontiers of kind {self.frontiers.kind!r}, wanted 'pathwise' ones"
            )
        if self.hypers is not None and isinstance(self.hypers, JointHyper) == (self.model == "independent"):
            wanted = "one set for each objective" if self.model == "independent" else "a JointHyper"
            raise InvalidInput(f"hypers: got {type(self.hypers).__name__} for model {self.model!r}, wanted {wanted}")

    @staticmethod
    def paper(refit: Literal["always", "once"] = "always") -> "Settings":
        """The recipe of the paper, word for word; it stalls (theory 4) and is here to be compared with."""
        return Settings(
            method="information",
            recipe=Recipe.paper(),
            refit=refit,
            frontiers=FrontierSettings.paper(),
            estimator="exact",
            maximiser=MaximiserSettings(kind="direct"),
        )


@dataclass(frozen=True)
class Task:
    """Where to look, what for, how, and the seed of all randomness."""

    domain: Space | Pool
    objectives: Objectives
    settings: Settings = field(default_factory=Settings)
    seed: int = 0

    def __post_init__(self) -> None:
        method_named(self.settings.method).check(len(self.objectives), pool=isinstance(self.domain, Pool))
        if self.settings.hypers is not None:
            self._check_hypers(self.settings.hypers)

    def generator(self, *stream: int) -> np.random.Generator:
        """A random generator of its own for each stream of numbers."""
        return np.random.default_rng([self.seed, *stream])

    def _check_hypers(self, given: tuple[Hyper, ...] | JointHyper) -> None:
        """Whether hyper-parameters given are those of so many objectives and parameters."""
        groups = np.asarray(self.domain.groups)
        wanted = {int(groups.max(initial=-1)) + 1: "one per parameter"}
        if isinstance(given, JointHyper):
            count, every = len(given.noise), list(given.scales)
        else:
            count, every = len(given), [hyper.scales for hyper in given]
            wanted.setdefault(len(groups), "one per encoded column")  # a category has one for each of its levels
        if count != len(self.objectives):
            raise InvalidInput(
                f"hypers: got {count} sets of hyper-parameters, wanted one for each of {len(self.objectives)} "
                "objectives"
            )
        for scales in every:
            if len(scales) not in wanted:
                ways = " or ".join(f"{number}, {what}" for number, what in wanted.items())
                raise InvalidInput(
                    f"hypers: got {len(scales)} length scales, wanted {ways}; try hyper-parameters fitted in this "
                    "space or pool, or hypers=None"
                )
