"""`pfes import` and `pfes export`: a study and a spreadsheet."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from pfes.cli.arguments import json_option, opened, study_argument
from pfes.cli.ask import write_csv
from pfes.cli.output import Output
from pfes.plots.words import counted
from pfes.sheets import Style, read_results, trials_as_csv
from pfes.space.csv_table import read_sheet, sheet_of
from pfes.standing import trial_as_data

__all__ = ["export_verb", "import_verb"]


@click.command()
@study_argument
@click.argument("file", metavar="RESULTS.csv", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--correct", is_flag=True, help="Values that differ replace those known.")
@click.option("--replicates", is_flag=True, help="Values that differ, of rows without an id, are second measurements.")
@click.option("--data", is_flag=True, help="Ids are another study's: every row is data from before.")
@click.option("--delimiter", help="What lies between the cells.  [default: found out]")
@json_option
def import_verb(
    study: str,
    name: str | None,
    file: Path,
    correct: bool,
    replicates: bool,
    data: bool,
    delimiter: str | None,
    as_json: bool,
) -> None:
    """Take in a table of results: all of it or, if anything is wrong with it, nothing.

    A row with the id of a trial tells that trial; without one it is found by its point, and is data from before if
    nobody asked for it. An empty cell means "not measured". The same table can be imported again as it grows. A study
    without trials takes over those of an exported table.
    """
    it = opened(study, name)
    if str(file) == "-":
        sheet = sheet_of(sys.stdin.buffer.read(), "standard input", delimiter)
    else:
        sheet = read_sheet(file, delimiter)
    results = read_results(it, sheet, numbers=not data)
    merged = it.merge(results.rows, correct=correct, replicates=replicates)
    out = Output(as_json)
    if results.ignored:
        out.warn(f"the columns {', '.join(results.ignored)} mean nothing here and were left out")
    if not merged.told and not merged.added:
        out.line(f"Nothing new in {len(results.rows)} rows.")
    else:
        told, added = counted(len(merged.told), "trial"), counted(len(merged.added), "row")
        out.line(f"{told} told, {added} added, {merged.unchanged} without news.")
    if merged.released:
        out.warn(
            f"trials {', '.join(map(str, merged.released))} were pending where the table comes from; they are released "
            "here, and what is told of them is taken"
        )
    if merged.rejected:
        out.warn(f"{len(merged.rejected)} rows are of data that were rejected and were left out: {merged.rejected[0]}")
    out.data(asdict(merged) | {"ignored": results.ignored})


@click.command()
@study_argument
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@click.option("--excel", is_flag=True, help="Semicolons and decimal commas, as Excel has them in much of Europe.")
@click.option("--pending", is_flag=True, help="Only trials that are waiting for results.")
@json_option
def export_verb(study: str, name: str | None, output: Path | None, excel: bool, pending: bool, as_json: bool) -> None:
    """Write all trials as CSV, which `pfes import` understands.

    An empty cell means "not measured". Texts that a spreadsheet would run as formulas begin with an apostrophe.
    """
    it = opened(study, name)
    trials = it.pending() if pending else it.trials()
    if as_json:
        Output(as_json).data([trial_as_data(trial) for trial in trials])
        return
    text = trials_as_csv(it, trials, Style.excel() if excel else Style())
    write_csv(text, output, f"{len(trials)} trials")
