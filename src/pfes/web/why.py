"""Why something is to be measured, in one sentence for an experimenter; the reason of a trial has the numbers."""

from pfes.study import Study
from pfes.trials import Trial

__all__ = ["in_short"]


def in_short(study: Study, trial: Trial) -> str:
    """One plain sentence; empty where pfes did not choose, whose reason is plain itself."""
    if trial.purpose not in ("begin", "learn", "confirm", "doubt"):
        return ""
    names = trial.objectives
    some = len(names) < len(study.objectives)
    what = f"Measure {'only ' if some else ''}{_listed(names)} here"
    if trial.purpose == "begin":
        lot = "drawn at random" if study.method == "random" else "one of those that are spread evenly"
        return f"{what} to see what is there: the point is {lot}, and no model chose it."
    if trial.purpose == "confirm":
        best = "the best value" if len(study.objectives) == 1 else "one of the best trade-offs"
        return f"{what} to confirm: {best} is expected at this point, and a measurement makes it sure."
    if trial.purpose == "doubt":
        return f"{what} in doubt: the model sees little left to find, and this is where it would show if it errs."
    if not some:
        return f"{what} to learn: of all points looked at, this one promises most for its cost."
    cheap = _cheaper(study, trial)
    return f"{what}: {f'it is {cheap} and promises' if cheap else 'that promises'} most for its cost."


def _cheaper(study: Study, trial: Trial) -> str:
    """What to say of an objective that costs less than each of the others."""
    others = [item.cost for item in study.objectives if item.name not in trial.objectives]
    if len(trial.objectives) > 1 or trial.cost >= min(others):
        return ""
    return "the cheaper one" if len(others) == 1 else "the cheapest one"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
