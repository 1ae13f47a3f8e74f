"""`pfes tell`: what came of a trial."""

import click

from pfes.cli.arguments import json_option, opened, pair, study_argument
from pfes.cli.output import Output
from pfes.display import cell
from pfes.sheets.cells import typed_number
from pfes.standing import trial_as_data
from pfes.trials import Trial

__all__ = ["tell_verb"]


@click.command()
@study_argument
@click.argument("number", metavar="ID", type=int)
@click.argument("values", metavar="[NAME=VALUE]...", nargs=-1, type=pair)
@click.option("--failed", metavar="WHY", help="The measurement did not work; it is charged and not asked for again.")
@click.option("--infeasible", metavar="WHY", help="The point can never be measured; where such points lie is learned.")
@click.option("--abandoned", metavar="WHY", help="Given up; the point may be suggested again.")
@click.option("--correct", is_flag=True, help="These values replace earlier ones.")
@click.option("--noise", "noises", multiple=True, metavar="NAME=VALUE", type=pair, help="Known deviation of a value.")
@json_option
def tell_verb(
    study: str,
    name: str | None,
    number: int,
    values: tuple[tuple[str, str], ...],
    failed: str | None,
    infeasible: str | None,
    abandoned: str | None,
    correct: bool,
    noises: tuple[tuple[str, str], ...],
    as_json: bool,
) -> None:
    """Say what came of a trial: pfes tell battery.db 3 conductivity=1.2e-3 energy=-3.1

    Values may come in any order and in parts; telling the same again changes nothing.
    """
    if twice := [key for i, (key, _) in enumerate(values) if key in dict(values[:i])]:
        raise click.UsageError(f"got {twice[0]!r} twice, wanted one value.")
    it = opened(study, name)
    told = {key: typed_number(text, key) for key, text in values}
    known = {key: typed_number(text, f"--noise {key}") for key, text in noises}
    trial = it.tell(
        number,
        told or None,
        failed=failed,
        infeasible=infeasible,
        abandoned=abandoned,
        correct=correct,
        noise=known or None,
    )
    out = Output(as_json)
    out.line(_words(trial))
    out.data(trial_as_data(trial))


def _words(trial: Trial) -> str:
    told = ", ".join(f"{key} {cell(value)}" for key, value in trial.values.items())
    waits = f"; still waiting for {', '.join(trial.missing)}" if trial.state == "pending" else ""
    why = f" ({trial.message})" if trial.message and trial.state != "done" else ""
    verb = "failed" if trial.state == "failed" else f"is {trial.state}"
    return f"Trial {trial.id} {verb}{why}{f': {told}' if told else ''}{waits}."
