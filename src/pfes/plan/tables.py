"""TOML files as pydantic checks them: whatever is wrong is said in one line, with the file's line and the remedy."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from pfes.errors import InvalidInput
from pfes.plan.faults import Fault
from pfes.plan.lines import Lines, find_line, lines_of
from pfes.space.names import shown
from pfes.space.numbers import parse_number

__all__ = ["Kind", "Located", "at_line", "read_tables"]

T = TypeVar("T", bound=BaseModel)

# what pydantic calls a wrong type, in words
WANTED = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "list_type": "a list in [brackets]",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


@dataclass(frozen=True)
class Kind(Generic[T]):
    """What a file is to hold.

    model   the whole, as pydantic checks it
    tables  of which model the tables below a key are
    what    "a plan", for errors; hint: where to find one
    typed   the key whose tables name their `type`, one of `types`
    """

    model: type[T]
    tables: Mapping[str, type[BaseModel]]
    what: str
    hint: str
    typed: str = ""
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Located:
    """A file, and where in it its keys are; what was read from it stands in the classes built on this one."""

    path: Path
    lines: Lines

    @contextmanager
    def located(self) -> Iterator[None]:
        """Say of what goes wrong inside on which line of the file it is."""
        try:
            yield
        except Fault as fault:
            raise at_line(self.path, self.lines, fault.where, str(fault)) from None


def read_tables(path: Path, kind: Kind[T]) -> tuple[T, Lines]:
    """Read a TOML file, and where in it its keys are; InvalidInput says what is wrong, where, and what to try."""
    text = _text(path, kind)
    lines = lines_of(text)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path.name}: {_syntax(str(error))}") from None
    except ValueError:  # a number of thousands of digits
        raise InvalidInput(f"{path.name}: got a number that is too long, wanted {kind.what}; {kind.hint}") from None
    except RecursionError:
        raise InvalidInput(
            f"{path.name}: got brackets in brackets without end, wanted {kind.what}; {kind.hint}"
        ) from None
    try:
        return kind.model.model_validate(data), lines
    except ValidationError as error:
        # a misspelt key first: what it should have been is missing, too
        faults = error.errors(include_url=False)
        first = min(faults, key=lambda it: it["type"] != "extra_forbidden")
        same = [it for it in faults if _where(it, kind) == _where(first, kind)]  # each of several types that would do
        raise at_line(path, lines, _where(first, kind), _words(same, kind)) from None


def _text(path: Path, kind: Kind[Any]) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"cannot read {path}: {why}; check the path. {kind.hint}") from None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # Windows' editor begins with a mark
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is no text in UTF-8, wanted a TOML file; save it as UTF-8") from None
    if not text.strip():
        raise InvalidInput(f"{path.name} has nothing in it, wanted {kind.what}; {kind.hint}")
    return text


def _syntax(said: str) -> str:
    """Python's words on what is no TOML, the line first."""
    what, found, place = said.rpartition(" (at ")
    hint = "texts stand in quotes, lists in [brackets], decimals have a point"
    if not found:
        return f"{said}; {hint}"
    return f"{place.rstrip(')')}: {what[:1].lower()}{what[1:]}; {hint}"


def at_line(path: Path, lines: Lines, where: Sequence[str | int], message: str) -> InvalidInput:
    """The error that says on which line of a file, and at which key, something is wrong."""
    line = find_line(lines, where)
    named = ".".join(str(part) for part in where if isinstance(part, str))
    start = path.name if line is None else f"{path.name}, line {line}"
    return InvalidInput(f"{start}: {f'{named}: ' if named else ''}{message}")


def _where(error: Any, kind: Kind[Any]) -> list[str | int]:
    """The keys that lead to an error; names of types that pydantic tried are no keys."""
    loc = list(error["loc"])
    if kind.typed and loc[:1] == [kind.typed] and len(loc) > 2:
        del loc[2]  # real, integer or choice
    return [part for part in loc if isinstance(part, int) or part not in ("str", "bool", "int", "float")]


def _words(errors: Sequence[Any], whole: Kind[Any]) -> str:
    error = errors[0]
    kind, got = error["type"], error.get("input")
    if kind == "missing":
        return f"this is missing, wanted a line such as {error['loc'][-1]} = ...; {whole.hint}"
    if kind == "extra_forbidden":
        return _unknown(error, whole)
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return f"got no type that is known, wanted type = {_one_of(whole.types)}"
    if kind in ("literal_error", "value_error"):
        return f"got {_short(got)}, wanted {error['ctx'].get('expected') or error['ctx']['error']}"
    if kind in WANTED:
        wanted = _either([WANTED[it["type"]] for it in errors if it["type"] in WANTED])
        return f"got {_short(got)}, wanted {wanted}{_without_quotes(got) if 'number' in wanted else ''}"
    return f"got {_short(got)}, wanted something else: {error['msg']}"


def _either(words: Sequence[str]) -> str:
    """Types that would do: a number may be whole, too."""
    several = [word for word in dict.fromkeys(words) if word != "a whole number" or "a number" not in words]
    return " or ".join(several)


def _without_quotes(got: Any) -> str:
    if not isinstance(got, str):
        return ""
    return "; give it without quotes" if parse_number(got) is not None else ", in digits and without quotes"


def _unknown(error: Any, kind: Kind[Any]) -> str:
    *before, name = error["loc"]
    parts = [str(part) for part in before]
    table: type[BaseModel] = kind.model
    for part in parts:
        table = kind.tables.get(part, table)
    known = list(table.model_fields)
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {near[0]}?" if near else "; delete it, or check the spelling"
    return f"this is not known here, wanted {shown(known)}{hint}"


def _one_of(words: Sequence[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def _short(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
