"""Searches made in two ways from the same starts, as a row of a table: cost to hold enough, and what is held."""

import statistics
from collections.abc import Sequence
from typing import Any

from default_parts.ours import held_after
from default_parts.report import chance, cheaper, cost_of, wins

__all__ = ["header", "row"]


def header(marks: Sequence[float]) -> list[str]:
    """Of a table of such rows; marks: spent when one looks at what is held, in prices of a whole point."""
    cells = ["", "pairs", "cost", "default", "ratio, cheaper (p)"]
    return cells + [cell for mark in marks for cell in (f"held after {mark:g}", "default", "more (p)")]


def row(name: str, ours: list[dict[str, Any]], default: list[dict[str, Any]], marks: Sequence[float]) -> list[str]:
    """Medians of both ways and their pairs; nothing at marks that no search reached."""
    costs = [[cost_of(result) for result in each] for each in (ours, default)]
    cells = [name, str(len(ours)), *(f"{statistics.median(each):.1f}" for each in costs), cheaper(*costs)]
    reached = [mark for mark in marks if mark <= ours[0]["cost"][-1] + 0.5]
    for mark in reached:
        held = [[held_after(result, mark) for result in each] for each in (ours, default)]
        ahead = [mine - other for mine, other in zip(*held, strict=True)]
        cells += [f"{statistics.median(each):.4f}" for each in held] + [f"{wins(ahead)} ({chance(ahead)})"]
    return cells + [""] * 3 * (len(marks) - len(reached))
