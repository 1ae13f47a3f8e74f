"""`pfes pending`, `release`, `extend`, `reject`: trials that were asked for, and what can be done about them."""

import click

from pfes.cli.arguments import duration, json_option, opened, study_argument, trial_ids
from pfes.cli.output import Output
from pfes.standing import pending_table, time_left, trial_as_data
from pfes.study import Study

__all__ = ["extend_verb", "pending_verb", "reject_verb", "release_verb"]


@click.command()
@study_argument
@json_option
def pending_verb(study: str, name: str | None, as_json: bool) -> None:
    """List the trials that were asked for and not told in full, and how long they are still reserved."""
    it, out = opened(study, name), Output(as_json)
    left = it.leases()
    trials = it.pending()
    if not trials:
        out.line("Nothing is pending.")
    else:
        out.table(*pending_table(it, trials, left))
    out.data([trial_as_data(trial) | {"lease": left.get(trial.id)} for trial in trials])


@click.command()
@study_argument
@trial_ids
@click.option("--reason", default="", help="Why.")
@json_option
def release_verb(study: str, name: str | None, ids: tuple[int, ...], reason: str, as_json: bool) -> None:
    """Give pending trials back: what was not measured is not charged, and the points may be suggested again."""
    it, out = opened(study, name), Output(as_json)
    found = [it.release(number, reason) for number in _each(it, ids)]
    out.line(f"Released: {', '.join(str(trial.id) for trial in found)}.")
    out.data([trial_as_data(trial) for trial in found])


@click.command()
@study_argument
@trial_ids
@click.option("--for", "seconds", metavar="TIME", type=duration, help="From now: 12h, 7d.  [default: as last time]")
@json_option
def extend_verb(study: str, name: str | None, ids: tuple[int, ...], seconds: float | None, as_json: bool) -> None:
    """Reserve pending trials for longer."""
    it, out = opened(study, name), Output(as_json)
    found = [it.extend(number, seconds) for number in _each(it, ids)]
    left = it.leases()
    for trial in found:
        out.line(f"Trial {trial.id} is reserved: {time_left(left.get(trial.id))}.")
    out.data([trial_as_data(trial) | {"lease": left.get(trial.id)} for trial in found])


@click.command()
@study_argument
@click.argument("number", metavar="ID", type=int)
@click.argument("reason", metavar="WHY")
@json_option
def reject_verb(study: str, name: str | None, number: int, reason: str, as_json: bool) -> None:
    """Refuse a suggestion, whose point then does not come back; or have the data of a trial no longer used."""
    it, out = opened(study, name), Output(as_json)
    trial = it.reject(number, reason)
    out.line(f"Trial {trial.id} is rejected: {'its data are not used any more' if trial.values else reason}.")
    out.data(trial_as_data(trial))


def _each(study: Study, ids: tuple[int, ...]) -> list[int]:
    """The trials, all of them there: a wrong number is found before anything is done."""
    return [study.trial(number).id for number in dict.fromkeys(ids)]
