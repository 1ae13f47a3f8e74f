"""The information of 100 candidates about ten sampled frontiers: BoTorch beside pfes, and how ours grows.

    python benchmarks/information.py                                   everything, to the terminal
    python benchmarks/information.py --markdown docs/benchmarks.md     and into its section of that page
    python benchmarks/information.py --without-botorch                 no torch needed
    python benchmarks/information.py --write-fixture                   BoTorch's values, for tests without torch

The set-up is the paper's for its table of times: L = 4 objectives, R = 10 frontiers of S = 50 points, N = 100
candidates. Rivals see the same frontiers and the same predictions, and must agree before they are timed.
"""

import argparse
import sys
from pathlib import Path

from information_parts.agreement import agree
from information_parts.fixture import FIXTURE, RIVAL_PACKAGES, write_fixture
from information_parts.growth import axes, growth, what_the_columns_mean
from information_parts.problem import problem, what_the_problem_is
from information_parts.race import partitions, race
from machine import describe
from tables import write_section

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["pfes", "numpy", "scipy", "numba"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'information' is rewritten")
    parser.add_argument("--without-botorch", action="store_true", help="only pfes and numpy: no torch needed")
    parser.add_argument("--without-growth", action="store_true", help="only the comparison with rivals")
    parser.add_argument("--write-fixture", action="store_true", help=f"write {FIXTURE} and stop")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer rounds")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds a call may be expected to take")
    options = parser.parse_args()
    if options.write_fixture:
        write_fixture(ROOT / FIXTURE)
        return
    text = report(options, _command())
    print(text)
    if options.markdown:
        write_section(options.markdown, "information", text)


def report(options: argparse.Namespace, command: str) -> str:
    """The whole section, in Markdown."""
    with_botorch = not options.without_botorch
    machine = describe(PACKAGES + RIVAL_PACKAGES * with_botorch)
    given = problem()
    parts = ["## Information of 100 candidates", f"`{command}`: " + "; ".join(machine) + "."]
    parts.append(what_the_problem_is())
    if with_botorch:
        parts += ["### Agreement", "\n".join(f"- {line}" for line in agree(given))]
    parts += ["### Times, frontiers prepared", race(given, with_botorch, rounds=3 if options.quick else 15)]
    parts += ["Cells and what is derived from them, once per suggestion:", partitions(given, with_botorch)]
    if not options.without_growth:
        parts += ["### Growth", what_the_columns_mean()]
        parts += [growth(axis, options.limit) for axis in axes(options.quick)]
    return "\n\n".join(parts) + "\n"


def _command() -> str:
    # as typed in the repository; a page elsewhere is nobody's business
    return " ".join(["python benchmarks/information.py", *[_without_folders(word) for word in sys.argv[1:]]])


def _without_folders(word: str) -> str:
    if word.startswith("-"):
        return word
    path = Path(word).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


if __name__ == "__main__":
    main()
