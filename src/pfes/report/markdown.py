"""A report as Markdown. Texts of users are escaped: no name can become a link, a heading, HTML or a formula."""

import re
from collections.abc import Callable
from html import escape

from pfes.plots.words import legible
from pfes.report.document import Block, Bullets, Document, Paragraph, Picture, Table

__all__ = ["as_markdown", "marked"]

# What Markdown, and what renders it on the web, reads as more than itself; ":" and "www." would become links.
SPECIAL = re.compile(r"([\\`*_{}\[\]()#!|~$@^=:])")


def marked(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    found = SPECIAL.sub(r"\\\1", escape(legible(text), quote=False))
    found = re.sub(r"(?i)\b(www)\.", r"\1\\.", found)
    return re.sub(r"^(\s*)([-+]|\d+\.)", lambda m: f"{m[1]}\\{m[2]}" if m[2] in "-+" else m[0][:-1] + "\\.", found)


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
