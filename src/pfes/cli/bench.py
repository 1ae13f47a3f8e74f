"""`pfes bench`: methods compared on problems, and the paper's experiments rerun."""

from functools import partial
from pathlib import Path

import click

from pfes.cli.arguments import json_option
from pfes.cli.cluster import dask_client
from pfes.cli.output import Output

__all__ = ["bench_verb"]


@click.group()
def bench_verb() -> None:
    """Compare methods on problems; rerun the paper's experiments.

    pfes bench list

    pfes bench run comparison.toml -o results.jsonl --processes 4

    pfes bench report results.jsonl -o report
    """


@bench_verb.command("list")
@json_option
def list_verb(as_json: bool) -> None:
    """List the experiments that pfes brings along; each can be run by its name."""
    from pfes.bench import read_experiment, shipped  # noqa: PLC0415 - loads models

    rows = []
    for name in shipped():
        it = read_experiment(name).experiment
        many = len(it.each_seed) * len(it.problems) * len(it.methods) * max(len(it.train), 1)
        rows.append((name, it.kind, many, it.title))
    out = Output(as_json)
    out.table(["experiment", "kind", "runs", "what it is"], rows)
    out.line("Next: pfes bench show NAME, or pfes bench run NAME -o results.jsonl", "dim")
    out.data([{"name": name, "kind": kind, "runs": runs, "title": title} for name, kind, runs, title in rows])


@bench_verb.command("show")
@click.argument("name")
def show_verb(name: str) -> None:
    """Print a shipped experiment, to be changed and run as your own."""
    from pfes.bench import read_experiment  # noqa: PLC0415 - loads models

    click.echo(read_experiment(name).path.read_text(encoding="utf-8"), nl=False)


@bench_verb.command("run")
@click.argument("experiment", metavar="FILE.toml | NAME")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=Path("results.jsonl"), show_default=True,
    help="The file of results; what is finished there is not repeated.",
)  # fmt: skip
@click.option("--processes", type=click.IntRange(min=1), help="Run so many searches at a time.  [default: 1]")
@click.option("--dask", "address", metavar="ADDRESS", help="Run on a dask cluster: tcp://host:8786, or local.")
@click.option("--data", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A folder of CSV files.")
@click.option("--again", is_flag=True, help="Run once more what failed.")
@click.option(
    "--known", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
    help="Another file of results: its runs of the same settings are taken over.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Show no progress.")
@json_option
def run_verb(
    experiment: str,
    output: Path,
    processes: int | None,
    address: str | None,
    data: Path | None,
    again: bool,
    known: tuple[Path, ...],
    quiet: bool,
    as_json: bool,
) -> int:
    """Run an experiment: a TOML file, or a shipped one by its name.

    Every finished run is saved at once. Interrupted, even killed, the same command goes on where it stopped.
    """
    from pfes.bench import run  # noqa: PLC0415 - loads models

    out = Output(as_json)
    begin = partial(run, experiment, output, processes=processes, data=data, again=again, known=known)
    if address is None:
        outcome = begin(progress=not quiet)
    else:
        with dask_client(address, processes) as client:
            outcome = begin(executor=client, progress=not quiet)
    for row, why in outcome.left_out.items():
        out.warn(f"{row} was left out: {why}.")
    failed = f", {outcome.failed} of them failed" if outcome.failed else ""
    taken = f" ({outcome.taken} known from other runs)" if outcome.taken else ""
    out.line(f"{outcome.done} runs made{taken}{failed}, {outcome.before} were there; {outcome.seconds:.0f} s.")
    out.line(f"Next: pfes bench report {output} -o report", "dim")
    out.data(vars(outcome) | {"results": str(output)})
    return int(bool(outcome.failed) and outcome.failed == outcome.done)


@bench_verb.command("report")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("report"), show_default=True,
    help="The folder: report.html, report.md and pictures.",
)  # fmt: skip
@click.option("--experiment", help="Only the runs of the experiment of this name.")
@click.option("--against", metavar="LABEL", help="The method that the others are compared with; the first by default.")
@click.option("--title", default="", help="What stands above it.")
@json_option
def report_verb(
    results: tuple[Path, ...], output: Path, experiment: str | None, against: str | None, title: str, as_json: bool
) -> None:
    """Write what came of it: traces, ranks, tests and times, as a page, Markdown and pictures."""
    from pfes.bench import report  # noqa: PLC0415 - loads models

    out = Output(as_json)
    written = report(results, output, experiment=experiment, against=against, title=title)
    out.line(f"Wrote {written.files[0]} on {written.runs} runs, and {len(written.files) - 1} files beside it.")
    out.data({"files": [str(file) for file in written.files], "runs": written.runs})
