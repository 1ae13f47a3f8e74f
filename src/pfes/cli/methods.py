"""`pfes methods`: the ways to choose what to measure."""

import click

from pfes.acquisition import METHODS
from pfes.cli.arguments import json_option
from pfes.cli.output import Output

__all__ = ["methods_verb"]


@click.command()
@json_option
def methods_verb(as_json: bool) -> None:
    """List the ways to choose what to measure; `method` in a plan, or --method, takes one by name."""
    rows = [
        [it.name, it.summary, "no" if it.build is None else "yes", "yes" if it.decoupled else "no"]
        for it in METHODS.values()
    ]
    out = Output(as_json)
    out.table(["method", "what it does", "model", "single objectives"], rows)
    out.data([{"name": it.name, "summary": it.summary, "decoupled": it.decoupled} for it in METHODS.values()])
