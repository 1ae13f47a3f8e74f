"""`pfes report`: what was asked, what was found, how sure we are, what to do next, as a file for a colleague."""

from pathlib import Path

import click

from pfes.cli.arguments import json_option, opened, study_argument
from pfes.cli.output import Output

__all__ = ["report_verb"]


@click.command()
@study_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The file: .html, .md (its pictures beside it) or .png.",
)
@click.option("--no-model", is_flag=True, help="Only what was measured: quick for thousands of measurements.")
@click.option("--no-suggestion", is_flag=True, help="Do not compute what would be suggested now.")
@json_option
def report_verb(study: str, name: str | None, output: Path, no_model: bool, no_suggestion: bool, as_json: bool) -> None:
    """Write a report for a colleague: what was asked, what was found, how sure we are, what to do next.

    A page needs nothing but a browser: no script, no network. The study is not changed: what would be suggested now
    is shown, not reserved.
    """
    it, out = opened(study, name), Output(as_json)
    with out.patiently("Writing the report"):
        files = it.report(output, model=not no_model, suggest=not no_suggestion)
    others = f" and {len(files) - 1} pictures beside it" if len(files) > 1 else ""
    out.line(f"Wrote {files[0]}{others}.")
    out.data({"files": [str(file) for file in files]})
