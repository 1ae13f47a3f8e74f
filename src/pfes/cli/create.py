"""`pfes create`: begin a study from a plan in TOML, or from a table of candidates in CSV."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from pfes.cli.arguments import json_option, number, pair
from pfes.cli.output import Output
from pfes.plan import EXAMPLE, read_plan
from pfes.plan.beginning import Begun, begin
from pfes.plan.model import ObjectiveTable, Plan, PoolTable, StudyTable
from pfes.sheets.cells import typed_number
from pfes.space import Pool

__all__ = ["create_verb"]


@click.command()
@click.argument("source", metavar="[PLAN.toml | CANDIDATES.csv]", required=False, type=click.Path(path_type=Path))
@click.option("--example", is_flag=True, help="Print a commented plan to begin with.")
@click.option("--to", "place", help="File or postgresql:// URL of the study.  [default: SOURCE with .db]")
@click.option("--name", help="What the study is called there.  [default: as the plan says, or SOURCE's name]")
@click.option("--exist-ok", is_flag=True, help="Go on with a study of that name if it is the same.")
@click.option("--max", "larger", multiple=True, metavar="COLUMN", help="CSV: an objective; larger is better.")
@click.option("--min", "smaller", multiple=True, metavar="COLUMN", help="CSV: an objective; smaller is better.")
@click.option(
    "--cost",
    "costs",
    multiple=True,
    metavar="NAME=VALUE",
    type=pair,
    help="CSV: cost of measuring an objective.  [default: 1]",
)
@click.option("--inputs", help="CSV: columns that describe a candidate, a,b,c.  [default: all others]")
@click.option("--ids", help="CSV: column that names a candidate.  [default: a first column of texts]")
@click.option("--delimiter", help="CSV: what lies between the cells.  [default: found out]")
@click.option("--with-results", is_flag=True, help="CSV: filled objective columns are results from before.")
@click.option("--budget", metavar="NUMBER", type=number, help="CSV: what all measurements together may cost.")
@click.option("--method", help="CSV: see `pfes methods`.  [default: pfes]")
@click.option(
    "--model", help="CSV: independent, coregional, latent or auto: objectives related?  [default: independent]"
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="CSV: of all random numbers.")
@json_option
def create_verb(source: Path | None, example: bool, place: str | None, as_json: bool, **options: object) -> None:
    """Begin a study.

    From a plan: `pfes create --example > battery.toml`, edit it, `pfes create battery.toml` writes battery.db.

    From candidates: `pfes create candidates.csv --max conductivity --min energy --cost conductivity=5`.
    """
    if example:
        click.echo(EXAMPLE, nl=False)
        return
    if source is None:
        raise click.UsageError("got nothing to begin from, wanted a plan (.toml) or candidates (.csv); try --example.")
    table = _is_table(source)
    target = place or str(source.with_suffix(".db"))
    begun = _from_csv(source, target, options) if table else _from_plan(source, target, options)
    _say(begun, target, Output(as_json))


def _is_table(source: Path) -> bool:
    kind = source.suffix.lower()
    if kind not in (".toml", ".csv", ".tsv", ".txt"):
        raise click.UsageError(f"got {str(source)!r}, wanted a plan (.toml) or candidates (.csv).")
    return kind != ".toml"


def _from_plan(source: Path, target: str, options: dict[str, object]) -> Begun:
    only = [
        "larger",
        "smaller",
        "costs",
        "inputs",
        "ids",
        "delimiter",
        "with_results",
        "budget",
        "method",
        "model",
        "seed",
    ]
    if wrong := [name for name in only if options[name]]:
        spelt = {"larger": "max", "smaller": "min", "costs": "cost"}.get(wrong[0], wrong[0].replace("_", "-"))
        raise click.UsageError(f"--{spelt} is for candidates in CSV; write it into {source.name}.")
    file = read_plan(source)
    plan = file.plan
    if options["name"]:
        plan = plan.model_copy(update={"study": plan.study.model_copy(update={"name": options["name"]})})
    with file.located():
        return begin(plan, source.parent, target, exist_ok=bool(options["exist_ok"]))


def _from_csv(source: Path, target: str, options: dict[str, object]) -> Begun:
    larger, smaller, costs = (options[name] for name in ("larger", "smaller", "costs"))
    assert isinstance(larger, tuple)
    assert isinstance(smaller, tuple)
    assert isinstance(costs, tuple)
    if not larger and not smaller:
        raise click.UsageError("got no objective, wanted --max COLUMN or --min COLUMN for each of them.")
    if both := sorted({*larger} & {*smaller}):
        raise click.UsageError(f"{both[0]!r} is to be large and small, wanted one of --max and --min.")
    price = {name: float(typed_number(text, f"--cost {name}")) for name, text in costs}
    if stray := [name for name in price if name not in (*larger, *smaller)]:
        raise click.UsageError(f"--cost: got {stray[0]!r}, wanted one of {', '.join((*larger, *smaller))}.")
    goals = dict.fromkeys(larger, "max") | dict.fromkeys(smaller, "min")
    inputs = options["inputs"]
    plan = Plan.model_construct(
        study=StudyTable.model_construct(
            name=options["name"] or source.stem,
            seed=options["seed"],
            method=options["method"],
            model=options["model"],
            budget=options["budget"],
        ),
        pool=PoolTable.model_construct(
            file=source.name,
            inputs=[name.strip() for name in inputs.split(",")] if isinstance(inputs, str) else None,
            ids=options["ids"],
            delimiter=options["delimiter"],
            with_results=bool(options["with_results"]),
        ),
        objectives={
            name: ObjectiveTable.model_construct(goal=goal, cost=price.get(name, 1.0)) for name, goal in goals.items()
        },
    )
    return begin(plan, source.parent, target, exist_ok=bool(options["exist_ok"]))


def _say(begun: Begun, target: str, out: Output) -> None:
    study = begun.study
    target = study.storage if "://" in target else target  # without its password
    pool = isinstance(study.space, Pool)
    what = f"{len(study.space)} candidates" if isinstance(study.space, Pool) else f"{len(study.space.names)} parameters"
    goals = ", ".join(f"{item.goal} {item.name} (cost {item.cost:g})" for item in study.objectives)
    out.line(f"Study {study.name!r} is in {target}: {what}; {goals}.", "bold")
    out.line(f"  {'described by' if pool else 'set'}: {', '.join(study.space.names)}")
    if begun.results:
        out.line(f"  {begun.results} rows with results from before were taken in")
    if begun.unused:
        out.warn(
            f"the columns {', '.join(begun.unused)} hold results, which were left out; --with-results takes them in"
        )
    if isinstance(study.space, Pool):
        for doubt in _doubts(study.space, study.objectives.names):
            out.warn(doubt)
    out.line(f"Next: pfes ask {target} -n 4")
    out.data(
        {
            "study": target,
            "name": study.name,
            "parameters": study.space.names,
            "candidates": len(study.space) if isinstance(study.space, Pool) else None,
            "objectives": [{"name": item.name, "goal": item.goal, "cost": item.cost} for item in study.objectives],
            "results": begun.results,
        }
    )


def _doubts(pool: Pool, objectives: Sequence[str]) -> Iterator[str]:
    """What was taken as it stands, but may have been meant otherwise."""
    for name in objectives:
        if near := get_close_matches(name, pool.names, n=1):
            yield f"{near[0]!r} describes candidates, {name!r} is an objective; if they are the same, begin again"
