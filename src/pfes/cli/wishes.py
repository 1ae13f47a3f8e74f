"""`pfes enqueue` and `pfes note`: what the experimenter wants, and wants written down."""

import click

from pfes.cli.arguments import as_point, json_option, opened, pair, study_argument
from pfes.cli.output import Output
from pfes.standing import trial_as_data

__all__ = ["enqueue_verb", "note_verb"]


@click.command()
@study_argument
@click.argument("point", metavar="NAME=VALUE...", nargs=-1, required=True, type=pair)
@click.option("--measure", "objectives", multiple=True, metavar="OBJECTIVE", help="What to measure.  [default: all]")
@json_option
def enqueue_verb(
    study: str, name: str | None, point: tuple[tuple[str, str], ...], objectives: tuple[str, ...], as_json: bool
) -> None:
    """Have a point measured before any other: pfes enqueue battery.db x=0.1 t=400, or row=M07 of a pool."""
    it, out = opened(study, name), Output(as_json)
    params = as_point(it, point)
    it.enqueue(params, objectives or None)
    out.line(f"Enqueued: {', '.join(f'{key}={value}' for key, value in params.items())}. The next ask gives it.")
    out.data({"enqueued": params, "objectives": objectives or it.objectives.names})


@click.command()
@study_argument
@click.argument("number", metavar="ID", type=int)
@click.argument("text", metavar="TEXT")
@json_option
def note_verb(study: str, name: str | None, number: int, text: str, as_json: bool) -> None:
    """Write something down beside a trial."""
    it, out = opened(study, name), Output(as_json)
    trial = it.note(number, text)
    out.line(f"Noted beside trial {trial.id}.")
    out.data(trial_as_data(trial))
