"""When to stop before the budget is spent: rules that look at the history of a run and give a reason, or none.

A rule is any function of a History that returns a text (the run ends, and the text says why) or None.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from pfes.errors import InvalidInput

__all__ = ["GainBelow", "History", "Plateau"]


@dataclass(frozen=True)
class History:
    """A run so far, one entry per trial evaluated in it, the newest last."""

    gains: tuple[float, ...] = ()  # per unit of cost, promised by the suggestions; nan where no model was asked
    hypervolumes: tuple[float, ...] = ()  # of the measured front afterwards; nan before there is one
    spent: tuple[float, ...] = ()  # in this run, afterwards
    held: tuple[int, ...] = ()  # points with every objective measured, afterwards

    def with_trial(self, gain: float, hypervolume: float, spent: float, held: int) -> "History":
        """The same and one more trial; gain per unit of cost."""
        return History((*self.gains, gain), (*self.hypervolumes, hypervolume), (*self.spent, spent), (*self.held, held))


Rule = Callable[[History], str | None]


@dataclass(frozen=True)
class GainBelow:
    """Stop when the last `rounds` suggestions each promised less than `level` (PFES: nats) per unit of cost."""

    level: float
    rounds: int = 3

    def __post_init__(self) -> None:
        if not math.isfinite(self.level):
            raise InvalidInput(f"GainBelow: got level {self.level!r}, wanted a finite number")
        _check_rounds("GainBelow", self.rounds)

    def __call__(self, history: History) -> str | None:
        """Say why to stop, or None. Trials chosen without a model do not count."""
        last = history.gains[-self.rounds :]
        if len(last) < self.rounds or not all(gain < self.level for gain in last):  # nan is not below
            return None
        return f"the last {self.rounds} suggestions each promised less than {self.level:g} per unit of cost"


@dataclass(frozen=True)
class Plateau:
    """Stop when the hypervolume of the measured front grew by less than `share` of itself in `rounds` trials.

    Only trials after which one more point has every objective measured count: others cannot change the front.
    """

    rounds: int
    share: float = 0.01

    def __post_init__(self) -> None:
        _check_rounds("Plateau", self.rounds)
        if not (math.isfinite(self.share) and self.share > 0.0):
            raise InvalidInput(f"Plateau: got share {self.share!r}, wanted a number above 0, such as 0.01")

    def __call__(self, history: History) -> str | None:
        """Say why to stop, or None. Nothing is said before the front dominates anything."""
        volumes = history.hypervolumes
        if history.held:
            before = (0, *history.held)
            volumes = tuple(v for v, a, b in zip(volumes, before, history.held, strict=False) if b > a)
        if len(volumes) <= self.rounds:
            return None
        old, new = volumes[-1 - self.rounds], volumes[-1]
        if not (old > 0.0 and new - old < self.share * old):  # nan: not yet
            return None
        return f"the hypervolume grew by less than {self.share:.3g} of itself in the last {self.rounds} trials"


def _check_rounds(name: str, rounds: int) -> None:
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidInput(f"{name}: got {rounds!r} rounds, wanted a whole number of 1 or more")
