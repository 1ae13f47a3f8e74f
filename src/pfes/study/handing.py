"""Handing trials out while others ask, too: computed without a lock, written under one, never the same point twice.

A suggestion takes seconds, so nothing is locked while it is made. When it is to be written, others may have been
quicker. Where their points clash with ours, or a model should have known of them, it is made again from what is known
then; points chosen without a model are made with alternatives, so that all who ask at once soon get one each.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pfes.errors import StorageError
from pfes.ledger import Ledger
from pfes.points import read
from pfes.storage import Desk
from pfes.study.journal import Draft, Journal
from pfes.study.snapshot import Answer, Snapshot, fits
from pfes.trials import TrialState

__all__ = ["PEOPLE", "WORKERS", "Handing", "expire", "hand_out"]

PEOPLE = 30 * 24 * 3600.0  # seconds that a person may take over a trial
WORKERS = 600.0  # seconds without a sign of life after which a worker is given up
FRESH = 3  # how often a model is asked again because others were given points; after that only if they clash
MOST_TRIES = 100
EXPIRED = "the lease ran out before anything final was told"


@dataclass(frozen=True)
class Handing:
    """What is wanted: how many trials, for how many seconds, and what all trials of the study may cost (or inf)."""

    count: int
    lease: float
    budget: float

    def left(self, ledger: Ledger) -> float:
        """What may still be handed out, in units of cost."""
        if math.isinf(self.budget):
            return math.inf
        return self.budget - math.fsum(trial.spent + trial.reserved for trial in ledger.trials.values())


Make = Callable[[Snapshot, int, float], Answer]


def hand_out(journal: Journal, wanted: Handing, make: Make) -> list[int]:
    """Numbers of the trials handed out; make(snapshot, count, limit of cost) suggests them."""
    expire(journal)
    extra = 0
    for tries in range(MOST_TRIES):
        with journal.now() as ledger:
            snapshot, left = Snapshot.of(ledger), wanted.left(ledger)
        found = make(snapshot, wanted.count + extra, left)
        attempt = _Attempt(wanted, snapshot, found, tries)
        events = journal.write(attempt.decide)
        if not attempt.again:
            return [event.trial for event in events if event.trial is not None]
        extra = tries + 1 if not attempt.modelled or tries >= FRESH else 0
    raise StorageError(f"others were given the same points {MOST_TRIES} times in a row; try ask again")


class _Attempt:
    """An answer that is to be written, and whether it has to be made again."""

    def __init__(self, wanted: Handing, snapshot: Snapshot, found: Answer, tries: int) -> None:
        self.wanted, self.snapshot, self.found, self.tries = wanted, snapshot, found, tries
        self.modelled = any(payload["hypers"] is not None for payload in found.payloads)
        self.again = False

    def decide(self, ledger: Ledger, desk: Desk) -> list[Draft]:
        """The events to write; none if the answer has to be made again."""
        good = self._usable(ledger)
        crowded = len(ledger.trials) > len(self.snapshot.trials) and self.modelled and self.tries < FRESH
        self.again = crowded or len(good) < min(self.wanted.count, len(self.found.payloads))
        if self.again:
            return []
        drafts: list[Draft] = []
        for number, payload in enumerate(good, ledger.next_id):
            drafts.append(("asked", number, {**payload, "tries": self.tries}))
            desk.hold(number, self.wanted.lease)
        said = "" if good else ledger.ended  # what is handed out takes the end back
        if len(good) < self.wanted.count and self.found.ended != said:
            drafts.append(("ended", None, {"reason": self.found.ended}))
        return drafts

    def _usable(self, ledger: Ledger) -> list[dict[str, Any]]:
        """As many of the answer's payloads as are wanted, without those that others have made impossible."""
        taken = {trial.point.key for trial in list(ledger.trials.values())[len(self.snapshot.trials) :]}
        left = self.wanted.left(ledger)
        good: list[dict[str, Any]] = []
        for payload in self.found.payloads[: None if taken else self.wanted.count]:
            wish = payload["queued"]
            free = read(ledger.domain, payload["point"]).key not in taken if wish is None else wish in ledger.wishes
            if free and fits(payload["cost"], left) and len(good) < self.wanted.count:
                good.append(payload)
                left -= payload["cost"]
        return good


def expire(journal: Journal) -> list[int]:
    """Release the pending trials whose leases have run out; their numbers."""
    overdue = journal.overdue()
    if not overdue:
        return []
    events = journal.write(lambda ledger, desk: _expired(ledger, desk, overdue))
    return [event.trial for event in events if event.trial is not None]


def _expired(ledger: Ledger, desk: Desk, overdue: Sequence[int]) -> list[Draft]:
    leases = desk.leases()  # they may have been extended since we looked
    late = [trial for trial in overdue if trial in leases and leases[trial].left < 0.0]
    for trial in late:
        desk.drop(trial)
    pending = [trial for trial in late if ledger.trials[trial].state is TrialState.PENDING]
    return [("expired", trial, {"message": EXPIRED}) for trial in pending]
