"""`pfes methods`: the ways to choose what to measure."""

from typing import Any

import click

from pfes.acquisition import METHODS, Method
from pfes.cli.arguments import json_option
from pfes.cli.output import Output

__all__ = ["methods_verb"]

HEADER = ["method", "what it does", "model", "single objectives", "pools", "spaces", "batches", "objectives", "needs"]


@click.command()
@json_option
def methods_verb(as_json: bool) -> None:
    """List the ways to choose what to measure; `method` in a plan, or --method, takes one by name."""
    out = Output(as_json)
    out.table(HEADER, [_row(it) for it in METHODS.values()])
    out.data([_plain(it) for it in METHODS.values()])


def _row(it: Method) -> list[str]:
    can = [it.build is not None, it.decoupled, it.pools, it.spaces, it.batch]
    said = f"{it.summary} ({it.source})" if it.source else it.summary
    return [it.name, said, *("yes" if each else "no" for each in can), it.counts, it.needs]


def _plain(it: Method) -> dict[str, Any]:
    return {
        "name": it.name,
        "summary": it.summary,
        "source": it.source,
        "needs": it.needs,
        "model": it.build is not None,
        "decoupled": it.decoupled,
        "pools": it.pools,
        "spaces": it.spaces,
        "batch": it.batch,
        "together": it.together,
        "least_objectives": it.least,
        "most_objectives": it.most,
    }
