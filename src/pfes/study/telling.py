"""What may be told of a trial: a user's values and verdicts, checked against what is known already.

The result is what has to be written down: (kind, payload) pairs for a ledger, none where nothing is new.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pfes.errors import Conflict, InvalidInput
from pfes.ledger import VERDICTS
from pfes.objectives import Objectives
from pfes.trials import Trial, TrialState

__all__ = ["Told", "checked_noise", "closes", "news", "reject", "release"]

News = tuple[str, dict[str, Any]]
OPEN = (TrialState.PENDING, TrialState.RELEASED)  # nobody has said anything final yet


@dataclass(frozen=True)
class Told:
    """What a user says about a trial; verdicts are texts that say why."""

    values: Any = None
    failed: str | None = None
    infeasible: str | None = None
    abandoned: str | None = None
    noise: Any = None
    correct: bool = False

    @property
    def verdicts(self) -> dict[str, Any]:
        """The verdicts that were given, by kind."""
        given = {"failed": self.failed, "infeasible": self.infeasible, "abandoned": self.abandoned}
        return {kind: message for kind, message in given.items() if message is not None}


def news(trial: Trial, told: Told, objectives: Objectives) -> list[News]:
    """What is new in what was told; Conflict where it contradicts what is known, unless it is a correction."""
    if len(told.verdicts) > 1:
        raise InvalidInput(f"trial {trial.id}: got {' and '.join(told.verdicts)}, wanted one of them")
    values = _by_name(trial, told.values, objectives)
    if not values and not told.verdicts:
        raise InvalidInput(
            f"trial {trial.id}: got nothing, wanted values such as {{{trial.objectives[0]!r}: 1.0}}, or one of "
            "failed='why', infeasible='why', abandoned='why'"
        )
    found = _new_values(trial, values, checked_noise(told.noise, values), told.correct)
    rest = [name for name in trial.missing if name not in values]
    for kind, message in told.verdicts.items():
        found += _new_verdict(trial, kind, message, told.correct, rest)
    return found


def _by_name(trial: Trial, values: Any, objectives: Objectives) -> dict[str, float]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        if len(trial.objectives) != 1 or isinstance(values, str) or np.ndim(values):
            raise InvalidInput(f"trial {trial.id}: got {values!r}, wanted {{name: value}} for {list(trial.objectives)}")
        values = {trial.objectives[0]: values}
    return objectives.checked(values)


def checked_noise(noise: Any, values: Mapping[str, float]) -> dict[str, float]:
    """Known standard deviations of values, given as one number for all of them or by name."""
    if noise is None:
        return {}
    given = noise if isinstance(noise, Mapping) else dict.fromkeys(values, noise)
    if stray := [name for name in given if name not in values]:
        raise InvalidInput(f"noise: got one of {stray}, wanted it with a value, for names among {list(values)}")
    for name, deviation in given.items():
        good = isinstance(deviation, int | float | np.number) and not isinstance(deviation, bool)
        if not good or not math.isfinite(deviation) or deviation < 0.0:
            raise InvalidInput(f"noise of {name!r}: got {deviation!r}, wanted a finite standard deviation >= 0")
    return {name: float(deviation) for name, deviation in given.items()}


def _new_values(trial: Trial, values: dict[str, float], noise: dict[str, float], correct: bool) -> list[News]:
    for what, old, new in (("", trial.values, values), ("noise of ", trial.noise, noise)):
        for name in new:
            if name in old and old[name] != new[name] and not correct:
                raise Conflict(
                    f"trial {trial.id}, {what}{name!r}: got {new[name]!r}, but {old[name]!r} was told before; try "
                    "correct=True if the earlier value was wrong; a repeated measurement is a trial of its own"
                )
    changed = [n for n in values if trial.values.get(n) != values[n] or (n in noise and trial.noise.get(n) != noise[n])]
    if not changed:
        return []
    kept = {name: noise.get(name, trial.noise.get(name)) for name in changed}
    known = {name: deviation for name, deviation in kept.items() if deviation is not None}
    return [("told", {"values": {name: values[name] for name in changed}, "noise": known})]


def _new_verdict(trial: Trial, kind: str, message: Any, correct: bool, rest: list[str]) -> list[News]:
    _check_text(f"trial {trial.id}, {kind}", message)
    if trial.state == kind and trial.message == message:
        return []
    if not rest or not trial.usable:
        known = "all that was asked for is told" if not rest else f"its data were rejected{_because(trial)}"
        raise Conflict(
            f"trial {trial.id}: got {kind}={message!r}, but {known}; try reject({trial.id}, {message!r}) if its values "
            "are not to be used"
        )
    refused = trial.state is TrialState.REJECTED
    if trial.state not in OPEN and not refused and not correct:
        raise Conflict(
            f"trial {trial.id}: got {kind}={message!r}, but it is {trial.state}{_because(trial)}; try correct=True "
            "if that was wrong"
        )
    return [(kind, {"message": message})]


def _because(trial: Trial) -> str:
    return f" ({trial.message!r})" if trial.message else ""


def _check_text(what: str, text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidInput(f"{what}: got {text!r}, wanted a text that says why")


def closes(trial: Trial, found: list[News]) -> bool:
    """Whether news end the wait for a trial: a verdict, or the last of its values."""
    told = {name for kind, payload in found if kind == "told" for name in payload["values"]}
    return any(kind in VERDICTS for kind, _ in found) or (bool(told) and told >= set(trial.missing))


def release(trial: Trial, message: str) -> list[News]:
    """Give a pending trial back."""
    _check_text(f"trial {trial.id}, release", message)
    if trial.state is TrialState.RELEASED:
        return []
    if trial.state is not TrialState.PENDING:
        raise InvalidInput(f"release: trial {trial.id} is {trial.state}, wanted a pending one; see pending()")
    return [("released", {"message": message})]


def reject(trial: Trial, message: str) -> list[News]:
    """Refuse a suggestion, or set the data of a trial aside."""
    _check_text(f"trial {trial.id}, reject", message)
    nothing_new = trial.usable == (not trial.values)
    if trial.state is TrialState.REJECTED and trial.message == message and nothing_new:
        return []
    return [("rejected", {"message": message})]
