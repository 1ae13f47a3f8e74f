"""What a study knew when it was asked, and what it answered."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pfes.ledger import Ledger, Wish
from pfes.trials import Trial

if TYPE_CHECKING:
    from pfes.gp import Fitted

__all__ = ["Answer", "Snapshot", "fits"]


@dataclass(frozen=True)
class Snapshot:
    """What a study knew when it was asked."""

    trials: tuple[Trial, ...]
    wishes: tuple[Wish, ...]
    ask: int  # number of the request: with the seed it gives the random numbers
    read: int  # how many events had happened
    hypers: "Fitted | None"

    @staticmethod
    def of(ledger: Ledger) -> "Snapshot":
        """What a ledger says now."""
        wishes = tuple(ledger.wishes.values())
        return Snapshot(tuple(ledger.trials.values()), wishes, ledger.asks, len(ledger.events), ledger.hypers)


@dataclass(frozen=True)
class Answer:
    """Payloads of "asked" events, and why there are fewer than wanted, if there are."""

    payloads: tuple[dict[str, Any], ...]
    ended: str = ""


def fits(cost: float, left: float) -> bool:
    """Whether a cost is within what is left, sums of decimal fractions being inexact."""
    return cost <= left + 1e-9 * cost
