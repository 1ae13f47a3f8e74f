"""`pfes ask`: what to measure next, as a table, as CSV to be filled in, or as JSON."""

from pathlib import Path

import click

from pfes.cli.arguments import as_param, duration, json_option, opened, pair, study_argument
from pfes.cli.output import Output
from pfes.errors import Exhausted
from pfes.sheets import Style, trials_as_csv
from pfes.standing import trial_as_data
from pfes.study import Study
from pfes.trials import Trials

__all__ = ["ask_verb", "print_trials", "write_csv"]


@click.command()
@study_argument
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="How many trials.")
@click.option("--decoupled", is_flag=True, help="A trial may name single objectives, where that tells more per cost.")
@click.option("--confirm", is_flag=True, help="Measure, or complete, what adds most to what is held.")
@click.option(
    "--fix",
    "fixed",
    multiple=True,
    metavar="NAME=VALUE",
    type=pair,
    help="Hold a parameter (of a pool: a column) at a value.",
)
@click.option("--replicates", is_flag=True, help="Points already measured may be suggested again.")
@click.option(
    "--lease", metavar="TIME", type=duration, help="How long the trials are reserved: 12h, 7d.  [default: 30d]"
)
@click.option("--timeout", metavar="TIME", type=duration, help="Take the best found after this time.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with empty cells to fill in, for `pfes import`.")
@click.option("--excel", is_flag=True, help="CSV with semicolons and decimal commas.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the CSV to a file.")
@json_option
def ask_verb(
    study: str,
    name: str | None,
    count: int,
    decoupled: bool,
    confirm: bool,
    fixed: tuple[tuple[str, str], ...],
    replicates: bool,
    lease: float | None,
    timeout: float | None,
    as_csv: bool,
    excel: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Say what to measure next, and reserve it.

    A trial's purpose is to begin (before there is a model), to learn where the best trade-offs are, to confirm them, or
    to settle a doubt.
    """
    if as_json and (as_csv or excel):
        raise click.UsageError("got --json and CSV, wanted one of them.")
    it = opened(study, name)
    with Output().patiently("Looking for what tells most"):
        trials = it.ask(
            count,
            decoupled=decoupled,
            confirm=confirm,
            fixed={key: as_param(it, key, text) for key, text in fixed} or None,
            replicates=replicates,
            lease=lease,
            timeout=timeout,
        )
    if not trials:
        raise Exhausted(f"nothing to measure: {it.ended or 'others were given what was left'}")
    out = Output(as_json)
    if as_csv or excel or output:
        text = trials_as_csv(it, trials, Style.excel() if excel else Style(), asked=True)
        write_csv(text, output, f"{len(trials)} trials")
    elif not as_json:
        print_trials(it, trials, out)
        out.line(f"Then: pfes tell {study} {trials[0].id} {' '.join(f'{n}=...' for n in trials[0].objectives)}", "dim")
    out.data([trial_as_data(trial) for trial in trials])
    if len(trials) < count:
        out.warn(f"{len(trials)} of {count}: {it.ended or 'others were given what was left'}")


def print_trials(study: Study, trials: Trials, out: Output) -> None:
    """Trials to be measured, and the reason of each."""
    named = any(trial.row is not None for trial in trials)
    rows = [
        [t.id, *([t.row] if named else []), *t.params.values(), " + ".join(t.missing), t.cost, t.purpose]
        for t in trials
    ]
    out.table(["id", *(["row"] if named else []), *study.space.names, "measure", "cost", "purpose"], rows)
    same: dict[str, list[str]] = {}
    for trial in trials:
        same.setdefault(trial.reason, []).append(str(trial.id))
    for reason, ids in same.items():
        out.line(f"{', '.join(ids)}: {reason}", "dim")


def write_csv(text: str, output: Path | None, what: str) -> None:
    """CSV to a file, or to standard output as it is."""
    if output is None:
        click.echo(text.encode("utf-8"), nl=False)
        return
    output.write_bytes(text.encode("utf-8"))
    click.echo(f"Wrote {what} to {output}.", err=True)
