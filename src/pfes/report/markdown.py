"""A report as Markdown. Texts of users are escaped: no name can become a link, a heading, HTML or a formula."""

import re
from collections.abc import Callable
from html import escape

from pfes.plots.words import legible
from pfes.report.document import Block, Bullets, Document, Paragraph, Picture, Table

__all__ = ["as_markdown", "marked"]

# What Markdown, and what renders it on the web, reads as more than itself; units in brackets are no links, underscores
# inside words no emphasis, and a colon is harmless unless it makes an address or a small picture.
SPECIAL = re.compile(
    r"""(?P<plain>(?<=\w\ )\[[\w\ %/°·.²³⁻¹-]{1,24}\](?![(\[:])|(?<=[^\W_])_(?=[^\W_]))
      | [\\`*_\[\]|~$@] | :(?=[\w+-]+:) | (?<=http):|(?<=https):|(?<=ftp):|(?<=mailto):|(?<=xmpp):|(?<=javascript):
      | (?<=\bwww)\.""",
    re.VERBOSE | re.IGNORECASE,
)
# What begins a list, a heading or a rule where a line begins.
FIRST = re.compile(r"^(\s*\d*)([.)](?=\s|$)|[-+](?=[\s+-]|$)|\#|=)")


def marked(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    found = escape(legible(text), quote=False)
    found = SPECIAL.sub(lambda it: it[0] if it["plain"] else f"\\{it[0]}", found)
    return FIRST.sub(r"\1\\\2", found)


def as_markdown(document: Document, file_of: Callable[[Picture], str]) -> str:
    """The whole as a text; file_of: where a picture is, seen from the document."""
    parts = [
        f"# {marked(document.title)}",
        " · ".join(f"{marked(what)} **{marked(much)}**" for what, much in document.numbers),
    ]
    for section in document.sections:
        parts.append(f"## {marked(section.title)}")
        parts += [_block(block, file_of) for block in section.blocks]
    parts.append(f"*{marked(document.foot)}*")
    return "\n\n".join(parts) + "\n"


def _block(block: Block, file_of: Callable[[Picture], str]) -> str:
    if isinstance(block, Paragraph):
        return marked(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {marked(item)}" for item in block.items)
    if isinstance(block, Table):
        return _table(block)
    return f"![{marked(block.caption)}]({file_of(block)})\n\n*{marked(block.caption)}*"


def _table(table: Table) -> str:
    head = [marked(column) or " " for column in table.columns]
    rule = ["---:" if place in table.numbers else "---" for place in range(len(head))]
    rows = [head, rule, *([marked(text) for text in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{lines}\n\n*{marked(table.caption)}*" if table.caption else lines
