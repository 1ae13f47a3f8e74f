"""`pfes front`: the best trade-offs, measured or recommended."""

from pathlib import Path

import click

from pfes.cli.arguments import json_option, opened, study_argument
from pfes.cli.ask import write_csv
from pfes.cli.output import Output
from pfes.display import cell
from pfes.sheets import Style, front_as_csv
from pfes.space import Pool
from pfes.standing import front_table, sorted_points
from pfes.study import Study

__all__ = ["front_verb"]


@click.command()
@study_argument
@click.option("--recommended", is_flag=True, help="What the model thinks best, measured or not, with deviations.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--excel", is_flag=True, help="CSV with semicolons and decimal commas.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the CSV to a file.")
@json_option
def front_verb(
    study: str, name: str | None, recommended: bool, as_csv: bool, excel: bool, output: Path | None, as_json: bool
) -> None:
    """Show the measured points that no other is better than in every objective."""
    it, out = opened(study, name), Output(as_json)
    if recommended:
        _recommended(it, out)
        return
    points = sorted_points(it, it.front())
    if as_csv or excel or output:
        write_csv(front_as_csv(it, points, Style.excel() if excel else Style()), output, f"{len(points)} points")
        return
    if not points:
        out.line("No point has every objective measured yet.")
    else:
        out.table(*front_table(it, points))
    out.data([{"row": p.row, "params": p.params, "values": p.values, "trials": p.trials} for p in points])


def _recommended(study: Study, out: Output) -> None:
    points, named = study.recommend(), isinstance(study.space, Pool)
    rows = [
        [
            *([p.row] if named else []),
            *(p.params[name] for name in study.space.names),
            *(f"{cell(p.estimates[name].mean)} ± {p.estimates[name].std:.2g}" for name in study.objectives.names),
        ]
        for p in points
    ]
    out.table([*(["row"] if named else []), *study.space.names, *study.objectives.names], rows)
    out.data(
        [
            {"row": p.row, "params": p.params, "estimates": {n: e._asdict() for n, e in p.estimates.items()}}
            for p in points
        ]
    )
