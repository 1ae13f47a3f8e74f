"""A report as one HTML page: no script, no network, light and dark, fit to be printed. Texts of users are escaped.

The page's own policy forbids scripts and everything that is not in the page, so that even a mistake here stays inert.
"""

import io
import re
from dataclasses import replace
from html import escape

from pfes.plots import figure, svg
from pfes.plots.figure import styled
from pfes.plots.parallel import Parallel
from pfes.plots.theme import DARK, LIGHT
from pfes.plots.words import legible
from pfes.report.document import Block, Bullets, Document, Paragraph, Picture, Table

__all__ = ["as_page", "inline", "turned"]

PIXELS = 100  # of an inch of a picture
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; LIGHT }
@media (prefers-color-scheme: dark) { :root { DARK } }
@media print { :root { color-scheme: light; LIGHT } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--grid); }
p, ul { margin: 0.75rem 0; overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; }
dl { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0 0 1rem; }
dl div { border: 1px solid var(--grid); border-radius: 0.5rem; padding: 0.5rem 0.9rem; min-width: 8rem; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
nav { font-size: 0.95rem; margin: 1rem 0; }
nav a { margin-right: 1.1rem; white-space: nowrap; }
a { color: var(--front); }
figure { margin: 1.25rem 0 1.75rem; overflow-x: auto; }
figcaption, caption { color: var(--soft); font-size: 0.875rem; text-align: left; }
caption { caption-side: bottom; padding-top: 0.4rem; }
figure svg { display: block; width: 100%; min-width: 30rem; height: auto; }
figure svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif !important; }
.wide { overflow-x: auto; margin: 1rem 0 1.5rem; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid);
  max-width: 24rem; overflow-wrap: break-word; }
th { color: var(--soft); font-weight: 600; max-width: 12rem; vertical-align: bottom; }
.n { text-align: right; } td.n { white-space: nowrap; }
footer { color: var(--soft); font-size: 0.875rem; margin-top: 3rem; padding-top: 0.75rem;
  border-top: 1px solid var(--grid); }
