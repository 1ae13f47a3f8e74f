"""Markdown: tables, numbers with units, and a section of a page that a benchmark owns."""

from pathlib import Path

__all__ = ["megabytes", "seconds", "table", "write_section"]


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is aligned left, the others right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


def seconds(value: float | None) -> str:
    """Three figures and a unit that suits them; a dash for None."""
    if value is None:
        return "-"
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


def megabytes(value: float | None) -> str:
    """Megabytes to the tenth; a dash for None."""
    return "-" if value is None else f"{value / 1e6:.1f} MB"


def write_section(page: Path, name: str, text: str) -> None:
    """Put `text` between the markers of section `name`; a page without them gets them at its end."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = page.read_text(encoding="utf-8") if page.exists() else "# Benchmarks\n"
    if begin not in old or end not in old:
        old = f"{old.rstrip()}\n\n{begin}\n{end}\n"
    head, rest = old.split(begin, 1)
    tail = rest.split(end, 1)[1]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{head}{begin}\n{text.strip()}\n{end}{tail}", encoding="utf-8")
