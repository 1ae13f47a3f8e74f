"""What there is to say of a method of choosing: its name, what it does, what it needs and what it can."""

from collections.abc import Callable
from dataclasses import dataclass

from pfes.acquisition.protocol import Acquisition
from pfes.acquisition.situation import Situation
from pfes.errors import InvalidInput

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """A way to choose what to measure: a model-based acquisition, or (build None) points spread by a plain design."""

    name: str
    summary: str  # a line: what it does
    build: Callable[[Situation], Acquisition] | None
    promise: str = ""  # what a gain means: "is expected to {promise}"
    source: str = ""  # who proposed it
    needs: str = ""  # beyond measurements: "a reference point"
    decoupled: bool = False  # can name single objectives
    pools: bool = True
    spaces: bool = True  # continuous and mixed ones
    batch: bool = True  # takes account of measurements under way
    together: bool = False  # looks at how the errors of objectives go together, where they are believed together
    least: int = 1  # objectives
    most: int | None = None
    informed: bool = False  # weighs options by an estimator of the information
    signed: bool = False  # gains below 0 are part of its definition: the best of them is chosen, not doubted

    def check(self, objectives: int, *, pool: bool) -> None:
        """Refuse what it cannot do: so many objectives, a pool, or a space."""
        if pool and not self.pools:
            raise InvalidInput(f"method: {self.name!r} searches spaces only, and got a pool; try method='pfes'")
        if not pool and not self.spaces:
            raise InvalidInput(
                f"method: {self.name!r} chooses from pools only, and got a space; try a Pool of candidates, or "
                "method='pfes'"
            )
        if objectives < self.least or objectives > (self.most or objectives):
            raise InvalidInput(
                f"method: {self.name!r} is made for {self.counts} objectives, and got {objectives}; try method='pfes'"
            )

    @property
    def counts(self) -> str:
        """How many objectives it can have, in words."""
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.most == self.least else f"{self.least} to {self.most}"
