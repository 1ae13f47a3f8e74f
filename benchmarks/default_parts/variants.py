"""Ways of choosing that the default was compared with: one departure from it each, by name."""

import math
from collections.abc import Callable
from dataclasses import replace

from default_parts.relatives import register
from pfes.frontiers import FrontierSettings
from pfes.gp import Recipe
from pfes.maximise import MaximiserSettings
from pfes.task import Settings

__all__ = ["VARIANTS"]


register()


def _frontiers(**changes: object) -> Callable[[], Settings]:
    return lambda: Settings(frontiers=replace(FrontierSettings(), **changes))  # type: ignore[arg-type]


VARIANTS: dict[str, Callable[[], Settings]] = {
    "default": Settings,
    "information only": lambda: Settings(method="information"),
    "improvement only": lambda: Settings(method="ehvi"),
    "the paper": Settings.paper,
    "estimator power": lambda: Settings(estimator="power"),
    "estimator exact": lambda: Settings(estimator="exact"),
    "-log Z": lambda: Settings(method="minus log Z"),
    "PFEV": lambda: Settings(method="PFEV"),
    "a tenth of the resolution": lambda: Settings(method="tenth of the resolution"),
    "five times the resolution": lambda: Settings(method="five times the resolution"),
    "resolution falling to a half from five times": lambda: Settings(method="resolution falling"),
    "never wary": lambda: Settings(method="never wary"),
    "always wary": lambda: Settings(method="always wary"),
    "wary among numbers, too": lambda: Settings(method="wary among numbers"),
    "untried levels like others": lambda: Settings(method="untried levels like others"),
    "information, then improvement": lambda: Settings(method="half and half"),
    "learning place always": lambda: Settings(method="learning only"),
    "information times reach": lambda: Settings(method="information times reach"),
    "nats from the first": lambda: Settings(method="nats from the first"),
    "improvement trusted": lambda: Settings(method="improvement trusted"),
    "improvement in doubt": lambda: Settings(method="improvement in doubt"),
    "improvement in doubt, once in vain": lambda: Settings(method="improvement in doubt, once in vain"),
    "improvement in doubt, while little is held": lambda: Settings(method="improvement in doubt, while little is held"),
    "nats about the set, too": lambda: Settings(method="nats about the set, too"),
    "nats at the grain of the stakes": lambda: Settings(method="nats at the grain of the stakes"),
    "at the grain, untried levels sooner": lambda: Settings(method="at the grain, untried levels sooner"),
    "5 frontiers": _frontiers(count=5),
    "30 frontiers": _frontiers(count=30),
    "frontiers of 50 points": _frontiers(points=50),
    "without uphill steps": _frontiers(climb=False),
    "random features": _frontiers(kind="features"),
    "kernel rbf": lambda: Settings(recipe=Recipe(kernel="rbf")),
    "kernel by likelihood everywhere": lambda: Settings(recipe=Recipe(kernel="auto")),
    "kernel matern52 everywhere": lambda: Settings(recipe=Recipe(kernel="matern52")),
    "amplitude 1": lambda: Settings(recipe=Recipe(amplitude=1.0)),
    "kernel rbf, amplitude 1": lambda: Settings(recipe=Recipe(kernel="rbf", amplitude=1.0)),
    "without main effects": lambda: Settings(recipe=Recipe(additive=0.0)),
    "BoTorch's recipe": lambda: Settings(recipe=Recipe.botorch()),
    "length scales each for itself": lambda: Settings(recipe=Recipe(alike=0.0)),
    "length scales nearly the same": lambda: Settings(recipe=Recipe(alike=0.95)),
    "wide priors": lambda: Settings(
        recipe=replace(Recipe(), scale_prior=replace(Recipe().scale_prior, loc=math.sqrt(2.0), scale=math.sqrt(3.0)))
    ),
    "maximiser direct": lambda: Settings(maximiser=MaximiserSettings(kind="direct")),
    "maximiser, more effort": lambda: Settings(maximiser=MaximiserSettings(scan=2048, starts=16, iterations=50)),
}
