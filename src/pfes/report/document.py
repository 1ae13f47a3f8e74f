"""What a report is made of, whatever it is written as: sections of paragraphs, lists, tables and pictures.

Texts are plain and may hold anything, names of users too: whoever writes them down escapes them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pfes.plots import Description

__all__ = ["Block", "Bullets", "Document", "Paragraph", "Picture", "Section", "Table"]


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """Short texts, one below the other."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of texts below their columns' names; numbers: the columns that are set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    numbers: frozenset[int] = frozenset()

    @staticmethod
    def of(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> "Table":
        """A table that leaves out columns in which nothing stands, and finds out which are numbers."""
        kept = [c for c in range(len(columns)) if any(row[c] for row in rows)]
        table = tuple(tuple(row[c] for c in kept) for row in rows)
        numbers = {place for place in range(len(kept)) if all(NUMBER.fullmatch(row[place]) for row in table)}
        return Table(tuple(columns[c] for c in kept), table, caption, frozenset(numbers))


NUMBER = re.compile(r"[−-]?[\d.]*(?:e[−-]?\d+)?(?: ± [\d.e−]+)?")


@dataclass(frozen=True)
class Picture:
    """A picture by name, and what it shows."""

    name: str
    data: Description
    caption: str


Block = Paragraph | Bullets | Table | Picture


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A title, the whole in a few numbers (what, how much), and sections; foot: where it comes from."""

    title: str
    numbers: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    foot: str = ""

    @property
    def pictures(self) -> list[Picture]:
        """All pictures, in their order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Picture)]
