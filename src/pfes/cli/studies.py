"""`pfes list` and `pfes delete`: the studies of a file or database."""

import datetime

import click

from pfes.cli.arguments import json_option
from pfes.cli.output import Output
from pfes.study import delete_study, list_studies

__all__ = ["delete_verb", "list_verb"]


@click.command()
@click.argument("place", metavar="FILE_OR_URL")
@json_option
def list_verb(place: str, as_json: bool) -> None:
    """List the studies of a file or database."""
    out, found = Output(as_json), list_studies(place)
    rows = [[it.name, _day(it.created), it.events, _day(it.changed)] for it in found]
    out.table(["name", "begun", "events", "last change"], rows)
    out.data([it._asdict() for it in found])


def _day(seconds: float | None) -> str:
    return "" if seconds is None else f"{datetime.datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"


@click.command()
@click.argument("place", metavar="FILE_OR_URL")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask again.")
@json_option
def delete_verb(place: str, name: str, yes: bool, as_json: bool) -> None:
    """Forget a study and all that happened in it, for good."""
    if not yes:
        click.confirm(f"Delete {name!r} in {place} and all its measurements for good?", abort=True, err=True)
    delete_study(place, name)
    out = Output(as_json)
    out.line(f"Study {name!r} is deleted.")
    out.data({"deleted": name})
