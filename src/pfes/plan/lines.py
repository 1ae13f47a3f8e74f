"""Where the keys of a TOML file stand. Python's reader does not say, and an error without a line is a riddle.

A scan of the lines that follows table headers, keys and the insides of brackets and long texts: enough to lead a
reader to the place. Keys inside braces are not looked for: they stand on the line of what holds them.
"""

import re
from collections.abc import Iterator, Sequence

__all__ = ["Lines", "find_line", "lines_of"]

Lines = dict[tuple[str | int, ...], int]

KEY = re.compile(
    r"""\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*="""
)
HEADER = re.compile(r"""\s*(\[\[?)\s*(.*?)\s*\]\]?\s*(?:#.*)?$""")
PART = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)""")
TOKEN = re.compile(r'''"""|\'\'\'|"(?:[^"\\]|\\.)*"|'[^']*'|\#|[\[\]{}]''')


def lines_of(text: str) -> Lines:
    """The line of each key, by the keys that lead to it; entries of arrays of tables by their number."""
    found: Lines = {}
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in _outside(text):
        if header := HEADER.match(line):
            table = tuple(_parts(header[2]))
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                found.setdefault(table, number)
                table = (*table, counts[table])
            found[table] = number
            for length in range(1, len(table)):
                found.setdefault(table[:length], number)
        elif key := KEY.match(line):
            parts = (*table, *_parts(key[1]))
            for length in range(len(table) + 1, len(parts) + 1):
                found.setdefault(parts[:length], number)
    return found


def find_line(lines: Lines, where: Sequence[str | int]) -> int | None:
    """The line of what the keys lead to, or of the nearest thing around it."""
    for length in range(len(where), 0, -1):
        if (line := lines.get(tuple(where[:length]))) is not None:
            return line
    return None


def _parts(dotted: str) -> list[str]:
    return [next(part for part in found if part or part == found[-1]) for found in PART.findall(dotted)]


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """The lines, with their numbers, that do not begin inside brackets or a long text."""
    depth, quote = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if not depth and not quote:
            yield number, line
            if HEADER.match(line):
                continue
        depth, quote = _after(line, depth, quote)


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """How many brackets, and which long quote, are open after a line."""
    for token in TOKEN.findall(line):
        if quote:
            quote = "" if token == quote else quote
        elif token in ('"""', "'''"):
            quote = token
        elif token == "#":
            break
        elif token in "[{":
            depth += 1
        elif token in "]}":
            depth = max(depth - 1, 0)
    return depth, quote