@page { size: A4; margin: 1.5cm 1cm; }
@page across { size: A4 landscape; margin: 1cm; }
@media print {
  main { max-width: none; padding: 0; } nav { display: none; } body { font-size: 10.5pt; }
  h2, caption { break-after: avoid; } h2 { margin-top: 1.5rem; } dl div, figure, tr { break-inside: avoid; }
  figure, .wide { overflow: visible; } figure svg { min-width: 0; }
  table { font-size: 9pt; } th, td { max-width: none; padding-right: 0.5rem; }
  .dense table { font-size: 7pt; }
  .across { page: across; }
  .broken table { font-size: 6pt; table-layout: fixed; width: 100%; }
  .broken :is(th, td) { overflow-wrap: anywhere; white-space: normal; padding-right: 0.3rem; }
}
"""
# Letters side by side that a printed table has room for, and how those with more are set: smaller, across the page,
# and at last with words that are broken, so that nothing is ever cut off.
ROOM = ((100, ""), (130, "dense"), (190, "dense across"))
TIGHTEST = "across broken"
WHOLE = 180  # letters of the smallest size that fit side by side across the page


def as_page(document: Document) -> str:
    """The whole as a text."""
    title = _safe(document.title)
    numbers = "".join(f"<div><dt>{_safe(what)}</dt><dd>{_safe(much)}</dd></div>" for what, much in document.numbers)
    links = "\n".join(f'<a href="#part{i}">{_safe(part.title)}</a>' for i, part in enumerate(document.sections))
    parts = [
        f'<section id="part{i}"><h2>{_safe(part.title)}</h2>\n' + "\n".join(map(_block, part.blocks)) + "</section>"
        for i, part in enumerate(document.sections)
    ]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<main>",
            f"<h1>{title}</h1>\n<dl>{numbers}</dl>\n<nav>{links}</nav>",
            *parts,
            f"<footer>{_safe(document.foot)}</footer>\n</main>\n</body>\n</html>\n",
        ]
    )


def _style() -> str:
    light, dark = (" ".join(f"--{name}: {value};" for name, value in it.named.items()) for it in (LIGHT, DARK))
    return STYLE.replace("LIGHT", light).replace("DARK", dark)


def _safe(text: str) -> str:
    return escape(legible(text))


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{_safe(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_safe(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Table):
        return _table(block)
    words = f"{block.caption} {block.data.chart().note}".strip()
    return f"<figure>{inline(block)}<figcaption>{_safe(words)}</figcaption></figure>"


def _table(table: Table) -> str:
    if _letters(table) > WHOLE and len(table.rows) < len(table.columns):
        table = turned(table)
    kinds = [' class="n"' if place in table.numbers else "" for place in range(len(table.columns))]
    head = "".join(f"<th{kind}>{_safe(text)}</th>" for text, kind in zip(table.columns, kinds, strict=True))
    rows = "\n".join(
        "<tr>" + "".join(f"<td{kind}>{_safe(text)}</td>" for text, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{_safe(table.caption)}</caption>" if table.caption else ""
    kind = " ".join(["wide", *_setting(table)])
    return f'<div class="{kind}"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _letters(table: Table) -> int:
    """How many the numbers of a table need side by side, so that none is broken."""
    return sum(1 + max((len(row[place]) for row in table.rows), default=0) for place in table.numbers)


def turned(table: Table) -> Table:
    """The same with a column for each row, named by its trial or candidate, or counted."""
    named = table.columns[0] in ("trial", "row")
    heads = [row[0] for row in table.rows] if named else [str(k + 1) for k in range(len(table.rows))]
    columns = list(zip(*table.rows, strict=True))[named:]
    rows = [[name, *column] for name, column in zip(table.columns[named:], columns, strict=True)]
    return Table.of([table.columns[0] if named else "", *heads], rows, table.caption)


def _setting(table: Table) -> list[str]:
    """How a table is set in print, by the letters that its longest words and numbers need side by side."""
    columns = zip(table.columns, *table.rows, strict=True)
    needed = 0
    for place, column in enumerate(columns):
        parts = [column[0].split(), *([text] if place in table.numbers else text.split() for text in column[1:])]
        needed += 2 + max((len(word) for words in parts for word in words), default=0)
    return next((kind for room, kind in ROOM if needed <= room), TIGHTEST).split()


def inline(picture: Picture) -> str:
    """A picture as SVG inside a page, in colours that follow the page's theme."""
    if isinstance(picture.data, Parallel):
        return themed(svg(picture.data))
    stream = io.StringIO()
    chart = replace(picture.data.chart(), note="")  # it stands in the caption
    with styled(LIGHT):
        drawn = figure(chart)
        drawn.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", text, count=2)
    text = re.sub(r'\sid="(?:figure|patch|axes|line2d|text|xtick|ytick|matplotlib\.axis)_?\d*"', "", text)
    width = round(PIXELS * drawn.get_figwidth())
    own = f'role="img" aria-label="{_safe(picture.caption)}" stroke-linejoin="round" style="max-width: {width}px"'
    return themed(text.replace("<svg", f"<svg {own}", 1))


def themed(text: str) -> str:
    """An SVG drawn on light ground, its colours exchanged for the page's variables of the same names."""
    names = {value: name for name, value in LIGHT.named.items()}
    text = re.sub(r'(fill|stroke)="(#[0-9a-f]{6})"', lambda m: _variable(m[1], m[2], names), text)
    return re.sub(r"(?<=: )#[0-9a-f]{6}", lambda m: f"var(--{names[m[0]]})" if m[0] in names else m[0], text)


def _variable(what: str, colour: str, names: dict[str, str]) -> str:
    """An attribute cannot hold a variable, a style can."""
    return f'style="{what}: var(--{names[colour]})"' if colour in names else f'{what}="{colour}"'
