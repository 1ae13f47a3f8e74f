"""Arguments and options that several verbs have, and the kinds of values they take."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pfes.errors import InvalidInput
from pfes.sheets.cells import typed_number, typed_parameter
from pfes.space import Pool
from pfes.space.numbers import parse_number
from pfes.study import Study, open_study

__all__ = ["as_param", "as_point", "duration", "json_option", "number", "opened", "pair", "study_argument", "trial_ids"]

F = TypeVar("F", bound=Callable[..., Any])

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}


def duration(text: str) -> float:
    """Seconds of 30d, 12h, 45m, 90s; a number alone is seconds."""
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d*)?)\s*([smhdw]?)\s*", text, re.ASCII)
    if not found:
        raise click.BadParameter(f"got {text!r}, wanted a time such as 30d, 12h, 45m or 90s.")
    return float(found[1]) * UNITS[found[2] or "s"]


def number(text: str) -> float:
    """A finite number of 0 or more."""
    try:
        found = typed_number(text, "")
    except InvalidInput as error:
        raise click.BadParameter(f"{str(error).removeprefix(': ')}.") from None
    if not 0.0 <= found < float("inf"):
        raise click.BadParameter(f"got {text!r}, wanted a number of 0 or more.")
    return float(found)


def pair(text: str) -> tuple[str, str]:
    """The two texts of name=value."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise click.BadParameter(f"got {text!r}, wanted name=value, such as energy=-3.1")
    return name.strip(), value.strip()


def study_argument(verb: F) -> F:
    """The study's path or URL, and which of the studies there."""
    verb = click.option("--name", help="Which study, if the file or database holds several.")(verb)
    return click.argument("study", metavar="STUDY", type=click.Path(path_type=str))(verb)


def json_option(verb: F) -> F:
    """For programs: the same as JSON."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(verb)


def trial_ids(verb: F) -> F:
    """One or more trials by number."""
    return click.argument("ids", metavar="ID...", nargs=-1, required=True, type=int)(verb)


def opened(place: str, name: str | None) -> Study:
    """The study that a verb is about."""
    return open_study(place, name)


def as_param(study: Study, name: str, text: str) -> Any:
    """The value of a parameter (of a pool: of any column) as it is typed."""
    if isinstance(study.space, Pool):
        column = study.space.columns.get(name, ())
        return _cell(text, all(isinstance(cell, str) for cell in column))
    parameter = study.space.parameters.get(name)
    if parameter is None:
        raise click.UsageError(f"got {name!r}, wanted a parameter: {', '.join(study.space.names)}.")
    return typed_parameter(text, parameter, name)


def _cell(text: str, texts: bool) -> Any:
    number = None if texts else parse_number(text, comma=True)
    return text if number is None else number


def as_point(study: Study, pairs: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """A point as it is typed: x=0.1 t=400, or row=M07 of a pool."""
    return {name: text if name == "row" else as_param(study, name, text) for name, text in pairs}
