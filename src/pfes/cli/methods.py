"""`pfes methods`: the ways to choose what to measure."""

import textwrap
from typing import Any

import click

from pfes.acquisition import METHODS, Method
from pfes.cli.arguments import json_option
from pfes.cli.output import Output

__all__ = ["methods_verb"]

NARROW = 140  # columns below which words would be broken in a table
HEADER = ["method", "what it does", "model", "single objectives", "pools", "spaces", "batches", "objectives", "needs"]


@click.command()
@json_option
def methods_verb(as_json: bool) -> None:
    """List the ways to choose what to measure; `method` in a plan, or --method, takes one by name."""
    out = Output(as_json)
    if out.width >= NARROW:
        out.table(HEADER, [_row(it) for it in METHODS.values()])
    else:
        for it in METHODS.values():
            out.line(it.name, style="bold")
            for part in _paragraphs(it):
                for line in textwrap.wrap(part, max(out.width - 1, 20), initial_indent="  ", subsequent_indent="    "):
                    out.line(line)
    out.data([_plain(it) for it in METHODS.values()])


def _said(it: Method) -> str:
    return f"{it.summary} ({it.source})" if it.source else it.summary


def _row(it: Method) -> list[str]:
    can = [it.build is not None, it.decoupled, it.pools, it.spaces, it.batch]
    return [it.name, _said(it), *("yes" if each else "no" for each in can), it.counts, it.needs]


def _paragraphs(it: Method) -> list[str]:
    """The same row in words."""
    kinds = {"a model": it.build is not None, "single objectives": it.decoupled, "pools": it.pools}
    kinds |= {"spaces": it.spaces, "batches": it.batch}
    yes, no = (", ".join(kind for kind, can in kinds.items() if can == wanted) for wanted in (True, False))
    said = [_said(it), f"{yes}; {it.counts} objectives" + (f"; not: {no}" if no else "")]
    return [*said, f"needs {it.needs}"] if it.needs else said


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
