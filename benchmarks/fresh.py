"""One at a time, together and the rival on a hundred seeds each that nothing was chosen on or looked at before.

    python benchmarks/fresh.py                                 from the runs that are kept; to the terminal
    python benchmarks/fresh.py --markdown docs/default.md      and into its section of that page

Medians of what the first of two methods holds, and of the other; how many searches of the first hold more (a tie for
one half), and p of Wilcoxon's test on the pairs. Costs to hold 95 % likewise.
"""

import argparse
import statistics
from pathlib import Path

from default_parts.report import ENOUGH, LABELS, chance, cheaper, costs, searches, wins
from tables import table, write_section

APART, TOGETHER, RIVAL = LABELS
COMPARED = (
    ("fresh-arylation", APART, TOGETHER),
    ("fresh-arylation", APART, RIVAL),
    ("fresh-arylation", TOGETHER, RIVAL),
    ("fresh-bismuth", TOGETHER, RIVAL),
)
MARKS = (20, 30, 60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    header = ["", "against", "pairs", "95 %", "other", "ratio, cheaper (p)"]
    header += [cell for mark in MARKS for cell in (f"held after {mark}", "other", "more (p)")]
    text = table(header, [row(*each) for each in COMPARED])
    print(text)
    if options.markdown:
        write_section(options.markdown, "fresh", text)


def row(name: str, one: str, other: str) -> list[str]:
    first, second = searches(name, one), searches(name, other)
    pairs = sorted(set(first) & set(second))
    reached = [[each[seed].cost_to(ENOUGH) for seed in pairs] for each in (first, second)]
    problem = f"{first[pairs[0]].name}, {one.removeprefix('our default, ').replace('our default', 'together')}"
    against = "together" if other == TOGETHER else other.removeprefix("BoTorch ")
    cells = [problem, against, str(len(pairs)), *map(costs, reached), cheaper(*reached)]
    marks = [mark for mark in MARKS if mark <= first[pairs[0]].budget]
    for mark in marks:
        held = [[each[seed].at(mark) for seed in pairs] for each in (first, second)]
        ahead = [mine - theirs for mine, theirs in zip(*held, strict=True)]
        cells += [f"{statistics.median(each):.4f}" for each in held] + [f"{wins(ahead)} ({chance(ahead)})"]
    return cells + [""] * 3 * (len(MARKS) - len(marks))


if __name__ == "__main__":
    main()
